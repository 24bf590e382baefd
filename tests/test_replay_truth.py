"""Every sentence about a manager is compared with the manager, right or wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockCopy, BlockManager
from pagedkv_edu.replay import Event, Frame, describe, encode, frames, headline
from pagedkv_edu.replay.events import PoolCall, TableState
from tests.plain_manager import PlainManager
from tests.recordings import WRONG_MANAGERS, State, record_random
from tests.steps import Build


def numbers(pattern: str, text: str) -> list[int]:
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    return [int(group) for group in found.groups()]


def require_truth(frame: Frame, before: State, after: State, block_size: int) -> None:
    """Compare a sentence with what the watched objects say of themselves."""
    event, text, title = frame.event, describe(frame), headline(frame)
    if event.error:
        assert ("all the same" in text) == (before != after), text
        return
    assert event.seq_id is not None
    table = after.tables.get(event.seq_id, TableState((), 0))
    was = before.tables.get(event.seq_id, TableState((), 0))
    if " in place, into" in text:
        token, slot, block = numbers(r"token (\d+) .* slot (\d+) of block (\d+)", text)
        assert table.seq_len == was.seq_len + 1 == token
        assert table.block_ids[(token - 1) // block_size] == block
        assert (token - 1) % block_size == slot
        assert before.ref_counts == after.ref_counts
    if "Copy on write" in title:
        source, target = numbers(r"of block (\d+), .* copied to block (\d+);", text)
        assert event.copies == (BlockCopy(source, target),)
        assert was.block_ids[-1] == source
        assert table.block_ids[len(was.block_ids) - 1] == target
        assert was.seq_len % block_size, "a full block is no copy on write"
        assert any(source in t.block_ids for t in after.tables.values())
    if "needs room" in text:
        assert table.block_ids == was.block_ids + event.blocks_taken
        assert len(table.block_ids) * block_size >= table.seq_len
    if "no slot" in text:
        assert len(table.block_ids) * block_size < table.seq_len
    if "arrives with" in text and "did not take" not in text:
        assert numbers(r"with (\d+) token", text) == [table.seq_len]
        assert table.block_ids == event.blocks_taken
    if "is forked" in text:
        assert table == after.tables[event.arguments[0]]
    if " ends" in title:
        assert event.seq_id not in after.tables
        freed = set(before.ref_counts) - set(after.ref_counts)
        assert text.count(f"{len(freed)} free again") or "on the host" in text
    others_changed = {
        seq_id
        for seq_id in before.tables.keys() | after.tables.keys()
        if before.tables.get(seq_id) != after.tables.get(seq_id)
    } - {event.seq_id}
    assert bool(re.search(r"(changed|gone) too[:.]", text)) == bool(others_changed), (
        text
    )


BUILDS: list[Build] = [BlockManager, PlainManager, *WRONG_MANAGERS]


@pytest.mark.parametrize("build", BUILDS)
def test_every_sentence_is_true(build: Build):
    for seed in range(20):
        recording = record_random(build, seed, swapping=build is BlockManager)
        states = [recording.start, *recording.states]
        for i, frame in enumerate(frames(recording)):
            require_truth(frame, states[i], states[i + 1], frame.block_size or 0)


IDS = st.sampled_from(["A", "B", 0, 1])
BLOCK_IDS = st.integers(-1, 4)
CALLS = ["add", "append", "fork", "free", "swap_out", "swap_in", "allocate", "share"]
TABLES = st.builds(
    TableState, st.lists(BLOCK_IDS, max_size=3).map(tuple), st.integers(-2, 12)
)
EVENTS = st.builds(
    Event,
    st.sampled_from([*CALLS, "something"]),
    st.lists(IDS | st.integers(-1, 5), max_size=3).map(tuple),
    num_blocks=st.just(4),
    num_free=st.integers(-1, 5),
    block_size=st.sampled_from([None, 4, 4, 4]),
    copies=st.lists(
        st.builds(
            BlockCopy, BLOCK_IDS, BLOCK_IDS, st.sampled_from(["copy", "out", "in"])
        ),
        max_size=2,
    ).map(tuple),
    pool_calls=st.lists(
        st.builds(
            PoolCall,
            st.sampled_from(["allocate", "share", "free"]),
            BLOCK_IDS,
            st.integers(-1, 2),
        ),
        max_size=3,
    ).map(tuple),
    tables=st.lists(st.tuples(IDS, st.none() | TABLES), max_size=3).map(tuple),
    ref_counts=st.lists(st.tuples(BLOCK_IDS, st.integers(-1, 2)), max_size=3).map(
        tuple
    ),
    error=st.sampled_from(["", "", "", "OutOfBlocks: 0 free", "KeyError", ":", "x y"]),
)


@given(st.lists(EVENTS, min_size=1, max_size=6))
def test_whatever_was_seen_makes_a_film_with_a_sentence_for_each_event(
    events: list[Event],
):
    for frame in encode(frames(events))["frames"]:
        assert frame["headline"].strip()
        assert re.search(r"\S\.$", frame["text"])
