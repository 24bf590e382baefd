"""A schedule is what the plans say, and its sentences are true of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, cdiv
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay.schedule import Schedule, Span
from pagedkv_edu.replay.schedule_film import Panel, encode_schedules
from pagedkv_edu.replay.schedule_text import ScheduleTeller
from pagedkv_edu.replay.schedule_watch import watch_schedule
from pagedkv_edu.serving.examples import four_requests
from pagedkv_edu.serving.scheduler import PreemptBy, Scheduler
from pagedkv_edu.serving.workload import Request


def watched(
    requests: list[Request], num_blocks: int = 24, preempt_by: PreemptBy = "recompute"
) -> Schedule:
    def make(manager: BlockManager, pool: PoolLike, block_size: int) -> Scheduler:
        return Scheduler(
            manager,
            pool,
            block_size,
            token_budget=64,
            reserve="prompt",
            preempt_by=preempt_by,
        )

    return watch_schedule(
        requests, make, num_blocks=num_blocks, block_size=16, token_budget=64
    )


def spans(schedule: Schedule, name: str) -> tuple[Span, ...]:
    return next(track.spans for track in schedule.tracks if track.name == name)


def test_a_victim_is_dropped_and_computed_again():
    assert spans(watched(four_requests()), "C") == (
        Span("prefill", 7, 9, 98),
        Span("decode", 9, 37, 28),
        Span("dropped", 37, 62, 126, 8),
        Span("recompute", 62, 64, 126),
        Span("decode", 64, 92, 28),
    )


def test_a_victim_is_kept_on_the_host_and_comes_back():
    assert spans(watched(four_requests(), preempt_by="swap"), "C")[2:4] == (
        Span("kept", 37, 62, 126, 8),
        Span("swap_in", 62, 63, 1, 8),
    )


def test_who_waits_is_told_for_what():
    waits = [(s.start, s.note) for s in spans(watched(four_requests()), "D")][:3]

    assert waits == [
        (16, "no room in the pool"),
        (37, "behind C"),
        (62, "the token budget is used up"),
    ]


def test_a_preemption_is_told_with_its_reason_and_its_end():
    teller = ScheduleTeller(watched(four_requests()), "last_arrived")

    assert teller.headline(37) == (
        "preempt",
        "Step 37: the pool is full, C came last, C gives up 8 blocks",
    )
    assert teller.text(37) == (
        "One running sequence needs a block and none is free. C, which came last, is "
        "preempted: its 126 tokens in 8 blocks are dropped. A and B go on. C returns "
        "at step 62, when A is done."
    )
    assert teller.caption() == "C's cache is dropped and computed again"


def test_without_a_known_policy_no_reason_is_given():
    teller = ScheduleTeller(watched(four_requests()))

    assert teller.headline(37)[1] == "Step 37: the pool is full, C gives up 8 blocks"
    assert "which came last" not in teller.text(37)


def test_a_request_larger_than_the_pool_and_one_that_outgrows_it_are_told():
    requests = [Request("A", 120, 50), Request("B", 500, 5, arrival_s=2)]
    schedule = watched(requests, num_blocks=10)
    teller = ScheduleTeller(schedule, "last_arrived")

    assert teller.headline(2)[1] == "Step 2: B can never fit, and is refused"
    last = len(schedule.moments) - 1
    assert teller.headline(last)[1] == (
        f"Step {last}: A has outgrown the pool, and ends"
    )
    assert spans(schedule, "B") == ()


lengths = st.integers(1, 120)
requests = st.lists(
    st.tuples(lengths, st.integers(1, 60), st.integers(0, 12)), min_size=1, max_size=5
).map(
    lambda rows: [
        Request("ABCDE"[i], prompt, output, arrival_s=arrival)
        for i, (prompt, output, arrival) in enumerate(rows)
    ]
)


@given(requests, st.integers(8, 20), st.sampled_from(["recompute", "swap"]))
def test_spans_follow_one_another_and_bands_fill_no_more_than_the_pool(
    requests: list[Request], num_blocks: int, preempt_by: PreemptBy
):
    schedule = watched(requests, num_blocks, preempt_by)

    for track in schedule.tracks:
        for before, after in zip(track.spans, track.spans[1:], strict=False):
            assert before.stop == after.start
        computed = sum(s.num_tokens for s in track.spans if s.kind in COMPUTING)
        request = next(r for r in requests if r.request_id == track.name)
        if track.outcome.outcome == "finished":
            needed = request.num_tokens - 1
            again = sum(s.num_tokens for s in track.spans if s.kind == "recompute")
            # the step that computes the last lost token computes new ones too
            new_with_them = needed - (computed - again)
            assert 0 <= new_with_them <= 64 * track.outcome.num_preemptions
            finished_step = track.outcome.finished_step
            assert finished_step is not None
            assert track.spans[-1].stop == finished_step + 1
            assert track.spans[0].start == track.outcome.arrival_step
    used = dict(
        zip(schedule.result.steps.step, schedule.result.steps.blocks_used, strict=True)
    )
    for step, moment in enumerate(schedule.moments):
        assert sum(moment.held.values()) == used.get(step, 0)
        assert sum(moment.held.values()) <= num_blocks
    recomputed = sum(
        s.num_tokens for t in schedule.tracks for s in t.spans if s.kind == "recompute"
    )
    assert recomputed == sum(schedule.result.steps.recomputed_tokens)


COMPUTING = ("prefill", "decode", "recompute", "swap_in")


@given(requests, st.integers(8, 20), st.sampled_from(["recompute", "swap"]))
def test_every_step_has_a_sentence_and_everything_is_json(
    requests: list[Request], num_blocks: int, preempt_by: PreemptBy
):
    schedule = watched(requests, num_blocks, preempt_by)
    encoded = encode_schedules([Panel("Recompute", schedule)], 2 * 2**20)

    assert json.loads(json.dumps(encoded)) == encoded
    (panel,) = encoded["panels"]
    assert len(panel["steps"]) == encoded["num_steps"] + 1
    for step in panel["steps"]:
        assert step["headline"].startswith("Step ")
        assert panel["texts"][step["text"]].endswith(".")
        assert "  " not in panel["texts"][step["text"]]


@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
def test_the_table_counts_what_was_moved_and_what_was_computed_twice(
    preempt_by: PreemptBy,
):
    schedule = watched(four_requests(), preempt_by=preempt_by)
    encoded = encode_schedules([Panel("", schedule)], 2 * 2**20)

    row = dict(zip(encoded["columns"], encoded["rows"][0], strict=True))
    blocks = cdiv(126, 16)
    moved = f"{2 * blocks} + {2 * blocks} MiB" if preempt_by == "swap" else "0 MiB"
    assert row["moved to the host and back"] == moved
    again = "0" if preempt_by == "swap" else "126"
    assert row["tokens computed twice"] == again
    assert row["C done"] == ("step 89" if preempt_by == "swap" else "step 91")
