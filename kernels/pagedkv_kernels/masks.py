"""A decode kernel that can leave out one of its four masks, to see what each is for."""

from typing import Literal

import torch
import triton
import triton.language as tl
from torch import Tensor

from pagedkv_edu.errors import InvalidSize

Mask = Literal["none", "table", "k", "v", "score"]
MASKS: tuple[Mask, ...] = ("none", "table", "k", "v", "score")
FOREIGN = 777  # what lies behind the table: some other program's number


@triton.jit
def masks_kernel(
    q_ptr,  # [num_heads, head_dim]
    k_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    table_ptr,  # [num_table_entries], and FOREIGN numbers behind them
    out_ptr,  # [num_heads, head_dim]
    looked_up_ptr,  # [TILE]: what the table load brought
    seq_len,
    scale,
    stride_block,
    stride_slot,
    stride_head,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # the whole sequence is one tile
    LEFT_OUT: tl.constexpr,
):
    """One program: one query head, and a single turn."""
    head = tl.program_id(0)
    dim = tl.arange(0, HEAD_DIM)
    position = tl.arange(0, TILE)
    is_token = position < seq_len
    everywhere = position >= 0

    table_mask = everywhere if LEFT_OUT == "table" else is_token
    block_id = tl.load(table_ptr + position // BLOCK_SIZE, mask=table_mask, other=0)
    tl.store(looked_up_ptr + position, block_id)
    row = block_id.to(tl.int64) * stride_block + position % BLOCK_SIZE * stride_slot
    offsets = (row + head // GROUP * stride_head)[:, None] + dim[None, :]

    k_mask = everywhere if LEFT_OUT == "k" else is_token
    k = tl.load(k_ptr + offsets, mask=k_mask[:, None], other=0.0)
    q = tl.load(q_ptr + head * HEAD_DIM + dim)
    scores = tl.sum(q[None, :] * k, 1) * scale
    if LEFT_OUT != "score":
        scores = tl.where(is_token, scores, float("-inf"))

    weights = tl.exp(scores - tl.max(scores, 0))
    v_mask = everywhere if LEFT_OUT == "v" else is_token
    v = tl.load(v_ptr + offsets, mask=v_mask[:, None], other=0.0)
    out = tl.sum(weights[:, None] * v, 0) / tl.sum(weights, 0)
    tl.store(out_ptr + head * HEAD_DIM + dim, out)


def decode_without(
    left_out: Mask,
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_table: Tensor,
    seq_len: int,
    *,
    scale: float,
    tile: int = 64,
) -> tuple[Tensor, Tensor]:
    """Return the output without one mask, and what the table look-ups brought.

    One sequence of at most `tile` tokens, in float32; K and V have the same strides.
    """
    if seq_len > tile:
        raise InvalidSize(f"{seq_len} tokens do not fit into a tile of {tile}")
    num_heads, head_dim = q.shape
    _, block_size, num_kv_heads, _ = k_cache.shape
    # whatever is read behind the table is memory of ours
    memory = block_table.new_full((len(block_table) + tile,), FOREIGN)
    memory[: len(block_table)] = block_table
    out, looked_up = torch.empty_like(q), memory.new_empty(tile)
    masks_kernel[(num_heads,)](
        q,
        k_cache,
        v_cache,
        memory,
        out,
        looked_up,
        seq_len,
        scale,
        *k_cache.stride()[:3],
        GROUP=num_heads // num_kv_heads,
        HEAD_DIM=head_dim,
        BLOCK_SIZE=block_size,
        TILE=tile,
        LEFT_OUT=left_out,
    )
    return out, looked_up
