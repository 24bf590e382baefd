import json

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import InvalidSize, OutOfBlocks
from pagedkv_edu.protocols import BlockCopy
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, frames
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.viz import actions, assets, palette, show
from pagedkv_edu.viz.player import Player, Question


def recorded(num_blocks: int = 8, block_size: int = 4) -> RecordedManager:
    pool = RecordedPool(BlockPool(num_blocks))
    return RecordedManager(BlockManager(pool, block_size), pool)


def forked(num_blocks: int = 8) -> RecordedManager:
    manager = recorded(num_blocks)
    manager.add("A", 6)
    manager.fork("A", "B")
    return manager


def film_of(manager: RecordedManager) -> list[Frame]:
    return frames(manager.events)


def costs(manager: RecordedManager) -> dict[str, str]:
    return {a.label: a.cost for a in actions.offered(film_of(manager))}


# --- hues ---------------------------------------------------------------------------


def test_the_first_five_sequences_take_the_hues_in_order() -> None:
    manager = recorded(num_blocks=8)
    for seq_id in "ABCDE":
        manager.add(seq_id, 1)

    names = [hue.name for hue in palette.hues(film_of(manager)).values()]

    assert names == ["blue", "orange", "green", "purple", "sky"]


def test_a_newcomer_never_has_the_hue_of_a_live_sequence_while_one_is_left() -> None:
    manager = recorded(num_blocks=8)
    for seq_id in "ABCDE":
        manager.add(seq_id, 1)
    for i, seq_id in enumerate("FGHIJ"):
        manager.free("BDAEC"[i])
        manager.add(seq_id, 1)
    film = film_of(manager)

    hues = palette.hues(film)

    for frame in film:
        live = [hues[seq_id] for seq_id in frame.tables]
        assert len(set(live)) == len(live), frame.event


def test_a_sequence_that_comes_back_keeps_its_hue() -> None:
    manager = recorded()
    manager.add("A", 1)
    manager.free("A")
    manager.add("B", 1)
    manager.add("A", 1)

    assert palette.hues(film_of(manager))["A"].name == "blue"
    assert palette.hues(film_of(manager))["B"].name == "orange"


def test_the_drawing_code_has_the_palette_in_front() -> None:
    first_line = assets.script().splitlines()[0]

    assert json.loads(first_line.removeprefix("const HUES = ").removesuffix(";")) == [
        {"fill": hue.fill, "text": hue.text, "isLight": hue.is_light}
        for hue in palette.HUES
    ]


def test_the_script_is_one_text_without_imports_or_addresses() -> None:
    script = assets.script(*assets.PLAYER_SCRIPTS, render="renderPlayer")

    assert "\nimport " not in script
    assert "https:" not in script
    # the one address is a name, of SVG
    assert script.count("http:") == script.count("http://www.w3.org/2000/svg") == 1
    assert script.rstrip().endswith("export default { render: renderPlayer };")


# --- what the buttons say -----------------------------------------------------------


def test_a_fork_says_that_it_shares_and_copies_nothing() -> None:
    assert costs(forked())["Fork A"] == "shares 2 blocks, copies 0"


def test_an_append_says_which_block_it_copies() -> None:
    assert costs(forked())["Append to A"] == "copies block 1"


def test_the_last_owner_is_told_to_write_in_place() -> None:
    manager = forked()
    manager.append("A")

    assert costs(manager)["Append to B"] == "writes slot 2 of block 1"


def test_an_append_at_a_boundary_says_that_it_takes_a_block() -> None:
    manager = recorded()
    manager.add("A", 8)

    assert costs(manager)["Append to A"] == "takes 1 block"


def test_a_finish_says_what_becomes_free_and_what_others_hold() -> None:
    manager = forked()
    manager.append("A")

    assert costs(manager)["Finish A"] == "frees 1 block, 1 stays held"


def test_a_button_says_when_too_few_blocks_are_free() -> None:
    manager = forked(num_blocks=2)

    assert costs(manager)["Append to A"] == "refused: needs 1 block, 0 free"
    assert costs(manager)["Add C"] == "refused: needs 2 blocks, 0 free"


@pytest.mark.parametrize("length", [1, 3, 4, 5, 8])
@pytest.mark.parametrize("num_forks", [0, 1, 2])
def test_what_a_button_says_is_what_happens(length: int, num_forks: int) -> None:
    for index in range(4 * (num_forks + 1)):
        manager = recorded(num_blocks=16)
        manager.add("A", length)
        for child in range(num_forks):
            manager.fork("A", f"A.{child + 1}")
        offered = actions.offered(film_of(manager))
        if index >= len(offered):
            break

        offered[index].carry_out(manager)

        event = manager.events[-1]
        cost = offered[index].cost
        says_copy = "copies block" in cost
        assert says_copy == bool(event.copies)
        assert ("takes" in cost or says_copy) == bool(event.blocks_taken)
        if event.call == "free":
            assert cost.startswith(f"frees {amount(len(event.blocks_freed), 'block')}")


def test_a_child_gets_a_name_that_was_never_used() -> None:
    manager = forked()
    manager.fork("A", "A.1")
    manager.free("A.1")

    child_ids = [a.child_id for a in actions.offered(film_of(manager)) if a.child_id]

    assert child_ids == ["A.2", "B.1"]


def test_numbered_sequences_get_numbers() -> None:
    manager = recorded()
    manager.add(7, 1)

    offered = actions.offered(film_of(manager))

    assert [(a.call, a.child_id or a.seq_id) for a in offered] == [
        ("fork", 8),
        ("append", 7),
        ("free", 7),
        ("add", 8),
    ]


def test_one_and_the_text_one_are_different_buttons() -> None:
    manager = recorded()
    manager.add(1, 1)
    manager.add("1", 1)

    keys = [a.key for a in actions.offered(film_of(manager))]

    assert len(set(keys)) == len(keys) == 7


# --- pressing them ------------------------------------------------------------------


def test_a_press_calls_the_manager_and_sends_the_new_frame() -> None:
    manager = forked()
    player = show(film_of(manager), controls=manager)

    player.act("append 'A'")

    assert manager.events[-1].copies == (BlockCopy(1, 2),)
    assert [frame["kind"] for frame in player.tail] == ["copy"]
    assert "state" in player.tail[0]  # a keyframe: the browser need not know the rest
    assert {a["label"]: a["cost"] for a in player.actions}["Append to B"] == (
        "writes slot 2 of block 1"
    )


def test_every_press_is_an_engine_step_of_its_own() -> None:
    manager = forked()
    player = show(film_of(manager), controls=manager)

    player.act("append 'A'")
    player.act("append 'B'")

    assert [frame["step"] for frame in player.tail] == [1, 2]


def test_out_of_blocks_becomes_a_frame() -> None:
    manager = forked(num_blocks=2)
    player = show(film_of(manager), controls=manager)

    player.act("append 'A'")

    assert [frame["kind"] for frame in player.tail] == ["refuse"]
    assert player.tail[0]["error"].startswith("OutOfBlocks: need 1 block, 0 free")


def test_a_learners_mistake_becomes_a_frame() -> None:
    class Forgetful(BlockManager):
        def fork(self, parent_id: int | str, child_id: int | str) -> None:
            raise KeyError(child_id)

    pool = RecordedPool(BlockPool(4))
    manager = RecordedManager(Forgetful(pool, 4), pool)
    manager.add("A", 1)
    player = show(film_of(manager), controls=manager)

    player.act("fork 'A'")

    assert player.tail[0]["error"] == "KeyError: 'A.1'"


def test_an_unknown_press_does_nothing() -> None:
    manager = forked()
    player = show(film_of(manager), controls=manager)

    player.act("append 'Z'")

    assert player.tail == []
    assert len(manager.events) == 2


def test_a_player_without_controls_has_no_buttons_that_call() -> None:
    assert show(film_of(forked())).actions == []


def test_without_a_widget_it_says_in_words_where_it_stands() -> None:
    player = show(film_of(forked()), start_at=-1)

    assert repr(player) == "Player at event 2 of 2: A is forked: B begins like it"


# --- a question -----------------------------------------------------------------------


def beam_film() -> list[Frame]:
    manager = forked()
    manager.append("A")
    manager.append("B")
    manager.free("B")
    return film_of(manager)


QUESTION = Question(
    "05.p2",
    "A writes one token next. How many blocks are copied?",
    answer="1",
    stop_before=2,
    calls=1,
    choices=("0", "1", "2"),
)


def sent(player: Player) -> str:
    return json.dumps({**player.get_state(), "_esm": "", "_css": ""}, default=str)


def test_before_the_answer_nothing_of_the_later_frames_is_sent() -> None:
    film = beam_film()
    player = Player(film, question=QUESTION, controls=forked())

    assert len(player.film["frames"]) == 2
    assert player.tail == []
    assert player.actions == []
    assert player.verdict == {}
    for text in ("copies", "Copy on write", "must write", "ends"):
        visible = sent(player).replace('"copies": []', "")
        assert text not in visible, text
    assert "answer" not in player.question


def test_an_answer_uncovers_its_frames_and_no_more() -> None:
    film = beam_film()
    player = Player(film, question=QUESTION)

    player.answer("1")

    assert player.verdict["right"]
    assert player.verdict["sentence"].startswith("A must write token 7")
    assert [frame["kind"] for frame in player.tail] == ["copy"]
    assert "ends" not in sent(player)


def test_words_of_covered_frames_are_sent_with_them() -> None:
    words = [{0: f"word {i}"} for i in range(5)]
    player = Player(beam_film(), question=QUESTION, words=words)

    assert player.words == [{"0": "word 0"}, {"0": "word 1"}]
    player.answer("1")
    assert player.words == [{"0": f"word {i}"} for i in range(3)]


def test_a_wrong_answer_is_told_the_right_one() -> None:
    player = Player(beam_film(), question=QUESTION)

    player.answer("0")

    assert not player.verdict["right"]
    assert player.verdict["value"] == "0"
    assert player.verdict["answer"] == "1"


def test_a_question_is_answered_once() -> None:
    heard: list[tuple[str | None, bool]] = []

    def hear(value: str | None, right: bool) -> str:  # noqa: FBT001
        heard.append((value, right))
        return f"{len(heard)} of 1 right so far"

    player = Player(beam_film(), question=QUESTION, on_answer=hear)
    player.answer("1")
    player.answer("0")

    assert heard == [("1", True)]
    assert player.verdict["score"] == "1 of 1 right so far"


def test_playing_without_an_answer_is_no_right_answer() -> None:
    player = Player(beam_film(), question=QUESTION)

    player.answer(None)

    assert player.verdict["value"] is None
    assert not player.verdict["right"]
    assert len(player.tail) == 1


def test_a_block_is_answered_by_its_number() -> None:
    question = Question(
        "q", "Which block is copied?", answer=1, stop_before=2, kind="block"
    )
    player = Player(beam_film(), question=question)

    player.answer("1")

    assert player.verdict["right"]


def test_a_question_needs_a_frame_to_stand_on() -> None:
    with pytest.raises(InvalidSize, match="stop_before is 0"):
        Question("q", "?", answer="1", stop_before=0)


def test_a_message_of_the_browser_is_an_answer_or_a_press() -> None:
    manager = forked()
    asking = Player(beam_film(), question=QUESTION)
    calling = show(film_of(manager), controls=manager)

    asking.receive(asking, {"type": "answer", "value": "1"}, [])
    calling.receive(calling, {"type": "act", "key": "free 'A'"}, [])

    assert asking.verdict["right"]
    assert manager.events[-1].call == "free"


def test_the_error_of_an_exhausted_pool_is_still_raised_outside_the_player() -> None:
    manager = forked(num_blocks=2)

    with pytest.raises(OutOfBlocks):
        manager.append("A")
