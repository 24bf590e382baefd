"""Write new keys and values into their slots."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from pagedkv_kernels.arguments import require, require_caches


@triton.jit
def write_kernel(
    k_ptr,  # [num_tokens, num_kv_heads, head_dim]
    v_ptr,  # [num_tokens, num_kv_heads, head_dim]
    k_cache_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_cache_ptr,  # [num_blocks, block_size, num_kv_heads, head_dim]
    slot_ptr,  # [num_tokens]
    k_stride_token,
    k_stride_head,
    v_stride_token,
    v_stride_head,
    k_cache_stride_block,
    k_cache_stride_slot,
    k_cache_stride_head,
    v_cache_stride_block,
    v_cache_stride_slot,
    v_cache_stride_head,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,
):
    """One program: one token, one KV head."""
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    slot = tl.load(slot_ptr + token).to(tl.int64)
    if slot < 0:
        return
    block_id = slot // BLOCK_SIZE
    offset = slot % BLOCK_SIZE
    dim = tl.arange(0, PADDED_DIM)
    is_dim = dim < HEAD_DIM
    k = tl.load(k_ptr + token * k_stride_token + head * k_stride_head + dim, is_dim)
    v = tl.load(v_ptr + token * v_stride_token + head * v_stride_head + dim, is_dim)
    k_row = block_id * k_cache_stride_block + offset * k_cache_stride_slot
    v_row = block_id * v_cache_stride_block + offset * v_cache_stride_slot
    tl.store(k_cache_ptr + k_row + head * k_cache_stride_head + dim, k, is_dim)
    tl.store(v_cache_ptr + v_row + head * v_cache_stride_head + dim, v, is_dim)


def write_kv(
    k: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    v: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    slot_mapping: Int[Tensor, " num_tokens"],
) -> None:
    """Put token t's keys and values into slot `slot_mapping[t]` of the caches.

    Slot s is slot s % block_size of block s // block_size. A token whose slot is
    negative is skipped. No two tokens may have the same slot.
    """
    require_caches(k_cache, v_cache)
    num_tokens = slot_mapping.shape[0]
    expected = (num_tokens, *k_cache.shape[2:])
    for name, tensor in (("k", k), ("v", v)):
        require(
            tuple(tensor.shape) == expected,
            f"{name} must be {list(expected)}, got {list(tensor.shape)}",
        )
        require(tensor.stride(-1) == 1, f"the last stride of {name} must be 1")
        require(
            tensor.dtype == k_cache.dtype,
            f"{name} is {tensor.dtype}, the cache is {k_cache.dtype}",
        )
    require(
        slot_mapping.dtype in (torch.int32, torch.int64),
        f"slot_mapping must be int32 or int64, got {slot_mapping.dtype}",
    )
    if slot_mapping.device.type == "cpu" and num_tokens:
        num_slots = k_cache.shape[0] * k_cache.shape[1]
        require(
            int(slot_mapping.max()) < num_slots,
            f"slot {int(slot_mapping.max())} is not in a cache of {num_slots} slots",
        )
    if num_tokens == 0:
        return
    write_kernel[(num_tokens, k_cache.shape[2])](
        k,
        v,
        k_cache,
        v_cache,
        slot_mapping,
        *k.stride()[:2],
        *v.stride()[:2],
        *k_cache.stride()[:3],
        *v_cache.stride()[:3],
        BLOCK_SIZE=k_cache.shape[1],
        HEAD_DIM=k_cache.shape[3],
        PADDED_DIM=triton.next_power_of_2(k_cache.shape[3]),
        num_warps=1,
    )
