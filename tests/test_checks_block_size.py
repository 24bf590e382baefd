import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from pagedkv_edu.checks.block_size import (
    HINTS,
    CostsTopic,
    check_block_costs,
    check_break_even,
    check_choice,
)
from pagedkv_edu.checks.questions.block_size_choice import (
    MOST_OVER,
    best_cost,
    load_named,
)
from pagedkv_edu.report import Report
from pagedkv_edu.serving.break_even import choose_size
from tests.mutants.block_size import MUTANTS, VARIANTS, Mutant, counts_bytes

CHECKS: dict[str, Callable[..., Report]] = {
    "9.1": check_block_costs,
    "9.2": check_break_even,
    "9.3": check_choice,
}
NAMES = {"9.1": "my_block_costs", "9.2": "my_break_even", "9.3": "my_choice"}
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


@pytest.mark.parametrize("seed", range(8))
def test_the_course_s_own_choice_passes(seed: int):
    report = check_choice(choose_size, seed=seed)

    assert report.passed, report.text()


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
    assert report.found.endswith((".", "?"))
    assert report.reread.startswith('lesson 09, "')
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)
def test_the_pasted_test_tells_wrong_from_right(mutant: Mutant):
    report = report_on(mutant)
    name = NAMES[mutant.exercise_id]
    right = VARIANTS[mutant.exercise_id][0]

    run_pasted(report, name, right)
    with pytest.raises(Exception):  # noqa: B017, PT011  (each fails in its own way)
        run_pasted(report, name, mutant.answer)


def run_pasted(report: Report, name: str, answer: Callable[..., object]) -> None:
    names: dict[str, Any] = {name: answer}
    exec(compile(report.as_test, "<pasted>", "exec"), names)
    names[f"test_{name}"]()


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_exercise_has_enough_mutants_and_two_variants(exercise_id: str):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= 3
    assert len(VARIANTS[exercise_id]) >= 2


def test_the_reason_has_all_four_numbers():
    right = CostsTopic().right((9, 4, 64, 8))

    assert right.value == (12, 3, 256, 32)
    assert right.reason == (
        "9 tokens in 3 blocks: 4 × 3 bytes; 3 × 4 - 9 slots are empty; "
        "a branch copies 4 × 64 bytes; and 4 rows of 8 bytes lie together."
    )


def test_nearby_names_the_workloads_that_pass():
    always_16 = next(m for m in MUTANTS if m.answer.__name__ == "always_takes_16")

    assert report_on(always_16).nearby == (
        "my_choice passes for chat and fails for commands, documents and beam search."
    )
    assert check_choice(counts_bytes).nearby == (
        "my_choice fails for chat, commands, documents and beam search."
    )


@pytest.mark.parametrize("name", ["chat", "commands", "documents", "beam search"])
def test_neighbours_of_the_best_size_are_told_apart_where_they_cost_more(name: str):
    load = load_named(name)
    best = best_cost(load)
    right = [
        size
        for size in (1, 2, 4, 8, 16, 32, 64, 128, 256)
        if load.cost(size).total <= (1 + MOST_OVER) * best.total
    ]

    assert best.block_size in right
    assert len(right) <= 2


def test_the_named_workloads_do_not_have_one_answer():
    sizes = {best_cost(load_named(n)).block_size for n in ("chat", "commands")}
    sizes |= {best_cost(load_named(n)).block_size for n in ("documents", "beam search")}

    assert len(sizes) >= 3


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for(exercise_id: str):
    def stub(*arguments: object) -> object:
        raise NotImplementedError("your turn: ...")

    report = CHECKS[exercise_id](stub)

    assert report.status == "waiting"
    assert "is not written yet" in report.title
    assert report.hints[0].title == "I do not know where to begin"


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_something_that_is_no_function_is_said_to_be_none(exercise_id: str):
    report = CHECKS[exercise_id](17)

    assert report.status == "failed"
    assert "not a function" in report.title


def test_an_error_and_an_endless_loop_are_told():
    def fails(mean_len: float, branches: float, price: float) -> int:
        return int(1 / branches)

    def endless(mean_len: float, branches: float, price: float) -> int:
        while True:
            branches += 1

    assert "raised ZeroDivisionError" in check_choice(fails).title
    assert "did not return within 2 s" in check_choice(endless).title


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
