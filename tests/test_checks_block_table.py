import json
from collections.abc import Callable
from time import process_time

import pytest

from pagedkv_edu.checks.block_table import (
    HINTS,
    check_locate,
    check_slot,
    check_slot_mapping,
    check_table_entries,
)
from pagedkv_edu.checks.questions.positions import SlotTopic
from pagedkv_edu.checks.questions.slot_mappings import MappingTopic
from pagedkv_edu.replay import WordMemory
from pagedkv_edu.report import Report
from tests.mutants.block_table import MUTANTS, VARIANTS, Mutant

CHECKS: dict[str, Callable[..., Report]] = {
    "3.1": check_locate,
    "3.2": check_slot,
    "3.3": check_slot_mapping,
    "3.4": check_table_entries,
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
def test_a_message_has_one_call_a_reason_and_a_heading_to_reread(mutant: Mutant):
    report = report_on(mutant)

    assert len(report.calls) == 1
    assert report.calls[0] in report.title
    assert report.expected.startswith(f"{report.expected_value}: ")
    assert report.found.endswith((".", "?"))
    assert report.reread.startswith('lesson 03, "')
    assert json.loads(json.dumps(report.to_json())) == report.to_json() | {
        "calls": list(report.calls),
        "hints": [{"title": h.title, "layers": list(h.layers)} for h in report.hints],
    }


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_exercise_has_enough_mutants_and_two_variants(exercise_id: str):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= 3
    assert len(VARIANTS[exercise_id]) >= 2


def test_nearby_tells_causes_apart_that_share_a_hint():
    nearby = {
        mutant.answer.__name__: report_on(mutant).nearby
        for mutant in MUTANTS
        if mutant.exercise_id == "3.2"
    }

    assert nearby["counts_on_from_the_first_block"].endswith(
        "passes for n = 0 to 7 and fails for n = 8 to 11."
    )
    assert nearby["adds_the_whole_position"].endswith(
        "passes for n = 0 to 3 and fails for n = 4 to 11."
    )
    assert nearby["never_asks_the_table"].endswith("fails for every n from 0 to 11.")


def test_the_nearby_line_of_one_range_ends_at_the_block_boundary():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "maps_one_range")

    report = report_on(mutant)

    assert report.nearby == (
        "my_slot_mapping([2, 3, 0], 4, 7, n) passes for n = 7, 8 "
        "and fails for n = 9 to 12."
    )


def test_the_reason_of_a_mapping_names_a_range_for_each_block():
    right = MappingTopic().right(([2, 3, 0], 4, 6, 11))

    assert right.value == [14, 15, 0, 1, 2]
    assert right.reason == (
        "positions 6 to 7 are in block 3 (slots 14 to 15) "
        "and positions 8 to 10 are in block 0 (slots 0 to 2)."
    )


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


def test_an_endless_loop_is_stopped():
    def endless(position: int, block_size: int) -> tuple[int, int]:
        while True:
            position += 1

    report = check_locate(endless)

    assert "did not return within 2 s" in report.title


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


def test_the_slots_of_the_check_are_where_a_memory_keeps_its_words():
    memory = WordMemory(block_size=4)
    for position in range(12):
        slot = SlotTopic().right(([2, 3, 0], 4, position)).value
        assert isinstance(slot, int)
        memory.write(slot, f"w{position}")

    assert memory.block(2) == "w0 w1 w2 w3"
    assert memory.block(3) == "w4 w5 w6 w7"
    assert memory.block(0) == "w8 w9 w10 w11"


def test_a_changed_argument_is_compared_with_what_it_was():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "eats_the_table")

    report = report_on(mutant)

    assert (report.compared, report.found_value) == ("block_ids", "[]")
    assert report.expected_value == "[2, 3, 0]"
    assert report.found == "block_ids is [] after the call."
    assert report.as_test == (
        "def test_my_slot_mapping() -> None:\n"
        "    block_ids = [2, 3, 0]\n"
        "    my_slot_mapping(block_ids, 4, 0, 1)\n"
        "    assert block_ids == [2, 3, 0]\n"
    )
