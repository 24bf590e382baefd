"""Decode problems that are hard on a kernel: shuffled, poisoned, full of garbage.

A block that nobody wrote holds NaN, and a table entry that nobody set holds any number.
Every problem has both, so a kernel that reads what it should not read is found out.
"""

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

from pagedkv_edu.sizes import cdiv
from pagedkv_kernels.oracles import dense_attention

NAN = float("nan")
GARBAGE = (-1, 2**30, 2**31 - 1, 0)  # as addresses all of them are wrong
MAP_NORESERVE = 0x4000  # Linux; Python's mmap names it from 3.13 on
GUARD = 1  # blocks of NaN before and behind the pool, for who reads outside it


@dataclass(frozen=True, slots=True)
class Problem:
    """What `paged_decode` is given, and the keys and values that it must find."""

    q: Tensor  # [num_seqs, num_heads, head_dim]
    k_cache: Tensor  # [num_blocks, block_size, num_kv_heads, head_dim]
    v_cache: Tensor
    block_tables: Tensor  # [num_seqs, max_blocks]
    seq_lens: Tensor  # [num_seqs]
    scale: float
    window: int | None
    softcap: float | None
    k: tuple[Tensor, ...]  # of each sequence, [seq_len, num_kv_heads, head_dim]
    v: tuple[Tensor, ...]

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The first five arguments of `paged_decode`."""
        return self.q, self.k_cache, self.v_cache, self.block_tables, self.seq_lens

    def expected(self) -> tuple[Tensor, Tensor]:
        """Return output and log-sum-exp in float64; tables and blocks play no part."""
        pairs = [
            dense_attention(
                q, k, v, scale=self.scale, window=self.window, softcap=self.softcap
            )
            for q, k, v in zip(self.q, self.k, self.v, strict=True)
        ]
        if not pairs:
            return self.q.double(), self.q[:, :, 0].double()
        out, lse = (torch.stack(column) for column in zip(*pairs, strict=True))
        return out, lse

    def moved(self, seed: int) -> "Problem":
        """Return the same problem with its blocks at other places of the pool."""
        num_blocks = self.k_cache.shape[0]
        place = torch.randperm(num_blocks, generator=_generator(seed))
        k_cache, v_cache = (torch.empty_like(c) for c in (self.k_cache, self.v_cache))
        place = place.to(k_cache.device)
        k_cache[place], v_cache[place] = self.k_cache, self.v_cache
        is_block = (self.block_tables >= 0) & (self.block_tables < num_blocks)
        known = place[self.block_tables.where(is_block, 0).long()].int()
        tables = known.where(is_block, self.block_tables)
        return replace(self, k_cache=k_cache, v_cache=v_cache, block_tables=tables)

    def with_values(self, v: Sequence[Tensor]) -> "Problem":
        """Return the same problem with other values in the written slots."""
        v_cache = self.v_cache.clone()
        for seq, values in enumerate(v):
            _write(v_cache, self.block_tables[seq], values, self.window)
        return replace(self, v_cache=v_cache, v=tuple(v))


def problem(
    seq_lens: Sequence[int],
    *,
    block_size: int = 16,
    num_heads: int = 4,
    num_kv_heads: int = 2,
    head_dim: int = 32,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    seed: int = 0,
    window: int | None = None,
    softcap: float | None = None,
    fused: bool = False,
    poison: float = NAN,
    garbage: Sequence[int] = GARBAGE,
    extra_entries: int = 1,
    spread: float = 1.0,
    level: float = 0.0,
) -> Problem:
    """Return a problem with sequences of these lengths, blocks in random order.

    `spread` is about how far scores lie apart, and `level` where they lie. `fused`
    takes K and V as the two views of one tensor. Tables have `extra_entries` more
    columns than the longest sequence needs.
    """
    generator = _generator(seed)
    scale = head_dim**-0.5

    def random(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(dtype).to(device)

    q = random(len(seq_lens), num_heads, head_dim) * spread
    k = tuple(random(length, num_kv_heads, head_dim) for length in seq_lens)
    v = tuple(random(length, num_kv_heads, head_dim) for length in seq_lens)
    if level:
        q[:, :, 0] = 1
        for keys in k:
            keys[:, :, 0] = level / scale

    tables = _tables(seq_lens, block_size, extra_entries, garbage, window, generator)
    num_blocks = sum(cdiv(length, block_size) for length in seq_lens) + 2
    caches = torch.full(
        (num_blocks + 2 * GUARD, 2, block_size, num_kv_heads, head_dim), poison
    ).to(dtype=dtype, device=device)[GUARD : GUARD + num_blocks]
    k_cache, v_cache = caches[:, 0], caches[:, 1]
    if not fused:
        k_cache, v_cache = _apart(k_cache), _apart(v_cache)
    for seq, (keys, values) in enumerate(zip(k, v, strict=True)):
        _write(k_cache, tables[seq], keys, window)
        _write(v_cache, tables[seq], values, window)
    return Problem(
        q,
        k_cache,
        v_cache,
        tables.to(device),
        torch.tensor(seq_lens, dtype=torch.int32, device=device),
        scale,
        window,
        softcap,
        k,
        v,
    )


def reserved(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Return a CPU tensor of zeros that takes memory only where it is touched.

    So a pool may be larger than this machine's memory. Raises `OSError` where the
    system will not do it.
    """
    if sys.platform != "linux":
        raise OSError("memory is reserved without being taken on Linux only")
    num_bytes = prod(shape) * dtype.itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    return torch.frombuffer(mmap.mmap(-1, num_bytes, flags), dtype=dtype).view(*shape)


def _tables(
    seq_lens: Sequence[int],
    block_size: int,
    extra_entries: int,
    garbage: Sequence[int],
    window: int | None,
    generator: torch.Generator,
) -> Tensor:
    num_used = [cdiv(length, block_size) for length in seq_lens]
    width = max(num_used, default=0) + extra_entries
    entries = torch.tensor(garbage, dtype=torch.int32).repeat(width + 1)
    tables = torch.stack([entries[seq : seq + width] for seq in range(len(garbage))])
    tables = tables.repeat(cdiv(len(seq_lens) + 1, len(garbage)), 1)[: len(seq_lens)]
    # block 0 stays unwritten: a table padded with zeros would lead to it
    free = (torch.randperm(sum(num_used) + 1, generator=generator) + 1).tolist()
    for seq, length in enumerate(seq_lens):
        first = 0 if window is None else max(0, length - window) // block_size
        for logical in range(num_used[seq]):
            block_id = free.pop()
            if logical >= first:  # what lies before the window was given back
                tables[seq, logical] = block_id
    return tables.contiguous()


def _write(cache: Tensor, table: Tensor, rows: Tensor, window: int | None) -> None:
    """Write what the window lets the query see; the rest stays as it was."""
    first = 0 if window is None else max(0, len(rows) - window)
    position = torch.arange(first, len(rows), device=cache.device)
    block_size = cache.shape[1]
    block_id = table.to(cache.device)[position // block_size].long()
    cache[block_id, position % block_size] = rows[first:]


def _apart(view: Tensor) -> Tensor:
    """Return a copy in memory of its own, with guard blocks around it."""
    guard = view.new_full((GUARD, *view.shape[1:]), NAN)
    return torch.cat([guard, view, guard])[GUARD:-GUARD]


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
