"""The decode kernel to read first: a program for each query head, no matrix units.

`decode.py` is the top of the ladder. Its rungs, and what each saves:

    by head, TILE = block_size   as one writes it first, block by block
    by head, TILE = 64           turns of the loop, and more bytes under way at a time
    grouped                      K and V are read once for a group of query heads
    split                        idle multiprocessors, when sequences are few and long
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from pagedkv_edu.sizes import require_positive
from pagedkv_kernels.arguments import require, require_decode_arguments
from pagedkv_kernels.mode import INTERPRETED
from pagedkv_kernels.shapes import next_power_of_two, row_alignment


@triton.jit
def head_kernel(
    q_ptr,  # [num_seqs, num_heads, head_dim]
    k_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    table_ptr,  # [num_seqs, max_blocks]
    len_ptr,  # [num_seqs]
    out_ptr,  # [num_seqs, num_heads, head_dim]
    scale,
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
    GROUP: tl.constexpr,  # query heads for each KV head
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # tokens in a turn of the loop, a power of two
    ALIGN: tl.constexpr,  # divides the offset of every row of K and V
):
    """One program: one sequence, one query head."""
    seq = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1).to(tl.int64)
    kv_head = head // GROUP
    seq_len = tl.load(len_ptr + seq)
    dim = tl.arange(0, PADDED_DIM)
    is_dim = dim < HEAD_DIM
    q_row = q_ptr + seq * q_stride_seq + head * q_stride_head
    q = tl.load(q_row + dim, mask=is_dim, other=0.0).to(tl.float32)

    running_max = float("-inf")
    running_sum = 0.0
    acc = tl.zeros([PADDED_DIM], tl.float32)
    for tile_start in range(0, seq_len, TILE):
        position = tile_start + tl.arange(0, TILE)
        is_token = position < seq_len
        is_kv = is_token[:, None] & is_dim[None, :]
        entry = table_ptr + seq * table_stride_seq + position // BLOCK_SIZE
        block_id = tl.load(entry, mask=is_token, other=0).to(tl.int64)
        slot = (position % BLOCK_SIZE).to(tl.int64)

        k_row = block_id * k_stride_block + slot * k_stride_slot
        k_row = tl.multiple_of(k_row + kv_head * k_stride_head, [ALIGN])
        k = tl.load(k_ptr + k_row[:, None] + dim[None, :], mask=is_kv, other=0.0)
        scores = tl.sum(q[None, :] * k.to(tl.float32), 1) * scale
        scores = tl.where(is_token, scores, float("-inf"))

        # the first token of a tile is there, so the maximum is a number
        new_max = tl.maximum(running_max, tl.max(scores, 0))
        rescale = tl.exp(running_max - new_max)
        weights = tl.exp(scores - new_max)

        v_row = block_id * v_stride_block + slot * v_stride_slot
        v_row = tl.multiple_of(v_row + kv_head * v_stride_head, [ALIGN])
        v = tl.load(v_ptr + v_row[:, None] + dim[None, :], mask=is_kv, other=0.0)
        acc = acc * rescale + tl.sum(weights[:, None] * v.to(tl.float32), 0)
        running_sum = running_sum * rescale + tl.sum(weights, 0)
        running_max = new_max

    out = acc / tl.where(running_sum == 0.0, 1.0, running_sum)
    out_row = out_ptr + seq * out_stride_seq + head * out_stride_head
    tl.store(out_row + dim, out.to(out_ptr.dtype.element_ty), mask=is_dim)


def decode_by_head(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
    tile: int = 64,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Return what `paged_decode` does, a program for each query head.

    `tile` is the tokens of a turn, a power of two.
    """
    tensors = (q, k_cache, v_cache, block_tables, seq_lens)
    require_decode_arguments(*tensors, scale=scale, window=None, softcap=None, out=None)
    require_tile(tile)
    require(
        not (INTERPRETED and q.dtype == torch.bfloat16),
        "Triton's interpreter has no bfloat16; take float16 or float32",
    )
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    if len(q) > 0:
        head_kernel[q.shape[:2]](
            *head_arguments(*tensors, out, scale),
            **head_constants(q, k_cache, v_cache, tile),
        )
    return out


def require_tile(tile: int) -> None:
    """Check that a tile is a power of two."""
    require_positive("tile", tile)
    require(tile & (tile - 1) == 0, f"tile must be a power of two, got {tile}")


def head_arguments(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    out: Tensor,
    scale: float,
) -> tuple[Tensor | float, ...]:
    """Return what `head_kernel` is launched with, in its order."""
    return (
        *(q, k_cache, v_cache, block_tables, seq_lens, out, float(scale)),
        *q.stride()[:2],
        *k_cache.stride()[:3],
        *v_cache.stride()[:3],
        block_tables.stride(0),
        *out.stride()[:2],
    )


def head_constants(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, tile: int
) -> dict[str, int]:
    """Return the constants that `head_kernel` is compiled for, and its options."""
    return {
        "GROUP": q.shape[1] // k_cache.shape[2],
        "HEAD_DIM": q.shape[2],
        "PADDED_DIM": next_power_of_two(q.shape[2]),
        "BLOCK_SIZE": k_cache.shape[1],
        "TILE": tile,
        "ALIGN": row_alignment(k_cache, v_cache),
        "num_warps": 4,
        "num_stages": 3,
    }
