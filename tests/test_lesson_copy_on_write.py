"""Lesson 05 as a learner runs it: on our manager, and on wrong ones of their own."""

import contextlib
from inspect import isclass

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.checks.hints import copy_on_write as copy_on_write_hints
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager

LESSON = Lesson("05_copy_on_write")
MANAGERS = [
    answer
    for answer in vars(mutants).values()
    if isclass(answer) and issubclass(answer, PlainManager)
]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    slot_a, slot_b = (
        line.split()[-1] for line in printed["l05-next-slot"].splitlines()
    )
    assert slot_a == slot_b
    assert "blue" in printed["l05-overwrite"].split("After B")[0]
    assert "blue" not in printed["l05-overwrite"].split("After B")[1]
    assert "violets are blue | roses are red" in printed["l05-fixed-text"]
    assert "64 cases; 0 copies of an earlier block" in printed["l05-last-proof"]
    assert "one copy       2 MiB" in printed["l05-cost-numbers"]
    assert "{'A': 1, 'B': 0}" in printed["l05-first-run"]
    assert "{'B': 1, 'A': 0}" in printed["l05-first-run"]
    right, wrong = printed["l05-order-run"].splitlines()
    assert "goodbye" in right
    assert "hello" in wrong
    assert printed["l05-parallel-run"].startswith("3 copies; 5 blocks in use, 8")
    assert printed["l05-beam-text"].startswith(
        "copies: 1; free blocks before 4, after 4"
    )
    assert printed["l05-beam-order-run"].splitlines() == [
        "free first, copies: 1",
        "append first, copies: 2",
    ]
    assert printed["l05-boundary-run"].startswith("0 copies, 2 new blocks")


def test_the_shares_saved_are_above_the_papers_as_the_text_says(ours: Run):
    rows = [
        line.split("here")[1] for line in ours.printed["l05-saved-table"].splitlines()
    ]
    shares = [[float(part.split("%")[0]) for part in row.split(", ")] for row in rows]

    samples, beams = shares
    assert samples == sorted(samples)
    assert beams == sorted(beams)
    assert samples[0] > 6.1
    assert samples[-1] > 9.8
    assert beams[0] > 37.6
    assert beams[-1] > 55.2


@pytest.mark.parametrize("manager", MANAGERS, ids=lambda answer: answer.__name__)
def test_a_wrong_manager_leads_to_the_end_or_to_an_error_of_ours(
    manager: type[PlainManager],
):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Manager": manager})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    sent_to = [
        value.removeprefix('lesson 05, "').rstrip('"')
        for value in vars(copy_on_write_hints).values()
        if isinstance(value, str) and value.startswith('lesson 05, "')
    ]

    assert sent_to
    assert set(sent_to) <= set(LESSON.headings)


def test_the_lines_that_check_offers_stand_in_the_lesson():
    for exercise_id in ("5.1", "5.3"):
        assert EXERCISES[exercise_id].use
        assert EXERCISES[exercise_id].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["05"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose


def test_the_first_answer_of_the_quiz_is_what_the_manager_does():
    pool = BlockPool(16)
    manager = BlockManager(pool, block_size=4)
    manager.add("A", 7)
    for child_id in "BCDE":
        manager.fork("A", child_id)
    manager.free("C")
    free_before = pool.num_free
    for seq_id in "ABDE":
        manager.append(seq_id, 2)

    assert free_before - pool.num_free == 7


def test_the_third_answer_of_the_quiz_is_what_the_rule_above_it_gives():
    again = {n: n - (n - 1) // 16 * 16 for n in (32, 33, 47)}

    assert again == {32: 16, 33: 1, 47: 15}
    assert min(again, key=lambda n: again[n]) == 33
