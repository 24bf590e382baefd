"""Measure the block manager: decode appends per second, over a whole driver loop.

Three drivers run the same requests in the same loop: admit while there is room for
another sequence, append one token to every running sequence, free those that ended.

- plain: an integer free list and a list of counts, written into the loop. No class, no
  function call, no validation. It looks at the count of the last block as any manager
  with copy on write must.
- ours: `BlockManager` on `BlockPool`.
- transformers: the block allocator of its continuous batching, by itself; how it is
  driven stands in `bench_transformers.py`. Its request states and its scheduler are
  left out, which is in its favour.

Time is the processor's, so other programs disturb little. The rates depend on the
machine; the ratios, taken within each round, much less so.
"""

import gc
import time
from importlib.metadata import version
from random import Random
from statistics import median

from pagedkv_edu import BlockCopy, BlockManager, BlockPool
from tools.bench_text import ratio_text
from tools.bench_workload import (
    BLOCK_SIZE,
    MAX_RUNNING,
    Driver,
    Requests,
    blocks_for,
    make_requests,
)


def run_plain(requests: Requests, num_blocks: int) -> int:  # noqa: C901  (no calls)
    """Drive plain lists and dictionaries."""
    free, counts = list(range(num_blocks)), [0] * num_blocks
    tables: dict[str, list[int]] = {}
    lengths: dict[str, int] = {}
    waiting, left = list(reversed(requests)), dict[str, int]()
    least_free = num_blocks
    while waiting or left:
        while waiting and len(left) < MAX_RUNNING:
            seq_id = waiting.pop()
            prompt, left[seq_id] = requests[seq_id]
            table = [free.pop() for _ in range(-(-prompt // BLOCK_SIZE))]
            for block in table:
                counts[block] = 1
            tables[seq_id], lengths[seq_id] = table, prompt
        copies: list[tuple[int, int]] = []
        ended: list[str] = []
        for seq_id, num_left in left.items():
            length, table = lengths[seq_id], tables[seq_id]
            if length % BLOCK_SIZE == 0:
                block = free.pop()
                counts[block] = 1
                table.append(block)
            elif counts[table[-1]] > 1:
                source, block = table[-1], free.pop()
                counts[source] -= 1
                counts[block] = 1
                table[-1] = block
                copies.append((source, block))
            lengths[seq_id] = length + 1
            left[seq_id] = num_left - 1
            if num_left == 1:
                ended.append(seq_id)
        least_free = min(least_free, len(free))
        for seq_id in ended:
            for block in reversed(tables.pop(seq_id)):
                counts[block] -= 1
                if counts[block] == 0:
                    free.append(block)
            del lengths[seq_id], left[seq_id]
    assert len(free) == num_blocks, "a block was lost"
    return num_blocks - least_free


def run_ours(requests: Requests, num_blocks: int) -> int:
    """Drive BlockManager."""
    pool = BlockPool(num_blocks)
    manager = BlockManager(pool, BLOCK_SIZE)
    waiting, left = list(reversed(requests)), dict[str, int]()
    least_free = num_blocks
    while waiting or left:
        while waiting and len(left) < MAX_RUNNING:
            seq_id = waiting.pop()
            prompt, left[seq_id] = requests[seq_id]
            manager.add(seq_id, prompt)
        copies: list[BlockCopy] = []
        ended: list[str] = []
        for seq_id, num_left in left.items():
            copies += manager.append(seq_id)
            left[seq_id] = num_left - 1
            if num_left == 1:
                ended.append(seq_id)
        least_free = min(least_free, pool.num_free)
        for seq_id in ended:
            manager.free(seq_id)
            del left[seq_id]
    assert pool.num_free == num_blocks, "a block was lost"
    return num_blocks - least_free


def measure(
    drivers: dict[str, Driver], requests: Requests, num_rounds: int
) -> dict[str, list[float]]:
    """Return each driver's seq-steps per second, round by round, in turn."""
    num_blocks = blocks_for(requests)
    num_steps = sum(output for _, output in requests.values())
    rates: dict[str, list[float]] = {name: [] for name in drivers}
    peaks: set[int] = set()
    for _ in range(num_rounds):
        for name, drive in drivers.items():
            gc.collect()
            start = time.process_time()
            peaks.add(drive(requests, num_blocks))
            rates[name].append(num_steps / (time.process_time() - start))
    assert len(peaks) == 1, f"the drivers did not do the same work: {peaks}"
    return rates


def bench_manager(num_rounds: int, *, num_requests: int = 300, seed: int = 0) -> None:
    """Print the rates and the ratios."""
    requests = make_requests(num_requests, Random(seed))
    drivers: dict[str, Driver] = {"plain": run_plain, "ours": run_ours}
    try:  # it takes seconds to load, and it may be missing
        from tools.bench_transformers import run_transformers  # noqa: PLC0415

        drivers["transformers"] = run_transformers
    except ImportError:
        print("transformers is missing (extra `model`), so it is not measured")

    num_steps = sum(output for _, output in requests.values())
    print(
        f"{len(requests)} requests, {num_steps:,} seq-steps, {MAX_RUNNING} running, "
        f"block_size {BLOCK_SIZE}, {blocks_for(requests):,} blocks; "
        f"median of {num_rounds} rounds"
    )
    rates = measure(drivers, requests, num_rounds)
    for name, of_rounds in rates.items():
        print(f"{name:<14}{median(of_rounds) / 1e6:6.2f} M seq-steps/s")
    print(
        f"plain / ours         {ratio_text(rates['ours'], rates['plain'])}; aim: <= 2"
    )
    if "transformers" in rates:
        against = ratio_text(rates["transformers"], rates["ours"])
        print(f"ours / transformers  {against}; aim: >= 3")
        print(f"transformers {version('transformers')}, its block allocator alone")
