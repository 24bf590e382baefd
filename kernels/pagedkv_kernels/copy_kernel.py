"""Copy blocks inside a pool on the GPU: all layers in one launch."""

from collections.abc import Sequence
from math import gcd

import torch
import triton
import triton.language as tl
from torch import Tensor

from pagedkv_edu.sizes import cdiv
from pagedkv_kernels.shapes import next_power_of_two

CHUNK_BYTES = 2**14


@triton.jit
def copy_kernel(
    address_ptr,  # [num_caches], where each cache begins
    source_ptr,  # [num_copies]
    target_ptr,  # [num_copies]
    stride_block,  # in words
    num_words,  # of a block
    WORD: tl.constexpr,  # the integer type that is moved
    CHUNK: tl.constexpr,
):
    """One program: one chunk of one block of one cache."""
    index = tl.program_id(0)
    word = tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    cache_ptr = tl.load(address_ptr + tl.program_id(2)).to(tl.pointer_type(WORD))
    source = tl.load(source_ptr + index).to(tl.int64) * stride_block
    target = tl.load(target_ptr + index).to(tl.int64) * stride_block
    mask = word < num_words
    tl.store(cache_ptr + target + word, tl.load(cache_ptr + source + word, mask), mask)


def launch_copies(caches: Sequence[Tensor], pairs: Sequence[tuple[int, int]]) -> None:
    """Copy source to target for each pair in every cache, in any order.

    No block may be both source and target, or a target twice. A block's numbers must
    lie side by side. Caches that are alike are done in one launch.
    """
    alike: dict[tuple[torch.device, int, int, int], list[Tensor]] = {}
    for cache in caches:
        alike.setdefault(_geometry(cache), []).append(cache)
    for (device, stride, num_bytes, word_bytes), group in alike.items():
        addresses = torch.tensor([cache.data_ptr() for cache in group], device=device)
        source, target = torch.tensor(pairs, device=device).T.contiguous()
        chunk = min(CHUNK_BYTES // word_bytes, next_power_of_two(num_bytes))
        num_words = num_bytes // word_bytes
        copy_kernel[(len(pairs), cdiv(num_words, chunk), len(group))](
            addresses,
            source,
            target,
            stride // word_bytes,
            num_words,
            WORD=_WORD[word_bytes],
            CHUNK=chunk,
        )


# as large as the addresses allow; the numbers themselves do not matter to a copy
_WORD = {1: tl.int8, 2: tl.int16, 4: tl.int32, 8: tl.int64}


def _geometry(cache: Tensor) -> tuple[torch.device, int, int, int]:
    """Return device, bytes from block to block, bytes of a block, and of a word."""
    size = cache.element_size()
    stride, num_bytes = cache.stride(0) * size, cache[0].numel() * size
    return cache.device, stride, num_bytes, gcd(8, cache.data_ptr(), stride, num_bytes)
