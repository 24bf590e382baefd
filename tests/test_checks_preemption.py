import json
from collections.abc import Callable
from time import process_time

import pytest

from pagedkv_edu.checks.preemption import (
    HINTS,
    check_admission,
    check_cheaper_way,
    check_plan_step,
    check_victim,
)
from pagedkv_edu.checks.questions.plan_steps import PlanTopic
from pagedkv_edu.report import Report
from pagedkv_edu.serving.small import plan_step
from tests.mutants.block_table import Mutant
from tests.mutants.preemption import MUTANTS, VARIANTS

CHECKS: dict[str, Callable[..., Report]] = {
    "10.1": check_victim,
    "10.2": check_admission,
    "10.3": check_cheaper_way,
    "10.4": check_plan_step,
}
RIGHT = [
    *((id_, answer) for id_, answers in VARIANTS.items() for answer in answers),
    ("10.4", plan_step),
]


def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


def named(name: str) -> Mutant:
    return next(m for m in MUTANTS if m.answer.__name__ == name)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried > 100


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_wrong_answer_is_rejected_with_its_own_call_and_hint(
    mutant: Mutant, seed: int
):
    report = report_on(mutant, seed)

    assert report.status == "failed"
    assert mutant.title in report.title
    assert report.hints[0].title == mutant.hint


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_a_message_has_one_call_a_reason_and_what_is_nearby(mutant: Mutant):
    report = report_on(mutant)

    assert len(report.calls) == 1
    assert report.calls[0] in report.title
    assert report.expected.startswith(f"{report.expected_value}: ")
    assert report.expected.endswith(".")
    assert report.found.endswith((".", "?"))
    assert report.nearby
    assert report.reread.startswith('lesson 10, "')
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_exercise_has_enough_mutants_and_two_variants(exercise_id: str):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= (5 if exercise_id == "10.4" else 3)
    assert len(VARIANTS[exercise_id]) >= 2


def test_a_plan_in_which_two_take_from_each_other_is_run_until_it_is_stopped():
    report = report_on(named("takes_from_the_other"))

    assert report.go_on == (
        "Two prompts of 128 tokens in chunks, in a pool of 12 blocks of 16 slots: "
        "after 200 steps and 44 preemptions, neither is done. Ours needs 30 steps for "
        "both."
    )


def test_a_plan_in_which_everybody_waits_is_run_until_it_is_stopped():
    report = report_on(named("lets_them_wait_with_their_blocks"))

    assert "after 200 steps and 0 preemptions, neither is done" in report.go_on


def test_nearby_shows_that_one_missing_block_is_the_cause():
    report = report_on(named("promises_a_block_twice"))

    assert report.nearby == (
        "my_plan_step([4, 4], [1, 1], n, 4) passes for n = 0, 2, 3, 4 "
        "and fails for n = 1."
    )


def test_the_reason_of_a_plan_says_who_needs_what_and_who_gives_it():
    right = PlanTopic().right(([4, 4, 7], [1, 1, 1], 0, 4))

    assert right.value == ([0, 1], [2])
    assert right.reason == (
        "sequences 0, 1 and 2 need 1, 1 and 0 blocks, and 0 blocks are free; "
        "sequence 2 leaves and gives back 2."
    )


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for(exercise_id: str):
    def stub(*arguments: object) -> object:
        raise NotImplementedError("your turn: ...")

    report = CHECKS[exercise_id](stub)

    assert report.status == "waiting"
    assert report.hints[0].title == "I do not know where to begin"


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_nonsense_is_told_and_not_raised(exercise_id: str):
    def nothing(*_: object) -> None:
        return None

    for nonsense in (17, nothing, lambda: 1, "now", object):
        report = CHECKS[exercise_id](nonsense)

        assert report.status == "failed"


def test_an_endless_loop_is_stopped():
    def endless(seq_lens: list[int]) -> int:
        while True:
            seq_lens = seq_lens[:]

    assert "did not return within 2 s" in check_victim(endless).title


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


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_function_with_other_parameters_is_told_before_it_is_called(exercise_id: str):
    def unlike() -> None:
        raise AssertionError("it was called")

    report = CHECKS[exercise_id](unlike)

    assert "cannot be called with " in report.title
    assert report.found == f"{report.title.split()[0]}()."
