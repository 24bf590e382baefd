"""Write new keys and values into their slots."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float, Int
from torch import Tensor

from pagedkv_kernels.arguments import (
    require,
    require_caches,
    require_last_stride,
    require_like,
)
from pagedkv_kernels.shapes import next_power_of_two


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
    NUM_KV_HEADS: tl.constexpr,
    PADDED_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,
):
    """One program: one token, all its KV heads."""
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + token).to(tl.int64)
    if slot < 0:  # padding of the batch: nothing to write
        return
    block_id = slot // BLOCK_SIZE
    offset = slot % BLOCK_SIZE
    head = tl.arange(0, PADDED_HEADS)[:, None].to(tl.int64)
    dim = tl.arange(0, PADDED_DIM)[None, :]
    mask = (head < NUM_KV_HEADS) & (dim < HEAD_DIM)

    k = tl.load(k_ptr + token * k_stride_token + head * k_stride_head + dim, mask)
    k_row = block_id * k_cache_stride_block + offset * k_cache_stride_slot
    tl.store(k_cache_ptr + k_row + head * k_cache_stride_head + dim, k, mask)

    v = tl.load(v_ptr + token * v_stride_token + head * v_stride_head + dim, mask)
    v_row = block_id * v_cache_stride_block + offset * v_cache_stride_slot
    tl.store(v_cache_ptr + v_row + head * v_cache_stride_head + dim, v, mask)


def write_kv(
    k: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    v: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    slot_mapping: Int[Tensor, " num_tokens"],
) -> None:
    """Put token t's keys and values into slot `slot_mapping[t]` of the caches.

    Slot s is slot s % block_size of block s // block_size. A token whose slot is
    negative is skipped. No two tokens may have the same slot: on a GPU, programs run
    in any order. `slot_mapping` is int32 or int64.
    """
    require_caches(k_cache, v_cache)
    require_slots(slot_mapping, k_cache)
    num_tokens = slot_mapping.shape[0]
    expected = (num_tokens, *k_cache.shape[2:])
    for name, tensor in (("k", k), ("v", v)):
        require(
            tensor.shape == expected,
            f"{name} must be {list(expected)}, got {list(tensor.shape)}",
        )
        require_like(name, tensor, k_cache)
    if num_tokens > 0:
        write_kernel[(num_tokens,)](
            *write_arguments(k, v, k_cache, v_cache, slot_mapping),
            **write_constants(k_cache),
        )


def write_arguments(
    k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slot_mapping: Tensor
) -> tuple[Tensor | int, ...]:
    """Return what `write_kernel` is launched with, in its order."""
    return (
        *(k, v, k_cache, v_cache, slot_mapping),
        *k.stride()[:2],
        *v.stride()[:2],
        *k_cache.stride()[:3],
        *v_cache.stride()[:3],
    )


def write_constants(k_cache: Tensor) -> dict[str, int]:
    """Return the constants that `write_kernel` is compiled for, and its options."""
    _, block_size, num_kv_heads, head_dim = k_cache.shape
    return {
        "BLOCK_SIZE": block_size,
        "NUM_KV_HEADS": num_kv_heads,
        "PADDED_HEADS": next_power_of_two(num_kv_heads),
        "HEAD_DIM": head_dim,
        "PADDED_DIM": next_power_of_two(head_dim),
        "num_warps": 4,
    }


def require_slots(slot_mapping: Tensor, k_cache: Tensor) -> None:
    """Check a slot mapping; what it holds is looked at on the CPU only."""
    require(
        slot_mapping.ndim == 1 and slot_mapping.dtype in (torch.int32, torch.int64),
        "slot_mapping must be [num_tokens], int32 or int64, "
        f"got {list(slot_mapping.shape)}, {slot_mapping.dtype}",
    )
    require(
        slot_mapping.device == k_cache.device,
        f"slot_mapping is on {slot_mapping.device}, k_cache on {k_cache.device}",
    )
    require_last_stride("slot_mapping", slot_mapping)
    if slot_mapping.device.type != "cpu" or slot_mapping.numel() == 0:
        return
    num_slots = k_cache.shape[0] * k_cache.shape[1]
    last = int(slot_mapping.max())
    require(last < num_slots, f"slot {last} is not in a cache of {num_slots} slots")
    written = slot_mapping[slot_mapping >= 0]
    slots, counts = written.unique(return_counts=True)
    require(
        slots.numel() == written.numel(),
        f"slot {int(slots[counts.argmax()]) if slots.numel() else ''} is written twice",
    )
