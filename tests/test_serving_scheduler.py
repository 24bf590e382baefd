from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidSize,
    NeverFits,
    UnknownSequence,
    WrongPlan,
)
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.victims import POLICIES, by_length
from pagedkv_edu.serving.workload import Request


@dataclass
class Setting:
    """A scheduler and all that it decides about."""

    num_blocks: int
    block_size: int
    num_host_blocks: int = 0
    shares: bool = False

    def build(self, **options: object) -> Scheduler:
        self.cache = (
            PrefixCache(self.num_blocks, self.block_size) if self.shares else None
        )
        self.pool = self.cache or BlockPool(self.num_blocks)
        self.host = BlockPool(self.num_host_blocks) if self.num_host_blocks else None
        self.manager = BlockManager(self.pool, self.block_size, self.host)
        self.scheduler = Scheduler(
            self.manager,
            self.pool,
            self.block_size,
            cache=self.cache,
            **options,  # pyright: ignore[reportArgumentType]
        )
        return self.scheduler

    def check(self) -> None:
        self.scheduler.check()
        self.manager.check()
        self.pool.check()


class Engine:
    """Writes one value per token where the tables say, and reads everything back."""

    def __init__(self, setting: Setting, requests: list[Request]) -> None:
        self.setting = setting
        self.request_by_id = {request.request_id: request for request in requests}
        self.device: dict[int, object] = {}
        self.host: dict[int, object] = {}
        self.computed: dict[SeqId, int] = {}

    def value(self, seq_id: SeqId, position: int) -> object:
        request = self.request_by_id[seq_id]
        if position < len(request.content):
            return request.content[position]
        return (seq_id, position)

    def copy(self, copy: BlockCopy) -> None:
        source = self.host if copy.kind == "in" else self.device
        target = self.host if copy.kind == "out" else self.device
        size = self.setting.block_size
        for offset in range(size):
            value = source.get(copy.source * size + offset)
            target[copy.target * size + offset] = value

    def carry_out(self, step: int, plan: StepPlan) -> None:
        for copy in plan.copies:
            self.copy(copy)
        for seq_id in (*plan.preempted, *plan.refused):
            self.computed[seq_id] = 0
        for seq_id in plan.admitted:
            self.computed[seq_id] = plan.hit_tokens.get(seq_id, 0)
        victims = {*plan.preempted, *plan.swapped_out, *plan.refused}
        assert not victims & plan.scheduled.keys(), "a victim got tokens"
        for seq_id, num_tokens in plan.scheduled.items():
            table = self.setting.manager.table(seq_id)
            start = self.computed[seq_id]
            self.computed[seq_id] = stop = start + num_tokens
            assert table.seq_len == stop
            for position, slot in enumerate(table.slots(start, stop), start):
                self.device[slot] = self.value(seq_id, position)
        for seq_id in plan.scheduled:
            table = self.setting.manager.table(seq_id)
            read = [self.device[slot] for slot in table.slots(0, table.seq_len)]
            wanted = [self.value(seq_id, i) for i in range(table.seq_len)]
            assert read == wanted, (
                f"step {step}: {seq_id!r} reads what it did not write"
            )
        self.setting.check()


def bound(requests: list[Request]) -> int:
    """The oldest request gets a token in every step, so this many steps are enough."""
    return sum(request.num_tokens + 1 for request in requests)


def serve(setting: Setting, requests: list[Request], **options: object):
    scheduler = setting.build(**options)
    engine = Engine(setting, requests)
    result = simulate(
        requests,
        pool=setting.pool,
        block_size=setting.block_size,
        scheduler=scheduler,
        seconds_per_step=1.0,
        max_steps=bound(requests) + int(max(r.arrival_s for r in requests)) + 1,
        on_step=engine.carry_out,
    )
    assert {o.outcome for o in result.requests} <= {
        "finished",
        "never fits",
        "outgrew the pool",
    }
    assert setting.pool.num_free == setting.num_blocks
    assert setting.host is None or setting.host.num_free == setting.num_host_blocks
    return result


@st.composite
def workloads(draw: st.DrawFn) -> list[Request]:
    num_requests = draw(st.integers(1, 6))
    requests: list[Request] = []
    for index in range(num_requests):
        num_prompt = draw(st.integers(1, 20))
        num_output = draw(st.integers(1, 12))
        alphabet = st.integers(0, 1)
        content = draw(
            st.just(())
            | st.lists(alphabet, min_size=num_prompt, max_size=num_prompt).map(tuple)
        )
        requests.append(
            Request(
                index,
                num_prompt,
                num_output,
                arrival_s=draw(st.integers(0, 8)),
                max_tokens=num_output + draw(st.integers(0, 4)),
                content=content,
            )
        )
    return requests


@given(
    requests=workloads(),
    num_blocks=st.integers(1, 12),
    block_size=st.integers(1, 4),
    num_host_blocks=st.integers(0, 6),
    shares=st.booleans(),
    token_budget=st.integers(1, 24),
    max_running=st.integers(1, 6),
    watermark=st.integers(0, 2),
    reserve=st.sampled_from(["nothing", "prompt", "maximum"]),
    victim=st.sampled_from(sorted(POLICIES)),
    preempt_by=st.sampled_from(["recompute", "swap"]),
)
def test_every_request_ends_within_a_bound_and_reads_what_it_wrote(
    requests: list[Request],
    num_blocks: int,
    block_size: int,
    num_host_blocks: int,
    shares: bool,  # noqa: FBT001
    **options: object,
) -> None:
    setting = Setting(num_blocks, block_size, num_host_blocks, shares)
    result = serve(setting, requests, **options)

    if options["reserve"] == "maximum":
        assert sum(result.steps.preemptions) == 0
    for request, outcome in zip(
        sorted(requests, key=lambda r: r.arrival_s), result.requests, strict=True
    ):
        # the last token of an answer has no slot
        fits = -(-(request.num_tokens - 1) // block_size) <= num_blocks
        if outcome.outcome == "finished":
            assert fits
        if fits and options["reserve"] != "maximum":
            assert outcome.outcome == "finished"


def prompts(*lengths: int, num_output: int = 4) -> list[Request]:
    return [Request(index, length, num_output) for index, length in enumerate(lengths)]


def test_a_prompt_larger_than_the_pool_is_refused_at_once_and_blocks_nobody() -> None:
    result = serve(Setting(8, 16), prompts(200, 20))

    assert [o.outcome for o in result.requests] == ["never fits", "finished"]


def test_a_decode_that_outgrows_the_pool_ends_and_the_next_request_runs() -> None:
    requests = [Request("long", 120, 50), Request("short", 20, 5)]
    result = serve(Setting(8, 16), requests)

    assert [o.outcome for o in result.requests] == ["outgrew the pool", "finished"]
    assert sum(result.steps.refusals) == 1


@pytest.mark.parametrize("victim", sorted(POLICIES))
def test_two_long_prompts_in_chunks_do_not_preempt_each_other_forever(
    victim: str,
) -> None:
    # a pool of one and a half prompts, chunks of an eighth
    result = serve(
        Setting(num_blocks=12, block_size=16),
        prompts(128, 128),
        token_budget=16,
        victim=victim,
    )

    assert [o.outcome for o in result.requests] == ["finished", "finished"]


def test_a_victim_policy_of_ones_own_may_only_choose_a_candidate() -> None:
    chosen = serve(
        Setting(num_blocks=5, block_size=4),
        prompts(4, 5, 5),
        victim=by_length(lambda lengths: 0),
    )
    assert [o.num_preemptions for o in chosen.requests] == [0, 1, 0]
    for place in (-1, 2, True, None):
        choose = by_length(lambda lengths, place=place: place)  # pyright: ignore
        with pytest.raises(WrongPlan):
            serve(Setting(5, 4), prompts(4, 5, 5), victim=choose)


def test_one_missing_block_preempts_one_sequence() -> None:
    setting = Setting(num_blocks=5, block_size=4)
    scheduler = setting.build()
    for request in prompts(4, 5, 5):
        scheduler.submit(request)
    first, second = scheduler.step(), scheduler.step()

    assert first.admitted == (0, 1, 2)
    assert second.preempted == (2,)
    assert second.scheduled == {0: 1, 1: 1}


def test_a_preempted_sequence_is_not_starved_by_later_arrivals() -> None:
    old = Request("old", 8, 24, arrival_s=0)
    short = [Request(i, 4, 4, arrival_s=i // 2) for i in range(40)]
    result = serve(Setting(num_blocks=8, block_size=4), [old, *short])
    outcome = next(o for o in result.requests if o.request_id == "old")

    assert outcome.num_preemptions == 0
    assert outcome.finished_step == 23


@pytest.mark.parametrize("length", [5, 8])
@pytest.mark.parametrize("preempt_by", ["recompute", "swap"])
def test_resuming_after_preemption_is_not_off_by_one(
    length: int, preempt_by: str
) -> None:
    # preempted at a length of block_size + 1 and of 2 * block_size
    setting = Setting(num_blocks=4, block_size=4, num_host_blocks=4)
    requests = [Request("first", 8, 8), Request("second", length, 6)]
    result = serve(setting, requests, preempt_by=preempt_by)
    second = result.requests[1]

    assert second.num_preemptions >= 1
    assert second.outcome == "finished"


def test_a_full_host_pool_falls_back_to_recompute() -> None:
    setting = Setting(num_blocks=6, block_size=2, num_host_blocks=1)
    result = serve(setting, prompts(4, 4, 4, num_output=8), preempt_by="swap")

    assert sum(result.steps.preemptions) > 0
    assert sum(result.steps.recomputed_tokens) > 0
    assert {o.outcome for o in result.requests} == {"finished"}


def test_the_same_prompt_twice_computes_its_last_block_again() -> None:
    setting = Setting(num_blocks=16, block_size=4, shares=True)
    content = tuple(range(8))
    requests = [
        Request("A", 8, 2, arrival_s=0, content=content),
        Request("B", 8, 2, arrival_s=5, content=content),
    ]
    result = serve(setting, requests)

    assert sum(result.steps.hit_tokens) == 4
    assert sum(result.steps.scheduled_tokens) == (8 + 1) + (4 + 1)


def test_two_equal_prompts_in_one_step_are_computed_twice_and_known_once() -> None:
    setting = Setting(num_blocks=16, block_size=4, shares=True)
    content = tuple(range(9))
    scheduler = setting.build()
    for name in "AB":
        scheduler.submit(Request(name, 9, 4, content=content))
    plan = scheduler.step()
    scheduler.step()
    scheduler.finish("A")
    assert setting.cache is not None

    assert plan.hit_tokens == {}
    assert setting.cache.num_cached == 2
    assert len(setting.cache.lookup(content)) == 2


def test_a_hit_on_free_blocks_uses_them_up() -> None:
    # all free blocks are cached ones, and must not be counted twice
    setting = Setting(num_blocks=3, block_size=2, shares=True)
    content = (1, 2, 3, 4, 5, 6)
    requests = [
        Request("A", 6, 1, arrival_s=0, content=content),
        Request("B", 6, 1, arrival_s=3, content=content),
    ]
    result = serve(setting, requests)

    assert [o.outcome for o in result.requests] == ["finished", "finished"]
    assert sum(result.steps.hit_tokens) == 4


def test_a_hit_that_was_evicted_while_waiting_is_looked_up_again() -> None:
    setting = Setting(num_blocks=4, block_size=2, shares=True)
    shared = (1, 2, 3, 4)
    requests = [
        Request("A", 4, 1, arrival_s=0, content=shared),
        Request("evicts", 7, 2, arrival_s=2, content=(9,) * 7),
        Request("B", 5, 3, arrival_s=2, content=(*shared, 5)),
    ]
    result = serve(setting, requests)

    assert {o.outcome for o in result.requests} == {"finished"}


@pytest.mark.parametrize("token_budget", [100, 200])
def test_a_prompt_in_chunks_is_found_like_one_computed_whole(token_budget: int) -> None:
    setting = Setting(num_blocks=64, block_size=8, shares=True)
    content = tuple(range(200))
    requests = [
        Request("A", 200, 1, arrival_s=0, content=content),
        Request("B", 200, 1, arrival_s=9, content=content),
    ]
    result = serve(setting, requests, token_budget=token_budget)

    assert sum(result.steps.hit_tokens) == 192


def test_a_watermark_keeps_blocks_free_at_admission_only_while_something_runs() -> None:
    setting = Setting(num_blocks=4, block_size=4)
    scheduler = setting.build(watermark=1)
    scheduler.submit(Request("A", 8, 2))
    scheduler.submit(Request("B", 8, 2))
    plan = scheduler.step()

    assert plan.admitted == ("A",)
    assert serve(Setting(4, 4), prompts(16, num_output=1), watermark=4).num_steps == 1


def test_reserving_the_maximum_admits_fewer_than_reserving_nothing() -> None:
    requests = [Request(i, 4, 4, max_tokens=13) for i in range(4)]
    admitted = {
        reserve: len(_first_plan(requests, reserve=reserve).admitted)
        for reserve in ("nothing", "prompt", "maximum")
    }

    assert admitted == {"nothing": 4, "prompt": 4, "maximum": 2}


def _first_plan(requests: list[Request], **options: object) -> StepPlan:
    scheduler = Setting(num_blocks=8, block_size=4).build(**options)
    for request in requests:
        scheduler.submit(request)
    return scheduler.step()


def test_mistakes_are_refused_and_change_nothing() -> None:
    setting = Setting(num_blocks=4, block_size=4)
    scheduler = setting.build()
    scheduler.submit(Request("A", 4, 2))
    with pytest.raises(DuplicateSequence):
        scheduler.submit(Request("A", 4, 2))
    with pytest.raises(UnknownSequence):
        scheduler.finish("B")
    with pytest.raises(NeverFits, match="needs 5 blocks, the pool has 4"):
        scheduler.submit(Request("B", 17, 2))
    with pytest.raises(InvalidSize, match="no max_tokens to reserve"):
        Setting(4, 4).build(reserve="maximum").submit(Request("A", 4, 2))
    with pytest.raises(InvalidSize, match="victim must be one of"):
        Setting(4, 4).build(victim="nobody")

    assert scheduler.num_waiting == 1
    scheduler.check()


def test_a_waiting_request_can_be_cancelled() -> None:
    setting = Setting(num_blocks=4, block_size=4)
    scheduler = setting.build()
    scheduler.submit(Request("A", 4, 2))
    scheduler.finish("A")

    assert not scheduler.has_work
    assert setting.pool.num_free == 4
