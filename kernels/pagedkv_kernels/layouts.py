"""Where a block's keys and values lie: the byte of every number, in six layouts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec, require_at_least

Kind = Literal["k", "v"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The order of a cache's axes, the outermost first.

    The axes are `block`, `slot`, `head` (a KV head) and `dim`. With an axis `kv` one
    tensor holds keys (0) and values (1); without it they have an array each, and an
    address counts from the beginning of its own array.

    >>> spec = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=16)
    >>> FUSED.address(spec, "v", block_id=3, slot=5, head=1)
    30080
    """

    name: str
    axes: tuple[str, ...]

    def __post_init__(self) -> None:
        required = {"block", "slot", "head", "dim"}
        given = set(self.axes)
        if (
            self.axes[:1] != ("block",)
            or len(given) < len(self.axes)
            or not required <= given <= required | {"kv"}
        ):
            raise InvalidSize(
                "a layout has the axes block (first), slot, head, dim, and perhaps kv, "
                f"each once; got {' '.join(self.axes)}"
            )

    @property
    def num_arrays(self) -> int:
        """2 where keys and values have an array each, 1 where they share one."""
        return 1 if "kv" in self.axes else 2

    def strides(self, spec: KVCacheSpec) -> Mapping[str, int]:
        """Return the bytes from one index of each axis to the next, in one layer."""
        strides: dict[str, int] = {}
        step = spec.dtype_bytes
        for axis in reversed(self.axes):
            strides[axis] = step
            step *= 1 if axis == "block" else _SIZE[axis](spec)
        return strides

    def address(
        self,
        spec: KVCacheSpec,
        kind: Kind,
        *,
        block_id: int,
        slot: int,
        head: int,
        dim: int = 0,
    ) -> int:
        """Return the byte where a number begins, in the array that holds it.

        Raises `InvalidSize` for an index out of range.
        """
        index = {"kv": ("k", "v").index(kind), "slot": slot, "head": head, "dim": dim}
        for axis, value in index.items():
            size = _SIZE[axis](spec)
            if not 0 <= value < size:
                raise InvalidSize(f"{axis} must be 0 to {size - 1}, got {value}")
        index["block"] = require_at_least(0, "block_id", block_id)
        strides = self.strides(spec)
        return sum(index[axis] * strides[axis] for axis in self.axes)

    def row(
        self, spec: KVCacheSpec, kind: Kind, *, block_id: int, slot: int, head: int
    ) -> list[range]:
        """Return the bytes of one token's key or value for one head.

        One range where its numbers lie side by side, else one for each number.
        """
        first = self.address(spec, kind, block_id=block_id, slot=slot, head=head)
        stride = self.strides(spec)["dim"]
        if stride == spec.dtype_bytes:
            return [range(first, first + spec.head_dim * stride)]
        starts = range(first, first + spec.head_dim * stride, stride)
        return [range(start, start + spec.dtype_bytes) for start in starts]

    def caches(
        self,
        spec: KVCacheSpec,
        num_blocks: int,
        dtype: torch.dtype,
        device: torch.device | str = "cpu",
    ) -> tuple[Tensor, Tensor]:
        """Return k_cache and v_cache, not yet written, laid out in this way.

        Both are `[num_blocks, block_size, num_kv_heads, head_dim]`; only the strides
        tell layouts apart. `dtype` has the size that `spec` says.
        """
        if dtype.itemsize != spec.dtype_bytes:
            raise InvalidSize(f"{dtype} has {dtype.itemsize} bytes, not as in {spec}")
        shape = [num_blocks if a == "block" else _SIZE[a](spec) for a in self.axes]
        arrays = [
            torch.empty(shape, dtype=dtype, device=device)
            for _ in range(self.num_arrays)
        ]
        order = [self.axes.index(axis) for axis in ("block", "slot", "head", "dim")]
        if self.num_arrays == 2:
            return arrays[0].permute(order), arrays[1].permute(order)
        pair = arrays[0].permute(self.axes.index("kv"), *order)
        return pair[0], pair[1]


_SIZE: dict[str, Callable[[KVCacheSpec], int]] = {
    "kv": lambda spec: 2,
    "slot": lambda spec: spec.block_size,
    "head": lambda spec: spec.num_kv_heads,
    "dim": lambda spec: spec.head_dim,
}

FUSED = Layout("K then V in each block", ("block", "kv", "slot", "head", "dim"))
SPLIT = Layout("two arrays", ("block", "slot", "head", "dim"))
INTERLEAVED = Layout("per-token interleave", ("block", "slot", "head", "kv", "dim"))
HEAD_INTERLEAVED = Layout("head interleave", ("block", "head", "slot", "kv", "dim"))
HEAD_MAJOR = Layout("head-major", ("block", "head", "slot", "dim"))
# kernels want the numbers of a row side by side; this one is for the model only
DIM_MAJOR = Layout("dim-major", ("block", "head", "dim", "slot"))

LAYOUTS = (FUSED, SPLIT, INTERLEAVED, HEAD_INTERLEAVED, HEAD_MAJOR)
