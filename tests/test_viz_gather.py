"""The gather's widget without a browser: what it holds, what it does when asked."""

from math import exp
from pathlib import Path

import pytest

from pagedkv_edu.viz.gather import export_gather, gather_view


def right(largest: float, total: float, scores: list[float]) -> tuple[float, float]:
    new = max(largest, *scores)
    old = total * exp(largest - new)
    return new, old + sum(exp(score - new) for score in scores)


def forgets_to_rescale(
    largest: float, total: float, scores: list[float]
) -> tuple[float, float]:
    new, grown = right(largest, 0.0, scores)
    return new, total + grown


def test_it_opens_at_the_last_block_and_stays_inside():
    assert gather_view().at == 4
    assert gather_view(start_at=0).at == 0
    assert gather_view(start_at=99).at == 5


def test_every_turn_has_its_sentences_and_its_sectors():
    picture = gather_view().picture

    assert len(picture["turns"]) == len(picture["strips"]) == 5
    assert len(picture["texts"]) == len(picture["headlines"]) == 6
    assert [len(strips) for strips in picture["strips"]] == [3] * 5
    assert picture["strips"][4][2]["needed_bytes"] == 768
    assert picture["strips"][4][2]["fetched_bytes"] == 2048


def test_a_shuffle_moves_blocks_and_keeps_every_bit():
    view = gather_view()
    before = view.step
    view.receive(None, {"type": "shuffle"}, None)

    assert view.step.block_table != before.block_table
    assert view.step.out == before.out
    assert "the same to the last bit" in view.picture["note"]


def test_tokens_fill_the_tail_and_then_take_a_block_until_the_room_ends():
    view = gather_view()
    for _ in range(9):
        view.receive(None, {"type": "fill"}, None)
    assert view.picture["fill"]["label"] == "Fill slot 15"
    view.receive(None, {"type": "fill"}, None)

    assert view.picture["headlines"][4].startswith("Last block: all 16 slots")
    assert view.picture["fill"]["label"] == "Take a new block"
    view.receive(None, {"type": "fill"}, None)
    assert view.picture["headlines"][5].startswith("Last block: 1 token is real")
    assert view.at == 5
    for _ in range(30):
        view.receive(None, {"type": "fill"}, None)
    assert view.step.num_tokens == 96
    assert view.picture["fill"]["off"]


def test_a_right_update_has_no_remark():
    picture = gather_view(update=right).picture

    assert set(picture["remarks"]) == {""}
    assert {turn["yours"] for turn in picture["turns"]} == {None}


def test_a_wrong_update_is_told_from_the_first_wrong_block_on():
    picture = gather_view(update=forgets_to_rescale).picture

    assert picture["remarks"][:2] == ["", ""]
    assert picture["remarks"][2].startswith("Yours has sum ")
    assert picture["turns"][2]["yours"][1] > picture["turns"][2]["sum"]
    assert picture["remarks"][-1] == picture["remarks"][2]


def not_written(*_: object) -> tuple[float, float]:
    raise NotImplementedError("your turn")


def not_a_pair(*_: object) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (not_written, "Yours is not written yet."),
        (not_a_pair, "Yours raised TypeError"),
    ],
)
def test_an_update_that_fails_leaves_the_picture_and_is_told(update: object, said: str):
    picture = gather_view(update=update).picture  # pyright: ignore[reportArgumentType]

    assert picture["remarks"][0].startswith(said)
    assert picture["turns"][0]["yours"] is None


def test_a_page_of_its_own_holds_the_picture_and_asks_for_nothing(tmp_path: Path):
    text = export_gather(tmp_path / "gather.html", "A & B").read_text(encoding="utf-8")

    assert "A &amp; B" in text
    assert "logical block 4 is physical block 5" in text
    assert "http" not in text.replace("http://www.w3.org/", "")
