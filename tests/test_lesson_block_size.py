"""Lesson 09 as a learner runs it: on our classes, and on wrong ones of their own."""

import contextlib
import re

import pytest

from pagedkv_edu.checks.block_size import CostsTopic, EvenTopic
from pagedkv_edu.checks.questions.block_size_choice import ChoiceTopic
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.serving.block_sizes import held
from pagedkv_edu.serving.break_even import Prices, best_size
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants import copy_on_write
from tests.mutants.block_size import MUTANTS, Mutant
from tests.public_traces import public_trace

LESSON = Lesson("09_block_size")
CHOICES = [mutant for mutant in MUTANTS if mutant.exercise_id == "9.3"]
MANAGERS = [
    answer
    for name, answer in vars(copy_on_write).items()
    if name in ("CopiesAtFork", "ForgetsToShare", "CopiesAFullBlock", "FailsHalfway")
]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def percents(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"([\d.]+)%", line)]


def row(printed: str, name: str) -> str:
    (line,) = [line for line in printed.splitlines() if line.startswith(name)]
    return line


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_waste_of_the_papers_workloads_is_in_its_band(ours: Run):
    printed = ours.printed["l09-waste"]
    sharegpt = percents(row(printed, "ShareGPT-like"))
    alpaca = percents(row(printed, "Alpaca-like"))

    assert 1.6 < sharegpt[2] < 2.0
    assert 8 < alpaca[2] < 10.5
    assert sharegpt == sorted(sharegpt)
    simulated, formula = percents(ours.printed["l09-simulated"])
    assert simulated == pytest.approx(formula, rel=0.02)


def test_the_four_quantities_come_out(ours: Run):
    printed = ours.printed["l09-four-run"]

    assert row(printed, "        16").split() == ["16", "52", "8", "2,048", "32"]
    assert row(printed, "         1").split() == ["1", "800", "0", "0", "2"]


def test_a_branch_copies_twice_the_mean_tail_and_the_table_is_small(ours: Run):
    line = row(ours.printed["l09-copy-run"], "        16").split()
    copied, tail, table = (float(number) for number in line[1:])

    assert copied == pytest.approx(2 * tail, rel=0.1)
    assert table < 100
    copies = [copy for frame in ours.names["film"] for copy in frame.event.copies]
    assert copies == []


def test_decisions_are_a_little_more_than_1000_over_the_block_size(ours: Run):
    line = row(ours.printed["l09-decisions-run"], "ShareGPT-like  ")
    decisions = [float(number) for number in line.split()[1:6]]

    assert decisions[0] == 1000
    for found, size in zip(decisions[1:], (4, 16, 64, 256), strict=True):
        assert 1000 / size < found < 1.4 * 1000 / size


def test_in_bytes_alone_one_slot_wins_everywhere(ours: Run):
    lines = ours.printed["l09-bytes-run"].splitlines()

    assert len(lines) == 3
    assert all(" best 1: " in line for line in lines)


def test_the_price_is_a_quarter_and_16_and_32_break_even_at_1024(ours: Run):
    assert "reading 0.25 tokens" in ours.printed["l09-price-fit"]
    assert ours.names["answer"] == 1024
    table = ours.printed["l09-break-even-run"]
    assert "block_size  16 is better than  32 up to     1,024 tokens" in table


def test_the_best_size_depends_on_the_workload(ours: Run):
    best = {
        name: min(costs, key=lambda cost: cost.total).block_size
        for name, costs in ours.names["swept"].items()
    }

    assert best == {"ShareGPT-like": 16, "Alpaca-like": 8, "long prompts": 64}
    assert all(percents(x)[0] < 10 for x in ours.printed["l09-choice"].splitlines())


def test_the_sayings_are_set_beside_the_break_even(ours: Run):
    printed = ours.printed["l09-sayings-run"]

    assert "a few tens of tokens: for sequences of 800 to 7,200 tokens" in printed
    assert "low hundreds: for sequences of 20,000 to 180,000 tokens" in printed
    assert best_size(800, Prices()) == pytest.approx(20)
    assert best_size(180_000, Prices()) == pytest.approx(300)


def test_a_trace_of_the_learner_is_swept_too():
    path = public_trace("AzureLLMInferenceTrace_code.csv")
    run = LESSON.run({"trace_file": str(path), "num_requests": 50})

    assert "your trace" in run.printed["l09-waste"]
    assert run.names["title"].startswith("your trace")
    assert held(run.names["loads"]["your trace"], 16).num_steps > 50


@pytest.mark.parametrize("mutant", CHOICES, ids=lambda m: m.answer.__name__)
def test_a_wrong_choice_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"choose": mutant.answer, "num_requests": 50})


@pytest.mark.parametrize("manager", MANAGERS, ids=lambda answer: answer.__name__)
def test_a_wrong_manager_leads_to_the_end_or_to_an_error_of_ours(manager: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Manager": manager, "num_requests": 50})


def test_other_assumptions_run_too():
    LESSON.run({"empty_slot": 0.25, "branches": 0.1, "num_requests": 50})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    for topic in (CostsTopic(), EvenTopic(), ChoiceTopic()):
        assert topic.reread.removeprefix('lesson 09, "').rstrip('"') in LESSON.headings


def test_the_line_that_check_offers_stands_in_the_lesson():
    assert EXERCISES["9.3"].use
    assert EXERCISES["9.3"].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["09"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
