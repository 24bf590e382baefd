"""Which sectors of a block a gather touches, as a model: no hardware is asked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec

SECTOR_BYTES = 32
LINE_BYTES = 128

KINDS = ("k", "v")


@dataclass(frozen=True, slots=True)
class Strip:
    """One block's bytes in one order of axes, and what a gather needs of each sector.

    With an axis `kv` the block holds keys and values; without it the strip shows one
    of two arrays, and both are touched alike.
    """

    name: str
    axes: tuple[str, ...]  # inside the block, the outermost first
    block_bytes: int
    needed_by_sector: dict[int, int]

    @property
    def needed_bytes(self) -> int:
        """Bytes that the gather asks for."""
        return sum(self.needed_by_sector.values())

    @property
    def fetched_bytes(self) -> int:
        """Bytes of all sectors that are touched."""
        return len(self.needed_by_sector) * SECTOR_BYTES

    @property
    def num_lines(self) -> int:
        """Lines of 128 bytes that are touched."""
        return len({s * SECTOR_BYTES // LINE_BYTES for s in self.needed_by_sector})

    @property
    def useful(self) -> float:
        """The needed share of what is fetched, 0 to 1."""
        return self.needed_bytes / self.fetched_bytes if self.fetched_bytes else 1.0


def block_strip(
    name: str,
    axes: Sequence[str],
    spec: KVCacheSpec,
    *,
    num_tokens: int,
    head: int = 0,
    kinds: Sequence[str] = ("k",),
) -> Strip:
    """Return what reading the first tokens of a block for one KV head touches.

    >>> spec = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=16)
    >>> token_major = block_strip("ours", ("slot", "head", "dim"), spec, num_tokens=6)
    >>> len(token_major.needed_by_sector), token_major.useful
    (24, 1.0)
    """
    size = {"slot": spec.block_size, "head": spec.num_kv_heads, "dim": spec.head_dim}
    if "kv" in axes:
        size["kv"] = len(KINDS)
    if set(axes) != set(size) or len(axes) != len(size):
        raise InvalidSize(
            f"the axes inside a block are slot, head, dim, and perhaps kv, each once; "
            f"got {' '.join(axes)}"
        )
    strides: dict[str, int] = {}
    step = spec.dtype_bytes
    for axis in reversed(axes):
        strides[axis] = step
        step *= size[axis]
    places = [KINDS.index(kind) for kind in kinds] if "kv" in size else [0]
    needed: Counter[int] = Counter()
    for place, slot, dim in product(places, range(num_tokens), range(spec.head_dim)):
        index = {"kv": place, "slot": slot, "head": head, "dim": dim}
        first = sum(index[axis] * strides[axis] for axis in axes)
        for byte in range(first, first + spec.dtype_bytes):
            needed[byte // SECTOR_BYTES] += 1
    return Strip(name, tuple(axes), step, dict(sorted(needed.items())))
