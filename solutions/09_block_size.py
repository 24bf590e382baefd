# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e09-title"
# # Exercise 09: block size
#
# You write what a block size costs, where two sizes break even, and a rule that chooses one.
# The three do not use one another, so any order will do.
# Lesson: [09, block size](../notebooks/09_block_size.ipynb).
#
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e09-imports"
from math import ceil, log2, sqrt

from pagedkv_edu import cdiv
from pagedkv_edu.course import check
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz.small_multiples import small_multiples

# %% [markdown] id="e09-1-task"
# ## 9.1 The four quantities
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# What does a block size mean for one sequence?
# Write `my_block_costs`, which returns four whole numbers:
#
# | | |
# |---|---|
# | table | bytes of its table entries, 4 bytes for each block |
# | tail | empty slots of its last block |
# | copy | bytes that are copied if it is forked now and both sides go on; `bytes_per_token` is the cache of a token, all layers |
# | piece | the longest run of bytes when the keys of one layer are gathered; `row_bytes` are those of a token, and the rows of a block lie together |
#
# ```python
# my_block_costs(
#     seq_len: int, block_size: int, bytes_per_token: int, row_bytes: int
# ) -> tuple[int, int, int, int]  # (table, tail, copy, piece)
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_block_costs(9, 4, 64, 8)` | `(12, 3, 256, 32)` | three blocks, the last with one token |
# | `my_block_costs(8, 4, 64, 8)` | `(8, 0, 0, 32)` | the last block is full: nothing is copied |
# | `my_block_costs(3, 4, 64, 8)` | `(4, 1, 256, 24)` | only three rows are there |
#
# ```
# 9 tokens, block_size 4     ■ ■ ■ ■   ■ ■ ■ ■   ■ · · ·
#                                                └─────┘  a branch copies this block, with its empty slots
# ```


# %% id="e09-1-answer" tags=["answer"] exercise="9.1"
def my_block_costs(
    seq_len: int, block_size: int, bytes_per_token: int, row_bytes: int
) -> tuple[int, int, int, int]:
    """Return table bytes, empty slots, copy bytes and contiguous bytes."""
    # BEGIN SOLUTION: return the four numbers
    num_blocks = cdiv(seq_len, block_size)
    empty = num_blocks * block_size - seq_len
    copied = block_size * bytes_per_token if empty else 0
    return 4 * num_blocks, empty, copied, min(seq_len, block_size) * row_bytes
    # END SOLUTION


# %% id="e09-1-check" tags=["check"] exercise="9.1"
check("9.1", my_block_costs)

# %% [markdown] id="e09-1-see-text"
# **See it.** Two sequences in three block sizes: count the marks and the unfilled slots of a step, and call your function for the same lengths.

# %% id="e09-1-see" tags=["picture"]
small_multiples([Request("A", 9, 24), Request("B", 3, 30)], block_sizes=(1, 4, 16))

# %% [markdown] id="e09-2-task"
# ## 9.2 The break-even
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# Starting a block costs `price` token reads, and an empty slot is worth one.
# A sequence of $n$ tokens starts $n / P$ blocks of $P$ slots, and has $(P - 1) / 2$ empty slots on average.
# Write `my_break_even`: the shortest length, a whole number of tokens, for which blocks of `2 * block_size` cost no more than blocks of `block_size`.
# `block_size` is a power of two.
#
# ```python
# my_break_even(block_size: int, price: float) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_break_even(4, 0.25)` | `64` | 2 more empty slots, and 8 block starts fewer at 0.25 each |
# | `my_break_even(4, 0.375)` | `43` | they would be equal at 42.67 tokens |
# | `my_break_even(1, 2.0)` | `1` | a sequence has at least one token |
#
# ```
#                  blocks of 4          blocks of 8
# empty slots      (4 - 1) / 2          (8 - 1) / 2
# block starts     price * n / 4        price * n / 8
# ```


# %% id="e09-2-answer" tags=["answer"] exercise="9.2"
def my_break_even(block_size: int, price: float) -> int:
    """Return the shortest length for which twice the block size costs no more."""
    # BEGIN SOLUTION: weigh both sizes
    return ceil(block_size**2 / price)
    # END SOLUTION


# %% id="e09-2-check" tags=["check"] exercise="9.2"
check("9.2", my_break_even)

# %% [markdown] id="e09-3-task"
# ## 9.3 Choose a block size
#
# Difficulty: 3 of 5. Time: 20 minutes.
#
# A workload is described by three numbers:
# the mean length of its sequences over all their steps, how many branches a sequence has in a step, and the price of starting a block.
# Write `my_choice`, which returns a block size for it, from 1 to 1,024.
#
# ```python
# my_choice(mean_len: float, branches: float, price: float) -> int
# ```
#
# A step of a sequence costs, in token reads:
#
# | | |
# |---|---|
# | empty slots | one each |
# | started blocks | `price` each |
# | copied slots | two each; a branch copies its last block if that is partly filled |
#
# The check measures the cost of your choice on every step of every request, and takes it if it is at most 10 % above the best power of two.
# Four workloads have names: chat (ShareGPT-like), commands (Alpaca-like), documents (long prompts), and beam search (as chat, a branch in every second step).
# The others are drawn.
#
# ```
# cost
#  │ \                       ╱
#  │   \                 ╱   empty slots and copies grow with P
#  │     \ ___     ___ ╱
#  │          ‾‾‾‾‾          blocks become fewer with P
#  └──────────────────────── P
# ```


# %% id="e09-3-answer" tags=["answer"] exercise="9.3"
def my_choice(mean_len: float, branches: float, price: float) -> int:
    """Return a block size whose cost is near the least."""
    # BEGIN SOLUTION: find a size near the least cost
    best = sqrt(price * mean_len / (1 / 2 + 2 * branches))
    return 2 ** max(0, round(log2(best)))
    # END SOLUTION


# %% id="e09-3-check" tags=["check"] exercise="9.3"
check("9.3", my_choice)

# %% [markdown] id="e09-after"
# ## Back to the lesson
#
# Set `choose = mine("my_choice")` in the second cell of lesson 09.
# Then [lesson 10](../notebooks/10_preemption.ipynb): what happens when the blocks run out?
