from pathlib import Path
from random import Random
from statistics import mean

import pytest

from tests.public_traces import public_trace
from tools.bench_manager import measure, run_ours, run_plain
from tools.bench_serving import AZURE, MOONCAKE, bench_serving
from tools.bench_text import ratio_text
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


def test_a_missing_trace_is_named_and_nothing_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    bench_serving(tmp_path, run_plain, num_rounds=1)

    assert AZURE in capsys.readouterr().out


def test_the_serving_bench_measures_the_beginning_of_each_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("kvcache_sim", reason="the extra `dev` brings the peer")
    for name in (AZURE, *MOONCAKE):
        lines = public_trace(name).read_text().splitlines()[:200]
        (tmp_path / name).write_text("\n".join(lines))
    bench_serving(tmp_path, run_plain, num_rounds=1)
    out = capsys.readouterr().out

    assert "cache off / cache on" in out
    assert out.count("ours faster by") == 2
