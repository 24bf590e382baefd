import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from pagedkv_edu.checks.serve import (
    HINTS,
    SCENES,
    check_rows,
    check_step,
    complaint_about,
)
from pagedkv_edu.report import Report
from pagedkv_edu.serving.stepping import step
from tests.checking import assert_test_tells_them_apart
from tests.mutants.serve import MUTANTS, VARIANTS, Mutant, forgets_the_copies

CHECKS: dict[str, Callable[..., Report]] = {"13.1": check_rows, "13.2": check_step}
RIGHT = [(id_, answer) for id_, answers in VARIANTS.items() for answer in answers]


def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried


def test_the_course_s_own_step_passes():
    assert check_step(step).passed


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_wrong_answer_is_rejected_with_its_own_title_and_hint(
    mutant: Mutant, seed: int
):
    report = report_on(mutant, seed)

    assert report.status == "failed"
    assert mutant.title in report.title
    assert report.hints[0].title == mutant.hint


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_message_is_complete(mutant: Mutant):
    report = report_on(mutant)

    assert report.calls
    assert ("tokens a step" in report.setting) == (mutant.exercise_id == "13.2")
    assert report.wrong_call == len(report.calls) - 1
    assert report.expected.endswith(".")
    assert report.found.endswith((".", "?"))
    assert report.found_value != report.expected_value
    assert report.num_passed < report.num_tried
    assert report.reread.startswith('lesson 13, "')
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_the_pasted_test_tells_wrong_from_right(mutant: Mutant):
    right = VARIANTS[mutant.exercise_id][0]

    assert_test_tells_them_apart(report_on(mutant), mutant.answer, right)


def test_mutants_of_one_exercise_have_titles_of_their_own():
    titles = [(m.exercise_id, m.title) for m in MUTANTS]
    same = {title for title in titles if titles.count(title) > 1}

    # to finish nobody in time looks alike, whether the question comes early or never
    assert len(same) <= 1


@pytest.mark.parametrize(("exercise_id", "least"), [("13.1", 3), ("13.2", 5)])
def test_every_exercise_has_enough_mutants(exercise_id: str, least: int):
    assert sum(m.exercise_id == exercise_id for m in MUTANTS) >= least


def test_a_copy_is_missed_only_where_one_is_made():
    complaints = [complaint_about(forgets_the_copies, scene) for scene in SCENES]

    assert [bool(text) for text in complaints] == [
        s.num_host_blocks > 0 for s in SCENES
    ]


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for(exercise_id: str):
    def stub(a: Any, b: Any, c: Any, d: Any, e: Any) -> object:
        raise NotImplementedError("your turn: ...")

    report = CHECKS[exercise_id](stub)

    assert report.status == "waiting"
    assert report.hints[0].title == "I do not know where to begin"


def test_other_parameters_and_no_function_are_said_to_be_so():
    assert "cannot be called with 5 arguments" in check_step(lambda: None).title
    assert "not a function" in check_step(17).title


def test_an_endless_loop_and_an_error_are_told():
    def endless(a: Any, b: Any, c: Any, d: Any, e: Any) -> object:
        while True:
            pass

    def fails(a: Any, b: Any, c: Any, d: Any, e: Any) -> object:
        return d["Z"]

    assert "did not return within 2 s" in check_step(endless).title
    assert "raised KeyError" in check_step(fails).title


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_right_answer_is_checked_in_under_two_seconds(exercise_id: str):
    start = process_time()
    CHECKS[exercise_id](VARIANTS[exercise_id][0], seed=7)

    assert process_time() - start < 2


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_hint_has_three_layers_and_a_title_of_its_own(exercise_id: str):
    titles = [hint.title for hint in HINTS[exercise_id]]

    assert len(set(titles)) == len(titles)
    assert titles[0] == "I do not know where to begin"
    assert all(len(hint.layers) == 3 for hint in HINTS[exercise_id])
