import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool, cdiv
from pagedkv_edu.errors import (
    DuplicateSequence,
    NeverFits,
    OutOfBlocks,
    UnknownSequence,
    WrongPlan,
)
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.small import PlanStep, SmallScheduler, plan_step
from pagedkv_edu.serving.workload import Request


def small(
    num_blocks: int, block_size: int, plan: PlanStep = plan_step, chunk: int = 16
) -> SmallScheduler:
    pool = BlockPool(num_blocks)
    return SmallScheduler(
        BlockManager(pool, block_size), pool, block_size, plan, chunk=chunk
    )


sequences = st.lists(
    st.tuples(st.integers(1, 20), st.integers(1, 8)), min_size=1, max_size=6
)


@given(sequences, st.integers(0, 8), st.integers(1, 5))
def test_a_plan_fits_spares_the_oldest_and_preempts_nobody_without_need(
    running: list[tuple[int, int]], num_free: int, block_size: int
):
    seq_lens, new_tokens = [list(column) for column in zip(*running, strict=True)]
    held = [cdiv(n, block_size) for n in seq_lens]
    grown = [
        cdiv(n + new, block_size) - h for (n, new), h in zip(running, held, strict=True)
    ]
    try:
        served, preempted = plan_step(seq_lens, new_tokens, num_free, block_size)
    except OutOfBlocks:
        assert grown[0] > num_free + sum(held[1:])
        return

    assert sorted(served + preempted) == list(range(len(running)))
    assert 0 not in preempted
    assert served == list(range(len(served)))  # those who came last leave
    room = num_free + sum(held[i] for i in preempted)
    assert sum(grown[i] for i in served) <= room
    if preempted:  # with one victim less, somebody would find no room
        spared = min(preempted)
        assert sum(grown[i] for i in [*served, spared]) > num_free + sum(
            held[i] for i in preempted if i != spared
        )


@given(
    st.lists(
        st.tuples(st.integers(1, 30), st.integers(1, 15), st.integers(0, 6)),
        min_size=1,
        max_size=5,
    ),
    st.integers(2, 12),
    st.integers(1, 8),
)
def test_every_request_ends_within_a_bound(
    rows: list[tuple[int, int, int]], num_blocks: int, chunk: int
):
    requests = [Request(i, p, o, arrival_s=a) for i, (p, o, a) in enumerate(rows)]
    scheduler = small(num_blocks, 4, chunk=chunk)
    bound = sum(r.num_tokens + 1 for r in requests) + 8
    result = simulate(
        requests,
        pool=scheduler.pool,
        block_size=4,
        scheduler=scheduler,
        seconds_per_step=1.0,
        max_steps=bound,
    )

    for request, outcome in zip(
        sorted(requests, key=lambda r: r.arrival_s), result.requests, strict=True
    ):
        fits = cdiv(request.num_tokens - 1, 4) <= num_blocks
        assert outcome.outcome == "finished" or not fits
        assert outcome.outcome != "running"
    assert scheduler.pool.num_free == num_blocks


def test_the_victim_waits_and_comes_back():
    scheduler = small(4, 4)
    for name in ("A", "B"):
        scheduler.submit(Request(name, 8, 4))
    first, second, third = (scheduler.step() for _ in range(3))

    assert first.admitted == ("A", "B")
    assert (second.scheduled, second.preempted) == ({"A": 1}, ("B",))
    assert third.admitted == ()


WRONG_PLANS: list[object] = [
    None,
    ([0], [0]),
    ([-1], []),
    ([7], []),
    (["A"], []),
]


@pytest.mark.parametrize("wrong", WRONG_PLANS, ids=repr)
def test_a_plan_that_is_none_is_an_error_of_ours(wrong: object):
    def plan(seq_lens: list[int], *_: object) -> object:
        return wrong if seq_lens else ([], [])

    scheduler = small(4, 4, plan)  # pyright: ignore[reportArgumentType]
    scheduler.submit(Request("A", 4, 4))
    scheduler.step()

    with pytest.raises(WrongPlan):
        scheduler.step()


def test_ids_and_sizes_are_checked():
    scheduler = small(4, 4)
    scheduler.submit(Request("A", 4, 4))
    with pytest.raises(DuplicateSequence):
        scheduler.submit(Request("A", 4, 4))
    with pytest.raises(NeverFits):
        scheduler.submit(Request("B", 17, 4))
    with pytest.raises(UnknownSequence):
        scheduler.finish("C")
    scheduler.finish("A")
    assert not scheduler.has_work
