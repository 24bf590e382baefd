"""What a benchmark decodes: layers of random keys and values, read in many ways."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pagedkv_kernels.arguments import require
from pagedkv_kernels.oracles import paged_attention

Run = Callable[[int], object]  # decodes the layer of this number
Caches = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Shape:
    """A batch that decodes; its sequences all have one length."""

    num_seqs: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    seq_len: int
    num_layers: int  # they take turns, or one would stay in the processor's cache

    @property
    def kv_bytes(self) -> int:
        """Bytes of the keys and values of one layer, in float32."""
        rows = self.num_seqs * self.seq_len * self.num_kv_heads
        return 2 * rows * self.head_dim * 4


class Batch:
    """Queries and caches of one shape, in float32, and runs that attend.

    A run is tried once, and what it returns for the first sequence is compared with the
    oracle: the time of a wrong result is worth nothing.
    """

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self._generator = torch.Generator().manual_seed(seed)
        slots = (shape.num_seqs * shape.seq_len, shape.num_kv_heads, shape.head_dim)
        self.layers = self._random(shape.num_layers, 2, *slots)
        self._q = self._random(shape.num_seqs, shape.num_heads, shape.head_dim)
        self._seq_lens = torch.full((shape.num_seqs,), shape.seq_len).int()
        self._scale = shape.head_dim**-0.5

    def caches(self, layer: int, block_size: int) -> Caches:
        """Return a layer's slots as blocks of this size."""
        k, v = self.layers[layer].unflatten(1, (-1, block_size))
        return k, v

    def paged(
        self,
        decode: Callable[..., object],
        block_size: int,
        caches: Caches | None = None,
    ) -> Run:
        """Return a run through shuffled tables, over these caches or the layers."""
        num_blocks = self.shape.num_seqs * self.shape.seq_len // block_size
        order = torch.randperm(num_blocks, generator=self._generator)
        return self._through(order, decode, block_size, caches)

    def contiguous(self, decode: Callable[..., object]) -> Run:
        """Return a run through tables of one block for each sequence."""
        order = torch.arange(self.shape.num_seqs)
        return self._through(order, decode, self.shape.seq_len, None)

    def dense(
        self,
        attend: Callable[[Tensor, Tensor, Tensor, float], Tensor],
        *,
        head_major: bool = True,
    ) -> Run:
        """Return a run without tables, the tokens of a KV head side by side or not."""
        whole = [
            self.caches(layer, self.shape.seq_len)
            for layer in range(self.shape.num_layers)
        ]
        layers = self._head_major if head_major else whole

        def run(layer: int) -> Tensor:
            return attend(self._q, *layers[layer], self._scale)

        order = torch.arange(self.shape.num_seqs)
        self._require_right(run(0), *whole[0], order[:, None])
        return run

    @cached_property
    def _head_major(self) -> list[Caches]:
        """The layers again, the tokens of a KV head side by side."""
        num_seqs = self.shape.num_seqs
        copies = self.layers.unflatten(2, (num_seqs, -1)).transpose(3, 4).contiguous()
        return [(k, v) for k, v in copies.transpose(3, 4)]

    def _through(
        self,
        order: Tensor,
        decode: Callable[..., object],
        block_size: int,
        caches: Caches | None,
    ) -> Run:
        tables = order.int().view(self.shape.num_seqs, -1)

        def run(layer: int) -> object:
            pair = caches or self.caches(layer, block_size)
            return decode(self._q, *pair, tables, self._seq_lens, scale=self._scale)

        self._require_right(run(0), *self.caches(0, block_size), tables)
        return run

    def _require_right(
        self, out: object, k_cache: Tensor, v_cache: Tensor, tables: Tensor
    ) -> None:
        first = (self._q[:1], k_cache, v_cache, tables[:1], self._seq_lens[:1])
        expected, _ = paged_attention(*first, scale=self._scale)
        assert isinstance(out, Tensor)
        error = float((out[:1] - expected).abs().max())
        require(error < 1e-4, f"a path that is to be timed is wrong by {error}")

    def _random(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self._generator)
