# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e03-title"
# # Exercise 03: the block table
#
# Three functions lead from the positions of tokens to their slots, and a fourth counts what the table needs.
# The second uses the first, and the third the second: let each pass before you begin the next.
# Lesson: [03, the block table](../notebooks/03_block_table.ipynb).
#
# Positions, blocks, offsets and slots all count from 0.
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e03-imports"
from pagedkv_edu import cdiv
from pagedkv_edu.course import check
from pagedkv_edu.viz.translation import translation

# %% [markdown] id="e03-1-task"
# ## 3.1 Locate a position
#
# Difficulty: 1 of 5. Time: 5 minutes.
#
# In which block of its sequence is the token at a position, and at which offset inside that block?
# Write `my_locate`.
#
# ```python
# my_locate(position: int, block_size: int) -> tuple[int, int]  # (logical block, offset)
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_locate(9, 4)` | `(2, 1)` | two full blocks lie before it |
# | `my_locate(0, 4)` | `(0, 0)` | the first token |
# | `my_locate(3, 4)` | `(0, 3)` | the last slot of block 0 |
# | `my_locate(4, 4)` | `(1, 0)` | the first slot of block 1 |
# | `my_locate(9, 1)` | `(9, 0)` | every token has a block of its own |
#
# ```
# position         0  1  2  3     4  5  6  7     8  9 10
# logical block    0  0  0  0     1  1  1  1     2  2  2
# offset           0  1  2  3     0  1  2  3     0  1  2
# ```


# %% id="e03-1-answer" tags=["answer"] exercise="3.1"
def my_locate(position: int, block_size: int) -> tuple[int, int]:
    """Return the logical block of a position, and the offset inside the block."""
    # BEGIN SOLUTION
    return position // block_size, position % block_size
    # END SOLUTION


# %% id="e03-1-check" tags=["check"] exercise="3.1"
check("3.1", my_locate)

# %% [markdown] id="e03-2-task"
# ## 3.2 From position to slot
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# `block_ids` is the block table of one sequence: its physical blocks, in the order of its tokens.
# Write `my_slot`, which returns the slot of a position, counted through the whole pool.
#
# ```python
# my_slot(block_ids: list[int], block_size: int, position: int) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_slot([2, 3, 0], 4, 0)` | `8` | the first slot of block 2 |
# | `my_slot([2, 3, 0], 4, 5)` | `13` | logical block 1 is block 3 |
# | `my_slot([2, 3, 0], 4, 9)` | `1` | logical block 2 is block 0 |
# | `my_slot([5], 1, 0)` | `5` | one slot for each block |
#
# ```
# the table        [2, 3, 0]      positions of the sequence, where they lie:
#
# block            0              1              2              3
# slot             0  1  2  3     4  5  6  7     8  9 10 11    12 13 14 15
# position         8  9 10  ·     ·  ·  ·  ·     0  1  2  3     4  5  6  7
# ```


# %% id="e03-2-answer" tags=["answer"] exercise="3.2"
def my_slot(block_ids: list[int], block_size: int, position: int) -> int:
    """Return the slot of a position, through the block table."""
    # BEGIN SOLUTION
    logical_block, offset = my_locate(position, block_size)
    return block_ids[logical_block] * block_size + offset
    # END SOLUTION


# %% id="e03-2-check" tags=["check"] exercise="3.2"
check("3.2", my_slot)

# %% [markdown] id="e03-2-see-text"
# **See it.** The explorer of the lesson asks your two functions for every position.
# It draws the right way, and where yours leads elsewhere it says so.
# Run this cell again after each change.

# %% id="e03-2-see" tags=["picture"]
translation(my_locate=my_locate, my_slot=my_slot)

# %% [markdown] id="e03-3-task"
# ## 3.3 A slot mapping
#
# Difficulty: 3 of 5. Time: 20 minutes.
#
# In one step a sequence writes its tokens at positions `start` to `stop - 1`.
# Write `my_slot_mapping`, which returns their slots as a list, in the order of the tokens.
#
# ```python
# my_slot_mapping(block_ids: list[int], block_size: int, start: int, stop: int) -> list[int]
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_slot_mapping([2, 3, 0], 4, 6, 11)` | `[14, 15, 0, 1, 2]` | the rest of block 3, then block 0 |
# | `my_slot_mapping([2, 3, 0], 4, 0, 6)` | `[8, 9, 10, 11, 12, 13]` | blocks 2 and 3 are neighbours in the pool |
# | `my_slot_mapping([2, 3, 0], 4, 9, 10)` | `[1]` | one token, as in most steps |
# | `my_slot_mapping([2, 3, 0], 4, 6, 6)` | `[]` | no new token |
#
# The table may be longer than the step needs.
# Leave `block_ids` as it is: it belongs to the caller.
#
# ```
# block            0              1              2              3
# slot             0  1  2  3     4  5  6  7     8  9 10 11    12 13 14 15
# position         8  9 10  ·     ·  ·  ·  ·     0  1  2  3     4  5  6  7
# the step 6, 11   ^  ^  ^                                            ^  ^
# ```


# %% id="e03-3-answer" tags=["answer"] exercise="3.3"
def my_slot_mapping(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    """Return the slots of the tokens start to stop - 1, in that order."""
    # BEGIN SOLUTION
    return [my_slot(block_ids, block_size, position) for position in range(start, stop)]
    # END SOLUTION


# %% id="e03-3-check" tags=["check"] exercise="3.3"
check("3.3", my_slot_mapping)

# %% [markdown] id="e03-3-more"
# **More, if you like.** Your function looks into the table once for each token.
# Write it again with one look for each block: a range to the end of the first block, whole blocks, and a range for the rest.
# The check takes it too.

# %% [markdown] id="e03-4-task"
# ## 3.4 The size of a table
#
# Difficulty: 1 of 5. Time: 5 minutes.
#
# A block table has one entry for each block.
# Write `my_table_entries`: how many entries must a table have for a sequence of `max_len` tokens, at least 1?
#
# ```python
# my_table_entries(max_len: int, block_size: int) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_table_entries(4096, 16)` | `256` | every block is full |
# | `my_table_entries(4097, 16)` | `257` | the last block holds one token |
# | `my_table_entries(1, 16)` | `1` | |
#
# ```
# max_len 9, block_size 4     ■ ■ ■ ■   ■ ■ ■ ■   ■ · · ·     3 entries
# ```


# %% id="e03-4-answer" tags=["answer"] exercise="3.4"
def my_table_entries(max_len: int, block_size: int) -> int:
    """Return the entries of a table that can hold max_len tokens."""
    # BEGIN SOLUTION
    return cdiv(max_len, block_size)
    # END SOLUTION


# %% id="e03-4-check" tags=["check"] exercise="3.4"
check("3.4", my_table_entries)

# %% [markdown] id="e03-after"
# ## Back to the lesson
#
# Lesson 03 says in comments below `slot` and `slot_mapping` how to run it on your functions.
# Then [lesson 04](../notebooks/04_block_pool.ipynb): where do the block ids come from?
