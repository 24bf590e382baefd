"""One workload through contiguous and paged caches, step by step."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.serving.race import Race, race
from pagedkv_edu.serving.race_steps import ContiguousStep, PagedStep
from pagedkv_edu.serving.reservation import POLICIES
from pagedkv_edu.serving.workload import Lognormal, Request, lognormal_workload
from pagedkv_edu.sizes import cdiv

lengths = st.integers(1, 30)


@st.composite
def workloads(draw: st.DrawFn) -> list[Request]:
    return [
        Request(
            i,
            draw(lengths),
            num_output := draw(lengths),
            arrival_s=float(draw(st.integers(0, 40))),
            max_tokens=num_output + draw(st.integers(0, 30)),
        )
        for i in range(draw(st.integers(1, 10)))
    ]


def check_contiguous(ran: Race, step: ContiguousStep) -> None:
    runs = [(held.start, held.num_slots) for held in step.held]
    position = 0
    for start, num_slots in sorted(runs + [tuple(hole) for hole in step.holes]):
        assert start == position, "extents and holes lie side by side"
        position += num_slots
    assert position == ran.num_slots
    for held in step.held:
        assert held.num_tokens <= ran.asked_by_name[held.name] <= held.num_slots
    if step.waiting:
        largest = max((hole.num_slots for hole in step.holes), default=0)
        assert largest < ran.asked_by_name[step.waiting[0]]
        assert step.hole_if_ended.keys() == {held.name for held in step.held}


def check_paged(ran: Race, step: PagedStep) -> None:
    block_ids = [block_id for held in step.held for block_id in held.block_ids]
    assert len(set(block_ids)) == len(block_ids), "nothing is shared here"
    assert step.num_free == ran.num_slots // ran.block_size - len(block_ids)
    for held in step.held:
        assert len(held.block_ids) == cdiv(held.num_tokens, ran.block_size)


def steps_running(steps: list[ContiguousStep] | list[PagedStep], name: str) -> int:
    return sum(name in {held.name for held in step.held} for step in steps)


@settings(max_examples=60, deadline=None)
@given(
    workloads(),
    st.integers(30, 150),
    st.integers(1, 20),
    st.sampled_from(POLICIES),
)
def test_every_step_adds_up_and_everybody_is_served_once(
    requests: list[Request], num_slots: int, block_size: int, policy: str
):
    ran = race(requests, num_slots=num_slots, block_size=block_size, policy=policy)
    names = {str(request.request_id) for request in ran.requests}

    for steps in ran.contiguous.values():
        for step in steps:
            check_contiguous(ran, step)
        turned_away = {name for step in steps for name in step.never}
        ended = [held.name for step in steps for held in step.ended]
        assert sorted(ended) == sorted(names - turned_away)
        for request in ran.requests:
            if request.request_id not in turned_away:
                time = steps_running(list(steps), str(request.request_id))
                assert time == request.num_output_tokens
    for step in ran.paged:
        check_paged(ran, step)
    ended = [held.name for step in ran.paged for held in step.ended]
    assert sorted(ended) == sorted(names - {n for s in ran.paged for n in s.never})


def lesson_workload() -> list[Request]:
    return lognormal_workload(
        15,
        prompt=Lognormal(32, 0.5, 80),
        output=Lognormal(70, 0.8, 192),
        requests_per_s=0.2,
        limits=(32, 64, 96, 128, 160, 192),
        rng=Random(311),
    )


def test_requests_are_named_in_order_of_arrival_and_the_first_comes_at_once():
    requests = [Request(7, 2, 2, 9.0, 2), Request(3, 4, 4, 5.0, 4)]
    ran = race(requests, num_slots=16, block_size=4)

    assert [(r.request_id, r.arrival_s) for r in ran.requests] == [("A", 0), ("B", 4)]
    assert ran.paged[0].admitted == ("A",)


def test_a_request_that_does_not_fit_holds_up_those_behind_it():
    requests = [
        Request(0, 4, 3, max_tokens=4),  # reserves 8 of 10 for three steps
        Request(1, 2, 1, max_tokens=2),  # 4 do not fit
        Request(2, 1, 1, max_tokens=1),  # 2 would
    ]
    steps = race(requests, num_slots=10, block_size=2).contiguous["first"]

    assert [step.waiting for step in steps] == [("B", "C")] * 3 + [()] * 2
    assert steps[3].admitted == ("B", "C")


def test_a_request_larger_than_the_cache_is_turned_away_and_the_rest_goes_on():
    requests = [Request(0, 9, 9, max_tokens=9), Request(1, 2, 2, max_tokens=2)]
    ran = race(requests, num_slots=16, block_size=4)

    assert ran.contiguous["first"][0].never == ("A",)
    assert ran.paged[0].never == ("A",)
    assert ran.paged[0].admitted == ("B",)


def test_without_a_free_block_the_last_one_admitted_is_preempted():
    # 5 blocks of 2: A takes the last one for its fifth token, and B needs one too
    requests = [Request(i, 3, 3, max_tokens=3) for i in range(2)]
    steps = race(requests, num_slots=10, block_size=2).paged
    preempted = [held for step in steps for held in step.preempted]

    assert [held.name for held in preempted] == ["B"]
    assert [name for step in steps for name in step.admitted] == ["A", "B", "B"]


def test_a_request_that_is_told_to_end_ends_in_both_caches():
    ran = race(lesson_workload(), ends={"E": 35, "N": 75})

    for steps in (*ran.contiguous.values(), ran.paged):
        assert all(held.name != "E" for step in steps[35:] for held in step.held)
        assert all("N" not in step.waiting for step in steps[75:])


def test_the_lessons_workload_is_refused_for_fragmentation_and_paged_is_not():
    ran = race(lesson_workload())
    first = ran.contiguous["first"]
    refused = next(step for step in first if step.waiting)

    num_free = sum(hole.num_slots for hole in refused.holes)
    assert num_free > ran.asked_by_name[refused.waiting[0]]
    assert not any(step.waiting or step.preempted for step in ran.paged)
    assert len(first) > 1.5 * len(ran.paged)


def test_an_allocator_of_ones_own_takes_part():
    class Counting(ExtentAllocator):
        num_calls = 0

        def reserve(self, num_slots: int) -> int:
            Counting.num_calls += 1
            return super().reserve(num_slots)

    ran = race(lesson_workload(), first_fit=Counting)

    assert Counting.num_calls >= len(ran.requests)
    assert ran.contiguous["first"] == race(lesson_workload()).contiguous["first"]


def test_wrong_arguments_are_refused():
    request = Request(0, 4, 4, max_tokens=4)

    with pytest.raises(InvalidSize, match="policy is one of"):
        race([request], policy="guess")
    with pytest.raises(InvalidSize, match="has no max_tokens"):
        race([Request(0, 4, 4)])
    with pytest.raises(InvalidSize, match="num_slots"):
        race([request], num_slots=0)
    with pytest.raises(InvalidSize, match="block_size"):
        race([request], block_size=0)
