"""The checks of exercise 02 accept what is right and say what is wrong."""

import json
from collections.abc import Callable
from functools import cache
from time import process_time

import pytest

from pagedkv_edu import errors
from pagedkv_edu.checks.contiguous import (
    HINTS,
    check_best_hole,
    check_first_fit,
    check_refused_history,
)
from pagedkv_edu.checks.questions.best_hole import BestHoleTopic
from pagedkv_edu.checks.questions.refused_history import as_calls
from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.report import Report
from tests.mutants import contiguous
from tests.mutants.contiguous import MUTANTS, VARIANTS, FirstFit, Mutant, lanes

CHECKS: dict[str, Callable[..., Report]] = {
    "2.1": check_first_fit,
    "2.2": check_best_hole,
    "2.3": check_refused_history,
}
RIGHT = [
    ("2.1", ExtentAllocator),
    *((id_, answer) for id_, answers in VARIANTS.items() for answer in answers),
]
by_name = pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda mutant: mutant.answer.__name__
)
first_fits = pytest.mark.parametrize(
    "mutant",
    [mutant for mutant in MUTANTS if mutant.exercise_id == "2.1"],
    ids=lambda mutant: mutant.answer.__name__,
)


@cache
def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried


@pytest.mark.parametrize("seed", [0, 1, 2])
@by_name
def test_a_wrong_answer_is_rejected_by_its_own_message(mutant: Mutant, seed: int):
    report = report_on(mutant, seed)

    assert report.status == "failed"
    assert mutant.title in report.title
    assert report.hints[0].title == mutant.hint


@by_name
def test_a_message_is_made_of_sentences_and_names_a_heading(mutant: Mutant):
    report = report_on(mutant)

    assert report.expected.endswith((".", '("release", name).'))
    assert report.found.endswith((".", "?", '"'))
    assert report.reread.startswith('lesson 02, "')
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@first_fits
def test_the_films_of_first_fit_have_a_frame_for_each_call(mutant: Mutant):
    report = report_on(mutant)
    films = report.films

    for side in ("yours", "reference"):
        assert films[side]["memory"] == "extents"
        assert films[side]["num_slots"] == 12
        frames = films[side]["frames"]
        assert [frame["call"] for frame in frames] == list(report.calls)


@pytest.mark.parametrize(
    ("name", "headline", "error"),
    [
        ("ReturnsTheHole", "a = reserve(1) returned (0, 1)", "returned (0, 1)"),
        ("RaisesIndexError", "b = reserve(12) raised IndexError", "IndexError: list"),
        (
            "NeverStops",
            "b = reserve(12) did not return within 2 s",
            "did not return within 2 s",
        ),
    ],
)
def test_a_call_that_gives_no_start_is_told_in_the_film_as_in_the_report(
    name: str, headline: str, error: str
):
    report = report_on(next(m for m in MUTANTS if m.answer.__name__ == name))
    last = report.films["yours"]["frames"][-1]

    assert last["headline"] == headline
    assert last["error"].startswith(error)
    assert "Complaint" not in str(report.films)


def run_pasted(text: str, answer: Callable[..., object]) -> None:
    """Run a pasted test below an answer."""
    names: dict[str, Callable[..., object]] = {"MyFirstFit": answer}
    exec(text, names)
    names["test_my_first_fit"]()


@first_fits
def test_the_test_to_paste_fails_on_the_mutant_and_passes_on_a_right_answer(
    mutant: Mutant,
):
    pasted = report_on(mutant).as_test

    if mutant.answer.__name__ in ("NeverStops", "ReturnsTheHole"):
        assert pasted == ""  # no answer that an assertion could be about
        return
    run_pasted(pasted, FirstFit)
    with pytest.raises(BaseException):  # noqa: B017, PT011  (as the mutant likes)
        run_pasted(pasted, mutant.answer)


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_exercise_has_enough_mutants_and_two_variants(exercise_id: str):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= (5 if exercise_id == "2.1" else 3)
    assert len(VARIANTS[exercise_id]) >= 2


def test_every_hint_but_the_first_is_reached_by_some_mutant():
    reached = {(m.exercise_id, report_on(m).hints[0].title) for m in MUTANTS}
    never_alone = {
        ("2.1", "Slots are handed out that are in use"),  # holes differ a call earlier
        ("2.1", "largest_hole or num_free is wrong"),
    }
    hints = {
        (exercise_id, hint.title)
        for exercise_id, known in HINTS.items()
        for hint in known[1:]
    }

    assert hints - reached == never_alone


def test_wrong_numbers_and_slots_handed_out_twice_have_hints_too():
    class TwoBeginnings(FirstFit):
        """Hands out the same slots twice, and lists its holes as if it did not."""

        def reserve(self, num_slots: int) -> int:
            start = super().reserve(num_slots)
            return 0 if len(self._size_by_start) > 1 else start

    class CountsHoles(FirstFit):
        @property
        def num_free(self) -> int:
            return len(self._holes)

    twice, counts = check_first_fit(TwoBeginnings), check_first_fit(CountsHoles)

    assert twice.title == "b = reserve(1) returned 0, where slots are in use"
    assert twice.hints[0].title == "Slots are handed out that are in use"
    assert counts.hints[0].title == "largest_hole or num_free is wrong"


def test_a_forgotten_join_is_shown_with_what_it_leads_to():
    report = check_first_fit(contiguous.NeverJoins)

    assert report.text() == "\n".join(
        [
            "2.1  not yet: after release(a), holes is [(0, 1), (1, 11)]; expected "
            "[(0, 12)]",
            "",
            "What was done (memory of 12 slots)",
            "  1  a = reserve(1)",
            "> 2  release(a)",
            "",
            "Expected  holes is [(0, 12)]: holes that touch are one hole.",
            "Found     holes is [(0, 1), (1, 11)].",
            "Go on     b = reserve(12): refused, although 12 slots side by side are "
            "free.",
            "Nearby    with reserve(n), the same calls pass for n = 12 and fail for "
            "n = 1 to 11.",
            'Reread    lesson 02, "Holes". Hint: "Two holes touch and are not one".',
        ]
    )
    state = report.films["yours"]["frames"][1]["state"]
    assert state["holes"] == [{"start": 0, "length": 1}, {"start": 1, "length": 11}]


def test_nearby_tells_an_exact_fit_from_a_short_list():
    assert check_first_fit(contiguous.RefusesAnExactFit).nearby == (
        "ending with reserve(n), the same calls pass for n = 1 to 11 and fail for "
        "n = 12."
    )


def test_what_a_wrong_start_leads_to_is_said_of_the_learners_own_slots():
    report = check_first_fit(contiguous.TakesTheUpperEnd)

    assert report.go_on in (
        "",
        "b = reserve(11): refused, although 11 slots side by side are free.",
    )


def test_a_passed_refusal_says_what_the_other_fits_would_do():
    assert check_refused_history(lanes).title == (
        "8 asked, 8 free, largest hole 4; best fit and buddy refuse too"
    )
    assert check_refused_history(contiguous.three_requests).title.startswith(
        "3 asked, 3 free, largest hole 2; "
    )


def test_a_history_that_best_fit_serves_is_right_too():
    # first fit takes the hole of 6 for 2 slots; best fit takes the hole of 2
    calls = [
        ("reserve", "a", 6),
        ("reserve", "b", 1),
        ("reserve", "c", 2),
        ("reserve", "d", 7),
        ("release", "a"),
        ("release", "c"),
        ("reserve", "e", 2),
        ("reserve", "f", 6),
    ]
    report = check_refused_history(lambda: calls)

    assert report.passed
    assert "buddy refuses too" in report.title
    assert "best fit" not in report.title.replace("best fit and", "")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (None, "None is not a list"),
        ([], "the list is empty"),
        ([("reserve", "a", True)], "neither"),
        ([("reserve", "a", 1), ("reserve", "a", 1)], "'a' is held"),
        ([("reserve", "a", 0)], "0"),
        ([("release", "a")], "'a' is not held"),
        (["reserve"], "neither"),
        ([1], "neither"),
    ],
)
def test_what_cannot_be_played_is_said(value: object, what: str):
    with pytest.raises(Exception, match=what):
        as_calls(value)


@pytest.mark.parametrize("answer", [None, 3, [("reserve", "a", 4)]])
@pytest.mark.parametrize("check", CHECKS.values())
def test_an_answer_that_cannot_be_called_is_no_traceback(
    check: Callable[..., Report], answer: object
):
    assert check(answer).status == "failed"


def test_a_stub_waits_for_its_first_part():
    class Stub(FirstFit):
        def reserve(self, num_slots: int) -> int:
            raise NotImplementedError("your turn: take the first hole that fits")

        def release(self, start: int) -> None:
            raise NotImplementedError("your turn: give the slots back")

    def my_best_hole(holes: object, num_slots: int) -> int:
        raise NotImplementedError("your turn")

    def my_refused_history() -> list[object]:
        raise NotImplementedError("your turn")

    assert check_first_fit(Stub).title == "reserve is not written yet"
    assert check_best_hole(my_best_hole).status == "waiting"
    assert check_refused_history(my_refused_history).status == "waiting"


@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_is_checked_in_under_two_seconds(
    exercise_id: str, answer: Callable[..., object]
):
    start = process_time()
    CHECKS[exercise_id](answer)

    assert process_time() - start < 2


def test_the_best_hole_is_the_one_our_allocator_takes():
    topic = BestHoleTopic()
    for holes, num_slots in topic.edges():
        end = sum(holes[-1]) if holes else 1
        extents = ExtentAllocator(end, "best")
        position = 0
        for start, length in [*holes, (end, 0)]:
            if start > position:
                extents.reserve(start - position)
            position = start + length
            if length:
                extents.reserve(length)
        for start, _ in holes:
            extents.release(start)
        right = topic.right((holes, num_slots)).value

        if right is None:
            with pytest.raises((errors.OutOfSlots, errors.NeverFits)):
                extents.reserve(num_slots)
        else:
            assert extents.reserve(num_slots) == right
