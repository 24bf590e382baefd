"""The numba kernel for all layers of a step: what they share is worked out once."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from pagedkv_kernels.arguments import require_decode_arguments
from pagedkv_kernels.cpu import (
    HEADS_AT_A_TIME,
    cut_pieces,
    flat,
    merge_pieces,
)
from pagedkv_kernels.cpu_kernel import attend_pieces
from torch import Tensor


@dataclass(slots=True)
class _Step:
    """What follows from the tables and lengths of a step, and a buffer for queries."""

    block_tables: Tensor
    window: int | None
    pieces: NDArray[np.int64]
    seq_by_piece: list[int]
    tables: NDArray[np.int32]
    q: Tensor  # [num_seqs, num_kv_heads, group, head_dim]: zeros past the model's group


class InPlaceDecode:
    """Takes what `pagedkv_kernels.cpu.paged_decode` takes and returns the same.

    A step calls it once for each layer, with the same tables. Arguments are checked,
    and sequences cut into pieces for the threads, at the first of these calls.
    """

    def __init__(self) -> None:
        self._step: _Step | None = None
        self._flat: dict[int, NDArray[np.generic]] = {}  # by address of a cache

    def __call__(
        self,
        q: Float[Tensor, "num_seqs num_heads head_dim"],
        k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
        v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
        block_tables: Int[Tensor, "num_seqs max_blocks"],
        seq_lens: Int[Tensor, " num_seqs"],
        *,
        scale: float,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Float[Tensor, "num_seqs num_heads head_dim"]:
        """Return the attention of each sequence's last token over its cached tokens."""
        num_seqs, num_heads, head_dim = q.shape
        block_size, num_kv_heads = k_cache.shape[1:3]
        group = num_heads // num_kv_heads
        step = self._step
        if (
            step is None
            or step.block_tables is not block_tables
            or step.window != window
        ):
            require_decode_arguments(
                q,
                k_cache,
                v_cache,
                block_tables,
                seq_lens,
                scale=scale,
                window=window,
                softcap=softcap,
                out=None,
            )
            padded = group + -group % HEADS_AT_A_TIME
            pieces = cut_pieces(seq_lens.tolist(), window, None)
            step = self._step = _Step(
                block_tables,
                window,
                np.array(pieces),
                [piece[0] for piece in pieces],
                block_tables.contiguous().numpy(),
                torch.zeros((num_seqs, num_kv_heads, padded, head_dim)),
            )
        padded, pieces = step.q.shape[2], step.pieces
        by_group = q.float().unflatten(1, (num_kv_heads, group))
        torch.mul(by_group, scale, out=step.q[:, :, :group])
        parts = torch.empty((len(pieces), num_kv_heads * padded, head_dim))
        lse = torch.empty(parts.shape[:2])
        attend_pieces(
            step.q.flatten(1).numpy(),
            self._flat_of(k_cache),
            self._flat_of(v_cache),
            step.tables,
            pieces,
            block_size,
            np.uint64(padded),
            np.array(k_cache.stride()[:3]),
            np.array(v_cache.stride()[:3]),
            np.float32(softcap or 0),
            parts.numpy(),
            lse.numpy(),
        )
        parts, _ = merge_pieces(parts, lse, step.seq_by_piece, num_seqs)
        return parts.unflatten(1, (num_kv_heads, -1))[:, :, :group].flatten(1, 2)

    def _flat_of(self, cache: Tensor) -> NDArray[np.generic]:
        address = cache.data_ptr()
        if address not in self._flat:
            self._flat[address] = flat(cache)
        return self._flat[address]
