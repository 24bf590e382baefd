"""Measure the scheduler on a public trace, and the prefix cache against a simulator.

`simulate` serves Azure's conversation trace in a pool that preempts: one `append` for
each decoded token, through the interface that a learner's manager gets. Its peer is the
plain loop of `bench_manager.py` on the same lengths, which has no scheduler, no
arrivals and no preemption. With prefix caching on, each prompt is a run of tokens of
its own, so every full block is hashed and registered; what hits is a preempted prompt
come back.

`replay_prompts` serves the prompts of both Mooncake traces at six capacities; its peer
is the Python engine of kvcache-simulator, least recently used. Each begins with the
file.

The traces are not part of the project: `--traces` names their folder.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.serving.prompts import replay_prompts
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.traces import read_azure, read_mooncake
from pagedkv_edu.serving.workload import Request
from tools.bench_text import ratio_text
from tools.bench_workload import Driver, Requests

AZURE = "AzureLLMInferenceTrace_conv.csv"
MOONCAKE = (
    "mooncake_conversation_trace.jsonl",
    "mooncake_synthetic_trace.jsonl",
)
NUM_BLOCKS = 6000  # of 16 tokens: the Azure trace preempts hundreds of times
CAPACITIES = (1000, 2000, 5000, 10_000, 20_000, 50_000)  # blocks of 512 tokens
UNIT = 512


def bench_azure(path: Path, run_plain: Driver, num_rounds: int) -> None:
    """Print how fast `simulate` appends, with the cache off and on."""
    requests = read_azure(path)
    lengths: Requests = {
        str(request.request_id): (
            request.num_prompt_tokens,
            request.num_output_tokens - 1,
        )
        for request in requests
        if request.num_output_tokens > 1
    }
    num_plain_steps = sum(output for _, output in lengths.values())
    rates: dict[str, list[float]] = {"plain": [], "off": [], "on": []}
    with_content, preemptions = _with_content(requests), 0
    for _ in range(num_rounds):
        seconds = _seconds(lambda: run_plain(lengths, 50_000))
        rates["plain"].append(num_plain_steps / seconds)
        rate, preemptions = _simulated(requests, share=False)
        rates["off"].append(rate)
        rates["on"].append(_simulated(with_content, share=True)[0])
    print(
        f"Azure conversation trace: {len(requests):,} requests, {num_plain_steps:,} "
        f"decoded tokens, {NUM_BLOCKS:,} blocks of 16, {preemptions:,} preemptions; "
        f"median of {num_rounds} rounds"
    )
    for name, label, aim in (
        ("plain", "plain loop, no scheduler", ""),
        ("off", "simulate", "; aim: 1.0"),
        ("on", "simulate, prefix caching on", "; aim: 0.5"),
    ):
        print(f"{label:<28}{median(rates[name]) / 1e6:6.2f} M seq-steps/s{aim}")
    print(f"plain / simulate            {ratio_text(rates['off'], rates['plain'])}")
    print(f"cache off / cache on        {ratio_text(rates['on'], rates['off'])}")


def bench_mooncake(folder: Path, num_rounds: int) -> None:
    """Print how long six capacities take, beside kvcache-simulator's engine."""
    try:
        from tools.bench_kvcache_simulator import replay_theirs  # noqa: PLC0415
    except ImportError:
        print("kvcache-simulator is missing (extra `dev`), so it is not measured")
        return
    print(f"LRU at {len(CAPACITIES)} capacities: {', '.join(map(str, CAPACITIES))}")
    for name in MOONCAKE:
        path = folder / name
        speeds: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(num_rounds):
            ours = _seconds(partial(_replay_ours, path))
            theirs = _seconds(partial(replay_theirs, path, CAPACITIES, UNIT))
            speeds["ours"].append(1 / ours)
            speeds["theirs"].append(1 / theirs)
        print(
            f"{name.removesuffix('.jsonl'):<28}"
            f"ours {1 / median(speeds['ours']):.2f} s, "
            f"kvcache-simulator {1 / median(speeds['theirs']):.2f} s, "
            f"ours faster by {ratio_text(speeds['theirs'], speeds['ours'])}; aim: > 1"
        )
    print(f"kvcache-simulator {version('kvcache-simulator')}, its Python engine")


def bench_serving(folder: Path, run_plain: Driver, num_rounds: int) -> None:
    """Print both, or say which trace is missing."""
    missing = [name for name in (AZURE, *MOONCAKE) if not (folder / name).exists()]
    if missing:
        print(f"not measured, {', '.join(missing)} not in {folder}: see --traces")
        return
    bench_azure(folder / AZURE, run_plain, num_rounds)
    bench_mooncake(folder, num_rounds)


def _simulated(requests: list[Request], *, share: bool) -> tuple[float, int]:
    """Return appended and admitted sequences a second, and the preemptions."""
    pool = PrefixCache(NUM_BLOCKS, 16) if share else BlockPool(NUM_BLOCKS)
    manager = BlockManager(pool, 16)
    cache = pool if isinstance(pool, PrefixCache) else None
    scheduler = Scheduler(manager, pool, 16, cache=cache)
    gc.collect()
    start = time.process_time()
    result = simulate(
        requests, pool=pool, block_size=16, manager=manager, scheduler=scheduler
    )
    seconds = time.process_time() - start
    assert all(request.outcome == "finished" for request in result.requests)
    return sum(result.steps.running) / seconds, sum(result.steps.preemptions)


def _with_content(requests: list[Request]) -> list[Request]:
    """Give every prompt tokens that no other prompt has."""
    start, given = 0, list[Request]()
    for request in requests:
        end = start + request.num_prompt_tokens
        given.append(replace(request, content=tuple(range(start, end))))
        start = end
    return given


def _replay_ours(path: Path) -> None:
    requests = read_mooncake(path)
    for num_blocks in CAPACITIES:
        replay_prompts(requests, num_blocks, UNIT)


def _seconds(run: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start
