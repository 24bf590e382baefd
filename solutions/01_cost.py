# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e01-title"
# # Exercise 01: what a token costs
#
# You write what a token takes in the KV cache, how many sequences can be promised room, and how many fit as they are.
# The three do not use one another, so any order will do.
# Lesson: [01, what a token costs](../notebooks/01_cost.ipynb).
#
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e01-imports"
from pagedkv_edu.course import check
from pagedkv_edu.serving.known_models import KNOWN_MODELS
from pagedkv_edu.viz.token_bytes import token_bytes

# %% [markdown] id="e01-1-task"
# ## 1.1 The bytes of a token
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# How many bytes does one token take in the KV cache, all layers together?
# Write `my_bytes_per_token`.
# A model has `num_heads` query heads and `num_kv_heads` KV heads in each layer.
#
# ```python
# my_bytes_per_token(
#     num_layers: int, num_heads: int, num_kv_heads: int, head_dim: int, dtype_bytes: int
# ) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_bytes_per_token(1, 1, 1, 4, 2)` | `16` | one key and one value, each of 4 numbers of 2 bytes |
# | `my_bytes_per_token(3, 4, 2, 4, 4)` | `192` | two KV heads in each of three layers, and numbers of 4 bytes |
# | `my_bytes_per_token(40, 40, 40, 128, 2)` | `819200` | OPT-13B |

# %% id="e01-1-picture" tags=["picture"]
token_bytes(KNOWN_MODELS, "Llama-3-8B")


# %% id="e01-1-answer" tags=["answer"] exercise="1.1"
def my_bytes_per_token(
    num_layers: int, num_heads: int, num_kv_heads: int, head_dim: int, dtype_bytes: int
) -> int:
    """Return the bytes of one token's keys and values in all layers."""
    # BEGIN SOLUTION
    return 2 * num_layers * num_kv_heads * head_dim * dtype_bytes
    # END SOLUTION


# %% id="e01-1-check" tags=["check"] exercise="1.1"
check("1.1", my_bytes_per_token)

# %% [markdown] id="e01-2-task"
# ## 1.2 How many promises fit
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# The weights of the model come first; what is left of the memory is the cache.
# A server that promises each sequence room for `max_len` tokens can run how many at once?
# Write `my_num_promises`.
#
# ```python
# my_num_promises(
#     memory_bytes: int, weight_bytes: int, token_bytes: int, max_len: int
# ) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_num_promises(100, 40, 2, 10)` | `3` | 60 bytes are left, and a promise takes 20 |
# | `my_num_promises(100, 41, 2, 10)` | `2` | 59 bytes: the third does not fit whole |
# | `my_num_promises(100, 140, 2, 10)` | `0` | the weights alone do not fit |
#
# ```
# memory_bytes 100     ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ├──────┤├──────┤├──────┤
#                      weights 40         20      20      20
# ```


# %% id="e01-2-answer" tags=["answer"] exercise="1.2"
def my_num_promises(
    memory_bytes: int, weight_bytes: int, token_bytes: int, max_len: int
) -> int:
    """Return how many sequences can be promised room for max_len tokens."""
    # BEGIN SOLUTION
    cache_bytes = max(0, memory_bytes - weight_bytes)
    return cache_bytes // (max_len * token_bytes)
    # END SOLUTION


# %% id="e01-2-check" tags=["check"] exercise="1.2"
check("1.2", my_num_promises)

# %% [markdown] id="e01-3-task"
# ## 1.3 How many sequences fit now
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# Now nothing is promised: each sequence takes the slots of the tokens that it has, and a slot holds one token.
# `lengths` are those of the waiting sequences, in the order in which they came.
# Nobody overtakes: when one does not fit, those behind it wait too.
# Write `my_num_that_fit`, which returns how many run together.
#
# ```python
# my_num_that_fit(num_slots: int, lengths: list[int]) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_num_that_fit(10, [4, 3, 5])` | `2` | 7 slots are taken, and 5 more do not fit |
# | `my_num_that_fit(12, [4, 3, 5])` | `3` | they fit exactly |
# | `my_num_that_fit(10, [4, 8, 1])` | `1` | the third would fit, and waits behind the second |
# | `my_num_that_fit(10, [])` | `0` | |
#
# Leave `lengths` as it is: it belongs to the caller.
#
# ```
# num_slots 10     ■ ■ ■ ■ □ □ □ · · ·      [4, 3, 5]: the third needs 5, and 3 are free
# ```


# %% id="e01-3-answer" tags=["answer"] exercise="1.3"
def my_num_that_fit(num_slots: int, lengths: list[int]) -> int:
    """Return how many sequences, from the first on, have room for all their tokens."""
    # BEGIN SOLUTION: return how many run together
    num_taken = 0
    for num_running, length in enumerate(lengths):
        num_taken += length
        if num_taken > num_slots:
            return num_running
    return len(lengths)
    # END SOLUTION


# %% id="e01-3-check" tags=["check"] exercise="1.3"
check("1.3", my_num_that_fit)

# %% [markdown] id="e01-after"
# ## Back to the lesson
#
# Comments in lesson 01, below the three functions, say how to run it on yours.
# Then [lesson 02](../notebooks/02_contiguous.ipynb): what becomes of the promises?
