from random import Random
from statistics import mean

import pytest

from tools.bench import measure, ratio_text, run_ours, run_plain
from tools.bench_workload import MAX_RUNNING, Driver, blocks_for, make_requests

REQUESTS = make_requests(5, Random(1))


def test_the_workload_is_the_one_that_is_promised():
    requests = make_requests(20_000, Random(0))

    assert mean(prompt for prompt, _ in requests.values()) == pytest.approx(
        1000, rel=0.05
    )
    assert mean(output for _, output in requests.values()) == pytest.approx(
        250, rel=0.02
    )
    assert min(output for _, output in requests.values()) == 1


def test_the_drivers_do_the_same_work():
    drivers: dict[str, Driver] = {"plain": run_plain, "ours": run_ours}
    rates = measure(drivers, REQUESTS, num_rounds=1)

    assert [len(of_rounds) for of_rounds in rates.values()] == [1, 1]


@pytest.mark.slow
def test_transformers_allocator_does_the_same_work_too():
    pytest.importorskip(
        "transformers", reason="the extra `model` brings transformers to compare with"
    )
    from tools.bench_transformers import run_transformers

    drivers: dict[str, Driver] = {"ours": run_ours, "theirs": run_transformers}
    rates = measure(drivers, REQUESTS, num_rounds=1)

    assert [len(of_rounds) for of_rounds in rates.values()] == [1, 1]


def test_drivers_that_do_different_work_are_not_compared():
    def lazy(requests: object, num_blocks: int) -> int:
        return 0

    with pytest.raises(AssertionError, match="did not do the same work"):
        measure({"ours": run_ours, "lazy": lazy}, REQUESTS, num_rounds=1)


def test_the_pool_suffices_for_the_64_largest_requests():
    requests = {f"request-{i}": (15, 1 + 16 * (i // 70)) for i in range(140)}

    assert blocks_for(requests) == MAX_RUNNING * 2


def test_a_ratio_is_taken_within_each_round():
    assert (
        ratio_text([1.0, 2.0, 4.0], [2.0, 8.0, 12.0]) == "3.00 (rounds: 2.00 to 4.00)"
    )
