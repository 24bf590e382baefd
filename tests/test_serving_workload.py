"""Requests, and the made-up sets of them."""

from dataclasses import replace
from random import Random
from statistics import mean, stdev

import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.workload import (
    ALPACA_OUTPUT,
    ALPACA_PROMPT,
    SHAREGPT_OUTPUT,
    SHAREGPT_PROMPT,
    Lognormal,
    Request,
    lognormal_workload,
)


def test_the_same_seed_gives_the_same_requests():
    assert lognormal_workload(50, rng=Random(7)) == lognormal_workload(
        50, rng=Random(7)
    )
    assert lognormal_workload(50, rng=Random(7)) != lognormal_workload(
        50, rng=Random(8)
    )


def test_every_length_is_clipped():
    shape = Lognormal(mean=20, sigma=2.0, longest=50)
    lengths = {
        length
        for request in lognormal_workload(
            500, prompt=shape, output=shape, rng=Random(0)
        )
        for length in (request.num_prompt_tokens, request.num_output_tokens)
    }

    assert min(lengths) == 1
    assert max(lengths) == 50


@pytest.mark.parametrize(
    "shape", [SHAREGPT_PROMPT, SHAREGPT_OUTPUT, ALPACA_PROMPT, ALPACA_OUTPUT]
)
def test_without_clipping_the_mean_is_the_one_asked_for(shape: Lognormal):
    rng = Random(0)
    unclipped = Lognormal(shape.mean, shape.sigma, longest=10**9)
    lengths = [unclipped.draw(rng) for _ in range(20_000)]

    error = stdev(lengths) / len(lengths) ** 0.5
    assert abs(mean(lengths) - shape.mean) < 4 * error


def test_clipping_lowers_the_sharegpt_means_to_about_153_and_315():
    requests = lognormal_workload(20_000, rng=Random(0))

    assert mean(r.num_prompt_tokens for r in requests) == pytest.approx(153, abs=4)
    assert mean(r.num_output_tokens for r in requests) == pytest.approx(315, abs=6)


def test_without_a_rate_all_requests_are_there_at_once():
    assert {r.arrival_s for r in lognormal_workload(20, rng=Random(0))} == {0.0}


def test_with_a_rate_they_arrive_in_order_at_that_rate():
    requests = lognormal_workload(5_000, requests_per_s=10.0, rng=Random(0))
    arrivals = [request.arrival_s for request in requests]

    assert arrivals == sorted(arrivals)
    assert arrivals[-1] == pytest.approx(500, rel=0.05)


def test_an_answer_ends_at_its_clients_limit():
    requests = lognormal_workload(300, limits=(16, 64), rng=Random(0))

    assert {request.max_tokens for request in requests} == {16, 64}
    assert max(r.num_output_tokens for r in requests if r.max_tokens == 16) == 16
    assert max(r.num_output_tokens for r in requests if r.max_tokens == 64) == 64


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_prompt_tokens": 0},
        {"num_prompt_tokens": 2.0},
        {"num_output_tokens": 0},
        {"num_output_tokens": True},
        {"arrival_s": -1.0},
        {"arrival_s": float("nan")},
        {"max_tokens": 4},
        {"unit": 0},
        {"content": (1, 2)},
        {"content": (1,), "unit": 8},
    ],
)
def test_a_request_that_cannot_be_is_refused(wrong: dict[str, object]):
    right = Request("A", num_prompt_tokens=9, num_output_tokens=5)

    with pytest.raises(InvalidSize):
        replace(right, **wrong)


def test_content_covers_the_prompt_and_the_last_id_may_be_partial():
    request = Request("A", 9, 5, content=(1, 2, 3), unit=4, max_tokens=5)

    assert request.num_tokens == 14


def test_wrong_sizes_are_refused():
    with pytest.raises(InvalidSize, match="num_requests"):
        lognormal_workload(0, rng=Random(0))
    with pytest.raises(InvalidSize, match="requests_per_s"):
        lognormal_workload(1, requests_per_s=0, rng=Random(0))
    with pytest.raises(InvalidSize, match="mean > 0"):
        Lognormal(mean=0, sigma=1)
    with pytest.raises(InvalidSize, match="longest"):
        Lognormal(mean=1, sigma=1, longest=0)
