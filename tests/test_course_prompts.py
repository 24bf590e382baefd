from importlib import import_module

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.course import guess, predict, quiz
from pagedkv_edu.course.progress import load
from pagedkv_edu.course.prompts import PromptBox, marked, same_answer
from pagedkv_edu.course.questions import Prompt
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, frames
from pagedkv_edu.viz.player import Player

# the package's name `predict` is the function
predict_module = import_module("pagedkv_edu.course.predict")
PROMPT = Prompt("How many?", ("0", "1", "2"), "1", "One is copied.")


def test_an_answer_is_marked_with_the_reason_and_kept_once():
    kept: list[tuple[str, bool]] = []

    def keep(given: str, *, right: bool) -> str:
        kept.append((given, right))
        return ""

    box = PromptBox(PROMPT, keep)
    for given in ("2", "2", " ", "1"):
        box.answer(given)

    assert kept == [("2", False), ("1", True)]


def test_a_wrong_answer_is_told_the_right_one_and_why():
    text = marked(PROMPT, "2", right=False)

    assert "2: not so. The answer is 1." in text
    assert "One is copied." in text


@pytest.mark.parametrize(
    ("given", "answer"),
    [(" 16,384 ", "16384"), ("B", "b"), ("2.0", "2"), ("6 250", "6250")],
)
def test_spelling_does_not_decide(given: str, answer: str):
    assert same_answer(given, answer)


@pytest.mark.parametrize(
    ("given", "answer"), [("", "0"), ("b", "c"), ("12", "1"), ("nan", "1")]
)
def test_other_answers_are_not_the_same(given: str, answer: str):
    assert not same_answer(given, answer)


def test_a_guess_whose_answer_is_not_offered_is_a_mistake_of_the_author():
    with pytest.raises(PagedKVError, match="5 is not among 1, 2"):
        guess("03.g1", "How many?", [1, 2], 5)


def test_a_quiz_marks_each_answer_and_keeps_those_that_were_given():
    key = KEY["05"]
    marks = quiz("05", q1=key["q1"].upper(), q2="nonsense")

    assert marks.marks == {"q1": True, "q2": False, "q3": None}
    assert marks.num_right == 1
    assert load().answers["05.q1"].right
    assert not load().answers["05.q2"].right
    assert "05.q3" not in load().answers


def test_a_quiz_does_not_give_the_answer_away():
    marks = quiz("05", q1="x", q2="x", q3="x")

    words = {word for line in marks.lines() for word in line}
    assert words == {"Q1", "Q2", "Q3", "x", "not so"}


@pytest.mark.parametrize(
    ("lesson", "question"), [("99", "q1"), ("05", "q9")], ids=["lesson", "question"]
)
def test_a_quiz_that_is_not_there_is_refused(lesson: str, question: str):
    with pytest.raises(PagedKVError):
        quiz(lesson, **{question: "a"})


def film() -> list[Frame]:
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, block_size=4), pool)
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.append("A")
    manager.append("B")
    return frames(manager.events)


def shown(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the list of what `predict` displays from now on."""
    things: list[object] = []
    monkeypatch.setattr(predict_module, "display", things.append)
    return things


def test_a_prediction_covers_the_frames_that_it_asks_about(
    monkeypatch: pytest.MonkeyPatch,
):
    things = shown(monkeypatch)
    predict("05.p1", film(), before=2, ask="num_copies")

    (player,) = things
    assert isinstance(player, Player)
    assert len(player.film["frames"]) == 2
    assert "answer" not in player.question


def test_an_answered_prediction_is_marked_kept_and_counted(
    monkeypatch: pytest.MonkeyPatch,
):
    things = shown(monkeypatch)
    predict("05.p1", film(), before=-3, calls=3, ask="num_copies")
    predict("05.p2", film(), before=2, ask="block_copied")
    first, second = things
    assert isinstance(first, Player)
    assert isinstance(second, Player)

    first.answer("1")
    second.answer("0")

    assert first.verdict["right"]
    assert first.verdict["score"] == "1 of 1 right so far"
    assert second.verdict["answer"] == "1"
    assert second.verdict["score"] == "1 of 2 right so far"
    assert load().answers["05.p1"].first_right
    assert not load().answers["05.p2"].right


def test_a_film_that_is_played_without_an_answer_records_nothing(
    monkeypatch: pytest.MonkeyPatch,
):
    things = shown(monkeypatch)
    predict("05.p1", film(), before=1)
    (player,) = things
    assert isinstance(player, Player)

    player.answer(None)

    assert load().answers == {}


def test_the_very_first_call_is_asked_about_without_a_picture(
    monkeypatch: pytest.MonkeyPatch,
):
    things = shown(monkeypatch)
    predict("05.p1", film(), before=0)

    (box,) = things
    assert isinstance(box, PromptBox)


def test_a_guess_is_marked_and_kept_like_a_prediction(
    monkeypatch: pytest.MonkeyPatch,
):
    things = shown(monkeypatch)
    guess("03.p1", "How many entries?", [16, 256], 256, "4096 / 16.")
    (box,) = things
    assert isinstance(box, PromptBox)

    box.answer("256")

    assert load().answers["03.p1"].right
