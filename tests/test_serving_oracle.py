"""The oracle, held against a simulator that is not ours."""

import json
from random import Random

import pytest
from kvcache_sim.plan import build_execution_plan
from kvcache_sim.policies import simulate_policy
from kvcache_sim.trace import parse_trace_lines

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.oracle import oracle_hits
from pagedkv_edu.serving.prompts import endless_hits, replay_prompts
from pagedkv_edu.serving.workload import Request
from tests.test_serving_prompts import chatty_prompts

P = 4


def requests_of(prompts: list[list[int]]) -> list[Request]:
    """A token follows the last full block, so all of these may hit."""
    return [
        Request(i, len(ids) * P + 1, 1, content=(*ids, 10**6 + i), unit=P)
        for i, ids in enumerate(prompts)
    ]


def peer_hits(prompts: list[list[int]], num_blocks: int) -> int:
    """Blocks that the "optimal" policy of kvcache-simulator 0.1.3 finds.

    It counts from the second prompt on; the first one must fill its cache.
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
    trace = parse_trace_lines(lines, block_size=P)
    plan = build_execution_plan(trace, warmup_fraction=1 / len(prompts))
    result = simulate_policy(plan, "optimal", num_blocks)
    assert result.measurementMode == "fixed_window"
    return result.hitTokens // P


@pytest.mark.parametrize("seed", range(20))
def test_the_oracle_finds_what_the_optimal_policy_of_another_simulator_finds(
    seed: int,
) -> None:
    for num_blocks in (5, 12, 30):
        # the first prompt shares nothing, so both count hits from the second on
        first = [-i - 1 for i in range(num_blocks)]
        prompts = [first, *chatty_prompts(Random(seed), num_prompts=60)]

        theirs = peer_hits(prompts, num_blocks)
        ours = oracle_hits(requests_of(prompts), num_blocks, P).hit_tokens // P

        assert ours == theirs


@pytest.mark.parametrize("seed", range(10))
def test_the_oracle_is_between_least_recently_used_and_endless(seed: int) -> None:
    requests = requests_of(chatty_prompts(Random(seed), num_prompts=60))
    endless = endless_hits(requests, P).hit_tokens
    for num_blocks in (14, 20, 40):
        oracle = oracle_hits(requests, num_blocks, P).hit_tokens
        lru = replay_prompts(requests, num_blocks, P).hit_tokens

        assert lru <= oracle <= endless


def test_with_room_for_everything_the_oracle_is_endless() -> None:
    requests = requests_of(chatty_prompts(Random(1), num_prompts=60))

    oracle = oracle_hits(requests, 1000, P)
    assert oracle.hit_tokens == endless_hits(requests, P).hit_tokens
    assert oracle.total_tokens == sum(r.num_prompt_tokens for r in requests)


def test_the_oracle_keeps_what_comes_back_soon() -> None:
    prompts = [[1], [2], [3], [1], [2]]
    requests = requests_of(prompts)

    # one block: 1 stays while 2 and 3 pass, which the least recently used rule drops
    assert oracle_hits(requests, 1, P).hit_tokens == P
    assert replay_prompts(requests, 2, P).hit_tokens == 0


def test_a_cache_of_no_blocks_is_refused() -> None:
    with pytest.raises(InvalidSize):
        oracle_hits([], 0, 4)
