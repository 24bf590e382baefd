"""Lesson 04 as a learner runs it: on our classes, and on wrong ones of their own."""

import contextlib
from inspect import isclass

import pytest

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks
from pagedkv_edu.checks.hints import block_pool as block_pool_hints
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants import block_pool as mutants

LESSON = Lesson("04_block_pool")
POOLS = [
    answer
    for answer in vars(mutants).values()
    if isclass(answer)
    and issubclass(answer, (mutants.StackPool, mutants.LazyQueuePool))
    # its own error is what its author sees; a check has refused it, so has `mine`
    and answer.__name__ != "RaisesAValueError"
]
MANAGERS = [
    answer
    for answer in vars(mutants).values()
    if isclass(answer)
    and issubclass(answer, (mutants.EagerManager, mutants.TryingManager))
]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    assert "'C': [3]" in printed["l04-counter-run"]
    assert printed["l04-twice-run"].split()[3] == printed["l04-twice-run"].split()[-1]
    assert "[4, 8, 12, 16, 20, 24, 28]" in printed["l04-faults"]
    assert "multiples of block_size: True" in printed["l04-faults"]
    assert (ours.names["held"], ours.names["promised"]) == (13, 256)
    assert "blocks of  16 slots: 13 held,  8 slots empty" in printed["l04-growth-text"]
    assert "120 slots are empty; B*S/2 is 64" in printed["l04-waste-bound"]
    assert "none was refused" in printed["l04-holes-run"]
    assert "and 0 blocks were handed out twice" in printed["l04-holes-run"]
    assert "as before: True" in printed["l04-full-text"]
    assert "8 tokens; 1 block is free" in printed["l04-full-many"]


def test_the_measured_waste_is_about_half_a_block(ours: Run):
    lengths = ours.names["lengths"]
    for size in (4, 16, 64):
        empty = sum(-length % size for length in lengths) / len(lengths)
        assert empty == pytest.approx((size - 1) / 2, rel=0.05)


@pytest.mark.parametrize("pool", POOLS, ids=lambda answer: answer.__name__)
def test_a_wrong_pool_leads_to_the_end_or_to_an_error_of_ours(pool: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Pool": pool})


@pytest.mark.parametrize("manager", MANAGERS, ids=lambda answer: answer.__name__)
def test_a_wrong_manager_leads_to_the_end_or_to_an_error_of_ours(manager: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Manager": manager})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    sent_to = [
        value.removeprefix('lesson 04, "').rstrip('"')
        for value in vars(block_pool_hints).values()
        if isinstance(value, str) and value.startswith('lesson 04, "')
    ]

    assert sent_to
    assert set(sent_to) <= set(LESSON.headings)


def test_the_lines_that_check_offers_stand_in_the_lesson():
    for exercise_id in ("4.1", "4.2"):
        assert EXERCISES[exercise_id].use
        assert EXERCISES[exercise_id].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["04"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose


def test_the_first_answer_of_the_quiz_is_what_the_manager_does():
    manager = BlockManager(BlockPool(520), block_size=16)
    for seq_id in range(40):
        manager.add(seq_id, 200)
    with pytest.raises(OutOfBlocks):
        manager.add(40, 200)

    assert 520 * 16 // 4096 == 2


def test_the_third_answer_of_the_quiz_is_what_the_manager_does():
    pool = BlockPool(9)
    manager = BlockManager(pool, block_size=16)
    for seq_id, num_tokens in {"A": 32, "B": 40, "C": 47}.items():
        manager.add(seq_id, num_tokens)
    assert pool.num_free == 1
    manager.append("A", 2)
    manager.append("B", 2)
    with pytest.raises(OutOfBlocks):
        manager.append("C", 2)

    assert manager.table("C").seq_len == 47


def test_one_of_two_appends_is_refused_and_the_prediction_is_about_the_other(ours: Run):
    sources = {cell.id: cell.source for cell in LESSON.cells}
    about_to_predict = sources["l04-full-build"] + sources["l04-p5"]

    assert 'append("B")' not in about_to_predict
    assert 'append("A")' not in about_to_predict
    text = ours.printed["l04-full-text"].splitlines()
    assert "refused" not in text[0]
    assert "refused" in text[1]
