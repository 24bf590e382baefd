"""The laboratories of lesson 12 as data: who is damaged, and when."""

from collections.abc import Mapping

import pytest

from pagedkv_edu import cdiv
from pagedkv_edu.errors import InvalidSize, OutOfBlocks
from pagedkv_edu.memory.growing import GrowingManager
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay.copy_orders import Pair, Place, all_orders, reads_first
from pagedkv_edu.replay.word_attention import weights
from pagedkv_edu.viz.attention_heat import heat_figure
from pagedkv_edu.viz.beside import Beside, Moment, Step, beside
from pagedkv_edu.viz.copy_race import show_copies
from pagedkv_edu.viz.half_step import show_half_step
from pagedkv_edu.viz.table_overflow import show_overflow

WORDS: dict[Place, str] = {0: "hello", 1: "goodbye", 2: "·"}
PAIRS: list[Pair] = [(1, 2), (0, 1)]


def grow(manager: ManagerLike, flat: list[int], row: int, seq_id: str) -> None:
    manager.append(seq_id)
    for place, block_id in enumerate(manager.table(seq_id).block_ids):
        flat[row * 2 + place] = block_id


def raises(manager: ManagerLike, flat: list[int], row: int, seq_id: str) -> None:
    raise KeyError(seq_id)


def take(pool: PoolLike, table: BlockTable, num_tokens: int) -> None:
    needed = cdiv(table.seq_len + num_tokens, table.block_size) - len(table.block_ids)
    table.block_ids += [pool.allocate() for _ in range(needed)]
    table.seq_len += num_tokens


def length_first(pool: PoolLike, table: BlockTable, num_tokens: int) -> None:
    table.seq_len += num_tokens
    while len(table.block_ids) < table.num_blocks:
        table.block_ids.append(pool.allocate())


def call_by_call(
    manager: GrowingManager, pool: PoolLike, new_tokens: Mapping[str, int]
) -> None:
    for seq_id, num_tokens in new_tokens.items():
        manager.append(seq_id, num_tokens)


def refuse_large(
    manager: GrowingManager, pool: PoolLike, new_tokens: Mapping[str, int]
) -> None:
    if sum(new_tokens.values()) > pool.num_free:
        raise OutOfBlocks("too many")
    call_by_call(manager, pool, new_tokens)


def told(widget: Beside, at: int, side: str = "left") -> str:
    return widget.steps[at][side]["told"]


def test_the_damage_of_an_overflow_goes_from_the_neighbour_to_the_one_that_grew():
    widget = show_overflow(grow, grow)

    reading = [
        [label for label in widget.wrong_rows(at) if label.endswith("reads")]
        for at in range(4)
    ]
    assert reading == [[], [], ["B reads"], ["A reads"]]
    assert "B reads “violets · is”, not what it wrote." in told(widget, 2)


def test_an_error_of_a_learners_function_is_told_and_changes_nothing():
    widget = show_overflow(grow, raises)

    assert told(widget, 1, "right").startswith("Failed with KeyError: 'A'.")
    assert widget.wrong_rows(3, "right") == []


def test_rows_that_do_not_hold_the_story_are_refused():
    with pytest.raises(InvalidSize, match="3 to 15 tokens; 1 entries of 2 hold 2"):
        show_overflow(grow, grow, width=1)


def test_a_half_step_leaves_a_lost_block_and_holes_that_stay():
    widget = show_half_step((call_by_call, take), (refuse_large, take))

    assert "1 block is held, and in no table." in told(widget, 1)
    assert widget.wrong_rows(3) == ["A reads", "B reads", "pool"]
    assert [widget.wrong_rows(at, "right") for at in range(4)] == [[], [], [], []]
    assert "A reads “roses are · red”." in told(widget, 3)


def test_a_length_that_ran_ahead_is_told_as_tokens_without_slots():
    widget = show_half_step((call_by_call, length_first), (refuse_large, take))

    assert "C counts 5 tokens and has 4 slots." in told(widget, 1)
    assert "in no table" not in told(widget, 3)


def test_a_race_marks_the_block_that_ends_wrong_and_no_other():
    for order in all_orders(2):
        widget = show_copies(WORDS, PAIRS, order)
        last = widget.steps[-1]
        bad = [
            box["name"]
            for row in last["left"]["rows"]
            for box in row["boxes"]
            if box["look"] == "wrong"
        ]

        assert bad == (["block 2"] if order[1] == ("write", 1) else [])
        assert not last["right"]["is_wrong"]


def test_a_chain_read_at_once_hands_on_what_was_left_over():
    words: dict[Place, str] = {"host 0": "mine", 7: "left over", 8: "·"}
    widget = show_copies(words, [("host 0", 7), (7, 8)], reads_first(2))

    assert told(widget, 0) == "To do: copy host 0 to block 7, then block 7 to block 8."
    assert told(widget, 1) == "Copy 1 reads host 0: “mine”."
    assert "Block 8 should be “mine”." in told(widget, -1)


def test_a_widget_says_its_step_as_text_and_refuses_a_place_outside():
    step = Step("Only", Moment((), "One."), Moment((), "Two."))

    assert repr(beside(("a", "b"), [step])) == "Step 1 of 1, Only. a: One. b: Two."
    with pytest.raises(InvalidSize):
        beside(("a", "b"), [step], start_at=1)
    with pytest.raises(InvalidSize):
        beside(("a", "b"), [])


def test_the_heat_map_marks_every_slot_beyond_the_length_and_no_other():
    words = ["w0", "w1", "w2", "old", "older"]
    figure = heat_figure(
        {"right": lambda n: words[:n], "wrong": lambda _: words}, [2, 3]
    )
    crosses = [
        list(zip(trace["x"], trace["y"], strict=True))
        for trace in figure.to_dict()["data"]
        if trace["type"] == "scatter"
    ]

    beyond = [(2, 2), (3, 2), (4, 2), (3, 3), (4, 3)]
    assert crosses == [[], [], beyond, beyond]


def test_weights_are_shares_and_one_nan_spoils_them_all():
    assert sum(weights("red", ["roses", "are", "red"])) == pytest.approx(1)
    spoiled = weights("red", ["red", "·"], float("nan"))
    assert all(weight != weight for weight in spoiled)
