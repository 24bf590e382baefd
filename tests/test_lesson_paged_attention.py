"""Lesson 06 as a learner runs it: on our functions, and on wrong ones."""

import math

import pytest

from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.viz.gather import gather_view
from tests.lesson_cells import Lesson, Run, faults_of_form, headings_sent_to
from tests.mutants.kernels import MUTANTS, Mutant, merge_by_logaddexp

LESSON = Lesson("06_paged_attention")


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []
    assert headings_sent_to("06") <= set(LESSON.headings)
    assert "Two halves" in headings_sent_to("06")


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    assert printed["l06-overflow"].strip().endswith("inf")
    assert printed["l06-one-run"].splitlines()[-1] == "at once: 1.5781"
    assert printed["l06-one-run"].splitlines()[-2].endswith("1.5781")
    assert printed["l06-update-run"].count("maximum 5, sum 1.5781") == 4
    assert "(5.0, 1.578" in printed["l06-update-run"]
    assert "1/P = 0.0625" in printed["l06-lookups-run"]
    assert "4 loads, 0.0625 a token" in printed["l06-lookups-run"]
    assert "64 loads, 1 a token" in printed["l06-lookups-run"]
    assert "65,536 bytes a step; new entries only: 16" in printed["l06-upload-run"]
    assert "34,359,738,368" in printed["l06-upload-run"]


def test_paged_attention_equals_dense_attention_up_to_rounding(ours: Run):
    error = float(ours.printed["l06-check-run"].split()[-1])

    assert 0 < error < 1e-6


def test_another_table_changes_no_bit(ours: Run):
    assert ours.names["again"].equal(ours.names["out"])


def test_the_picture_shows_the_numbers_of_the_cells(ours: Run):
    shown = gather_view().picture["turns"]

    maxima = [round(turn["running_max"], 5) for turn in shown]
    assert maxima == [round(maximum, 5) for maximum in ours.names["maxima"]]


def test_a_forgotten_tail_is_loud_over_nan_and_quiet_over_zeros(ours: Run):
    right, loud, quiet = (
        float(line.split()[-1]) for line in ours.printed["l06-no-tail"].splitlines()
    )

    assert right < 1e-6
    assert math.isnan(loud)
    assert 1e-3 < quiet < 1


def test_the_remainder_is_wrong_for_full_blocks_only(ours: Run):
    assert ours.names["wrong"] == [16 * n for n in range(1, 11)]


def test_halves_merge_by_weight_and_not_by_their_mean(ours: Run):
    by_weight, mean = ours.printed["l06-merge-run"].splitlines()

    assert float(by_weight.split()[3]) < 1e-6
    assert float(mean.split()[-1]) > 0.1


@pytest.mark.parametrize("length", [65, 79, 80])
def test_the_lesson_runs_with_other_lengths(length: int):
    printed = LESSON.run({"num_tokens": length}).printed

    assert float(printed["l06-check-run"].split()[-1]) < 1e-6


def test_the_lesson_runs_with_other_heads_and_scores():
    plugged = {"num_heads": 6, "num_kv_heads": 3, "six": [5.0, 1.0, 2.0]}
    printed = LESSON.run(plugged).printed

    assert float(printed["l06-check-run"].split()[-1]) < 1e-6


WRONG = [mutant for mutant in MUTANTS if mutant.exercise_id == "6.1"]


@pytest.mark.parametrize("mutant", WRONG, ids=lambda mutant: mutant.name)
def test_a_wrong_update_leaves_the_picture_standing(mutant: Mutant):
    import torch

    def update(largest: float, total: float, scores: list[float]) -> object:
        return mutant.answer(largest, total, torch.tensor(scores))

    remarks = gather_view(update=update).picture["remarks"]  # pyright: ignore[reportArgumentType]

    assert len(remarks) == 6


def test_a_merge_of_ones_own_is_used():
    run = LESSON.run({"merge": merge_by_logaddexp}, after="-merge")

    assert float(run.printed["l06-merge-run"].split()[3]) < 1e-6


def test_the_lines_that_put_answers_into_the_lesson_are_there():
    for line in (
        'update = mine("my_online_softmax")',
        'attend = mine("my_paged_attention")',
        'merge = mine("my_merge")',
    ):
        assert line in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["06"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
