import json
from random import Random

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import InvalidSize, WrongPlan
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.workload import Request, lognormal_workload

P = 16


def test_columns_agree_with_the_tables_at_every_step() -> None:
    pool = BlockPool(40)
    manager = BlockManager(pool, P)
    scheduler = Scheduler(manager, pool, P, token_budget=64)
    live: set[SeqId] = set()
    seen: list[tuple[int, int, int]] = []

    def look(step: int, plan: StepPlan) -> None:
        live.update(plan.admitted)
        live.difference_update(plan.preempted, plan.refused)
        tables = [manager.table(seq_id) for seq_id in live]
        num_held = sum(len(table.block_ids) for table in tables)
        num_tokens = sum(table.seq_len for table in tables)
        seen.append((step, num_held, num_held * P - num_tokens))

    def look_and_forget(step: int, plan: StepPlan) -> None:
        look(step, plan)
        for request in requests:
            done = request.num_tokens - 1
            if request.request_id in live and (
                manager.table(request.request_id).seq_len == done
            ):
                live.discard(request.request_id)

    rng = Random(7)
    requests = [
        Request(i, rng.randint(1, 150), rng.randint(1, 60), arrival_s=i)
        for i in range(30)
    ]
    result = simulate(
        requests,
        pool=pool,
        block_size=P,
        scheduler=scheduler,
        seconds_per_step=1.0,
        on_step=look_and_forget,
    )
    steps = result.steps

    assert sum(steps.preemptions) > 0
    assert seen == list(
        zip(steps.step, steps.blocks_used, steps.wasted_slots, strict=True)
    )


def test_every_token_is_computed_once_plus_what_was_lost() -> None:
    rng = Random(3)
    requests = [Request(i, rng.randint(1, 200), rng.randint(1, 90)) for i in range(20)]
    result = simulate(requests, pool=BlockPool(30), block_size=P)
    needed = sum(request.num_tokens - 1 for request in requests)

    assert sum(result.steps.preemptions) > 0
    assert sum(result.steps.scheduled_tokens) == needed + sum(
        result.steps.recomputed_tokens
    )


def test_an_idle_server_waits_for_the_next_arrival_without_counting_steps() -> None:
    requests = [Request("A", 4, 2), Request("B", 4, 2, arrival_s=100.0)]
    result = simulate(requests, pool=BlockPool(4), block_size=4, seconds_per_step=1.0)

    assert result.steps.step == [0, 1, 100, 101]
    assert [r.wait_steps for r in result.requests] == [0, 0]


def test_first_token_comes_with_the_last_of_the_prompt() -> None:
    pool = BlockPool(8)
    scheduler = Scheduler(BlockManager(pool, 4), pool, 4, token_budget=5)
    result = simulate(
        [Request("A", 12, 3)], pool=pool, block_size=4, scheduler=scheduler
    )
    (outcome,) = result.requests

    assert result.steps.scheduled_tokens == [5, 5, 2, 1, 1]
    assert (outcome.first_token_step, outcome.finished_step) == (2, 4)


def test_a_plan_with_a_finished_sequence_is_named() -> None:
    class Stubborn(Scheduler):
        def finish(self, seq_id: int | str) -> None:
            """Forget to free anything."""

    pool = BlockPool(4)
    scheduler = Stubborn(BlockManager(pool, 4), pool, 4)
    with pytest.raises(WrongPlan, match="step 2: the plan names 'A', which is not"):
        simulate([Request("A", 4, 2)], pool=pool, block_size=4, scheduler=scheduler)


def test_max_steps_leaves_what_is_not_finished_running() -> None:
    result = simulate(
        [Request("A", 4, 50)], pool=BlockPool(16), block_size=4, max_steps=5
    )

    assert result.num_steps == 5
    assert result.requests[0].outcome == "running"


def test_results_are_json() -> None:
    requests = lognormal_workload(20, rng=Random(1))
    result = simulate(requests, pool=BlockPool(400), block_size=P)

    assert json.loads(json.dumps(result.to_json()))["block_size"] == P


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(InvalidSize):
        simulate([], pool=BlockPool(1), block_size=0)
    with pytest.raises(InvalidSize):
        simulate([], pool=BlockPool(1), block_size=1, seconds_per_step=0)
