"""Cases 5 to 7, 11 to 15 and 23 of what broke in other people's caches: scheduling.

`serve` runs a workload and writes a value for every token; it stops at a bound on
steps, and fails if a sequence reads what it did not write or if blocks are missing.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool, cdiv
from pagedkv_edu.errors import NeverFits
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.small import SmallScheduler
from pagedkv_edu.serving.victims import POLICIES
from pagedkv_edu.serving.workload import Request
from tests.mutants.preemption import (
    lets_them_wait_with_their_blocks,
    takes_from_the_other,
)
from tests.test_serving_scheduler import Setting, prompts, serve

P = 16

# Case 5: a check counts the evictable blocks twice, and then there are none.


@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
def test_case_5_admission_into_a_pool_whose_free_blocks_are_all_cached(
    preempt_by: str,
):
    # A leaves 3 cached blocks; the hit of B revives 2 of them while C holds the 4th
    content = tuple(range(6))
    requests = [
        Request("A", 6, 1, arrival_s=0, content=content),
        Request("C", 1, 6, arrival_s=2, content=(9,)),
        Request("B", 7, 1, arrival_s=2, content=(*content, 7)),
    ]
    setting = Setting(num_blocks=4, block_size=2, num_host_blocks=4, shares=True)
    result = serve(setting, requests, preempt_by=preempt_by)

    assert {o.outcome for o in result.requests} == {"finished"}


def test_case_5_a_swap_in_counts_cached_blocks_once():
    # the victim comes back into a pool in which every free block is a cached one
    requests = [
        Request("A", 4, 8, arrival_s=0, content=(1, 2, 3, 4)),
        Request("B", 4, 8, arrival_s=0, content=(5, 6, 7, 8)),
        Request("C", 2, 2, arrival_s=6, content=(1, 2)),
    ]
    setting = Setting(num_blocks=7, block_size=2, num_host_blocks=8, shares=True)
    result = serve(setting, requests, preempt_by="swap")

    assert sum(result.steps.preemptions) > 0
    assert {o.outcome for o in result.requests} == {"finished"}


# Case 6: a hit is remembered over a failed admission, while others evict it.


def test_case_6_a_hit_is_looked_up_again_at_every_try():
    shared = (1, 2, 3, 4)
    setting = Setting(num_blocks=5, block_size=2, shares=True)
    requests = [
        Request("A", 5, 1, arrival_s=0, content=(*shared, 5)),
        Request("grows", 4, 5, arrival_s=2, content=(9, 9, 9, 9)),
        Request("B", 7, 2, arrival_s=2, content=(*shared, 6, 7, 8)),
    ]
    hits: dict[object, int] = {}

    def look(_: int, plan: StepPlan) -> None:
        hits.update({str(seq_id): num for seq_id, num in plan.hit_tokens.items()})

    scheduler = setting.build()
    result = simulate(
        requests,
        pool=setting.pool,
        block_size=2,
        scheduler=scheduler,
        seconds_per_step=1.0,
        max_steps=60,
        on_step=look,
    )

    assert {o.outcome for o in result.requests} == {"finished"}
    # 4 tokens were there when it came; the end of the chain has been evicted since
    assert hits == {"B": 2}


# Case 7: resuming after a preemption is off by one.


@pytest.mark.parametrize("length", [P - 1, P, P + 1, 2 * P - 1, 2 * P, 2 * P + 1])
@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
def test_case_7_a_preempted_sequence_goes_on_with_the_token_that_comes_next(
    length: int, preempt_by: str
):
    # the pool is full when the first one needs its third block
    setting = Setting(2 + cdiv(length, P), P, num_host_blocks=4)
    requests = [Request("first", 2 * P, 4), Request("second", length, 2 * P)]
    result = serve(setting, requests, preempt_by=preempt_by)
    second = result.requests[1]

    assert second.outcome == "finished"
    assert second.num_preemptions >= 1


# Case 11: the engine waits for ever.


def test_case_11_a_prompt_larger_than_the_pool_is_refused_at_once():
    scheduler = Setting(8, P).build()

    with pytest.raises(NeverFits):
        scheduler.submit(Request("long", 200, 1))
    assert not scheduler.has_work


@pytest.mark.parametrize("long", [Request("long", 200, 5), Request("long", 120, 50)])
def test_case_11_a_shorter_request_behind_what_can_never_end_is_served(long: Request):
    result = serve(Setting(8, P), [long, Request("short", 20, 5)])
    outcomes = {o.request_id: o.outcome for o in result.requests}

    assert outcomes["short"] == "finished"
    assert outcomes["long"] in ("never fits", "outgrew the pool")


@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 9))
def test_case_11_a_request_alone_is_served_if_and_only_if_it_fits(
    num_prompt: int, num_output: int, num_blocks: int
):
    result = serve(Setting(num_blocks, P), [Request("A", num_prompt, num_output)])
    [outcome] = result.requests
    fits = num_prompt + num_output - 1 <= num_blocks * P  # its last token has no slot

    assert (outcome.outcome == "finished") == fits


# Case 12: two long prompts in chunks preempt each other for ever.


@pytest.mark.parametrize("victim", sorted(POLICIES))
@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
@pytest.mark.parametrize("num_blocks", [9, 12, 15])
def test_case_12_two_long_prompts_in_chunks_both_end_within_a_bound(
    victim: str, preempt_by: str, num_blocks: int
):
    result = serve(
        Setting(num_blocks, P, num_host_blocks=4),
        prompts(128, 128),
        token_budget=16,
        victim=victim,
        preempt_by=preempt_by,
    )

    assert [o.outcome for o in result.requests] == ["finished", "finished"]
    # the oldest is never preempted: 8 chunks and 4 tokens, and then the other one
    assert result.num_steps <= 2 * (8 + 4) + 2


@pytest.mark.parametrize(
    "plan", [takes_from_the_other, lets_them_wait_with_their_blocks]
)
def test_case_12_is_found_in_plans_that_take_from_each_other_or_wait(plan: object):
    pool = BlockPool(12)
    scheduler = SmallScheduler(
        BlockManager(pool, P),
        pool,
        P,
        plan,  # pyright: ignore[reportArgumentType]
        chunk=16,
    )
    result = simulate(
        prompts(128, 128), pool=pool, block_size=P, scheduler=scheduler, max_steps=200
    )

    assert {o.outcome for o in result.requests} == {"running"}


# Case 13: one failed allocation preempts everybody.


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.integers(6, 16))
def test_case_13_no_victim_more_than_needed(lengths: list[int], num_blocks: int):
    setting = Setting(num_blocks, 4)
    lengths = [min(length, 4 * num_blocks - 8) for length in lengths]
    held: dict[object, int] = {}

    def look(_: int, plan: StepPlan) -> None:
        if plan.preempted and all(num == 1 for num in plan.scheduled.values()):
            # without the last victim's blocks, the step would not have found its own
            assert setting.pool.num_free <= held[plan.preempted[-1]]
        for seq_id in plan.scheduled:
            held[seq_id] = len(setting.manager.table(seq_id).block_ids)

    scheduler = setting.build()
    simulate(
        prompts(*lengths, num_output=8),
        pool=setting.pool,
        block_size=4,
        scheduler=scheduler,
        max_steps=2000,
        on_step=look,
    )


def test_case_13_three_running_and_one_block_missing_make_one_victim():
    scheduler = Setting(num_blocks=6, block_size=4).build()
    for request in prompts(8, 8, 8):
        scheduler.submit(request)
    scheduler.step()
    plan = scheduler.step()

    assert plan.preempted == (2,)
    assert plan.scheduled == {0: 1, 1: 1}


# Case 14: a block is freed while a step in flight still writes it.


def in_flight(*, late: bool) -> list[str]:
    """Let A finish after its step was planned; B gets its block. Return B's words."""
    pool = BlockPool(1)
    manager = BlockManager(pool, 2)
    scheduler = Scheduler(manager, pool, 2)
    memory: dict[int, str] = {}
    scheduler.submit(Request("A", 2, 4))
    scheduler.step()
    slots_of_a = manager.table("A").slots(0, 2)  # the step is under way from here on
    scheduler.finish("A")
    scheduler.submit(Request("B", 2, 1))
    scheduler.step()
    slots_of_b = manager.table("B").slots(0, 2)
    assert slots_of_a == slots_of_b
    writes = [(slots_of_a, "A"), (slots_of_b, "B")]
    for slots, word in reversed(writes) if late else writes:
        memory |= dict.fromkeys(slots, word)
    return [memory[slot] for slot in slots_of_b]


def test_case_14_a_step_in_flight_writes_before_the_step_that_takes_its_block():
    assert in_flight(late=False) == ["B", "B"]
    assert in_flight(late=True) == ["A", "A"]  # so the order of steps is what counts


# Case 15: the swap space runs out.


def test_case_15_with_a_quarter_of_the_pool_as_swap_space_the_rest_is_recomputed():
    requests = prompts(*(8,) * 6, num_output=12)
    setting = Setting(num_blocks=8, block_size=4, num_host_blocks=2)
    result = serve(setting, requests, preempt_by="swap")

    assert sum(result.steps.preemptions) > 0
    assert sum(result.steps.recomputed_tokens) > 0
    assert {o.outcome for o in result.requests} == {"finished"}


@given(st.integers(1, 8), st.lists(st.integers(1, 12), min_size=2, max_size=6))
def test_case_15_whatever_the_swap_space_everybody_ends(
    num_host_blocks: int, lengths: list[int]
):
    setting = Setting(num_blocks=6, block_size=4, num_host_blocks=num_host_blocks)
    result = serve(setting, prompts(*lengths, num_output=6), preempt_by="swap")

    assert {o.outcome for o in result.requests} == {"finished"}


# Case 23: a preempted sequence is starved by later arrivals.


@pytest.mark.parametrize("victim", sorted(POLICIES))
@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
def test_case_23_an_old_long_sequence_ends_within_a_bound_while_short_ones_come(
    victim: str, preempt_by: str
):
    first = Request("first", 8, 6, arrival_s=0)
    old = Request("old", 12, 16, arrival_s=0)
    short = [Request(i, 4, 4, arrival_s=1 + i) for i in range(60)]
    result = serve(
        Setting(num_blocks=8, block_size=4, num_host_blocks=4),
        [first, old, *short],
        victim=victim,
        preempt_by=preempt_by,
    )
    outcome = next(o for o in result.requests if o.request_id == "old")

    assert outcome.finished_step is not None
    # a step for each token of those that came no later, and one more for each
    assert outcome.finished_step <= first.num_tokens + old.num_tokens + 2


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 10)), min_size=1, max_size=6),
    st.sampled_from(sorted(POLICIES)),
    st.integers(5, 9),
)
def test_case_23_every_request_ends_within_the_tokens_of_those_before_it(
    sizes: list[tuple[int, int]], victim: str, num_blocks: int
):
    requests = [Request(i, *size) for i, size in enumerate(sizes)]
    result = serve(Setting(num_blocks, 4), requests, victim=victim)
    bound = 0
    for request, outcome in zip(requests, result.requests, strict=True):
        bound += request.num_tokens + 1
        if outcome.outcome == "finished":
            assert outcome.finished_step is not None
            assert outcome.finished_step <= bound
