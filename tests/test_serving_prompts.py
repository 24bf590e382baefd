"""What a prefix cache finds, held against a simulator that is not ours."""

import json
import os
from pathlib import Path
from random import Random

import pytest
from kvcache_sim.plan import build_execution_plan
from kvcache_sim.policies import simulate_policy
from kvcache_sim.trace import parse_trace_lines

from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.serving.prompts import endless_hits, replay_prompts, serve_prompt
from pagedkv_edu.serving.traces import read_mooncake
from pagedkv_edu.serving.workload import Request

DATA = Path(os.environ.get("PAGEDKV_TRACES", "../shared/data"))
P = 4


def peer_hits(prompts: list[list[int]], num_blocks: int) -> int | None:
    """Return the blocks that kvcache-simulator 0.1.3 finds in the second half.

    None if its cache is not full by then: it does not answer in that case.
    """
    lines = [
        json.dumps(
            {
                "timestamp": index,
                "input_length": len(ids) * P,
                "output_length": 1,
                "hash_ids": ids,
            }
        )
        for index, ids in enumerate(prompts)
    ]
    plan = build_execution_plan(parse_trace_lines(lines, block_size=P))
    result = simulate_policy(plan, "lru", num_blocks)
    if result.measurementMode != "fixed_window":
        return None
    return result.hitTokens // P


def our_hits(prompts: list[list[int]], num_blocks: int) -> int:
    cache = PrefixCache(num_blocks, block_size=1)
    hits = [serve_prompt(cache, ids, len(ids), has_rest=True) for ids in prompts]
    return sum(hits[len(hits) // 2 :])


def chatty_prompts(rng: Random, num_prompts: int) -> list[list[int]]:
    """Return prompts of which many go on where an earlier one stopped."""
    prompts: list[list[int]] = []
    for index in range(num_prompts):
        start = rng.choice(prompts) if prompts and rng.random() < 0.7 else []
        kept = start[: rng.randint(0, len(start))][:8]
        prompts.append(kept + [index * 10 + i for i in range(rng.randint(1, 4))])
    return prompts


@pytest.mark.parametrize("seed", range(20))
def test_hits_equal_those_of_another_simulator(seed: int) -> None:
    prompts = chatty_prompts(Random(seed), num_prompts=60)
    longest = max(map(len, prompts))
    compared = 0
    for num_blocks in range(longest, 100):
        theirs = peer_hits(prompts, num_blocks)
        if theirs is not None:
            compared += 1
            assert our_hits(prompts, num_blocks) == theirs, f"{num_blocks} blocks"

    assert compared > 20


def mooncake(name: str) -> list[Request]:
    path = DATA / f"mooncake_{name}_trace.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; PAGEDKV_TRACES names its folder")
    return read_mooncake(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["conversation", "synthetic"])
def test_hits_on_a_real_trace_equal_those_of_another_simulator(name: str) -> None:
    prompts = [
        list(request.content[: request.num_prompt_tokens // request.unit])
        for request in mooncake(name)
    ]
    prompts = [ids for ids in prompts if ids]

    assert our_hits(prompts, 5859) == peer_hits(prompts, 5859)


@pytest.mark.parametrize(
    ("name", "share"), [("conversation", 0.374), ("synthetic", 0.651)]
)
def test_an_endless_cache_finds_the_published_share(name: str, share: float) -> None:
    hits = endless_hits(mooncake(name), block_size=512)

    # the published figure also counts a last block that is not full
    assert hits.hit_ratio == pytest.approx(share, abs=0.002)


def test_a_large_cache_finds_what_an_endless_one_finds() -> None:
    prompts = chatty_prompts(Random(5), 50)
    requests = [
        Request(i, len(ids) * P, 1, content=tuple(ids), unit=P)
        for i, ids in enumerate(prompts)
    ]
    endless = endless_hits(requests, P)

    assert replay_prompts(requests, 1000, P).hit_tokens == endless.hit_tokens
    assert 0 < replay_prompts(requests, 20, P).hit_tokens < endless.hit_tokens


@pytest.mark.parametrize("block_size", [1, 2, 4, 8])
def test_a_smaller_block_finds_no_less(block_size: int) -> None:
    content = tuple(range(8))
    requests = [Request(i, 32, 1, content=content, unit=P) for i in range(2)]
    found = replay_prompts(requests, 100, block_size).hit_tokens

    assert found == (32 - 1) // block_size * block_size


def test_a_prompt_larger_than_the_cache_is_counted_and_skipped() -> None:
    requests = [Request(i, 40, 1, content=tuple(range(10)), unit=P) for i in range(2)]
    hits = replay_prompts(requests, num_blocks=9, block_size=P)

    assert (hits.num_too_long, hits.hit_tokens) == (2, 0)
