import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu.errors import InvalidSize, UnknownSequence
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.replay.served_twin import ContiguousTwin
from tests.served_steps import film_of, served_steps

State = dict[str, Any]


def states_of(frames: list[dict[str, Any]]) -> list[State]:
    """Play the frames as a browser does: keyframes and changes."""
    states: list[State] = []
    now: State = {"counts": {}, "tables": {}, "who": {}}
    for frame in frames:
        parts = frame.get("state") or frame["changes"]
        counts = {} if "state" in frame else dict(now["counts"])
        tables = {} if "state" in frame else dict(now["tables"])
        for kept, changes in ((counts, parts["counts"]), (tables, parts["tables"])):
            for name, value in changes.items():
                if value is None:
                    kept.pop(name, None)
                else:
                    kept[name] = value
        now = {"counts": counts, "tables": tables, "who": now["who"] | frame["states"]}
        states.append(now)
    return states


def test_texts_come_together_word_by_word():
    film = film_of([(3, 4), (5, 2)], num_blocks=8)
    texts: dict[str, str] = {"A": "", "B": ""}
    for frame in film.frames:
        for label, text in frame["new"]:
            texts[label] += text

    assert texts == {"A": " a0 a1 a2 a3", "B": " b0 b1"}


@settings(max_examples=25, deadline=None)
@given(
    requests=st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 90)), min_size=1, max_size=5
    ),
    spare=st.integers(0, 20),
    num_host_blocks=st.sampled_from([0, 200]),
)
def test_what_is_played_is_what_the_server_had(
    requests: list[tuple[int, int]], spare: int, num_host_blocks: int
):
    num_blocks = max(-(-(p + n) // 4) for p, n in requests) + spare
    film = film_of(requests, num_blocks=num_blocks, num_host_blocks=num_host_blocks)
    steps = list(
        served_steps(requests, num_blocks=num_blocks, num_host_blocks=num_host_blocks)
    )

    assert len(steps) == len(film.frames)
    for step, frame, state in zip(
        steps, film.frames, states_of(film.frames), strict=True
    ):
        held = {b for t in state["tables"].values() for b in t["blocks"]}
        assert set(state["counts"]) == {str(b) for b in held}
        assert num_blocks - len(held) == step.num_free
        ended = {"ABCDEFGH"[a.seq_id] for a in step.answers if a.ended}  # pyright: ignore
        for seq_id, table in step.tables.items():
            label = "ABCDEFGH"[seq_id]  # pyright: ignore
            if label not in ended:
                assert state["tables"][label]["blocks"] == table.block_ids
                assert state["tables"][label]["len"] == table.seq_len
        running = {s for s, what in state["who"].items() if what == "running"}
        assert running == set(state["tables"])
        assert frame["headline"]
        assert frame["text"].startswith(f"Step {frame['step']}: ")
    assert set(states_of(film.frames)[-1]["who"].values()) == {"finished"}


def test_a_preempted_sequence_loses_its_blocks_and_comes_again():
    film = film_of([(4, 12), (4, 12)], num_blocks=5)
    [lost] = [frame for frame in film.frames if frame["dropped_by"]][:1]

    assert lost["states"] == {"B": "preempted"}
    assert "must give its blocks up" in lost["headline"]
    assert f"{len(lost['dropped_by']['B'])} blocks of B were dropped" in lost["text"]
    later = film.frames[lost["step"] + 1 :]
    assert any(frame["states"].get("B") == "running" for frame in later)


def test_a_swapped_sequence_is_said_to_be_on_the_host():
    film = film_of([(4, 12), (4, 12)], num_blocks=5, num_host_blocks=8)
    [lost] = [frame for frame in film.frames if frame["dropped_by"]][:1]

    assert lost["states"] == {"B": "host"}
    assert "moved to the host" in lost["text"]
    assert any(frame["swapped_in"] == ["B"] for frame in film.frames)


def test_stopping_ends_whoever_is_left_and_is_said():
    film = ServedFilm(8, 4, 8)
    for seq_id in range(2):
        film.ask(ServedPrompt(seq_id, "AB"[seq_id], "?", ("x",) * 3))
    for step in list(served_steps([(3, 20), (3, 2)], num_blocks=8))[:5]:
        film.add(step)
    frame = film.end_all(8)

    assert frame is not None
    assert frame["ended"] == {"A": ["cancelled", 5]}
    assert frame["headline"] == "The model was stopped: A ended early"
    assert states_of(film.frames)[-1]["tables"] == {}
    assert film.end_all(8) is None


def test_the_twin_runs_as_many_as_have_a_place_and_the_rest_late():
    film = film_of([(3, 2), (3, 5), (3, 5)], num_blocks=4, reserve=8)  # 16 slots

    assert [frame["beside"] for frame in film.frames[:3]] == [
        [["A", 3, 0], ["B", 3, 0]],
        [["A", 4, 0], ["B", 4, 0]],
        [["C", 3, 2], ["B", 5, 0]],
    ]


def test_a_twin_without_a_place_runs_nobody():
    twin = ContiguousTwin(0)
    twin.submit("A", 3, 0)

    assert twin.step(0, {}) == []


def test_a_recording_is_json_and_small():
    film = film_of([(3, 60)] * 4, num_blocks=70)
    run = film.to_json("a title", "a source")

    assert json.loads(json.dumps(run)) == run
    assert len(json.dumps(run)) < 60_000


def test_a_prompt_is_asked_once_and_before_its_steps():
    film = ServedFilm(8, 4, 8)
    film.ask(ServedPrompt(0, "A", "?", ("x",)))
    with pytest.raises(InvalidSize, match="is there already"):
        film.ask(ServedPrompt(0, "A", "?", ("x",)))
    step = next(served_steps([(1, 2), (1, 2)], num_blocks=4))
    with pytest.raises(UnknownSequence, match="no prompt 1 was asked"):
        film.add(step)
