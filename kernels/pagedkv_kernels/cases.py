"""Decode problems that are hard on a kernel: shuffled, poisoned, full of garbage.

A block that nobody wrote holds NaN, and a table entry that nobody set holds any number.
Every problem has both, so a kernel that reads what it should not read is found out.
"""

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import torch
from torch import Tensor

from pagedkv_edu.sizes import cdiv
from pagedkv_kernels.oracles import dense_attention

NAN = float("nan")
GARBAGE = (-1, 2**30, 2**31 - 1, 0)  # as addresses all of them are wrong
# numbers before and behind a pool, and behind the tables: a kernel that reads a little
# outside finds poison there and no foreign memory
GUARD = 2**15
MAP_NORESERVE = 0x4000  # Linux; Python's mmap names it from 3.13 on


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

    def far_away(self, pool_numbers: int = 2**31) -> "Problem":
        """Return the same problem at the end of a pool of more numbers than that.

        Offsets into it do not fit into 32 bits. As much memory lies before the pool, so
        that an offset which has become negative leads to zeros, and to no crash. The
        tables are changed. Raises `OSError` where so much memory cannot be reserved.
        """
        num_here, *block = self.k_cache.shape
        num_blocks = pool_numbers // prod(block) + num_here
        far = num_blocks - num_here
        caches: list[Tensor] = []
        for cache in (self.k_cache, self.v_cache):
            memory = _reserve(pool_numbers + num_blocks * prod(block), cache)
            pool = memory[pool_numbers:].view(num_blocks, *block)
            pool[far:] = cache
            caches.append(pool)
        is_block = (self.block_tables >= 0) & (self.block_tables < num_here)
        # in place, because behind the tables lies what a kernel may read too much of
        tables = self.block_tables
        tables[is_block] += far
        return replace(self, k_cache=caches[0], v_cache=caches[1], block_tables=tables)


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
    values: Literal["random", "tokens"] = "random",
) -> Problem:
    """Return a problem with sequences of these lengths, blocks in random order.

    `spread` is about how far scores lie apart, and `level` where they lie. With values
    "tokens" the output shows the weights, see `weights_in`; this takes a head_dim above
    num_kv_heads times the longest length. `fused` takes K and V as the two views of one
    tensor. Tables have `extra_entries` more columns than the longest sequence needs.
    """
    generator = _generator(seed)
    scale = head_dim**-0.5

    def random(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(dtype).to(device)

    q = random(len(seq_lens), num_heads, head_dim) * spread
    k = tuple(random(length, num_kv_heads, head_dim) for length in seq_lens)
    v = tuple(random(length, num_kv_heads, head_dim) for length in seq_lens)
    if values == "tokens":
        v = tuple(_one_hot(rows) for rows in v)
    if level:
        q[:, :, 0] = 1
        for keys in k:
            keys[:, :, 0] = level / scale

    tables = _tables(seq_lens, block_size, extra_entries, garbage, window, generator)
    num_blocks = sum(cdiv(length, block_size) for length in seq_lens) + 2
    block = (block_size, num_kv_heads, head_dim)
    # a slot that holds no token shows its weight in every number of the output
    v_poison = 1.0 if values == "tokens" else poison
    if fused:
        k_cache, v_cache = guarded((num_blocks, 2, *block), poison, q).unbind(1)
        v_cache.fill_(v_poison)
    else:
        k_cache = guarded((num_blocks, *block), poison, q)
        v_cache = guarded((num_blocks, *block), v_poison, q)
    for seq, (keys, rows) in enumerate(zip(k, v, strict=True)):
        _write(k_cache, tables[seq], keys, window)
        _write(v_cache, tables[seq], rows, window)
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


def weights_in(out: Tensor, num_kv_heads: int) -> tuple[Tensor, Tensor]:
    """Return the weights that an output shows if values were "tokens".

    First `[num_seqs, num_heads, num_kv_heads, tokens]`: how much of each token's value
    is in a row of the output, told apart by the KV head that the value was read from.
    Then `[num_seqs, num_heads]`: how much is from slots that hold no token.
    """
    stray = out[..., -1]  # no token has this number
    return (out - stray[..., None]).unflatten(-1, (num_kv_heads, -1)), stray


def guarded(shape: tuple[int, ...], poison: float, like: Tensor) -> Tensor:
    """Return a tensor of one value, with as much of it before and behind."""
    memory = like.new_full((prod(shape) + 2 * GUARD,), poison)
    return memory[GUARD:-GUARD].view(shape)


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


def _one_hot(rows: Tensor) -> Tensor:
    """Give every token and KV head a number of its own: 1 there, 0 elsewhere."""
    seq_len, num_kv_heads, head_dim = rows.shape
    shown = torch.zeros_like(rows)
    token = torch.arange(seq_len, device=rows.device)
    for head in range(num_kv_heads):
        shown[token, head, head * (head_dim // num_kv_heads) + token] = 1
    return shown


def _reserve(num_numbers: int, like: Tensor) -> Tensor:
    if not like.is_cuda:
        return reserved([num_numbers], like.dtype)
    try:
        return like.new_empty(num_numbers)
    except torch.OutOfMemoryError as error:
        raise OSError("the card has too little memory") from error


def _tables(
    seq_lens: Sequence[int],
    block_size: int,
    extra_entries: int,
    garbage: Sequence[int],
    window: int | None,
    generator: torch.Generator,
) -> Tensor:
    num_used = [cdiv(length, block_size) for length in seq_lens]
    shape = len(seq_lens), max(num_used, default=0) + extra_entries
    entries = torch.tensor(garbage, dtype=torch.int32)
    entries = entries.repeat(cdiv(prod(shape) + GUARD, len(garbage)))
    tables = entries[: prod(shape)].view(shape)
    # block 0 stays unwritten: a table padded with zeros would lead to it
    free = (torch.randperm(sum(num_used) + 1, generator=generator) + 1).tolist()
    for seq, length in enumerate(seq_lens):
        first = 0 if window is None else max(0, length - window) // block_size
        for logical in range(num_used[seq]):
            block_id = free.pop()
            if logical >= first:  # what lies before the window was given back
                tables[seq, logical] = block_id
    return tables


def _write(cache: Tensor, table: Tensor, rows: Tensor, window: int | None) -> None:
    """Write what the window lets the query see; the rest stays as it was."""
    first = 0 if window is None else max(0, len(rows) - window)
    position = torch.arange(first, len(rows), device=cache.device)
    block_size = cache.shape[1]
    block_id = table.to(cache.device)[position // block_size].long()
    cache[block_id, position % block_size] = rows[first:]


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
