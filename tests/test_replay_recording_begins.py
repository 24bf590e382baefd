"""Recordings that begin late, or on the wrong pool."""

from copy import deepcopy
from types import SimpleNamespace

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import InvalidSize, WrongPool
from pagedkv_edu.replay import RecordedManager, RecordedPool, describe, frames
from tests.wrong_calls import make, refuses


def test_the_first_event_shows_the_references_that_were_there_before():
    inner = BlockPool(4)
    there = inner.allocate()
    pool = RecordedPool(inner)
    taken = pool.allocate()

    assert frames(pool.events)[0].ref_counts == {there: 1, taken: 1}


def test_a_large_pool_is_read_once_and_then_only_where_a_call_was_made():
    inner = BlockPool(2000)
    there = inner.allocate()
    pool = RecordedPool(inner)
    first = pool.allocate()
    inner.allocate()  # behind the recording
    second = pool.allocate()

    assert frames(pool.events)[-1].ref_counts == {there: 1, first: 1, second: 1}


def test_a_sequence_is_seen_from_the_first_call_that_names_it():
    pool = RecordedPool(BlockPool(8))
    manager = BlockManager(pool, 4)
    manager.add("A", 6)
    manager.add("B", 3)
    pool.events.clear()
    recorded = RecordedManager(manager, pool)
    recorded.append("A")
    recorded.fork("B", "C")
    first, second = frames(pool.events)

    assert list(first.tables) == ["A"]
    assert list(second.tables) == ["A", "B", "C"]
    assert describe(first).startswith('append("A") returned. A\'s table is now: ')


def test_a_twin_of_a_recording_goes_its_own_way():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, 4), pool)
    manager.add("A", 6)
    twin = deepcopy(manager)
    twin.append("A")

    assert len(pool.events) == 1
    assert len(twin.events) == 2


def test_a_manager_that_goes_round_the_recording_is_refused():
    inner = BlockPool(8)

    with pytest.raises(WrongPool, match="build it with the RecordedPool"):
        RecordedManager(BlockManager(inner, 4), RecordedPool(inner))


def test_a_pool_that_is_not_recorded_is_refused_with_what_to_do():
    pool = BlockPool(8)
    manager = BlockManager(pool, 4)

    refuses(RecordedManager, manager, pool, error=WrongPool, match="a RecordedPool,")


def test_a_manager_on_quite_another_pool_is_told_as_it_is_seen():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(BlockPool(8), 4), pool)
    manager.add("A", 3)

    assert describe(frames(pool.events)[0]) == (
        "A arrives with 3 tokens. It begins with what it did not take, block 0, "
        "and takes no block."
    )


def test_the_block_size_is_asked_for_where_it_cannot_be_seen():
    pool = RecordedPool(BlockPool(8))
    hides_it = SimpleNamespace()

    refuses(RecordedManager, hides_it, pool, error=InvalidSize, match="block_size=")
    assert make(RecordedManager, hides_it, pool, 4).block_size == 4
