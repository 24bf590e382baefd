"""The memory that block ids stand for: one K and one V tensor per layer."""

import torch
from jaxtyping import Float, Int
from pagedkv_kernels.copy import copy_blocks
from torch import Tensor

from pagedkv_edu.protocols import BlockCopy
from pagedkv_edu.sizes import KVCacheSpec


class KVCache:
    """Each layer's K and V, `[num_blocks, block_size, num_kv_heads, head_dim]`.

    One block id names a block in every layer. Nobody here knows who owns it.
    """

    def __init__(
        self,
        spec: KVCacheSpec,
        num_blocks: int,
        *,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
        num_host_blocks: int = 0,
    ) -> None:
        self.spec = spec
        block = (spec.block_size, spec.num_kv_heads, spec.head_dim)
        num_tensors = 2 * spec.num_layers
        self._device = [
            torch.empty((num_blocks, *block), dtype=dtype, device=device)
            for _ in range(num_tensors)
        ]
        self._host = [
            torch.empty((num_host_blocks, *block), dtype=dtype)
            for _ in range(num_tensors if num_host_blocks else 0)
        ]

    def layer(
        self, index: int
    ) -> tuple[
        Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
        Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    ]:
        """Return one layer's keys and values."""
        return self._device[2 * index], self._device[2 * index + 1]

    def write(
        self,
        index: int,
        k: Float[Tensor, "num_tokens num_kv_heads head_dim"],
        v: Float[Tensor, "num_tokens num_kv_heads head_dim"],
        slot_mapping: Int[Tensor, " num_tokens"],
    ) -> None:
        """Write new keys and values of one layer into their slots."""
        for cache, new in zip(self.layer(index), (k, v), strict=True):
            cache.flatten(0, 1).index_copy_(0, slot_mapping, new.to(cache.dtype))

    def copy(self, copies: list[BlockCopy]) -> None:
        """Carry out a step's copies in every layer, before anything is written."""
        if copies:
            copy_blocks(copies, self._device, self._host)
