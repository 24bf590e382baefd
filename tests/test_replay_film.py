import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import InvalidSize, OutOfBlocks
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay import (
    Frame,
    RecordedPool,
    RecordedSwappingManager,
    encode,
    frames,
)
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.report import Json
from tests.plain_manager import PlainManager
from tests.recordings import WRONG_MANAGERS, record, record_random
from tests.steps import History, random_history

RANDOMS = st.randoms(use_true_random=False)
SWAPPING_HISTORIES = st.builds(random_history, RANDOMS, swapping=st.just(True))


def decode(film: Json) -> list[Json]:
    """Return the whole state after each frame, as the player works it out."""
    states: list[Json] = []
    for frame in json.loads(json.dumps(film))["frames"]:
        if "state" in frame:
            states.append(frame["state"])
            continue
        now: Json = {}
        for part in ("counts", "tables"):
            now[part] = states[-1][part] | frame["changes"][part]
            now[part] = {key: v for key, v in now[part].items() if v is not None}
        for part in ("parents", "host"):
            now[part] = frame["changes"][part]
        states.append(now)
    return states


def expected(frame: Frame) -> Json:
    """Return a frame's state as the JSON should have it."""

    def tables(by_seq: dict[SeqId, TableState]) -> Json:
        return {
            str(seq_id): {"blocks": list(table.block_ids), "len": table.seq_len}
            for seq_id, table in by_seq.items()
        }

    return {
        "counts": {str(b): count for b, count in frame.ref_counts.items()},
        "tables": tables(dict(frame.tables)),
        "parents": {str(c): str(p) for c, p in frame.parents.items()},
        "host": tables(dict(frame.on_host)),
    }


def comes_back(film: Sequence[Frame]) -> bool:
    return decode(encode(film)) == [expected(frame) for frame in film]


@given(SWAPPING_HISTORIES, st.integers(0, 20))
def test_a_film_comes_back_from_json_as_it_was(history: History, start: int):
    film = frames(record(history, BlockManager))

    if film:
        assert comes_back(film)
    if film[start:]:
        assert comes_back(film[start:])


@pytest.mark.parametrize("mutant", WRONG_MANAGERS)
def test_a_wrong_managers_film_comes_back_too(mutant: type[PlainManager]):
    for seed in range(20):
        film = frames(record_random(mutant, seed))
        assert not film or comes_back(film)


def watched(num_blocks: int = 8) -> RecordedSwappingManager:
    pool = RecordedPool(BlockPool(num_blocks))
    return RecordedSwappingManager(BlockManager(pool, 4, BlockPool(4)), pool)


def test_a_long_film_has_a_keyframe_every_64_frames():
    manager = watched(num_blocks=64)
    manager.add("A", 1)
    for _ in range(150):
        manager.append("A")
    film = frames(manager.events)
    coded = encode(film)

    keyframes = [i for i, frame in enumerate(coded["frames"]) if "state" in frame]
    assert keyframes == [0, 64, 128]
    assert decode(coded) == [expected(frame) for frame in film]


def test_an_event_is_told_with_all_that_a_player_draws():
    manager = watched()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.step = 3
    manager.append("A")
    frame = encode(frames(manager.events))["frames"][2]

    assert {key: frame[key] for key in frame if key not in ("headline", "text")} == {
        "kind": "copy",
        "call": 'append("A")',
        "seq": "A",
        "parent": None,
        "step": 3,
        "tokens": 1,
        "taken": [2],
        "freed": [],
        "copies": [[1, 2, "copy"]],
        "num_free": 5,
        "error": "",
        "changes": {
            "counts": {"1": 1, "2": 1},
            "tables": {"A": {"blocks": [0, 2], "len": 7}},
            "parents": {"B": "A"},
            "host": {},
        },
    }


def test_every_call_has_its_kind_of_mark():
    manager = watched(num_blocks=4)
    manager.add("A", 3)
    manager.append("A")
    manager.append("A")
    manager.fork("A", "B")
    manager.append("B")
    manager.swap_out("B")
    manager.swap_in("B")
    manager.free("B")
    with manager.because("preempt"):
        manager.free("A")
    with pytest.raises(OutOfBlocks):
        manager.add("C", 17)
    coded = encode(frames(manager.events))

    assert [frame["kind"] for frame in coded["frames"]] == [
        "arrive",
        "write",
        "grow",
        "fork",
        "copy",
        "swap_out",
        "swap_in",
        "finish",
        "preempt",
        "refuse",
    ]


def test_a_pool_by_itself_has_no_block_size_and_its_own_kinds():
    pool = RecordedPool(BlockPool(4))
    block_id = pool.allocate()
    pool.share(block_id)
    pool.free(block_id)
    coded = encode(frames(pool.events))

    assert coded["block_size"] is None
    assert [frame["kind"] for frame in coded["frames"]] == ["allocate", "share", "free"]
    assert [frame["seq"] for frame in coded["frames"]] == [None, None, None]


def test_a_manager_seen_after_its_pool_gives_the_film_its_block_size():
    pool = RecordedPool(BlockPool(4))
    pool.allocate()
    RecordedSwappingManager(BlockManager(pool, 4), pool).add("A", 6)
    coded = encode(frames(pool.events))

    assert (coded["num_blocks"], coded["block_size"]) == (4, 4)


def test_1_and_the_text_1_stay_two_sequences():
    manager = watched()
    manager.add(1, 3)
    manager.add("1", 6)
    manager.fork("1", "B")
    last = encode(frames(manager.events))["frames"][-1]
    tables = decode(encode(frames(manager.events)))[-1]["tables"]

    assert {seq: table["len"] for seq, table in tables.items()} == {
        "1": 3,
        '"1"': 6,
        "B": 6,
    }
    assert (last["seq"], last["parent"]) == ("B", '"1"')


def test_an_empty_film_is_refused_with_what_to_do():
    with pytest.raises(InvalidSize, match="record at least one call"):
        encode([])
