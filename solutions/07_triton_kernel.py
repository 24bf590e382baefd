# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e07-title"
# # Exercise 07: Triton kernels
#
# Three kernels: one writes new keys and values, one attends through the table, one merges what several programs found.
# They do not use one another, so any order will do; the first is the easiest.
# Lesson: [07, a Triton kernel](../notebooks/07_triton_kernel.ipynb).
#
# Each answer is a kernel and the function that launches it.
# The launch is written already; change it if you like, and add arguments that your kernel wants.
# `head_dim` and `block_size` are powers of two here.
#
# Without a GPU the checks run your kernel in Triton's interpreter, where `print` works inside a kernel.
# The verdict says which one ran.
# Triton is made for Linux. Where it is missing, the checks say how to go on.

# %% id="e07-imports"
from pagedkv_kernels.absence import tl, triton
from pagedkv_kernels.launches import (
    compiled,
    decode_example,
    merge_example,
    write_example,
)
from torch import Tensor

from pagedkv_edu.course import check

# %% [markdown] id="e07-1-task"
# ## 7.1 Write keys and values into their slots
#
# Difficulty: 2 of 5. Time: 20 minutes.
#
# New tokens have keys and values, and each has a slot: slot `s` is offset `s % block_size` of block `s // block_size`.
# Write one row of K and one of V for each token and KV head. A token with slot -1 is not written.
#
# ```python
# my_write_kernel(
#     k: Tensor,             # [num_tokens, num_kv_heads, head_dim]
#     v: Tensor,             # as k
#     k_cache: Tensor,       # [num_blocks, block_size, num_kv_heads, head_dim]
#     v_cache: Tensor,       # as k_cache
#     slot_mapping: Tensor,  # [num_tokens], int64
# ) -> None                  # fills k_cache and v_cache
# ```
#
# k and v have the same strides, and so have both caches. Any of them may be a view: only the last stride is surely 1.
#
# ```
# block_size 4, slot_mapping [9, 2]
#
#             block 0          block 1          block 2
# slot        0  1  2  3       4  5  6  7       8  9 10 11
#                   ^ token 1                      ^ token 0
#
# one program: one token, one KV head        grid (num_tokens, num_kv_heads)
# ```


# %% id="e07-1-answer" tags=["answer"] exercise="7.1"
@triton.jit
def write_kernel(
    k_ptr,  # [num_tokens, num_kv_heads, head_dim]
    v_ptr,
    k_cache_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_cache_ptr,
    slot_ptr,  # [num_tokens]
    stride_token,
    stride_row,
    stride_block,
    stride_slot,
    stride_head,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
):
    """Copy one token's row of one KV head into its slot."""
    token = tl.program_id(0)
    head = tl.program_id(1)
    dim = tl.arange(0, HEAD_DIM)
    # BEGIN SOLUTION: copy a row of k and a row of v into the slot
    slot = tl.load(slot_ptr + token)
    if slot < 0:
        return
    source = token * stride_token + head * stride_row + dim
    block_id, offset = slot // BLOCK_SIZE, slot % BLOCK_SIZE
    target = block_id * stride_block + offset * stride_slot + head * stride_head + dim
    tl.store(k_cache_ptr + target, tl.load(k_ptr + source))
    tl.store(v_cache_ptr + target, tl.load(v_ptr + source))
    # END SOLUTION


def my_write_kernel(
    k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slot_mapping: Tensor
) -> None:
    """Launch `write_kernel`, a program for each token and KV head."""
    num_tokens, num_kv_heads, head_dim = k.shape
    write_kernel[(num_tokens, num_kv_heads)](
        *(k, v, k_cache, v_cache, slot_mapping),
        *k.stride()[:2],
        *k_cache.stride()[:3],
        BLOCK_SIZE=k_cache.shape[1],
        HEAD_DIM=head_dim,
    )


# %% id="e07-1-check" tags=["check"] exercise="7.1"
check("7.1", my_write_kernel)

# %% [markdown] id="e07-1-see-text"
# **See it.** What a compiler makes of your kernel for a card that need not be here: 64 tokens, 8 KV heads, `head_dim` 128, fp16.

# %% id="e07-1-see" tags=["picture"]
print(compiled(my_write_kernel, *write_example(), target="sm_90"))

# %% [markdown] id="e07-2-task"
# ## 7.2 One program for each query head
#
# Difficulty: 4 of 5. Time: 40 minutes.
#
# Every sequence decodes one token. Attend over its cached tokens, through its row of `block_tables`.
#
# ```python
# my_decode_kernel(
#     q: Tensor,             # [num_seqs, num_heads, head_dim]
#     k_cache: Tensor,       # [num_blocks, block_size, num_kv_heads, head_dim]
#     v_cache: Tensor,       # as k_cache
#     block_tables: Tensor,  # [num_seqs, max_blocks], int32
#     seq_lens: Tensor,      # [num_seqs], int32, 0 allowed
#     scale: float,
#     out: Tensor,           # as q
# ) -> None                  # fills out
# ```
#
# The loop is that of 6.1 and 6.2: a running maximum, a running sum, a running output.
#
# - A slot past the length may hold NaN: mask the loads, the values with `other=0.0`, and give its score `-inf`.
# - A sequence of length 0 gives 0.
# - A pool may have more than 2^31 numbers, and the table holds int32.
# - Both caches have the same strides; they may be views of one tensor.
#
# ```
# block_size 4, seq_len 6                turn 0                turn 1
#
# table of the sequence   [ 7 | 2 ]      block 7: * * * *      block 2: * * - -
#                                                  slot < 6 - 4 in turn 1: ^ ^ masked
# one program: one sequence, one query head        grid (num_seqs, num_heads)
# ```


# %% id="e07-2-answer" tags=["answer"] exercise="7.2"
@triton.jit
def decode_kernel(
    q_ptr,  # [num_seqs, num_heads, head_dim]
    k_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_ptr,
    table_ptr,  # [num_seqs, max_blocks]
    len_ptr,  # [num_seqs]
    out_ptr,  # [num_seqs, num_heads, head_dim]
    scale,
    q_stride_seq,
    q_stride_head,
    stride_block,
    stride_slot,
    stride_head,
    table_stride,
    out_stride_seq,
    out_stride_head,
    GROUP: tl.constexpr,  # query heads for each KV head
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
):
    """Attend with one query head over one sequence, block by block."""
    seq = tl.program_id(0)
    head = tl.program_id(1)
    kv_head = head // GROUP
    slot = tl.arange(0, BLOCK_SIZE)
    dim = tl.arange(0, HEAD_DIM)
    seq_len = tl.load(len_ptr + seq)
    q = tl.load(q_ptr + seq * q_stride_seq + head * q_stride_head + dim).to(tl.float32)
    running_max = float("-inf")
    running_sum = 0.0
    acc = tl.zeros([HEAD_DIM], tl.float32)
    # BEGIN SOLUTION: for each logical block look up, score, weigh, add; then store
    for logical in range(tl.cdiv(seq_len, BLOCK_SIZE)):
        block_id = tl.load(table_ptr + seq * table_stride + logical).to(tl.int64)
        row = block_id * stride_block + slot * stride_slot + kv_head * stride_head
        is_token = logical * BLOCK_SIZE + slot < seq_len
        at = row[:, None] + dim[None, :]
        k = tl.load(k_ptr + at, mask=is_token[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + at, mask=is_token[:, None], other=0.0).to(tl.float32)
        scores = tl.sum(q[None, :] * k, 1) * scale
        scores = tl.where(is_token, scores, float("-inf"))
        new_max = tl.maximum(running_max, tl.max(scores, 0))
        rescale = tl.exp(running_max - new_max)
        weights = tl.exp(scores - new_max)
        acc = acc * rescale + tl.sum(weights[:, None] * v, 0)
        running_sum = running_sum * rescale + tl.sum(weights, 0)
        running_max = new_max
    out = acc / tl.where(running_sum == 0.0, 1.0, running_sum)
    out_row = out_ptr + seq * out_stride_seq + head * out_stride_head
    tl.store(out_row + dim, out.to(out_ptr.dtype.element_ty))
    # END SOLUTION


def my_decode_kernel(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    scale: float,
    out: Tensor,
) -> None:
    """Launch `decode_kernel`, a program for each sequence and query head."""
    num_seqs, num_heads, head_dim = q.shape
    decode_kernel[(num_seqs, num_heads)](
        *(q, k_cache, v_cache, block_tables, seq_lens, out, scale),
        *q.stride()[:2],
        *k_cache.stride()[:3],
        block_tables.stride(0),
        *out.stride()[:2],
        GROUP=num_heads // k_cache.shape[2],
        BLOCK_SIZE=k_cache.shape[1],
        HEAD_DIM=head_dim,
    )


# %% id="e07-2-check" tags=["check"] exercise="7.2"
check("7.2", my_decode_kernel)

# %% [markdown] id="e07-2-see-text"
# **See it.** Your kernel, compiled: 32 query heads on 8 KV heads, `head_dim` 128, `block_size` 16, fp16.
# How many bytes does the widest load bring to a thread, and is anything spilled?

# %% id="e07-2-see" tags=["picture"]
print(compiled(my_decode_kernel, *decode_example(), target="sm_90"))

# %% [markdown] id="e07-3-task"
# ## 7.3 Merge the splits
#
# Difficulty: 3 of 5. Time: 20 minutes.
#
# Several programs have each attended over some of a sequence's tokens.
# Merge their outputs, weighted by `exp(lse)`, as in 6.3.
#
# ```python
# my_merge_splits(
#     parts: Tensor,     # [num_seqs, num_heads, num_splits, head_dim], float32
#     part_lse: Tensor,  # [num_seqs, num_heads, num_splits], float32
#     out: Tensor,       # [num_seqs, num_heads, head_dim]
# ) -> None              # fills out
# ```
#
# All three are contiguous. An empty split has `lse` -inf, and weighs nothing; if all are empty, the output is 0.
# `num_splits` may be any number; `PADDED_SPLITS` is the next power of two, because `tl.arange` takes nothing else.
#
# ```
# num_splits 3, PADDED_SPLITS 4
#
# lse       0.0   1.0   -inf   (masked: -inf)
# weight    0.27  0.73   0      0
# parts     [ .. head_dim .. ]  three rows; their weighted sum is the row of out
# ```


# %% id="e07-3-answer" tags=["answer"] exercise="7.3"
@triton.jit
def merge_kernel(
    part_ptr,  # [num_seqs, num_heads, num_splits, head_dim]
    lse_ptr,  # [num_seqs, num_heads, num_splits]
    out_ptr,  # [num_seqs, num_heads, head_dim]
    num_heads,
    num_splits,
    PADDED_SPLITS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
):
    """Merge the splits of one head of one sequence."""
    row = tl.program_id(0) * num_heads + tl.program_id(1)
    split = tl.arange(0, PADDED_SPLITS)
    dim = tl.arange(0, HEAD_DIM)
    is_split = split < num_splits
    # BEGIN SOLUTION: make weights of the log-sum-exps, and add up the weighted parts
    lse_at = lse_ptr + row * num_splits + split
    lse = tl.load(lse_at, mask=is_split, other=float("-inf"))
    largest = tl.max(lse, 0)
    largest = tl.where(largest == float("-inf"), 0.0, largest)
    weights = tl.exp(lse - largest)
    total = tl.sum(weights, 0)
    part_row = (row * num_splits + split)[:, None] * HEAD_DIM
    parts = tl.load(part_ptr + part_row + dim[None, :], is_split[:, None], other=0.0)
    out = tl.sum(parts * weights[:, None], 0) / tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + row * HEAD_DIM + dim, out)
    # END SOLUTION


def my_merge_splits(parts: Tensor, part_lse: Tensor, out: Tensor) -> None:
    """Launch `merge_kernel`, a program for each sequence and head."""
    num_seqs, num_heads, num_splits, head_dim = parts.shape
    merge_kernel[(num_seqs, num_heads)](
        *(parts, part_lse, out, num_heads, num_splits),
        PADDED_SPLITS=triton.next_power_of_2(num_splits),
        HEAD_DIM=head_dim,
    )


# %% id="e07-3-check" tags=["check"] exercise="7.3"
check("7.3", my_merge_splits)

# %% [markdown] id="e07-3-see-text"
# **See it.** Compiled for a card of AMD's this time: 8 splits of 32 heads.

# %% id="e07-3-see" tags=["picture"]
print(compiled(my_merge_splits, *merge_example(), target="gfx942"))

# %% [markdown] id="e07-after"
# ## Back to the lesson
#
# Lesson 07 says in a comment, where `decode` is defined, how to run it on your decode kernel.
# The next rungs of its ladder are in the library: `kernels/pagedkv_kernels/ladder.py` is your kernel with longer tiles, `decode.py` beside it groups the heads and splits long sequences.
# Then [lesson 08](../notebooks/08_layouts.ipynb): what if the numbers lie in another order?
