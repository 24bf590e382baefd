"""What a gather fetches, as a model: whole sectors and lines, counted from addresses.

No hardware is asked. A GPU fetches sectors of 32 bytes and keeps lines of 128 together;
a CPU fetches lines of 64 bytes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pagedkv_edu.sizes import KVCacheSpec, cdiv
from pagedkv_kernels.layouts import Kind, Layout

SECTOR_BYTES = 32
LINE_BYTES = 128

Traversal = Literal["tokens outside", "heads outside"]


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one program needs, and what it has to fetch for it."""

    needed_bytes: int
    num_sectors: int
    num_lines: int

    @property
    def fetched_bytes(self) -> int:
        """Bytes of all sectors that are touched."""
        return self.num_sectors * SECTOR_BYTES

    @property
    def useful(self) -> float:
        """The needed share of what is fetched, 0 to 1; 1 where nothing is fetched."""
        return self.needed_bytes / self.fetched_bytes if self.num_sectors else 1.0


def needed_by_piece(
    layout: Layout,
    spec: KVCacheSpec,
    kind: Kind,
    *,
    block_ids: Sequence[int],
    seq_len: int,
    head: int,
    piece_bytes: int = SECTOR_BYTES,
) -> Counter[int]:
    """Return the bytes that are needed of each piece of memory that is touched.

    Memory is cut into pieces of `piece_bytes`, counted from the beginning of the array
    that holds this kind. A gather reads the first `seq_len` tokens for one KV head.

    >>> from pagedkv_kernels.layouts import DIM_MAJOR, SPLIT
    >>> spec = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=16)
    >>> tail = dict(block_ids=[5], seq_len=6, head=0)
    >>> len(needed_by_piece(SPLIT, spec, "k", **tail))  # sectors
    24
    >>> len(needed_by_piece(DIM_MAJOR, spec, "k", **tail))
    64
    """
    needed: Counter[int] = Counter()
    for logical in range(cdiv(seq_len, spec.block_size)):
        num_slots = min(spec.block_size, seq_len - logical * spec.block_size)
        for slot in range(num_slots):
            for run in layout.row(
                spec, kind, block_id=block_ids[logical], slot=slot, head=head
            ):
                for piece in range(
                    run.start // piece_bytes, cdiv(run.stop, piece_bytes)
                ):
                    begin = max(run.start, piece * piece_bytes)
                    end = min(run.stop, (piece + 1) * piece_bytes)
                    needed[piece] += end - begin
    return needed


def gather_traffic(
    layout: Layout,
    spec: KVCacheSpec,
    *,
    block_ids: Sequence[int],
    seq_len: int,
    head: int,
) -> Traffic:
    """Return what reading one sequence for one KV head fetches, keys and values.

    A sector or line that holds both keys and values is counted once.
    """
    needed_bytes = 0
    sectors: set[tuple[str, int]] = set()
    for kind in ("k", "v"):
        needed = needed_by_piece(
            layout, spec, kind, block_ids=block_ids, seq_len=seq_len, head=head
        )
        needed_bytes += needed.total()
        array = kind if layout.num_arrays == 2 else "both"
        sectors |= {(array, sector) for sector in needed}
    lines = {(array, s * SECTOR_BYTES // LINE_BYTES) for array, s in sectors}
    return Traffic(needed_bytes, len(sectors), len(lines))


def row_addresses(
    layout: Layout, spec: KVCacheSpec, kind: Kind, traversal: Traversal
) -> Iterator[int]:
    """Yield where the rows of one block begin, in the order that a loop visits them."""
    slots, heads = range(spec.block_size), range(spec.num_kv_heads)
    if traversal == "tokens outside":
        order = [(slot, head) for slot in slots for head in heads]
    else:
        order = [(slot, head) for head in heads for slot in slots]
    for slot, head in order:
        yield layout.address(spec, kind, block_id=0, slot=slot, head=head)


def row_steps(
    layout: Layout, spec: KVCacheSpec, kind: Kind, traversal: Traversal
) -> Counter[int]:
    """Return how often each distance, in bytes, lies between a row and the next one.

    A single distance is what a prefetcher guesses right; a distance of one row means
    that nothing is left out.

    >>> from pagedkv_kernels.layouts import HEAD_MAJOR, SPLIT
    >>> spec = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=4)
    >>> dict(row_steps(SPLIT, spec, "k", "tokens outside"))
    {128: 7}
    >>> dict(row_steps(HEAD_MAJOR, spec, "k", "tokens outside"))
    {512: 4, -384: 3}
    """
    addresses = list(row_addresses(layout, spec, kind, traversal))
    return Counter(b - a for a, b in pairwise(addresses))
