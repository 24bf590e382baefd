"""A race as JSON and in words: it says what the steps say."""

import json
from random import Random

import pytest
from hypothesis import given, settings

from pagedkv_edu.replay.race import encode_race
from pagedkv_edu.report import Json
from pagedkv_edu.serving.race import Race, race
from pagedkv_edu.serving.workload import Lognormal, Request, lognormal_workload
from tests.test_serving_race import lesson_workload, workloads


@pytest.fixture(scope="module")
def ran() -> Race:
    return race(lesson_workload())


@pytest.fixture(scope="module")
def encoded(ran: Race) -> Json:
    return json.loads(json.dumps(encode_race(ran)))


def said(encoded: Json, i: int, fit: str = "first") -> dict[str, str]:
    """All sentences of step i."""
    step, paged = encoded["contiguous"][fit]["steps"][i], encoded["paged"]["steps"][i]
    texts = encoded["texts"]
    return {
        "headline": texts[step["headline"]],
        "contiguous": texts[step["text"]],
        "paged": texts[paged["text"]],
        "caption": texts[paged["caption"]],
    }


@settings(max_examples=40, deadline=None)
@given(workloads())
def test_the_steps_can_be_read_back(requests: list[Request]):
    ran = race(requests, num_slots=60, block_size=4)
    encoded = json.loads(json.dumps(encode_race(ran)))

    for fit, steps in ran.contiguous.items():
        for step, seen in zip(steps, encoded["contiguous"][fit]["steps"], strict=False):
            layout = encoded["layouts"][seen["layout"]]
            pairs = zip(layout["held"], seen["tokens"], strict=True)
            held = [
                (name, start, size, tokens) for (name, start, size), tokens in pairs
            ]
            assert held == [
                (h.name, h.start, h.num_slots, h.num_tokens) for h in step.held
            ]
            assert layout["holes"] == [list(hole) for hole in step.holes]
            assert layout["waiting"] == list(step.waiting)
            assert layout["options"] == step.hole_if_ended
    for step, seen in zip(ran.paged, encoded["paged"]["steps"], strict=False):
        layout = encoded["layouts"][seen["layout"]]
        pairs = zip(layout["held"], seen["tokens"], strict=True)
        held = [(name, tuple(blocks), tokens) for (name, blocks), tokens in pairs]
        assert held == [(h.name, h.block_ids, h.num_tokens) for h in step.held]
        assert (layout["free"], layout["waiting"]) == (
            step.num_free,
            list(step.waiting),
        )


def test_both_runs_have_the_same_number_of_steps_and_end_empty(encoded: Json):
    runs = [encoded["paged"], *encoded["contiguous"].values()]

    for run in runs:
        assert len(run["steps"]) == encoded["num_steps"]
        assert run["done"] < encoded["num_steps"]
        assert run["steps"][run["done"]]["tokens"] == []


def test_a_refusal_says_what_is_free_and_what_is_missing(encoded: Json):
    name, start, stop = encoded["contiguous"]["first"]["waits"][0]
    words = said(encoded, start)

    assert name == "H"
    assert (
        words["headline"] == "H asks for 242 slots. 349 are free, and it does not fit."
    )
    assert words["contiguous"] == (
        "H is refused; the largest hole is 176 slots and it needs 242 in one piece "
        f"(50 prompt + 192 max_tokens). It waits {stop - start} steps."
    )
    assert words["paged"].startswith(
        "H starts with 4 blocks for 50 tokens and takes another one every 16 tokens."
    )
    assert words["caption"] == (
        "H needs 4 blocks for its 50 tokens, any 4 will do (ringed)"
    )
    assert encoded["contiguous"]["first"]["steps"][start]["kind"] == "refuse"


def test_a_wait_ends_with_an_admission_that_says_how_long_it_was(encoded: Json):
    _, start, stop = encoded["contiguous"]["first"]["waits"][0]

    assert "H still waits: the largest hole is" in said(encoded, stop - 1)["contiguous"]
    admitted = said(encoded, stop)["contiguous"]
    assert f"H, after {stop - start} steps of waiting, reserves 242 slots" in admitted


def test_a_buddy_reservation_says_what_it_gets(encoded: Json):
    assert (
        "A reserves 105 slots and gets 128 (41 prompt + 64 max_tokens)."
        in (said(encoded, 0, "buddy")["contiguous"])
    )


def test_an_end_counts_the_slots_that_never_held_a_token(ran: Race, encoded: Json):
    steps = ran.contiguous["first"]
    i, held = next((i, held) for i, step in enumerate(steps) for held in step.ended)
    unused = held.num_slots - held.num_tokens

    assert f"{unused} of them never held a token" in said(encoded, i)["contiguous"]
    assert said(encoded, i)["headline"].startswith(f"{held.name} ends in both caches")


def test_a_run_that_is_done_says_since_when(encoded: Json):
    done = encoded["paged"]["done"]

    assert said(encoded, done + 5)["paged"] == f"done since step {done}."


def test_preemption_and_shortage_are_told():
    # 5 blocks of 2: see test_serving_race
    requests = [Request(i, 3, 3, max_tokens=3) for i in range(2)]
    encoded = encode_race(race(requests, num_slots=10, block_size=2))
    told = [said(encoded, i) for i in range(encoded["num_steps"])]

    headlines = [words["headline"] for words in told]
    assert "Paged: no block is free for a token, and B must leave" in headlines
    assert any("B gives back 2 blocks and waits" in words["paged"] for words in told)


def test_when_too_few_slots_are_free_nothing_is_said_of_holes():
    requests = [Request(i, 8, 4, max_tokens=4) for i in range(3)]
    encoded = encode_race(race(requests, num_slots=24, block_size=4))
    words = said(encoded, 0)

    assert words["headline"] == "C asks for 12 slots. 0 are free."
    assert "it needs 12 slots and 0 are free" in words["contiguous"]


def test_a_race_of_the_lesson_stays_small(encoded: Json):
    assert len(json.dumps(encoded)) < 150_000


def test_forty_requests_get_names_that_differ():
    shape = Lognormal(8, 0.5, 20)
    requests = lognormal_workload(
        40, prompt=shape, output=shape, limits=(20,), rng=Random(0)
    )
    names = [request["name"] for request in encode_race(race(requests))["requests"]]

    assert len(set(names)) == 40
    assert names[:2] == ["A", "B"]
    assert names[26] == "A2"
