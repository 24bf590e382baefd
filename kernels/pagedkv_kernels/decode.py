"""Paged attention for decoding: one query token per sequence, through its table."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from pagedkv_kernels.arguments import require_decode_arguments
from pagedkv_kernels.mode import INTERPRETED
from pagedkv_kernels.shapes import next_power_of_two, row_alignment
from pagedkv_kernels.split import choose_num_splits, merge_splits, require_num_splits


@triton.jit
def decode_kernel(
    q_ptr,  # [num_seqs, num_heads, head_dim]
    k_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    table_ptr,  # [num_seqs, max_blocks]
    len_ptr,  # [num_seqs]
    out_ptr,  # [num_seqs, num_heads, num_splits, head_dim]
    lse_ptr,  # [num_seqs, num_heads, num_splits]
    scale,
    max_blocks,
    q_stride_seq,
    q_stride_head,
    k_stride_block,
    k_stride_slot,
    k_stride_head,
    v_stride_block,
    v_stride_slot,
    v_stride_head,
    table_stride_seq,
    out_stride_seq,
    out_stride_head,
    out_stride_split,
    lse_stride_seq,
    lse_stride_head,
    GROUP: tl.constexpr,  # query heads for each KV head
    PADDED_GROUP: tl.constexpr,  # a power of two, at least 16: what tl.dot takes
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # tokens in a turn of the loop
    NUM_SPLITS: tl.constexpr,
    WINDOW: tl.constexpr,  # 0: none
    SOFTCAP: tl.constexpr,  # 0: none
    ALIGN: tl.constexpr,  # divides the offset of every row of K and V
):
    """One program: one sequence, one KV head, one split of the tokens."""
    # 64 bits for everything that is multiplied by a stride
    seq = tl.program_id(0).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    split = tl.program_id(2)

    # a length beyond the table is a caller's mistake; never read past the last entry
    seq_len = tl.minimum(tl.load(len_ptr + seq), max_blocks * BLOCK_SIZE)
    first = 0
    if WINDOW > 0:
        first = tl.maximum(seq_len - WINDOW, 0)
    # whole tiles for each split; the last ones may be empty
    start = first // TILE * TILE
    tokens_per_split = tl.cdiv(tl.cdiv(seq_len - start, TILE), NUM_SPLITS) * TILE
    begin = start + split * tokens_per_split
    end = tl.minimum(begin + tokens_per_split, seq_len)

    row = tl.arange(0, PADDED_GROUP)
    dim = tl.arange(0, PADDED_DIM)
    is_head = row < GROUP
    is_dim = dim < HEAD_DIM
    head = kv_head * GROUP + row
    is_q = is_head[:, None] & is_dim[None, :]
    q_row = (seq * q_stride_seq + head * q_stride_head)[:, None]
    q = tl.load(q_ptr + q_row + dim[None, :], mask=is_q, other=0.0)

    running_max = tl.full([PADDED_GROUP], float("-inf"), tl.float32)
    running_sum = tl.zeros([PADDED_GROUP], tl.float32)
    acc = tl.zeros([PADDED_GROUP, PADDED_DIM], tl.float32)
    for tile_start in range(begin, end, TILE):
        position = tile_start + tl.arange(0, TILE)
        is_token = position < end
        if WINDOW > 0:
            is_token = is_token & (position >= first)
        is_kv = is_token[:, None] & is_dim[None, :]

        # logical block -> physical block; entries past the last block are never read
        entry = table_ptr + seq * table_stride_seq + position // BLOCK_SIZE
        block_id = tl.load(entry, mask=is_token, other=0).to(tl.int64)
        slot = (position % BLOCK_SIZE).to(tl.int64)

        k_row = block_id * k_stride_block + slot * k_stride_slot
        k_row = tl.multiple_of(k_row + kv_head * k_stride_head, [ALIGN])
        k = tl.load(k_ptr + k_row[:, None] + dim[None, :], mask=is_kv, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        if SOFTCAP > 0:
            # cap * tanh(x / cap), by an exponential that cannot overflow
            small = tl.exp(-2 * tl.abs(scores) / SOFTCAP)
            capped = SOFTCAP * (1 - small) / (1 + small)
            scores = tl.where(scores < 0, -capped, capped)
        scores = tl.where(is_token[None, :], scores, float("-inf"))

        new_max = tl.maximum(running_max, tl.max(scores, 1))
        # while every score is -inf, the exponent needs a finite number to subtract
        shift = tl.where(new_max == float("-inf"), 0.0, new_max)
        rescale = tl.exp(running_max - shift)
        weights = tl.exp(scores - shift[:, None])

        # zero by mask, not by weight: an unwritten slot may hold NaN; 0 * NaN is NaN
        v_row = block_id * v_stride_block + slot * v_stride_slot
        v_row = tl.multiple_of(v_row + kv_head * v_stride_head, [ALIGN])
        v = tl.load(v_ptr + v_row[:, None] + dim[None, :], mask=is_kv, other=0.0)
        acc = acc * rescale[:, None]
        acc += tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        running_sum = running_sum * rescale + tl.sum(weights, 1)
        running_max = new_max

    # no token: output 0, log-sum-exp -inf
    is_empty = running_sum == 0.0
    divisor = tl.where(is_empty, 1.0, running_sum)
    out = acc / divisor[:, None]
    lse = tl.where(is_empty, float("-inf"), running_max + tl.log(divisor))
    out = out.to(out_ptr.dtype.element_ty)
    out_row = seq * out_stride_seq + head * out_stride_head + split * out_stride_split
    tl.store(out_ptr + out_row[:, None] + dim[None, :], out, mask=is_q)
    lse_row = seq * lse_stride_seq + head * lse_stride_head + split
    tl.store(lse_ptr + lse_row, lse, mask=is_head)


def paged_decode(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
    num_splits: int | None = None,
    window: int | None = None,
    softcap: float | None = None,
    out: Float[Tensor, "num_seqs num_heads head_dim"] | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the attention of each sequence's last token over its cached tokens.

    Strides are free, except that the last one is 1: the K and V views of a fused
    `[num_blocks, 2, ...]` tensor will do, and q may be a slice of a fused projection.
    A sequence of length 0 gives 0. Table entries past a sequence's last block are
    never used as an address, and nothing is read from slots past its length.

    `num_splits` cuts each sequence's tokens over that many programs, whose results
    are merged; None chooses from the problem and the card. `window` lets a query see
    the last tokens only; `softcap` bounds the scores. With `return_lse` the
    log-sum-exp of each row's scores comes too, float32 `[num_seqs, num_heads]`.
    """
    require_decode_arguments(
        q,
        k_cache,
        v_cache,
        block_tables,
        seq_lens,
        scale=scale,
        window=window,
        softcap=softcap,
        out=out,
    )
    num_seqs, num_heads, head_dim = q.shape
    block_size, num_kv_heads = k_cache.shape[1:3]
    if num_splits is None:
        num_splits = choose_num_splits(
            num_seqs * num_kv_heads, block_tables.shape[1] * block_size, q.device
        )
    require_num_splits(num_splits)
    if out is None:
        out = torch.empty_like(q, memory_format=torch.contiguous_format)
    result = out
    if INTERPRETED and q.dtype == torch.bfloat16:
        # the interpreter has no bfloat16 arithmetic; float32 holds every bfloat16
        q, k_cache, v_cache = q.float(), k_cache.float(), v_cache.float()
        result = torch.empty_like(q)

    lse = q.new_empty((num_seqs, num_heads, num_splits), dtype=torch.float32)
    parts = result.unsqueeze(2)
    if num_splits > 1:
        parts = torch.empty((*lse.shape, head_dim), dtype=lse.dtype, device=q.device)
    if num_seqs > 0:
        decode_kernel[(num_seqs, num_kv_heads, num_splits)](
            *decode_arguments(
                q, k_cache, v_cache, block_tables, seq_lens, parts, lse, scale
            ),
            **decode_constants(q, k_cache, v_cache, num_splits, window, softcap),
        )
    lse = merge_splits(parts, lse, out=result) if num_splits > 1 else lse[:, :, 0]
    if result is not out:
        out.copy_(result)
    return (out, lse) if return_lse else out


def decode_arguments(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    parts: Tensor,
    lse: Tensor,
    scale: float,
) -> tuple[Tensor | float, ...]:
    """Return what `decode_kernel` is launched with, in its order."""
    return (
        *(q, k_cache, v_cache, block_tables, seq_lens, parts, lse),
        *(float(scale), block_tables.shape[1]),
        *q.stride()[:2],
        *k_cache.stride()[:3],
        *v_cache.stride()[:3],
        block_tables.stride(0),
        *parts.stride()[:3],
        *lse.stride()[:2],
    )


def decode_constants(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    num_splits: int = 1,
    window: int | None = None,
    softcap: float | None = None,
) -> dict[str, int | float]:
    """Return the constants that `decode_kernel` is compiled for, and its options."""
    head_dim = q.shape[2]
    group = q.shape[1] // k_cache.shape[2]
    padded_dim = max(16, next_power_of_two(head_dim))
    # at most 16 KB of K, and as much of V: 64 tokens of 128 fp16 numbers
    tile = min(64, 2**14 // (padded_dim * q.element_size()))
    return {
        "GROUP": group,
        "PADDED_GROUP": max(16, next_power_of_two(group)),
        "HEAD_DIM": head_dim,
        "PADDED_DIM": padded_dim,
        "BLOCK_SIZE": k_cache.shape[1],
        "TILE": tile,
        "NUM_SPLITS": num_splits,
        "WINDOW": window or 0,
        "SOFTCAP": float(softcap or 0.0),
        "ALIGN": row_alignment(k_cache, v_cache),
        "num_warps": 4,
        "num_stages": 3,
    }
