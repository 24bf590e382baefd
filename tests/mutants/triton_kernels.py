"""Triton kernels with room for one mistake each, and right ones of another kind."""
# ruff: noqa: N803, C901, SIM102  (constants are upper case; a mistake is one branch)
# the package comes before triton, because it decides whether triton interprets
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from collections.abc import Callable

import pagedkv_kernels  # noqa: F401  # pyright: ignore[reportUnusedImport]
import triton
import triton.language as tl
from pagedkv_kernels.decode import paged_decode
from pagedkv_kernels.write import write_kv
from torch import Tensor


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
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MISTAKE: tl.constexpr,
):
    """One program: one query head of one sequence, block by block."""
    seq = tl.program_id(0)
    head = tl.program_id(1)
    kv_head = head // GROUP
    if MISTAKE == "group":
        kv_head = head % (tl.num_programs(1) // GROUP)
    dim = tl.arange(0, HEAD_DIM)
    slot = tl.arange(0, BLOCK_SIZE)
    seq_len = tl.load(len_ptr + seq)
    q = tl.load(q_ptr + seq * q_stride_seq + head * q_stride_head + dim)
    running_max = float("-inf")
    running_sum = 0.0
    acc = tl.zeros([HEAD_DIM], tl.float32)
    num_blocks = tl.cdiv(seq_len, BLOCK_SIZE)
    if MISTAKE == "full blocks only":
        num_blocks = seq_len // BLOCK_SIZE
    for logical in range(num_blocks):
        entry = logical
        if MISTAKE == "table by token":
            entry = logical * BLOCK_SIZE
        block_id = tl.load(table_ptr + seq * table_stride + entry)
        if MISTAKE != "int32":
            block_id = block_id.to(tl.int64)
        if MISTAKE == "no table":
            block_id = logical
        is_token = logical * BLOCK_SIZE + slot < seq_len
        if MISTAKE == "one token too few":
            is_token = logical * BLOCK_SIZE + slot < seq_len - 1
        if MISTAKE == "last block full":
            is_token = (logical > 0) | (slot < seq_len)
        if MISTAKE == "tail of a full block":
            is_token = (logical < num_blocks - 1) | (slot < seq_len % BLOCK_SIZE)
        if MISTAKE == "no tail mask":
            is_token = slot >= 0
        row = block_id * stride_block + slot * stride_slot + kv_head * stride_head
        if MISTAKE == "layout":
            row = block_id * stride_block + slot * HEAD_DIM + kv_head * HEAD_DIM
        if MISTAKE == "block stride":
            row = (block_id * BLOCK_SIZE + slot) * stride_slot + kv_head * stride_head
        offsets = row[:, None] + dim[None, :]
        k = tl.load(k_ptr + offsets, mask=is_token[:, None], other=0.0)
        scores = tl.sum(q[None, :] * k.to(tl.float32), 1)
        if MISTAKE != "no scale":
            scores = scores * scale
        if MISTAKE != "scores not masked":
            scores = tl.where(is_token, scores, float("-inf"))
        if MISTAKE == "no maximum":
            new_max = 0.0
            rescale = 1.0
        else:
            new_max = tl.maximum(running_max, tl.max(scores, 0))
            rescale = tl.exp(running_max - new_max)
        if MISTAKE == "maximum of the block":
            new_max = tl.max(scores, 0)
            rescale = tl.exp(running_max - new_max)
        weights = tl.exp(scores - new_max)
        if MISTAKE == "base 2":
            weights = tl.exp2(scores - new_max)
            rescale = tl.exp2(running_max - new_max)
        if MISTAKE == "only K masked":
            v = tl.load(v_ptr + offsets)
        elif MISTAKE == "V of head 0":
            v = tl.load(v_ptr + offsets - kv_head * stride_head, is_token[:, None], 0.0)
        else:
            v = tl.load(v_ptr + offsets, mask=is_token[:, None], other=0.0)
        if MISTAKE == "not rescaled":
            rescale = 1.0
        if MISTAKE == "acc not rescaled":
            acc = acc + tl.sum(weights[:, None] * v.to(tl.float32), 0)
        else:
            acc = acc * rescale + tl.sum(weights[:, None] * v.to(tl.float32), 0)
        running_sum = running_sum * rescale + tl.sum(weights, 0)
        running_max = new_max
    if MISTAKE == "empty":
        out = acc / running_sum
    elif MISTAKE == "not divided":
        out = acc
    else:
        out = acc / tl.where(running_sum == 0, 1.0, running_sum)
    is_stored = dim < HEAD_DIM
    if MISTAKE == "half a head":
        is_stored = dim < HEAD_DIM // 2
    out_row = out_ptr + seq * out_stride_seq + head * out_stride_head
    tl.store(out_row + dim, out.to(out_ptr.dtype.element_ty), mask=is_stored)


def decode(mistake: str) -> Callable[..., None]:
    """Return `my_decode_kernel` with one mistake; "" is right."""

    def my_decode_kernel(
        q: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        block_tables: Tensor,
        seq_lens: Tensor,
        scale: float,
        out: Tensor,
    ) -> None:
        num_seqs, num_heads, head_dim = q.shape
        grid = (num_seqs, 1 if mistake == "first head only" else num_heads)
        if mistake == "grid the other way":
            grid = grid[::-1]
        decode_kernel[grid](
            q,
            k_cache,
            v_cache,
            block_tables,
            seq_lens,
            out,
            scale,
            *q.stride()[:2],
            *k_cache.stride()[:3],
            block_tables.stride(0),
            *out.stride()[:2],
            GROUP=num_heads // k_cache.shape[2],
            HEAD_DIM=head_dim,
            BLOCK_SIZE=k_cache.shape[1],
            MISTAKE=mistake,
        )

    return my_decode_kernel


def decode_grouped(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    scale: float,
    out: Tensor,
) -> None:
    """Decode as the library does, in two splits."""
    tensors = (q, k_cache, v_cache, block_tables, seq_lens)
    paged_decode(*tensors, scale=scale, out=out, num_splits=2)


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
    MISTAKE: tl.constexpr,
):
    """One program: one token, one KV head."""
    token = tl.program_id(0)
    head = tl.program_id(1)
    slot = tl.load(slot_ptr + token)
    if MISTAKE != "slot -1":
        if slot < 0:
            return
    block_id = slot // BLOCK_SIZE
    offset = slot % BLOCK_SIZE
    if MISTAKE == "swapped":
        block_id, offset = offset, block_id
    dim = tl.arange(0, HEAD_DIM)
    row = token * stride_token + head * stride_row
    if MISTAKE == "token 0":
        row = head * stride_row
    if MISTAKE == "rows side by side":
        row = (token * tl.num_programs(1) + head) * HEAD_DIM
    target = block_id * stride_block + offset * stride_slot + head * stride_head
    if MISTAKE == "no block stride":
        target = slot * stride_slot + head * stride_head
    if MISTAKE == "heads on one row":
        target = block_id * stride_block + offset * stride_slot
    k = tl.load(k_ptr + row + dim)
    v = tl.load(v_ptr + row + dim)
    if MISTAKE == "K twice":
        v = k
    tl.store(k_cache_ptr + target + dim, k)
    if MISTAKE != "K alone":
        tl.store(v_cache_ptr + target + dim, v)


def write(mistake: str) -> Callable[..., None]:
    """Return `my_write_kernel` with one mistake; "" is right."""

    def my_write_kernel(
        k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor
    ) -> None:
        num_tokens, num_kv_heads, head_dim = k.shape
        write_kernel[(num_tokens, 1 if mistake == "one head" else num_kv_heads)](
            k,
            v,
            k_cache,
            v_cache,
            slots,
            *k.stride()[:2],
            *k_cache.stride()[:3],
            BLOCK_SIZE=k_cache.shape[1],
            HEAD_DIM=head_dim,
            MISTAKE=mistake,
        )

    return my_write_kernel


def write_all_heads(
    k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor
) -> None:
    """Write as the library does."""
    write_kv(k, v, k_cache, v_cache, slots)


@triton.jit
def merge_kernel(
    part_ptr,  # [num_seqs, num_heads, num_splits, head_dim]
    lse_ptr,  # [num_seqs, num_heads, num_splits]
    out_ptr,  # [num_seqs, num_heads, head_dim]
    num_heads,
    num_splits,
    PADDED_SPLITS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    MISTAKE: tl.constexpr,
):
    """One program: one head of one sequence."""
    row = tl.program_id(0) * num_heads + tl.program_id(1)
    split = tl.arange(0, PADDED_SPLITS)
    dim = tl.arange(0, HEAD_DIM)
    is_split = split < num_splits
    other = float("-inf")
    if MISTAKE == "padding weighs":
        other = 0.0
    lse = tl.load(lse_ptr + row * num_splits + split, mask=is_split, other=other)
    largest = tl.max(lse, 0)
    if MISTAKE != "empty":
        largest = tl.where(largest == float("-inf"), 0.0, largest)
    if MISTAKE == "no maximum":
        largest = 0.0
    weights = tl.exp(lse - largest)
    if MISTAKE == "mean":
        weights = tl.where(is_split, 1.0, 0.0)
    total = tl.sum(weights, 0)
    if MISTAKE != "empty":
        total = tl.where(total == 0, 1.0, total)
    if MISTAKE == "not divided":
        total = 1.0
    offsets = (row * num_splits + split)[:, None] * HEAD_DIM + dim[None, :]
    parts = tl.load(part_ptr + offsets, mask=is_split[:, None], other=0.0)
    out = tl.sum(parts * weights[:, None], 0) / total
    if MISTAKE == "first head":
        row = tl.program_id(0) * num_heads
    tl.store(out_ptr + row * HEAD_DIM + dim, out)


def merge(mistake: str) -> Callable[..., None]:
    """Return `my_merge_splits` with one mistake; "" is right."""

    def my_merge_splits(parts: Tensor, part_lse: Tensor, out: Tensor) -> None:
        num_seqs, num_heads, num_splits, head_dim = parts.shape
        merge_kernel[(num_seqs, num_heads)](
            parts,
            part_lse,
            out,
            num_heads,
            num_splits,
            PADDED_SPLITS=8,
            HEAD_DIM=head_dim,
            MISTAKE=mistake,
        )

    return my_merge_splits


@triton.jit
def merge_pairs_kernel(part_ptr, lse_ptr, out_ptr, num_splits, HEAD_DIM: tl.constexpr):
    """One program: one head, its parts merged one after another."""
    row = tl.program_id(0)
    dim = tl.arange(0, HEAD_DIM)
    out = tl.zeros([HEAD_DIM], tl.float32)
    largest = float("-inf")
    total = 0.0
    for split in range(num_splits):
        lse = tl.load(lse_ptr + row * num_splits + split)
        part = tl.load(part_ptr + (row * num_splits + split) * HEAD_DIM + dim)
        if lse > float("-inf"):
            new = tl.maximum(largest, lse)
            rescale = tl.exp(largest - new)
            out = out * rescale + part * tl.exp(lse - new)
            total = total * rescale + tl.exp(lse - new)
            largest = new
    tl.store(out_ptr + row * HEAD_DIM + dim, out / tl.where(total == 0.0, 1.0, total))


def merge_one_by_one(parts: Tensor, part_lse: Tensor, out: Tensor) -> None:
    """Merge with a running maximum."""
    num_seqs, num_heads, num_splits, head_dim = parts.shape
    grid = (num_seqs * num_heads,)
    merge_pairs_kernel[grid](parts, part_lse, out, num_splits, HEAD_DIM=head_dim)
