from collections.abc import Callable
from functools import cache

import pytest

from pagedkv_edu.checks.block_pool import (
    HINTS,
    WastedTopic,
    check_block_pool,
    check_growing_manager,
    check_wasted_slots,
)
from pagedkv_edu.checks.hints import block_pool as hints
from pagedkv_edu.checks.judging.topics import Advice
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.report import Report
from tests.checking import (
    assert_complete,
    assert_rejected,
    assert_test_tells_them_apart,
    headings,
)
from tests.mutants.block_pool import MUTANTS, VARIANTS, Mutant, StackPool

CHECKS: dict[str, Callable[..., Report]] = {
    "4.1": check_block_pool,
    "4.2": check_growing_manager,
    "4.3": check_wasted_slots,
}
RIGHT = [
    *((id_, answer) for id_, answers in VARIANTS.items() for answer in answers),
    ("4.1", BlockPool),
    ("4.2", BlockManager),
]


@cache
def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


by_name = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried >= 200


@pytest.mark.parametrize("seed", [0, 1, 2])
@by_name
def test_a_wrong_answer_is_rejected_by_its_shortest_history(mutant: Mutant, seed: int):
    assert_rejected(mutant, report_on(mutant, seed))


@by_name
def test_a_message_is_complete(mutant: Mutant):
    assert_complete(report_on(mutant))


@by_name
def test_the_pasted_test_fails_on_the_wrong_answer_only(mutant: Mutant):
    report = report_on(mutant)

    if " reads " in report.title:  # what attention reads is not in any table
        assert report.as_test == ""
        return
    right = VARIANTS[mutant.exercise_id][0]
    assert_test_tells_them_apart(report, mutant.answer, right)


def test_no_two_wrong_answers_get_the_same_message():
    texts = [report_on(mutant).text() for mutant in MUTANTS]

    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("exercise_id", "least"), [("4.1", 5), ("4.2", 5), ("4.3", 3)])
def test_every_exercise_has_enough_mutants_and_two_variants(
    exercise_id: str, least: int
):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= least
    assert len(VARIANTS[exercise_id]) >= 2


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_hints_have_three_layers_and_every_mutant_finds_one(exercise_id: str):
    titles = {hint.title for hint in HINTS[exercise_id]}

    assert all(len(hint.layers) == 3 for hint in HINTS[exercise_id])
    assert {m.hint for m in MUTANTS if m.exercise_id == exercise_id} <= titles


def test_every_heading_to_reread_is_in_the_lesson():
    advice = (*hints.POOL_ADVICE.values(), *hints.GROWING_ADVICE.values())
    named = {one.reread for one in advice} | {WastedTopic().reread}

    assert named <= headings("4.1")


@pytest.mark.parametrize(
    ("exercise_id", "advice"),
    [("4.1", hints.POOL_ADVICE), ("4.2", hints.GROWING_ADVICE)],
)
def test_every_hint_that_a_message_can_name_is_there(
    exercise_id: str, advice: dict[str, Advice]
):
    named = {one.hint for one in advice.values()}

    assert named <= {hint.title for hint in HINTS[exercise_id]}


def test_a_pool_that_hands_out_a_block_twice_is_run_on_until_it_shows():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "FreesTwice")

    report = check_block_pool(mutant.answer)

    assert report.go_on == (
        "b = allocate(), then c = allocate(): block 3 is handed out while it is in "
        "use. Two sequences would write into the same slots."
    )
    assert report.calls[3:] == ("b = allocate()", "c = allocate()")


def test_a_method_in_place_of_a_property_is_told_where_the_line_goes():
    def num_free(self: StackPool) -> int:
        return 4

    report = check_block_pool(type("Method", (StackPool,), {"num_free": num_free}))

    assert "num_free is a method, not a property" in report.title
    assert report.found == (
        'a method. Write "@property" on the line above "def num_free".'
    )
    assert report.expected == "num_free as a property: a number, read without ()."


def test_wasted_slots_with_other_parameters_is_told_its_signature():
    def my_wasted_slots(seq_lens: list[int]) -> int:
        return 0

    report = check_wasted_slots(my_wasted_slots)

    assert report.expected.startswith("my_wasted_slots(seq_lens, block_size):")


def test_the_line_nearby_names_the_length_at_which_a_block_is_taken():
    nearby = {
        mutant.answer.__name__: report_on(mutant).nearby
        for mutant in MUTANTS
        if mutant.exercise_id == "4.2"
    }

    begun = 'begun with add("A", n), the same calls pass for n = '
    assert nearby["TakesEarly"] == f"{begun}1, 2, 4 and fail for n = 3."
    assert nearby["TakesLate"] == f"{begun}1, 2, 3 and fail for n = 4."
    assert nearby["AddsHalfway"] == f"{begun}1 to 4 and fail for n = 5 to 8."
