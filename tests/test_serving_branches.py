"""Forks under a scheduler: copies are counted, nothing is lost, and work goes on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import DuplicateSequence, UnknownSequence
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.branches import ForkingScheduler
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.workload import Request


def serving(
    num_blocks: int, *, num_host_blocks: int = 0
) -> tuple[BlockPool, BlockManager, Scheduler]:
    pool = BlockPool(num_blocks)
    host = BlockPool(num_host_blocks) if num_host_blocks else None
    manager = BlockManager(pool, 4, host)
    preempt_by = "swap" if host else "recompute"
    return pool, manager, Scheduler(manager, pool, 4, preempt_by=preempt_by)


def with_family(num_blocks: int, num_members: int, num_tokens: int = 6) -> Scheduler:
    """Return a scheduler whose request "A" is forked into "B", "C", …."""
    _, _, scheduler = serving(num_blocks)
    scheduler.submit(Request("A", num_tokens, 20))
    scheduler.step()
    for index in range(1, num_members):
        scheduler.fork("A", chr(ord("A") + index))
    return scheduler


def test_ours_can_fork() -> None:
    assert isinstance(serving(1)[2], ForkingScheduler)


def test_all_but_the_last_copy_a_shared_tail_and_exactly_that_is_counted() -> None:
    # 2 blocks for the prompt and 2 copies: three members need no more
    scheduler = with_family(num_blocks=4, num_members=3)
    plan = scheduler.step()

    assert plan.scheduled == {"A": 1, "B": 1, "C": 1}
    assert len(plan.copies) == 2
    assert scheduler.pool.num_free == 0


def test_one_block_less_and_the_youngest_is_preempted_first() -> None:
    scheduler = with_family(num_blocks=3, num_members=3)
    plan = scheduler.step()

    assert plan.preempted == ("C",)
    assert plan.scheduled == {"A": 1, "B": 1}
    assert len(plan.copies) == 1


def test_a_full_tail_is_not_copied() -> None:
    scheduler = with_family(num_blocks=4, num_members=3, num_tokens=4)
    plan = scheduler.step()

    assert plan.copies == ()
    assert scheduler.pool.num_free == 0


def test_a_held_sequence_gets_no_token_and_keeps_its_tail_from_the_others() -> None:
    scheduler = with_family(num_blocks=8, num_members=3)
    scheduler.hold("C")
    plan = scheduler.step()
    assert plan.scheduled == {"A": 1, "B": 1}
    assert len(plan.copies) == 2

    scheduler.resume("C")
    plan = scheduler.step()
    assert plan.scheduled == {"A": 1, "B": 1, "C": 1}
    assert plan.copies == ()


def test_a_held_sequence_makes_way_for_one_that_waits() -> None:
    scheduler = with_family(num_blocks=4, num_members=2, num_tokens=8)
    scheduler.submit(Request("Z", 12, 4))
    scheduler.hold("A")
    scheduler.hold("B")
    plans = [scheduler.step() for _ in range(3)]

    assert [plan.preempted for plan in plans[:2]] == [("B",), ("A",)]
    assert plans[2].scheduled == {"Z": 12}
    scheduler.finish("Z")
    scheduler.resume("A")
    assert scheduler.step().scheduled == {"A": 9}


def test_a_child_of_a_preempted_parent_waits_beside_it() -> None:
    scheduler = with_family(num_blocks=3, num_members=3)
    scheduler.step()
    scheduler.fork("C", "D")
    scheduler.finish("A")
    scheduler.finish("B")

    assert scheduler.num_waiting == 2
    assert scheduler.step().scheduled == {"C": 7}
    scheduler.finish("C")
    assert scheduler.step().scheduled == {"D": 7}


def test_a_fork_needs_a_live_parent_and_a_new_id() -> None:
    scheduler = with_family(num_blocks=8, num_members=2)
    with pytest.raises(UnknownSequence):
        scheduler.fork("Z", "Y")
    with pytest.raises(DuplicateSequence):
        scheduler.fork("A", "B")

    scheduler.check()


def test_what_a_cancelled_step_computed_cannot_be_found() -> None:
    for end in ("finish", "cancel"):
        cache = PrefixCache(8, 4)
        manager = BlockManager(cache, 4)
        scheduler = Scheduler(manager, cache, 4, cache=cache)
        scheduler.submit(Request("A", 8, 4, content=tuple(range(8))))
        scheduler.step()
        getattr(scheduler, end)("A")

        found = cache.lookup([*range(8), 0])
        assert len(found) == (2 if end == "finish" else 0)


class Families:
    """Random forks, holds and steps, and what is known of each live sequence."""

    def __init__(self, num_blocks: int, num_host_blocks: int) -> None:
        self.pool, self.manager, self.scheduler = serving(
            num_blocks, num_host_blocks=num_host_blocks
        )
        self.num_known: dict[SeqId, int] = {}
        self.held: set[SeqId] = set()
        self._num_named = 0

    def submit(self, num_tokens: int) -> None:
        self.scheduler.submit(Request(self._num_named, num_tokens, 100))
        self._name(num_tokens)

    def fork(self, seq_id: SeqId) -> None:
        self.scheduler.fork(seq_id, self._num_named)
        self._name(self.num_known[seq_id])

    def hold_or_resume(self, seq_id: SeqId) -> None:
        if seq_id in self.held:
            self.scheduler.resume(seq_id)
        else:
            self.scheduler.hold(seq_id)
        self.held ^= {seq_id}

    def finish(self, seq_id: SeqId) -> None:
        self.scheduler.finish(seq_id)
        self._forget(seq_id)

    def step(self) -> None:
        plan = self.scheduler.step()
        for seq_id in plan.refused:
            self._forget(seq_id)
        assert not plan.scheduled.keys() & self.held
        for seq_id in plan.scheduled:
            if self.manager.table(seq_id).seq_len == self.num_known[seq_id]:
                self.num_known[seq_id] += 1
        self.manager.check()
        self.scheduler.check()

    def serve_to_the_end(self, longest: int) -> None:
        for seq_id in list(self.held):
            self.hold_or_resume(seq_id)
        for _ in range(1 + (longest + 4) * len(self.num_known)):
            for seq_id, num_known in list(self.num_known.items()):
                if num_known >= longest:
                    self.finish(seq_id)
            if not self.num_known:
                return
            self.step()
        raise AssertionError(f"no end for {self.num_known}")

    def _name(self, num_known: int) -> None:
        self.num_known[self._num_named] = num_known
        self._num_named += 1

    def _forget(self, seq_id: SeqId) -> None:
        del self.num_known[seq_id]
        self.held.discard(seq_id)


@settings(max_examples=150, deadline=None)
@given(
    num_blocks=st.integers(5, 12),
    num_host_blocks=st.sampled_from([0, 6]),
    prompts=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    actions=st.lists(
        st.tuples(
            st.sampled_from(["fork", "hold_or_resume", "finish", "step", "step"]),
            st.integers(0, 20),
        ),
        max_size=30,
    ),
)
def test_random_families_never_run_out_of_what_was_counted(
    num_blocks: int,
    num_host_blocks: int,
    prompts: list[int],
    actions: list[tuple[str, int]],
) -> None:
    families = Families(num_blocks, num_host_blocks)
    for num_tokens in prompts:
        families.submit(num_tokens)
    for action, place in actions:
        seq_ids = list(families.num_known)
        if action == "step":
            families.step()
        elif seq_ids:
            getattr(families, action)(seq_ids[place % len(seq_ids)])
    # whatever happened, everybody gets on until the end
    families.serve_to_the_end(longest=20)

    assert families.pool.num_free == num_blocks
