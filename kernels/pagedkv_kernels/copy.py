"""Carry out block copies over all layers, with the result of doing them one by one."""

from collections.abc import Iterable, Sequence

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
        source, target = _places(copy)
        if not cut or source in targets or target in sources or target in targets:
            cut.append([])
            sources, targets = set(), set()
        cut[-1].append(copy)
        sources.add(source)
        targets.add(target)
    return cut


def copy_blocks(
    copies: Sequence[BlockCopy], device: Sequence[Tensor], host: Sequence[Tensor] = ()
) -> None:
    """Copy blocks in every tensor; the result is that of one by one, in order.

    `device` holds the caches of all layers, keys and values, each `[num_blocks, ...]`;
    `host` the same for the host pool, needed for copies of kind "out" and "in". On a
    GPU one launch moves a wave's copies in all caches that are alike, and copies to a
    pinned host pool may still be under way on return; the stream keeps their order.
    """
    _require_copies(copies, device, host)
    for wave in waves(copies):
        pairs = {kind: _pairs(wave, kind) for kind in _PLACES}
        if pairs["copy"]:
            _copy_within(device, pairs["copy"])
        for device_cache, host_cache in zip(device, host, strict=False):
            for source, target in pairs["out"]:
                host_cache[target].copy_(device_cache[source], non_blocking=True)
            for source, target in pairs["in"]:
                device_cache[target].copy_(host_cache[source], non_blocking=True)


def _copy_within(caches: Sequence[Tensor], pairs: list[tuple[int, int]]) -> None:
    on_gpu = [cache for cache in caches if cache.is_cuda and cache[0].is_contiguous()]
    if on_gpu:
        # imported here: without a GPU this module does without Triton
        from pagedkv_kernels.copy_kernel import launch_copies  # noqa: PLC0415

        launch_copies(on_gpu, pairs)
    launched = {id(cache) for cache in on_gpu}
    sources, targets = (list(ids) for ids in zip(*pairs, strict=True))
    for cache in caches:
        if id(cache) not in launched:
            cache[targets] = cache[sources]


_PLACES = {
    "copy": ("device", "device"),
    "out": ("device", "host"),
    "in": ("host", "device"),
}


def _pairs(wave: Sequence[BlockCopy], kind: str) -> list[tuple[int, int]]:
    return [(copy.source, copy.target) for copy in wave if copy.kind == kind]


def _places(copy: BlockCopy) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return source and target, each with the pool that it is in."""
    source, target = _PLACES[copy.kind]
    return (source, copy.source), (target, copy.target)


def _require_copies(
    copies: Sequence[BlockCopy], device: Sequence[Tensor], host: Sequence[Tensor]
) -> None:
    """Check every copy against every tensor, before the first one is carried out."""
    for cache in (*device, *host):
        require(
            cache.ndim >= 2, f"a cache must be [num_blocks, ...], got {cache.ndim}D"
        )
    for copy in copies:
        require(
            copy.kind in _PLACES, f"{copy}: kind must be one of {', '.join(_PLACES)}"
        )
        for place, block_id in _places(copy):
            sizes = [len(cache) for cache in (device if place == "device" else host)]
            num_blocks = min(sizes, default=0)
            require(
                0 <= block_id < num_blocks,
                f"{copy}: there is no block {block_id} in a {place} pool of "
                f"{num_blocks} blocks",
            )
    if all(copy.kind == "copy" for copy in copies):
        return
    require(
        [(c.shape[1:], c.dtype) for c in device]
        == [(c.shape[1:], c.dtype) for c in host],
        f"{len(device)} device tensors and {len(host)} host tensors; a swap needs a "
        "pair of equal blocks and dtype for each",
    )
