"""Shares of slots against a simulation that does every step and every token."""

from random import Random
from statistics import mean
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu.errors import InvalidSize, NeverFits, OutOfSlots
from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.serving.reservation import (
    POLICIES,
    ContiguousMemory,
    PagedMemory,
    compare_reservations,
    reserved_slots,
)
from pagedkv_edu.serving.shares import slot_shares
from pagedkv_edu.serving.traces import read_azure
from pagedkv_edu.serving.workload import Request, lognormal_workload
from pagedkv_edu.sizes import cdiv
from tests.public_traces import public_trace

Shares = tuple[float, float, float, float]


class PlainRun:
    """Runs one step at a time; notes tokens, slots used in the end, slots held."""

    def __init__(self, requests: list[Request], num_slots: int) -> None:
        self.waiting = [(request, request.num_prompt_tokens) for request in requests]
        self.num_slots = num_slots
        self.tokens: dict[Request, int] = {}  # of running requests, oldest first
        self.held: dict[Request, int] = {}
        self.steps: list[tuple[int, int, int]] = []

    def step(self) -> list[Request]:
        """Every running request writes a token; return those that are finished."""
        in_the_end = [min(held, r.num_tokens) for r, held in self.held.items()]
        counted = sum(self.tokens.values()), sum(in_the_end), sum(self.held.values())
        self.steps.append(counted)
        self.tokens = {request: n + 1 for request, n in self.tokens.items()}
        return [r for r, n in self.tokens.items() if n == r.num_tokens]

    def leave(self, request: Request) -> int:
        del self.held[request]
        return self.tokens.pop(request)

    def shares(self) -> Shares:
        if not self.steps:
            return 0, 0, 0, 1
        token, used, held = (
            mean(c) / self.num_slots for c in zip(*self.steps, strict=True)
        )
        return token, used - token, held - used, 1 - held


def plain_contiguous(
    requests: list[Request], num_slots: int, policy: str, max_len: int
) -> Shares:
    run = PlainRun(requests, num_slots)
    allocator = ExtentAllocator(num_slots, "buddy")
    starts: dict[Request, int] = {}
    while True:
        while run.waiting:
            request, num_tokens = run.waiting[0]
            size = reserved_slots(policy, request, max_len)
            try:
                if request.num_tokens > max_len:
                    raise NeverFits
                starts[request] = allocator.reserve(size)
            except OutOfSlots:
                break
            except NeverFits:
                run.waiting.pop(0)
                continue
            run.waiting.pop(0)
            run.tokens[request], run.held[request] = num_tokens, size
        if not run.waiting:
            return run.shares()
        for request in run.step():
            run.leave(request)
            allocator.release(starts.pop(request))


class PlainPaged(PlainRun):
    """Blocks are only counted: any free block is as good as another."""

    def __init__(
        self, requests: list[Request], num_blocks: int, block_size: int, watermark: int
    ) -> None:
        super().__init__(requests, num_blocks * block_size)
        self.block_size = block_size
        self.watermark = watermark * block_size
        self.num_preempted = 0

    def num_free(self) -> int:
        return self.num_slots - sum(self.held.values())

    def is_full(self, request: Request) -> bool:
        return self.tokens.get(request) == self.held.get(request, 0)

    def grow(self) -> None:
        for request in list(self.tokens):
            while self.is_full(request) and self.num_free() < self.block_size:
                victim = list(self.tokens)[-1]
                self.waiting.insert(0, (victim, self.leave(victim)))
                self.num_preempted += 1
            if self.is_full(request):
                self.held[request] += self.block_size

    def admit(self) -> bool:
        before = len(self.tokens)
        while self.waiting:
            request, num_tokens = self.waiting[0]
            needed = cdiv(num_tokens, self.block_size) * self.block_size
            fits = request.num_tokens <= self.num_slots - self.watermark
            if fits and self.num_free() < needed + self.watermark:
                break
            self.waiting.pop(0)
            if fits:
                self.tokens[request], self.held[request] = num_tokens, needed
        return len(self.tokens) > before

    def run(self) -> Shares:
        while True:
            self.grow()
            while self.admit() and self.waiting:
                self.grow()  # a prompt may end at the end of a block
            if not self.waiting:
                return self.shares()
            for request in self.step():
                self.leave(request)


sizes = st.integers(1, 20)
workloads = st.lists(st.tuples(sizes, sizes), min_size=1, max_size=15).map(
    lambda lengths: [Request(i, *pair) for i, pair in enumerate(lengths)]
)


@settings(max_examples=150, deadline=None)
@given(workloads, st.integers(8, 70), st.sampled_from(POLICIES), st.integers(8, 40))
def test_contiguous_shares_are_those_of_a_step_by_step_run(
    requests: list[Request], num_slots: int, policy: str, max_len: int
):
    expected = plain_contiguous(requests, num_slots, policy, max_len)
    memory = ContiguousMemory(ExtentAllocator(num_slots, "buddy"), policy, max_len)
    found = slot_shares(requests, memory)

    shares = found.token, found.reserved, found.internal, found.external
    assert shares == pytest.approx(expected)
    assert sum(shares) == pytest.approx(1)


@settings(max_examples=150, deadline=None)
@given(workloads, st.integers(2, 30), st.integers(1, 6), st.integers(1, 3))
def test_paged_shares_are_those_of_a_step_by_step_run(
    requests: list[Request], num_blocks: int, block_size: int, watermark: int
):
    plain = PlainPaged(requests, num_blocks, block_size, watermark)
    expected = plain.run()
    pool = BlockPool(num_blocks)
    memory = PagedMemory(
        BlockManager(pool, block_size),
        pool,
        block_size=block_size,
        max_len=100,
        watermark=watermark,
    )
    found = slot_shares(requests, memory)

    shares = found.token, found.reserved, found.internal, found.external
    assert shares == pytest.approx(expected)
    assert found.num_preempted == plain.num_preempted


def test_one_request_alone_and_one_waiting():
    # 8 slots, A holds 3 + 2 = 5 rounded to 8: B waits for A's two steps
    requests = [Request("A", 3, 2), Request("B", 3, 2)]
    memory = ContiguousMemory(ExtentAllocator(8, "buddy"), "oracle", max_len=8)
    shares = slot_shares(requests, memory)

    assert shares.num_steps == 2
    assert shares.token == (3 + 4) / 16
    assert shares.reserved == (2 + 1) / 16
    assert shares.internal == 0
    assert shares.external == 6 / 16  # what the allocator rounds up is nobody's
    assert shares.mean_running == 1


def test_policies_reserve_at_least_what_is_used():
    for request in lognormal_workload(300, rng=Random(0)):
        maximum, power, oracle = (
            reserved_slots(policy, request, max_len=2048) for policy in POLICIES
        )

        assert maximum == 2048
        assert oracle == request.num_tokens <= power <= maximum
        assert power - request.num_prompt_tokens < 2 * request.num_output_tokens


def test_an_output_of_25_reserves_32():
    assert reserved_slots("power of two", Request("A", 10, 25), max_len=2048) == 42
    assert reserved_slots("power of two", Request("A", 10, 32), max_len=2048) == 42
    assert reserved_slots("power of two", Request("A", 10, 25), max_len=40) == 40


def test_a_request_longer_than_the_maximum_is_refused_by_all():
    requests = [Request("A", 30, 30), *(Request(i, 4, 4) for i in range(40))]
    compared = compare_reservations(requests, num_slots=64, block_size=4, max_len=32)

    assert {shares.num_refused for shares in compared.values()} == {1}


def test_progress_is_told_and_ends_at_the_total():
    requests = lognormal_workload(60, rng=Random(0))
    seen: list[tuple[int, int]] = []
    compare_reservations(
        requests, on_step=lambda done, total: seen.append((done, total))
    )

    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {240}
    assert seen[-1][0] == 240


@pytest.mark.parametrize("sizes", [(0, 16, 40), (64, 0, 40), (64, 16, 0), (8, 16, 40)])
def test_wrong_sizes_are_refused(sizes: tuple[int, int, int]):
    num_slots, block_size, max_len = sizes

    with pytest.raises(InvalidSize):
        compare_reservations(
            [Request("A", 3, 2)],
            num_slots=num_slots,
            block_size=block_size,
            max_len=max_len,
        )


@pytest.mark.parametrize("seed", range(3))
def test_sharegpt_like_lengths_land_near_the_paper(seed: int):
    compared = compare_reservations(lognormal_workload(2000, rng=Random(seed)))
    percent = {name: 100 * shares.token for name, shares in compared.items()}

    # figure 2 of the paper: 20.4, 26.8, 38.2, 96.3
    assert 16 < percent["maximum"] < 21
    assert 25 < percent["power of two"] < 29
    assert 35 < percent["oracle"] < 39
    assert 96 < percent["paged"] < 97.5


def test_the_azure_trace_is_compared_in_under_20_seconds():
    requests = read_azure(public_trace("AzureLLMInferenceTrace_conv.csv"))
    start = perf_counter()
    compared = compare_reservations(requests, max_len=8192)

    assert perf_counter() - start < 20
    assert {shares.num_refused for shares in compared.values()} == {1}  # 14,089 tokens
    token = [shares.token for shares in compared.values()]
    assert token == sorted(token)  # maximum, power of two, oracle, paged
