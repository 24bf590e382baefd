"""Lesson 02 as a learner runs it: on our class, on wrong ones, and on a trace."""

import contextlib
from inspect import isclass

import pytest

from pagedkv_edu.checks.hints import contiguous as contiguous_hints
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.extents import ExtentAllocator
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants import contiguous as mutants
from tests.public_traces import public_trace

LESSON = Lesson("02_contiguous")
# A pair where an int belongs, an error of Python's, a loop without end: `check` rejects
# them, so `mine` never hands them to the lesson.
NEVER_PLUGGED = ("ReturnsTheHole", "RaisesIndexError", "NeverStops")
ALLOCATORS = [
    answer
    for name, answer in vars(mutants).items()
    if isclass(answer)
    and issubclass(answer, mutants.FirstFit)
    and name not in NEVER_PLUGGED
]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    assert "a token has 819,200 bytes; 12 GiB hold 15,728" in printed["l02-compact-run"]
    assert "[AAAaaa..........]" in printed["l02-example-run"]
    assert printed["l02-breaks-run"].count("largest hole 4, sum 8") == 3
    assert "together: 640" in printed["l02-losses-run"]
    assert "taken: [8, 4, 4]" in printed["l02-buddy"]
    assert (ours.names["first_start"], ours.names["best_start"]) == (6, 13)


def test_each_fit_has_a_story_that_defeats_it(ours: Run):
    first, best, other_first, other_best = ours.printed["l02-better-run"].splitlines()

    assert "first fit: refused: 4 free, largest hole 3" in first
    assert "best  fit: served" in best
    assert "first fit: served" in other_first
    assert "best  fit: refused: 2 free, largest hole 1" in other_best


def test_the_losses_of_the_race_are_those_that_its_steps_show(ours: Run):
    step = ours.names["ran"].contiguous["first"][ours.names["at"]]

    assert ours.names["in_holes"] == sum(hole.num_slots for hole in step.holes)
    assert ours.names["later"] > 0
    assert ours.names["never"] > ours.names["later"]
    assert ours.names["in_holes"] > ours.names["ran"].asked_by_name[step.waiting[0]]


def test_the_shares_land_near_the_paper(ours: Run):
    percent = {k: 100 * shares.token for k, shares in ours.names["compared"].items()}

    assert percent == pytest.approx(ours.names["paper"], abs=3)


def test_the_lesson_takes_the_azure_trace(ours: Run):
    path = str(public_trace("AzureLLMInferenceTrace_conv.csv"))
    traced = LESSON.run({"trace_file": path, "max_len": 8192})

    assert len(traced.names["requests"]) == 19_366
    assert traced.names["compared"] != ours.names["compared"]


@pytest.mark.parametrize("allocator", ALLOCATORS, ids=lambda answer: answer.__name__)
def test_a_wrong_allocator_leads_to_the_end_or_to_an_error_of_ours(allocator: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Allocator": allocator})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    sent_to = [
        value.removeprefix('lesson 02, "').rstrip('"')
        for value in vars(contiguous_hints).values()
        if isinstance(value, str) and value.startswith('lesson 02, "')
    ]

    assert sent_to
    assert set(sent_to) <= set(LESSON.headings)


def test_the_line_that_check_offers_stands_in_the_lesson():
    assert EXERCISES["2.1"].use
    assert EXERCISES["2.1"].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["02"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose


def test_the_first_answer_of_the_quiz_is_what_the_allocators_do():
    largest: dict[str, int] = {}
    for fit in ("first", "best"):
        slots = ExtentAllocator(15, fit)
        starts = [slots.reserve(length) for length in (5, 1, 3, 1, 4, 1)]
        for start in starts[::2]:
            slots.release(start)
        assert [length for _, length in slots.holes] == [5, 3, 4]
        slots.reserve(3)
        largest[fit] = slots.largest_hole

    assert largest == {"first": 4, "best": 5}
