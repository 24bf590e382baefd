"""Measure paged decoding on a GPU beside torch and other kernels. Never run yet.

No GPU was at hand when this was written: the timing was not tried.

The floor is the time that copying as many bytes takes at the copy bandwidth measured in
the same run: each key and value once, and q, out and the table. Inputs rotate over more
than five times the L2. All calls of a rotation are captured in one CUDA graph, so that
kernel time has no launches in it; launch time is what the processor takes for a call.
"""

from collections.abc import Iterator
from itertools import product
from time import perf_counter

import torch
from torch import Tensor

from tools.bench_kernels_peers import (
    HEAD_DIM,
    PEERS,
    Call,
    Inputs,
    Peer,
    make_inputs,
    require_right,
)

COPY_BYTES = 2**30
NUM_REPLAYS = 20
NUM_SEQS, SEQ_LENS = (1, 8, 32, 128), (512, 4096, 32_768)
HEADS, BLOCK_SIZES = ((32, 8), (28, 4), (64, 8)), (1, 16, 64, 256)
MOST_BYTES = 16 * 2**30  # of one input set; larger problems are left out


def bench_gpu() -> list[dict[str, object]]:
    """Print and return a row for each peer and problem; what fails is said."""
    card = torch.cuda.get_device_properties(0)
    bandwidth = copy_bandwidth()
    print(
        f"{card.name}, L2 {card.L2_cache_size:,} B, copies {bandwidth / 1e9:,.0f} GB/s"
    )
    rows: list[dict[str, object]] = []
    for problem in product(NUM_SEQS, SEQ_LENS, HEADS, BLOCK_SIZES):
        num_seqs, seq_len, heads, _ = problem
        if 4 * num_seqs * seq_len * heads[1] * HEAD_DIM > MOST_BYTES:
            continue
        sets = list(_sets(problem, 5 * card.L2_cache_size))
        floor_us = sets[0].needed_bytes / bandwidth * 1e6
        for name, peer in PEERS.items():
            row: dict[str, object] = {"peer": name, "problem": problem}
            try:
                kernel_us, launch_us = time_peer(peer, sets)
            except Exception as error:  # noqa: BLE001  (a peer may fail in any way)
                row["error"] = f"{type(error).__name__}: {error}"[:200]
                print(f"{problem!s:<32}{name:<34}{row['error']}")
            else:
                row |= {"kernel_us": kernel_us, "launch_us": launch_us}
                row["of_floor"] = floor_us / kernel_us
                print(
                    f"{problem!s:<32}{name:<34}{kernel_us:10,.1f} us  "
                    f"{floor_us / kernel_us:4.0%} of floor, launch {launch_us:,.0f} us"
                )
            rows.append(row)
    return rows


def time_peer(peer: Peer, sets: list[Inputs]) -> tuple[float, float]:
    """Return microseconds of a call: by the card in a graph, and of its launch."""
    calls = [peer(x) for x in sets]
    first = calls[0]()
    torch.cuda.synchronize()
    assert isinstance(first, Tensor)
    require_right(first, sets[0])
    launches = [_launch_us(call) for call in calls * 3]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()
    milliseconds = min(_event_ms(graph.replay) for _ in range(NUM_REPLAYS))
    return milliseconds * 1000 / len(calls), sorted(launches)[len(launches) // 2]


def copy_bandwidth() -> float:
    """Return bytes a second that a large copy reads and writes."""
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    target.copy_(source)
    milliseconds = min(_event_ms(lambda: target.copy_(source)) for _ in range(10))
    return 2 * COPY_BYTES / milliseconds * 1000


def _sets(
    problem: tuple[int, int, tuple[int, int], int], rotated_bytes: int
) -> Iterator[Inputs]:
    """Yield sets of inputs until they are larger together than the card's cache."""
    total = 0
    for seed in range(1000):
        made = make_inputs(*problem, seed=seed)
        yield made
        total += made.needed_bytes
        if total > rotated_bytes and seed > 0:
            return


def _event_ms(run: Call) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def _launch_us(call: Call) -> float:
    torch.cuda.synchronize()
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e6
