"""Lesson 01 as a learner runs it: on our functions, and on wrong ones of their own."""

import contextlib
import re
from collections.abc import Callable

import pytest

from pagedkv_edu.checks.cost import BytesTopic, FitTopic, PromisesTopic
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants.cost import MUTANTS, VARIANTS, Mutant

LESSON = Lesson("01_cost")


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def with_answers(**answers: Callable[..., object]) -> Run:
    """Run the lesson with these functions in place of those that it defines."""
    lesson = Lesson("01_cost")
    for cell in lesson.of_kind("code"):
        for name in answers:
            line = f'# after exercise {EXERCISE_OF[name]}: {name} = mine("my_{name}")'
            if line in cell.source:
                cell.source = cell.source.replace(line, f"{name} = plugged_{name}")
    return lesson.run({f"plugged_{name}": answer for name, answer in answers.items()})


EXERCISE_OF = {"bytes_per_token": "1.1", "num_promises": "1.2", "num_that_fit": "1.3"}
NAME_OF = {exercise_id: name for name, exercise_id in EXERCISE_OF.items()}


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_papers_come_out(ours: Run):
    assert ours.printed["l01-paper"] == (
        "819,200 bytes a token\n12 GiB hold 15,728 tokens (paper: 15.7K)\n"
    )
    rows = ours.printed["l01-table"].splitlines()
    assert any(
        "Llama-3-8B" in row and "= 128 KiB" in " ".join(row.split()) for row in rows
    )
    assert len(rows) == 8


def test_arrays_and_product_agree_on_the_tiny_model(ours: Run):
    assert "the token 96 bytes" in ours.printed["l01-arrays"]
    assert ours.printed["l01-formula-run"].startswith("96 bytes")
    assert ours.printed["l01-formula-run"].endswith("True\n")


def test_the_hidden_size_is_right_only_without_groups(ours: Run):
    shares = {
        line.split()[0]: float(line.split()[1].rstrip("%"))
        for line in ours.printed["l01-hidden-run"].splitlines()
    }

    assert shares["OPT-13B"] == shares["Llama-2-7B"] == 100
    assert shares["Llama-3-8B"] == 25


def test_promises_run_far_fewer_sequences(ours: Run):
    promised, fitting = ours.names["promised"], ours.names["fitting"]

    assert promised == 9
    assert 120 < fitting < 180
    assert re.search(r"\d+ times as many", ours.printed["l01-fit-both"])


def test_another_card_runs_too():
    LESSON.run({"memory_bytes": 80 * 2**30, "dtype_bytes": 1})
    assert LESSON.run({"memory_bytes": 2**30}).names["promised"] == 0


@pytest.mark.parametrize("variant", [0, 1])
def test_right_answers_of_a_learner_give_the_same_numbers(ours: Run, variant: int):
    plugged = {NAME_OF[id_]: answers[variant] for id_, answers in VARIANTS.items()}
    run = with_answers(**plugged)

    assert run.printed == ours.printed
    assert run.names["num_that_fit"] is VARIANTS["1.3"][variant]


@pytest.mark.parametrize(
    "mutant",
    [mutant for mutant in MUTANTS if "without" not in mutant.answer.__name__],
    ids=lambda m: m.answer.__name__,
)
def test_a_wrong_answer_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    with contextlib.suppress(PagedKVError):
        with_answers(**{NAME_OF[mutant.exercise_id]: mutant.answer})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    for topic in (BytesTopic(), PromisesTopic(), FitTopic()):
        assert topic.reread.removeprefix('lesson 01, "').rstrip('"') in LESSON.headings


@pytest.mark.parametrize("exercise_id", EXERCISE_OF.values())
def test_the_line_that_check_offers_stands_in_the_lesson(exercise_id: str):
    assert EXERCISES[exercise_id].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["01"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
