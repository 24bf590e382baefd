"""Carry out block copies over all layers, with the result of doing them one by one."""

from collections.abc import Iterable, Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor

from pagedkv_edu.protocols import BlockCopy
from pagedkv_kernels.arguments import require


def waves(copies: Iterable[BlockCopy]) -> list[list[BlockCopy]]:
    """Cut a list of copies into waves whose copies may happen in any order.

    In a wave no block is both source and target, and none is a target twice; a block
    of the device pool and one of the host pool with the same id are different. Waves
    one after another give the result of the copies one by one.
    """
    cut: list[list[BlockCopy]] = []
    sources: set[tuple[str, int]] = set()
    targets: set[tuple[str, int]] = set()
    for copy in copies:
        source = ("host" if copy.kind == "in" else "device", copy.source)
        target = ("host" if copy.kind == "out" else "device", copy.target)
        if not cut or source in targets or target in sources or target in targets:
            cut.append([])
            sources, targets = set(), set()
        cut[-1].append(copy)
        sources.add(source)
        targets.add(target)
    return cut


@triton.jit
def copy_kernel(
    cache_ptr,  # [num_blocks, ...], a block's elements contiguous
    source_ptr,  # [num_copies]
    target_ptr,  # [num_copies]
    stride_block,
    num_elements,  # of a block
    CHUNK: tl.constexpr,
):
    """One program: one chunk of one block."""
    index = tl.program_id(0)
    element = tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    mask = element < num_elements
    source = tl.load(source_ptr + index).to(tl.int64) * stride_block
    target = tl.load(target_ptr + index).to(tl.int64) * stride_block
    data = tl.load(cache_ptr + source + element, mask)
    tl.store(cache_ptr + target + element, data, mask)


def copy_blocks(
    copies: Sequence[BlockCopy], device: Sequence[Tensor], host: Sequence[Tensor] = ()
) -> None:
    """Copy blocks in every tensor; the result is that of one by one, in order.

    `device` holds the caches of all layers, keys and values, each `[num_blocks, ...]`;
    `host` the same for the host pool, needed for copies of kind "out" and "in".
    """
    swaps = any(copy.kind != "copy" for copy in copies)
    require(
        not swaps or len(host) == len(device),
        f"{len(device)} device tensors and {len(host)} host tensors; swaps need a pair "
        "for each",
    )
    for wave in waves(copies):
        for kind in ("out", "in", "copy"):
            pairs = [(c.source, c.target) for c in wave if c.kind == kind]
            if not pairs:
                continue
            for index, tensor in enumerate(device):
                if kind == "copy":
                    _copy_within(tensor, pairs)
                elif kind == "out":
                    _copy_between(tensor, host[index], pairs)
                else:
                    _copy_between(host[index], tensor, pairs)


def _copy_within(cache: Tensor, pairs: Sequence[tuple[int, int]]) -> None:
    _require_blocks(cache, [block_id for pair in pairs for block_id in pair])
    source, target = torch.tensor(pairs, dtype=torch.int64, device=cache.device).T
    if not cache[0].is_contiguous():
        cache[target] = cache[source]
        return
    num_elements = cache[0].numel()
    chunk = min(4096, triton.next_power_of_2(num_elements))
    grid = (len(pairs), triton.cdiv(num_elements, chunk))
    copy_kernel[grid](
        cache,
        source.contiguous(),
        target.contiguous(),
        cache.stride(0),
        num_elements,
        CHUNK=chunk,
    )


def _copy_between(
    source: Tensor, target: Tensor, pairs: Sequence[tuple[int, int]]
) -> None:
    _require_blocks(source, [pair[0] for pair in pairs])
    _require_blocks(target, [pair[1] for pair in pairs])
    for source_id, target_id in pairs:
        target[target_id].copy_(source[source_id], non_blocking=True)


def _require_blocks(cache: Tensor, block_ids: Sequence[int]) -> None:
    require(
        min(block_ids) >= 0 and max(block_ids) < cache.shape[0],
        f"blocks {min(block_ids)} to {max(block_ids)} in a cache of {cache.shape[0]}",
    )
