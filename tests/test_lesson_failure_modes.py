"""Lesson 12 as a learner runs it: four laboratories, and checks that judge."""

import contextlib

import pytest

from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants.copy_on_write import MUTANTS, VARIANTS

LESSON = Lesson("12_failure_modes")
MANAGERS = [mutant.answer for mutant in MUTANTS if mutant.exercise_id == "5.3"]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_an_outgrown_row_damages_the_neighbour_and_a_late_check_leaves_a_token(
    ours: Run,
):
    assert ours.names["damaged"] == ["B"]
    assert ours.printed["l12-overflow-late-run"].splitlines() == [
        "grow_checked leaves A with 4 tokens",
        "grow_too_late leaves A with 5 tokens",
    ]


def test_a_width_that_is_rounded_down_or_forgets_drafts_is_too_narrow(ours: Run):
    rows = ours.printed["l12-overflow-width"].splitlines()[1:]
    widths = [[int(n.replace(",", "")) for n in row.split()[2:]] for row in rows]

    assert widths == [[256, 256, 257], [256, 257, 257], [512, 512, 513], [1, 2, 2]]


def test_a_step_that_fails_half_way_loses_a_block_or_a_slot(ours: Run):
    assert ours.names["lost"] == 1
    assert ours.printed["l12-half-length"] == "seq_len 8, room for 6\n"


def test_the_scheduler_plans_a_victim_before_it_gives_out_tokens(ours: Run):
    last = ours.printed["l12-half-plan"].splitlines()[-1]

    assert last == "tokens {'A': 1}, preempted ('B',), 1 free"


def test_the_wrong_length_is_right_for_full_blocks_only(ours: Run):
    right, wrong = ours.names["right"], ours.names["wrong"]

    assert [n for n in right if right[n] == wrong[n]] == [4, 8, 12]
    assert "violets is four four" in ours.printed["l12-length-words"]


def test_what_is_read_beyond_the_length_has_weight_and_changes_the_result(ours: Run):
    rows = ours.printed["l12-length-table"].splitlines()[1:]
    for row in rows:
        length, beyond, _, old, zeros, unwritten = row.split()
        if beyond == "0":
            assert length in ("8", "12")
            assert (old, zeros, unwritten) == ("0%", "0%", "0%")
        else:
            assert float(old.rstrip("%")) >= 15
            assert float(zeros.rstrip("%")) >= 5
            assert unwritten == "NaN"


def test_a_tail_by_remainder_misses_a_whole_block_and_only_there(ours: Run):
    row = ours.printed["l12-length-ways"].splitlines()[-1]

    assert row.removeprefix("full blocks before + n % P").split() == (
        [*"...", "-4"] * 2
    )


def test_one_of_six_orders_is_wrong_for_the_pair_and_five_for_the_chain(ours: Run):
    assert ours.names["pairs"] == [(1, 2), (0, 1)]
    assert ours.names["num_wrong"] == 1
    pair, chain = ours.printed["l12-race-table"].splitlines()[1:]
    assert pair.split()[-2:] == ["right", "5"]
    assert chain.split()[-2:] == ["wrong", "1"]


def test_a_target_that_nobody_uses_costs_a_block_and_makes_every_order_right(
    ours: Run,
):
    small, large = ours.printed["l12-race-hold"].splitlines()

    assert small.startswith("3 blocks: need 1 block, 0 free")
    assert large.endswith("right in 6 of 6 orders")


def test_the_check_of_the_lesson_catches_both_mistakes_and_accuses_nobody_else(
    ours: Run,
):
    rows = [
        line.split(maxsplit=1) for line in ours.printed["l12-hunt-run"].splitlines()
    ]
    assert rows == [
        ["take_and_extend", "3 blocks are lost"],
        ["length_first", "a refused append left 18 tokens"],
        ["count_first", "None"],
    ]
    ours_pool, other_pool = ours.printed["l12-hunt-unfair-run"].splitlines()
    assert ours_pool.endswith("blocks in order: None; nothing lost: None")
    assert other_pool.endswith("blocks in order: not in order; nothing lost: None")


@pytest.mark.parametrize(
    "numbers",
    [
        {"block_size": 3, "max_len": 7},
        {"max_len": 8},
        {"heat_block_size": 3},
        {"heat_block_size": 8},
        {"heat_block_size": 1},
    ],
)
def test_other_numbers_lead_to_the_end(numbers: dict[str, object]):
    LESSON.run(numbers)


@pytest.mark.parametrize("answer", MANAGERS, ids=lambda answer: answer.__name__)
def test_a_wrong_manager_leads_to_the_end_or_to_an_error_of_ours(answer: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Manager": answer})


@pytest.mark.parametrize("answer", VARIANTS["5.3"], ids=lambda answer: answer.__name__)
def test_a_right_manager_gives_the_same_lesson(answer: object, ours: Run):
    run = LESSON.run({"Manager": answer})

    assert run.names["damaged"] == ["B"]
    assert run.names["num_wrong"] == 1
    assert run.names["right"] == ours.names["right"]


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["12"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
