from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool, cdiv
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving import workload
from pagedkv_edu.serving.block_sizes import (
    blocks_ahead,
    contiguous_bytes,
    empty_slots,
    fork_copy_bytes,
    held,
    mean_empty_slots,
    table_bytes,
)
from pagedkv_edu.serving.break_even import (
    CPU_DECODE_MS,
    Prices,
    best_size,
    block_price,
    break_even_len,
    cost_of,
)
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import KVCacheSpec

LENGTHS = st.integers(1, 300)
SIZES = st.integers(1, 80)
POWERS = tuple(2**k for k in range(11))


@given(LENGTHS, SIZES)
def test_table_and_empty_slots_are_what_a_manager_holds(n: int, size: int):
    pool = BlockPool(cdiv(n, size))
    manager = BlockManager(pool, size)
    manager.add("A", n)
    block_ids = manager.table("A").block_ids

    assert table_bytes(n, size) == 4 * len(block_ids)
    assert empty_slots(n, size) == len(block_ids) * size - n


@pytest.mark.parametrize("size", [1, 2, 7, 16])
def test_the_mean_of_empty_slots_is_taken_over_all_endings(size: int):
    endings = [empty_slots(n, size) for n in range(5 * size + 1, 6 * size + 1)]

    assert sum(endings) / size == mean_empty_slots(size)


@given(LENGTHS, SIZES)
def test_a_branch_copies_what_a_manager_copies(n: int, size: int):
    manager = BlockManager(BlockPool(2 * cdiv(n, size) + 2), size)
    manager.add("A", n)
    manager.fork("A", "B")
    copies = [*manager.append("A"), *manager.append("B")]

    assert fork_copy_bytes(n, size, 10) == len(copies) * size * 10


def test_sixteen_slots_of_llama_3_8b_are_two_mebibytes():
    spec = KVCacheSpec(32, 8, 128, 2, block_size=16)

    assert fork_copy_bytes(17, 16, spec.bytes_per_token) == spec.copy_bytes == 2 * 2**20


def test_a_gather_reads_a_block_in_one_piece_and_a_short_sequence_no_more_than_it_has():
    assert contiguous_bytes(200, 16, 2048) == 32 * 1024
    assert contiguous_bytes(200, 1, 2048) == 2048
    assert contiguous_bytes(5, 16, 2048) == 5 * 2048


@given(LENGTHS, st.integers(0, 40), SIZES)
def test_the_blocks_ahead_are_those_that_an_append_takes(n: int, k: int, size: int):
    pool = BlockPool(cdiv(n + k, size))
    manager = BlockManager(pool, size)
    manager.add("A", n)
    free = pool.num_free
    if k:
        manager.append("A", k)

    assert blocks_ahead(n, k, size) == free - pool.num_free
    assert k // size <= blocks_ahead(n, k, size) <= cdiv(k, size)


@pytest.mark.parametrize("size", [1, 4, 7, 16, 64])
def test_the_sums_are_those_of_every_step(size: int):
    requests = workload.lognormal_workload(40, rng=Random(3))
    steps = [n for r in requests for n in range(r.num_prompt_tokens, r.num_tokens)]
    sums = held(requests, size)

    assert sums.num_steps == len(steps)
    assert sums.num_tokens == sum(steps)
    assert sums.num_blocks == sum(cdiv(n, size) for n in steps)
    assert sums.num_inside == sum(n % size > 0 for n in steps)
    assert sums.num_taken == sum(cdiv(r.num_tokens - 1, size) for r in requests)


@pytest.mark.parametrize("size", [1, 16, 64])
def test_the_waste_is_the_simulated_one(size: int):
    requests = workload.lognormal_workload(30, rng=Random(1))
    pool = BlockPool(sum(cdiv(r.num_tokens, size) for r in requests) + 1)
    manager = BlockManager(pool, size)
    scheduler = Scheduler(manager, pool, size, token_budget=100_000, max_running=1000)
    result = simulate(requests, pool=pool, block_size=size, scheduler=scheduler)

    assert held(requests, size).waste_share == pytest.approx(result.waste_share)
    assert held(requests, size).num_steps == result.num_seq_steps


def test_the_waste_of_the_papers_workloads_is_in_its_band():
    sharegpt = workload.lognormal_workload(2000, rng=Random(0))
    alpaca = workload.lognormal_workload(
        2000,
        prompt=workload.ALPACA_PROMPT,
        output=workload.ALPACA_OUTPUT,
        rng=Random(0),
    )

    assert 0.016 < held(sharegpt, 16).waste_share < 0.020
    assert 0.08 < held(alpaca, 16).waste_share < 0.105


def test_decisions_fall_with_the_block_size():
    requests = workload.lognormal_workload(500, rng=Random(0))
    decisions = [held(requests, size).taken_per_1000 for size in (1, 4, 16, 64)]

    assert decisions[0] == 1000
    assert decisions == sorted(decisions, reverse=True)
    assert all(d > 1000 / p for d, p in zip(decisions[1:], (4, 16, 64), strict=True))


@pytest.mark.parametrize("branches", [0.0, 0.25])
@pytest.mark.parametrize("size", [2, 4, 16])
def test_at_the_break_even_a_size_and_its_double_cost_the_same(
    size: int, branches: float
):
    prices = Prices(block=1 / 16)  # small, so that lengths are of many blocks
    length = break_even_len(size, prices, branches)
    requests = lengths_around(length)
    one = cost_of(held(requests, size), prices, branches)
    double = cost_of(held(requests, 2 * size), prices, branches)

    assert one.total == pytest.approx(double.total, rel=0.03)


def lengths_around(length: float) -> list[Request]:
    return [Request(n, n, 1) for n in range(int(length) - 32, int(length) + 32)]


@pytest.mark.parametrize("mean_len", [60, 420, 3000])
@pytest.mark.parametrize("branches", [0.0, 0.2])
def test_the_best_size_is_the_best_of_the_sweep(mean_len: int, branches: float):
    prices = Prices()
    rng = Random(0)
    requests = [Request(i, rng.randint(1, 2 * mean_len), 1) for i in range(4000)]
    costs = [cost_of(held(requests, size), prices, branches) for size in POWERS]
    best = min(costs, key=lambda cost: cost.total)
    derived = best_size(mean_len, prices, branches)
    nearest = min(POWERS, key=lambda size: max(size / derived, derived / size))
    (near,) = [cost for cost in costs if cost.block_size == nearest]

    assert near.total <= 1.02 * best.total


def test_without_a_price_of_time_the_smallest_block_is_best():
    table_entry = 4 / 131_072  # of a token of Llama-3-8B

    assert best_size(100_000, Prices(block=table_entry)) < 4
    assert best_size(400, Prices(block=table_entry)) < 1


def test_the_measured_price_of_a_block_is_about_a_quarter_of_a_token():
    assert block_price(CPU_DECODE_MS) == pytest.approx(Prices().block, abs=0.02)


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_a_price_that_is_none_is_refused(wrong: float):
    with pytest.raises(InvalidSize):
        Prices(block=wrong)


def test_nothing_to_sum_up_or_to_fit_is_refused():
    with pytest.raises(InvalidSize):
        held([], 16)
    with pytest.raises(InvalidSize):
        block_price({16: 1.0})
