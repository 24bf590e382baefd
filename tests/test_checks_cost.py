import json
from collections.abc import Callable
from time import process_time

import pytest

from pagedkv_edu.checks.cost import (
    HINTS,
    check_bytes_per_token,
    check_num_promises,
    check_num_that_fit,
)
from pagedkv_edu.report import Report
from tests.checking import assert_test_tells_them_apart
from tests.mutants.cost import MUTANTS, VARIANTS, Mutant

CHECKS: dict[str, Callable[..., Report]] = {
    "1.1": check_bytes_per_token,
    "1.2": check_num_promises,
    "1.3": check_num_that_fit,
}
RIGHT = [(id_, answer) for id_, answers in VARIANTS.items() for answer in answers]


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
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_wrong_answer_is_rejected_with_its_own_call_and_hint(
    mutant: Mutant, seed: int
):
    report = report_on(mutant, seed)

    assert report.status == "failed"
    assert report.title.startswith(mutant.title)
    assert report.hints[0].title == mutant.hint


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_message_has_one_call_a_reason_and_a_heading_to_reread(mutant: Mutant):
    report = report_on(mutant)

    assert len(report.calls) == 1
    assert report.calls[0] in report.title
    assert report.expected.startswith(f"{report.expected_value}: ")
    assert report.expected.endswith(".")
    assert report.found
    assert report.reread.startswith('lesson 01, "')
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_the_pasted_test_tells_wrong_from_right(mutant: Mutant):
    right = VARIANTS[mutant.exercise_id][0]

    assert_test_tells_them_apart(report_on(mutant), mutant.answer, right)


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_exercise_has_enough_mutants_and_two_variants(exercise_id: str):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= 3
    assert len(VARIANTS[exercise_id]) >= 2


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for(exercise_id: str):
    def stub(*arguments: object) -> object:
        raise NotImplementedError("your turn: ...")

    report = CHECKS[exercise_id](stub)

    assert report.status == "waiting"
    assert report.hints[0].title == "I do not know where to begin"


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
