"""The block allocator of transformers' continuous batching, driven by itself.

`store` does what its `PagedAttentionCache.can_store_request_tokens` does for a model
whose layers all attend to everything: ask how many sectors are missing, take them,
give the request its blocks. `free_blocks` is what `Scheduler.finish_request` calls.
Each sector holds one block, as with any such model whose blocks are a multiple of 128
bytes. Lengths are the caller's, as they are the request state's there.
"""

import torch
from transformers import LlamaConfig
from transformers.generation.continuous_batching.cache_allocators import (
    CachePool,
    FullAttentionCacheAllocator,
)

from pagedkv_edu import OutOfBlocks
from tools.bench_workload import BLOCK_SIZE, MAX_RUNNING, Requests


def make_allocator(
    num_blocks: int, block_size: int
) -> tuple[FullAttentionCacheAllocator, CachePool]:
    """Return an allocator for a model of one layer and one head, and its pool."""
    pool = CachePool(num_blocks, num_allocators=1)
    allocator = FullAttentionCacheAllocator(
        index=0,
        config=LlamaConfig(head_dim=64),
        num_key_value_heads=1,
        cache_dtype=torch.float16,
        page_size=block_size,
        layer_indices=[0],
        allow_block_sharing=True,
    )
    sector_bytes = allocator.bytes_per_block
    tensor = torch.zeros((num_blocks + 2) * sector_bytes, dtype=torch.uint8)
    allocator.register_cache_tensor(
        sector_bytes, num_blocks * sector_bytes, tensor, pool
    )
    return allocator, pool


def store(
    allocator: FullAttentionCacheAllocator,
    pool: CachePool,
    request_id: str,
    past_length: int,
    num_tokens: int,
) -> None:
    """Make room for more tokens of a request, which may be new."""
    num_sectors = allocator.needs_new_sectors(request_id, past_length, num_tokens)
    if num_sectors > pool.num_free_sectors:
        raise OutOfBlocks(
            f"need {num_sectors} sectors, {pool.num_free_sectors} are free"
        )
    for _ in range(num_sectors):
        pool.allocate_sector(allocator.index)
    allocator.allocate_cache_to_request(request_id, past_length, num_tokens)


def num_free(allocator: FullAttentionCacheAllocator, pool: CachePool) -> int:
    """Return the blocks that are free, in free sectors and in the allocator's own."""
    return pool.num_free_sectors + pool.count_free_blocks(allocator.index)


def run_transformers(requests: Requests, num_blocks: int) -> int:
    """Drive the allocator of transformers' continuous batching."""
    allocator, pool = make_allocator(num_blocks, BLOCK_SIZE)
    lengths: dict[str, int] = {}
    waiting, left = list(reversed(requests)), dict[str, int]()
    least_free = num_blocks
    while waiting or left:
        while waiting and len(left) < MAX_RUNNING:
            seq_id = waiting.pop()
            lengths[seq_id], left[seq_id] = requests[seq_id]
            store(allocator, pool, seq_id, 0, lengths[seq_id])
        ended: list[str] = []
        for seq_id, num_left in left.items():
            length = lengths[seq_id]
            store(allocator, pool, seq_id, length, 1)
            lengths[seq_id] = length + 1
            left[seq_id] = num_left - 1
            if num_left == 1:
                ended.append(seq_id)
        least_free = min(least_free, num_free(allocator, pool))
        for seq_id in ended:
            allocator.free_blocks(seq_id)
            del lengths[seq_id], left[seq_id]
    assert num_free(allocator, pool) == num_blocks, "a block was lost"
    return num_blocks - least_free
