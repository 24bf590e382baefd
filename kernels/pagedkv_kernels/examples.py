"""The library's own kernels as jobs for the compiler, for a shape of your choice.

    print(reports([decode_job(head_dim=64, target="gfx942")])[0].text())

Tensors are on the device "meta", so a large cache costs nothing.
"""

import torch

from pagedkv_kernels.compile import Job, job
from pagedkv_kernels.decode import decode_arguments, decode_constants, decode_kernel
from pagedkv_kernels.ladder import head_arguments, head_constants, head_kernel
from pagedkv_kernels.split import merge_constants, merge_kernel
from pagedkv_kernels.write import write_arguments, write_constants, write_kernel

NUM_SEQS, NUM_BLOCKS, MAX_BLOCKS, NUM_KV_HEADS = 8, 1024, 256, 8


def head_job(
    *,
    head_dim: int = 128,
    block_size: int = 16,
    group: int = 4,
    tile: int = 64,
    dtype: torch.dtype = torch.float16,
    target: str = "sm_90",
) -> Job:
    """Return the kernel of a program for each query head, for 8 KV heads."""
    q = _meta(NUM_SEQS, NUM_KV_HEADS * group, head_dim, dtype=dtype)
    k_cache, v_cache = _caches(block_size, head_dim, dtype, fused=False)
    tables = _meta(NUM_SEQS, MAX_BLOCKS, dtype=torch.int32)
    lens = _meta(NUM_SEQS, dtype=torch.int32)
    return job(
        head_kernel,
        *head_arguments(q, k_cache, v_cache, tables, lens, torch.empty_like(q), 0.1),
        target=target,
        **head_constants(q, k_cache, v_cache, tile),
    )


def decode_job(
    *,
    head_dim: int = 128,
    block_size: int = 16,
    group: int = 4,
    dtype: torch.dtype = torch.float16,
    num_splits: int = 1,
    fused: bool = False,
    target: str = "sm_90",
) -> Job:
    """Return the decode kernel as it is launched for 8 KV heads."""
    q = _meta(NUM_SEQS, NUM_KV_HEADS * group, head_dim, dtype=dtype)
    k_cache, v_cache = _caches(block_size, head_dim, dtype, fused=fused)
    tables = _meta(NUM_SEQS, MAX_BLOCKS, dtype=torch.int32)
    lens = _meta(NUM_SEQS, dtype=torch.int32)
    lse = _meta(NUM_SEQS, q.shape[1], num_splits)
    parts = q.unsqueeze(2)
    if num_splits > 1:
        parts = _meta(*lse.shape, head_dim)
    return job(
        decode_kernel,
        *decode_arguments(q, k_cache, v_cache, tables, lens, parts, lse, 0.1),
        target=target,
        **decode_constants(q, k_cache, v_cache, num_splits),
    )


def merge_job(
    *,
    head_dim: int = 128,
    num_splits: int = 8,
    dtype: torch.dtype = torch.float16,
    target: str = "sm_90",
) -> Job:
    """Return the kernel that merges splits, for 32 heads."""
    parts = _meta(NUM_SEQS, 32, num_splits, head_dim)
    out, lse = _meta(NUM_SEQS, 32, head_dim, dtype=dtype), _meta(NUM_SEQS, 32)
    return job(
        merge_kernel,
        *(parts, _meta(*parts.shape[:3]), out, lse, 32, *out.stride()[:2]),
        target=target,
        **merge_constants(parts),
    )


def write_job(
    *,
    head_dim: int = 128,
    block_size: int = 16,
    dtype: torch.dtype = torch.float16,
    fused: bool = False,
    target: str = "sm_90",
) -> Job:
    """Return the kernel that writes new keys and values, for 8 KV heads."""
    k_cache, v_cache = _caches(block_size, head_dim, dtype, fused=fused)
    k, v = (_meta(64, NUM_KV_HEADS, head_dim, dtype=dtype) for _ in range(2))
    slots = _meta(64, dtype=torch.int64)
    return job(
        write_kernel,
        *write_arguments(k, v, k_cache, v_cache, slots),
        target=target,
        **write_constants(k_cache),
    )


def _meta(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def _caches(
    block_size: int, head_dim: int, dtype: torch.dtype, *, fused: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    block = (block_size, NUM_KV_HEADS, head_dim)
    if fused:
        pair = _meta(NUM_BLOCKS, 2, *block, dtype=dtype)
        return pair[:, 0], pair[:, 1]
    return _meta(NUM_BLOCKS, *block, dtype=dtype), _meta(
        NUM_BLOCKS, *block, dtype=dtype
    )
