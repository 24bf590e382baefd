from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay import (
    RecordedManager,
    RecordedPool,
    RecordedSwappingManager,
    frames,
)
from pagedkv_edu.replay.events import TableState
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager, PlainPool
from tests.recordings import WRONG_MANAGERS, Looking, record, record_random
from tests.steps import History, random_history

RANDOMS = st.randoms(use_true_random=False)
HISTORIES = st.builds(random_history, RANDOMS)
SWAPPING_HISTORIES = st.builds(random_history, RANDOMS, swapping=st.just(True))


def frames_are_what_was_seen(recording: Looking) -> bool:
    film = frames(recording)
    for frame, state in zip(film, recording.states, strict=True):
        assert frame.ref_counts == state.ref_counts
        assert frame.tables == state.tables
        assert frame.event.num_free == state.num_free
        assert frame.num_held == len(state.ref_counts)
    return True


@given(SWAPPING_HISTORIES)
def test_frames_are_the_state_of_the_reference_after_each_event(history: History):
    assert frames_are_what_was_seen(record(history, BlockManager))


@given(HISTORIES)
def test_frames_are_the_state_of_a_learners_classes_after_each_event(history: History):
    assert frames_are_what_was_seen(record(history, PlainManager, PlainPool))


@pytest.mark.parametrize("mutant", WRONG_MANAGERS)
def test_frames_survive_a_wrong_manager_and_show_its_state(mutant: type[PlainManager]):
    for seed in range(40):
        assert frames_are_what_was_seen(record_random(mutant, seed))


def test_frames_show_a_table_that_holds_a_block_twice():
    pool = RecordedPool(BlockPool(4))
    manager = RecordedManager(mutants.WindowOfTwo(pool, 4), pool)
    manager.add("A", 12)
    frame = frames(manager.events)[-1]

    first, second, third = frame.tables["A"].block_ids
    assert first == third
    assert frame.owners() == {first: ("A",), second: ("A",)}
    assert frame.filled_slots() == {first: 4, second: 4}


def watched(
    num_blocks: int = 8, block_size: int = 4, num_host_blocks: int = 4
) -> tuple[RecordedPool, RecordedSwappingManager]:
    pool = RecordedPool(BlockPool(num_blocks))
    manager = BlockManager(pool, block_size, BlockPool(num_host_blocks))
    return pool, RecordedSwappingManager(manager, pool)


def test_a_shared_slot_counts_once():
    _, manager = watched()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.append("A")
    held = [(f.num_held, f.num_tokens) for f in frames(manager.events)]

    assert held == [(2, 6), (2, 6), (3, 4 + 2 + 3)]


def test_a_call_of_the_pool_by_itself_does_not_forget_the_block_size():
    pool, manager = watched()
    manager.add("A", 6)
    pool.allocate()
    before, after = frames(manager.events)

    assert before.filled_slots() == after.filled_slots()
    assert (after.event.block_size, after.block_size) == (None, 4)


def test_parents_are_those_of_live_children():
    _, manager = watched()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.fork("B", "C")
    manager.free("A")
    manager.free("C")
    parents = [dict(frame.parents) for frame in frames(manager.events)]

    assert parents == [
        {},
        {"B": "A"},
        {"B": "A", "C": "B"},
        {"B": "A", "C": "B"},
        {"B": "A"},
    ]


def test_a_new_sequence_is_no_parent_of_its_namesakes_children():
    _, manager = watched()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.free("A")
    manager.add("A", 6)

    assert frames(manager.events)[-1].parents == {}


def test_a_sequence_swapped_out_is_shown_on_the_host_until_it_comes_back():
    _, manager = watched()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.swap_out("B")
    manager.free("A")
    manager.swap_in("B")
    film = frames(manager.events)
    out = film[2]

    assert [list(frame.on_host) for frame in film] == [[], [], ["B"], ["B"], []]
    assert out.on_host["B"] == TableState(
        tuple(copy.target for copy in out.event.copies), seq_len=6
    )
    assert list(out.tables) == ["A"]
    assert list(film[4].tables) == ["B"]
    assert film[4].parents == {"B": "A"}


def test_a_sequence_that_ends_on_the_host_is_gone():
    _, manager = watched()
    manager.add("A", 6)
    manager.swap_out("A")
    manager.free("A")

    assert frames(manager.events)[-1].on_host == {}


def test_frames_before_and_after_fit_together():
    _, manager = watched()
    manager.add("A", 6)
    manager.swap_out("A")
    manager.swap_in("A")
    film = frames(manager.events)

    for before, after in pairwise(film):
        assert after.tables_before == before.tables
        assert after.on_host_before == before.on_host


def test_a_frame_without_a_change_of_counts_shares_them_with_the_one_before():
    _, manager = watched()
    manager.add("A", 5)
    manager.append("A")
    before, after = frames(manager.events)

    assert after.ref_counts is before.ref_counts


@pytest.mark.parametrize("make_pool", [BlockPool, PlainPool])
def test_a_pool_by_itself_has_a_frame_for_each_call(
    make_pool: Callable[[int], PoolLike],
):
    pool = RecordedPool(make_pool(4))
    block_id = pool.allocate()
    pool.share(block_id)
    pool.free(block_id)
    pool.free(block_id)
    film = frames(pool.events)

    assert [dict(frame.ref_counts) for frame in film] == [
        {block_id: 1},
        {block_id: 2},
        {block_id: 1},
        {},
    ]
    assert [frame.event.num_free for frame in film] == [3, 3, 3, 4]


def test_no_events_give_no_frames():
    assert frames([]) == []
