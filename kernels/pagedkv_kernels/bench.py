"""Time ways to decode on this machine's CPU: torch's, ours, and other layouts.

Ways take turns, so that a busy machine slows all of them alike. One thread is timed by
its own processor time, which other programs disturb little; several by the clock on the
wall. Look at the ratios: the milliseconds are this machine's.
"""

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TypeVar

import numba
import torch

from pagedkv_edu.sizes import KVCacheSpec, require_positive
from pagedkv_kernels.bench_batch import Batch, Run, Shape
from pagedkv_kernels.cpu import paged_decode
from pagedkv_kernels.cpu_plain import plain_decode
from pagedkv_kernels.layouts import HEAD_MAJOR, LAYOUTS, SPLIT, Layout
from pagedkv_kernels.reading import read_once
from pagedkv_kernels.torch_paths import CONTIGUOUS, gather_then_attend
from pagedkv_kernels.traffic import Traversal

QUICK = Shape(4, 32, 8, 128, 2048, num_layers=4)  # some seconds: for a lesson
FULL = Shape(8, 32, 8, 128, 4096, num_layers=3)
BLOCK_SIZES = (1, 4, 16, 64, 256)

READ = "read K and V once"
GATHER = "gather, then torch SDPA"
OURS = "cpu.paged_decode"
OURS_CONTIGUOUS = "cpu.paged_decode, contiguous"
TUNED = "tuned"
PLAIN_TOKENS = "plain loops, tokens outside"
PLAIN_HEADS = "plain loops, heads outside"

Key = TypeVar("Key", bound=Hashable)
OnStep = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one way to decode one layer took, round by round."""

    path: str
    layout: str
    block_size: int | None  # None: no blocks
    kv_bytes: int
    rounds_ms: tuple[float, ...]

    @property
    def ms(self) -> float:
        """The fastest round: the one that other programs disturbed least."""
        return min(self.rounds_ms)

    @property
    def gb_per_s(self) -> float:
        """How fast keys and values went by, each counted once."""
        return self.kv_bytes / self.ms / 1e6

    def speed_against(self, other: "Timing") -> float:
        """Return how many times as fast as the other this is."""
        return other.ms / self.ms


def time_decode_paths(
    shape: Shape = QUICK,
    *,
    block_sizes: Sequence[int] = BLOCK_SIZES,
    num_threads: int | None = 1,
    num_rounds: int = 5,
    seed: int = 0,
    on_step: OnStep | None = None,
) -> list[Timing]:
    """Time decoding in float32 without tables and with, by torch and by ours.

    The first row is `READ`: how fast this machine reads the same bytes. torch's ways
    are timed over the layout that it likes best, head-major, and its best one over ours
    too; both are copies made beforehand, but for the gather. Each block size must
    divide the length. `num_threads` None takes all. `on_step` is called after each
    round, for a progress bar.
    """
    batch = Batch(shape, seed)
    split, head_major = SPLIT.name, HEAD_MAJOR.name
    runs: dict[tuple[str, str, int | None], Run] = {
        (READ, split, None): lambda layer: read_once(batch.layers[layer])
    }
    for name, attend in CONTIGUOUS.items():
        runs[name, head_major, None] = batch.dense(attend)
    name = next(iter(CONTIGUOUS))
    runs[name, split, None] = batch.dense(CONTIGUOUS[name], head_major=False)
    runs[OURS_CONTIGUOUS, split, None] = batch.contiguous(paged_decode)
    for block_size in block_sizes:
        runs[GATHER, split, block_size] = batch.paged(gather_then_attend, block_size)
        runs[OURS, split, block_size] = batch.paged(paged_decode, block_size)
    times = _in_turns(runs, num_threads, num_rounds, shape.num_layers, on_step)
    return [
        Timing(path, layout, block_size, shape.kv_bytes, rounds)
        for (path, layout, block_size), rounds in times.items()
    ]


def time_layouts(
    shape: Shape = QUICK,
    *,
    layouts: Sequence[Layout] = LAYOUTS,
    block_size: int = 16,
    num_threads: int | None = 1,
    num_rounds: int = 5,
    seed: int = 0,
    on_step: OnStep | None = None,
) -> list[Timing]:
    """Time each layout by plain loops, in both orders, and by the tuned path.

    The path of a row is `PLAIN_TOKENS`, `PLAIN_HEADS` or `TUNED`. Each layout holds the
    same numbers, in memory of its own.
    """
    batch = Batch(shape, seed)
    spec = KVCacheSpec(1, shape.num_kv_heads, shape.head_dim, 4, block_size)
    numbers = batch.caches(0, block_size)
    ways = {
        PLAIN_TOKENS: _plain("tokens outside"),
        PLAIN_HEADS: _plain("heads outside"),
        TUNED: paged_decode,
    }
    runs: dict[tuple[str, str], Run] = {}
    for layout in layouts:
        caches = layout.caches(spec, len(numbers[0]), torch.float32)
        for cache, from_batch in zip(caches, numbers, strict=True):
            cache.copy_(from_batch)
        for path, decode in ways.items():
            runs[path, layout.name] = batch.paged(decode, block_size, caches)
    times = _in_turns(runs, num_threads, num_rounds, 1, on_step)
    return [
        Timing(path, layout, block_size, shape.kv_bytes, rounds)
        for (path, layout), rounds in times.items()
    ]


def _plain(traversal: Traversal) -> Callable[..., object]:
    def decode(*tensors: torch.Tensor, scale: float) -> object:
        q, k_cache, v_cache, tables, lens = tensors
        return plain_decode(
            q, k_cache, v_cache, tables, lens, scale=scale, traversal=traversal
        )

    return decode


def _in_turns(
    runs: Mapping[Key, Run],
    num_threads: int | None,
    num_rounds: int,
    num_layers: int,
    on_step: OnStep | None,
) -> dict[Key, tuple[float, ...]]:
    """Return the milliseconds of each run, round by round.

    Each is run twice, and timed the second time: the threads of the one before it wait
    busily for some milliseconds after their work, and would be in its way.
    """
    times: dict[Key, list[float]] = {key: [] for key in runs}
    with _threads(num_threads) as num_used:
        now = process_time if num_used == 1 else perf_counter
        for number in range(num_rounds):
            for key, run in runs.items():
                run(2 * number % num_layers)
                start = now()
                run((2 * number + 1) % num_layers)
                times[key].append((now() - start) * 1000)
            if on_step is not None:
                on_step()
    return {key: tuple(rounds) for key, rounds in times.items()}


@contextmanager
def _threads(wanted: int | None) -> Generator[int]:
    """Give torch and numba the same number of threads for a while."""
    before = torch.get_num_threads(), numba.get_num_threads()
    num_threads = min(*before, require_positive("num_threads", wanted or before[0]))
    torch.set_num_threads(num_threads)
    numba.set_num_threads(num_threads)
    try:
        yield num_threads
    finally:
        torch.set_num_threads(before[0])
        numba.set_num_threads(before[1])
