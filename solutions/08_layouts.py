# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e08-title"
# # Exercise 08: layouts
#
# Three orders of the same numbers. For each, a function that says at which byte a row begins:
# the `head_dim` numbers of one token's key, or value, for one KV head.
# Any order will do; the second and the third are short once you have the first.
# Lesson: [08, layouts](../notebooks/08_layouts.ipynb).
#
# Bytes, blocks, slots and heads all count from 0, in one layer.
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e08-imports"
from pagedkv_edu import KVCacheSpec
from pagedkv_edu.course import check
from pagedkv_edu.viz.memory_order import memory_order

# %% id="e08-numbers"
small = KVCacheSpec(1, num_kv_heads=2, head_dim=4, dtype_bytes=2, block_size=2)

# %% [markdown] id="e08-1-task"
# ## 8.1 Two arrays
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# Keys and values have an array each, `[num_blocks, block_size, num_kv_heads, head_dim]`, the last axis innermost.
# Return the byte where a row begins, counted from the beginning of its own array.
#
# ```python
# my_split_address(
#     spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
# ) -> int  # kind is "k" or "v"
# ```
#
# `spec` has `.block_size`, `.num_kv_heads`, `.head_dim` and `.dtype_bytes`.
# With `small`, the spec of the cell above, a row has 4 numbers of 2 bytes:
#
# | call | returns | |
# |---|---|---|
# | `my_split_address(small, "k", 0, 0, 1)` | `8` | one row lies before it |
# | `my_split_address(small, "k", 0, 1, 0)` | `16` | a slot has two rows |
# | `my_split_address(small, "k", 1, 0, 0)` | `32` | a block has two slots |
# | `my_split_address(small, "v", 1, 0, 0)` | `32` | in the array of values |
#
# ```
# byte        0         8         16        24        32
# keys        slot 0    slot 0    slot 1    slot 1    slot 0
#             head 0    head 1    head 0    head 1    head 0
#             block 0 ............................... block 1 ...
# values      the same again, in an array of their own
# ```


# %% id="e08-1-answer" tags=["answer"] exercise="8.1"
def my_split_address(
    spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
) -> int:
    """Return the byte where a row begins in its own array."""
    # BEGIN SOLUTION
    row = (block_id * spec.block_size + slot) * spec.num_kv_heads + head
    return row * spec.head_dim * spec.dtype_bytes
    # END SOLUTION


# %% id="e08-1-check" tags=["check"] exercise="8.1"
check("8.1", my_split_address)

# %% [markdown] id="e08-2-task"
# ## 8.2 K then V in each block
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# One array, `[num_blocks, 2, block_size, num_kv_heads, head_dim]`: a block holds all its keys, then all its values.
#
# ```python
# my_fused_address(
#     spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
# ) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_fused_address(small, "k", 0, 1, 0)` | `16` | as in 8.1 |
# | `my_fused_address(small, "v", 0, 0, 0)` | `32` | the keys of the block lie before it |
# | `my_fused_address(small, "k", 1, 0, 0)` | `64` | and its values too |
#
# ```
# byte        0 ............ 31 | 32 ........... 63 | 64 ........... 95 | 96 .......... 127
#             keys of block 0   | values of block 0 | keys of block 1   | values of block 1
# ```


# %% id="e08-2-answer" tags=["answer"] exercise="8.2"
def my_fused_address(
    spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
) -> int:
    """Return the byte where a row begins, with K then V in each block."""
    # BEGIN SOLUTION
    half = 2 * block_id + (1 if kind == "v" else 0)
    row = (half * spec.block_size + slot) * spec.num_kv_heads + head
    return row * spec.head_dim * spec.dtype_bytes
    # END SOLUTION


# %% id="e08-2-check" tags=["check"] exercise="8.2"
check("8.2", my_fused_address)

# %% [markdown] id="e08-3-task"
# ## 8.3 Key beside value
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# One array, `[num_blocks, block_size, num_kv_heads, 2, head_dim]`: the value of a token for a head follows its key.
#
# ```python
# my_interleaved_address(
#     spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
# ) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_interleaved_address(small, "v", 0, 0, 0)` | `8` | behind its key |
# | `my_interleaved_address(small, "k", 0, 0, 1)` | `16` | key and value of head 0 lie before it |
# | `my_interleaved_address(small, "k", 0, 1, 0)` | `32` | a slot has four rows |
#
# ```
# byte        0        8        16       24       32       40
#             key      value    key      value    key      value
#             head 0   head 0   head 1   head 1   head 0   head 0
#             slot 0 .......................... | slot 1 .........
# ```


# %% id="e08-3-answer" tags=["answer"] exercise="8.3"
def my_interleaved_address(
    spec: KVCacheSpec, kind: str, block_id: int, slot: int, head: int
) -> int:
    """Return the byte where a row begins, with each value behind its key."""
    # BEGIN SOLUTION
    row = (block_id * spec.block_size + slot) * spec.num_kv_heads + head
    row = 2 * row + (1 if kind == "v" else 0)
    return row * spec.head_dim * spec.dtype_bytes
    # END SOLUTION


# %% id="e08-3-check" tags=["check"] exercise="8.3"
check("8.3", my_interleaved_address)

# %% [markdown] id="e08-3-see-text"
# **See it.** The rows of two blocks of `small`, in the order in which your functions put them, with the byte where each begins.
# In 8.1 a key and a value have the same byte, each in its own array.
# A loop over the tokens of head 0 reads the keys that are marked: how far is it from one to the next?

# %% id="e08-3-see" tags=["picture"]
memory_order(small, my_split_address, my_fused_address, my_interleaved_address)

# %% [markdown] id="e08-after"
# ## Back to the lesson
#
# [Lesson 08](../notebooks/08_layouts.ipynb) counts what such orders make a gather fetch, and measures them on this machine.
# The library's six layouts are one file, `kernels/pagedkv_kernels/layouts.py`: an address there is a sum of index times stride.
