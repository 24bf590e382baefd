from typing import NoReturn

import pytest

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks
from pagedkv_edu.errors import NotAllocated
from pagedkv_edu.protocols import SeqId, SwappingManagerLike
from pagedkv_edu.replay import (
    RecordedManager,
    RecordedPool,
    RecordedSwappingManager,
    describe,
    encode,
    frames,
)
from tests.plain_manager import PlainManager


def watched(
    num_blocks: int = 8, block_size: int = 4
) -> tuple[RecordedPool, RecordedManager]:
    pool = RecordedPool(BlockPool(num_blocks))
    return pool, RecordedManager(BlockManager(pool, block_size), pool)


def calls(pool: RecordedPool) -> list[str]:
    return [event.call for event in pool.events]


def test_a_manager_call_is_one_event_with_the_pool_calls_inside():
    pool, manager = watched()
    manager.add("A", 6)
    (event,) = pool.events

    assert (event.call, event.arguments, event.block_size) == ("add", ("A", 6), 4)
    assert [(c.call, c.ref_count) for c in event.pool_calls] == [("allocate", 1)] * 2
    assert event.blocks_taken == tuple(manager.table("A").block_ids)


def test_events_say_what_differs_and_nothing_else():
    pool, manager = watched()
    manager.add("A", 5)
    manager.append("A")
    event = pool.events[-1]

    assert event.ref_counts == ()
    assert [seq_id for seq_id, _ in event.tables] == ["A"]


def test_a_copy_takes_a_block_and_frees_none_while_others_read_its_source():
    pool, manager = watched()
    manager.add("A", 3)
    manager.fork("A", "B")
    copies = manager.append("B")
    event = pool.events[-1]

    assert event.copies == tuple(copies)
    assert event.blocks_taken == (copies[0].target,)
    assert event.blocks_freed == ()


def test_an_error_is_an_event_and_goes_on_to_the_caller():
    pool, manager = watched(num_blocks=1)

    with pytest.raises(OutOfBlocks):
        manager.add("A", 5)
    assert pool.events[0].error.startswith("OutOfBlocks: need 2 blocks, 1 free")
    assert pool.events[0].tables == ()


def test_an_error_of_a_pool_by_itself_is_an_event_too():
    pool = RecordedPool(BlockPool(2))

    with pytest.raises(NotAllocated):
        pool.free(1)
    assert pool.events[0].call == "free"
    assert pool.events[0].error.startswith("NotAllocated: block 1 is free")
    assert pool.events[0].pool_calls == ()


class Stopped(BaseException):
    """What a check raises when its time is up."""


def test_a_call_that_was_stopped_is_told_as_one_that_failed():
    class NeverReturns(PlainManager):
        def append(self, seq_id: SeqId, num_tokens: int = 1) -> NoReturn:
            self.pool.allocate()
            raise Stopped("2 s are over")

    pool = RecordedPool(BlockPool(4))
    manager = RecordedManager(NeverReturns(pool, 4), pool)
    manager.add("A", 3)

    with pytest.raises(Stopped):
        manager.append("A")
    assert pool.events[-1].error == "Stopped: 2 s are over"
    assert len(pool.events[-1].blocks_taken) == 1


def test_a_pool_that_was_stopped_is_told_as_one_that_failed():
    class NeverReturns(BlockPool):
        def allocate(self) -> NoReturn:
            raise Stopped

    pool = RecordedPool(NeverReturns(4))

    with pytest.raises(Stopped):
        pool.allocate()
    assert [event.error for event in pool.events] == ["Stopped"]


def test_a_recording_inside_a_recording_keeps_the_outer_one_going():
    class AsksTwice(PlainManager):
        def add(self, seq_id: SeqId, num_tokens: int) -> None:
            RecordedManager(PlainManager(pool, 4), pool).add("inner", 4)
            super().add(seq_id, num_tokens)

    pool = RecordedPool(BlockPool(4))
    RecordedManager(AsksTwice(pool, 4), pool).add("outer", 8)

    assert [e.arguments[0] for e in pool.events] == ["inner", "outer"]
    assert [len(e.blocks_taken) for e in pool.events] == [1, 2]


def test_two_managers_on_one_pool_have_events_of_their_own():
    pool = RecordedPool(BlockPool(8))
    one = RecordedManager(BlockManager(pool, 4), pool)
    other = RecordedManager(PlainManager(pool, 2), pool)
    one.add("A", 4)
    other.add("B", 4)
    pool.allocate()

    assert [(event.block_size, len(event.pool_calls)) for event in pool.events] == [
        (4, 1),
        (2, 2),
        (None, 1),
    ]


def test_a_reason_lasts_as_long_as_its_block():
    pool, manager = watched()
    with manager.because("preempt"):
        manager.add("A", 1)
        with manager.because("make room"):
            manager.add("B", 1)
        manager.free("A")
    manager.free("B")
    reasons = [event.reason for event in pool.events]

    assert reasons == ["preempt", "make room", "preempt", ""]


def test_the_step_is_counted_by_the_driver():
    pool, manager = watched()
    manager.add("A", 1)
    manager.step += 1
    manager.append("A")

    assert [event.step for event in pool.events] == [0, 1]


def test_a_prefix_is_passed_on_and_told():
    pool, manager = watched()
    prefix = [pool.allocate(), pool.allocate()]
    manager.add("A", 9, prefix=prefix)
    frame = frames(pool.events)[-1]

    assert manager.table("A").block_ids[:2] == prefix
    assert encode([frame])["frames"][0]["call"] == 'add("A", 9, prefix=[0, 1])'
    assert describe(frame) == (
        "A arrives with 9 tokens. "
        "It begins with the prefix, 2 blocks: 0 and 1, and takes block 2."
    )


def test_a_manager_without_prefixes_is_given_none():
    pool = RecordedPool(BlockPool(4))
    RecordedManager(PlainManager(pool, 4), pool).add("A", 3, prefix=())

    assert pool.events[0].prefix == ()


# --- swapping -------------------------------------------------------------------------


def test_a_recorded_manager_can_swap_if_and_only_if_the_watched_one_can():
    pool = RecordedPool(BlockPool(8))
    swapping = RecordedSwappingManager(BlockManager(pool, 4), pool)
    plain = RecordedManager(PlainManager(pool, 4), pool)

    assert isinstance(swapping, SwappingManagerLike)
    assert not isinstance(plain, SwappingManagerLike)


def test_a_swap_is_one_event_with_its_copies():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedSwappingManager(BlockManager(pool, 4, BlockPool(4)), pool)
    manager.add("A", 6)
    out = manager.swap_out("A")
    back = manager.swap_in("A")

    assert calls(pool) == ["add", "swap_out", "swap_in"]
    assert [event.copies for event in pool.events[1:]] == [tuple(out), tuple(back)]
    assert pool.events[1].blocks_freed == (1, 0)
    assert pool.events[2].blocks_taken == tuple(c.target for c in back)
