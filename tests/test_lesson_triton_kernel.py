"""Lesson 07 as a learner runs it: on whatever runs kernels, and without Triton."""

import json
import subprocess
import sys
from pathlib import Path

import pagedkv_kernels  # before triton: it decides whether triton interprets
import pytest

from pagedkv_edu.course.quizzes import KEY
from tests.lesson_cells import Lesson, Run, faults_of_form, headings_sent_to
from tests.mutants.triton_kernels import decode as decode_with

LESSON = Lesson("07_triton_kernel")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


@pytest.fixture(scope="module")
def absent() -> dict[str, str]:
    """Run the lesson where Triton is not installed; return what each cell printed."""
    code = """
import json, sys
sys.modules["triton"] = None  # as if it were not installed
from tests.lesson_cells import Lesson
print(json.dumps(Lesson("07_triton_kernel").run().printed))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []
    assert headings_sent_to("07") <= set(LESSON.headings)
    assert "One head" in headings_sent_to("07")


def test_a_mask_keeps_a_program_inside_its_row(ours: Run):
    masked, unmasked = ours.printed["l07-double-run"].splitlines()

    assert masked.endswith("[0, 0, 0, 0, 0, 0]]")
    assert unmasked.endswith("[2, 2, 0, 0, 0, 0]]")
    assert unmasked.count("2") == 20


def test_rows_are_written_into_their_slots_and_no_other(ours: Run):
    assert ours.printed["l07-write-run"].strip().endswith("[2, 9]")


def errors_by_mask(ours: Run) -> dict[str, tuple[float, int]]:
    rows = [line.split() for line in ours.printed["l07-masks-run"].splitlines()]
    return {row[1]: (float(row[3]), int(row[-1])) for row in rows}


def test_two_of_the_four_masks_change_the_output(ours: Run):
    by_mask = errors_by_mask(ours)
    right = [mask for mask, (error, _) in by_mask.items() if error < 1e-5]

    assert right == ["none", "table", "k"]
    assert by_mask["v"][0] != by_mask["v"][0]
    assert by_mask["score"][0] > 1e-2


def test_only_the_mask_of_the_table_keeps_reads_inside_it(ours: Run):
    outside = {mask: count for mask, (_, count) in errors_by_mask(ours).items()}

    assert outside.pop("table") == 40
    assert set(outside.values()) == {0}


def test_each_rung_saves_what_the_text_says(ours: Run):
    lines = ours.printed["l07-ladder-run"].splitlines()[1:]
    rows = [
        [float(w.replace(",", "")) for w in line[17:].split()[:4]] for line in lines
    ]
    by_block, by_tile, grouped, split = rows

    assert by_tile[1] == by_block[1] / 4
    assert grouped[3] == by_tile[3] / 4
    assert grouped[0] == 8
    assert split[0] == 64
    assert grouped[3] < split[3] < 1.05 * grouped[3]


def test_the_compiler_reports_what_the_text_says(ours: Run):
    lines = ours.printed["l07-compiled-run"].splitlines()[1:]
    rows = [[int(word) for word in line[17:].split()] for line in lines]
    by_block, by_tile, grouped, split = rows

    assert [row[1] for row in rows] == [0] * 4  # nothing is spilled
    assert by_block[2] < by_tile[2] < grouped[2]
    assert by_block[3] == by_tile[3] == by_block[4] == by_tile[4] == 0
    assert min(grouped[3], grouped[4], split[3], split[4]) > 0
    assert by_block[0] < by_tile[0] < grouped[0]


def test_one_number_less_in_a_row_costs_the_wide_loads(ours: Run):
    *wide, narrow = ours.printed["l07-targets-run"].split("head_dim")[1:]

    assert len(wide) == 3
    assert all("16: " in report and " 0 bytes spilled" in report for report in wide)
    assert "16: " not in narrow
    assert "2: " in narrow
    assert " 0 bytes spilled" not in narrow


def test_every_error_from_the_oracle_is_rounding(ours: Run):
    texts = [
        ours.printed["l07-head-check"],
        *ours.printed["l07-split-run"].splitlines(),
        ours.printed["l07-same-run"].splitlines()[1],
    ]

    assert len(texts) == 5
    assert all(float(text.split()[-1]) < 1e-5 for text in texts)


def test_the_check_says_what_ran(ours: Run):
    verdict = ours.printed["l07-same-run"].splitlines()[0]

    assert "passed" in verdict
    assert ("interpreter" in verdict) == pagedkv_kernels.INTERPRETED


def test_a_wrong_decode_kernel_is_told_where_it_goes_wrong():
    run = LESSON.run({"decode": decode_with("no scale")}, after="-same-kernel")
    verdict = run.printed["l07-same-run"].splitlines()[0]

    assert "passed" not in verdict
    assert "sequence" in verdict


def test_without_triton_the_lesson_runs_to_its_end_and_says_how_to_go_on(
    absent: dict[str, str],
):
    assert "nothing here: Triton is missing" in absent["l07-numbers"]
    for cell in (
        *("double-run", "write-run", "head-check", "masks-run"),
        *("compiled-run", "targets-run", "split-run"),
    ):
        assert "Not run here. Triton runs on Linux" in absent[f"l07-{cell}"]
        assert "Read on" in absent[f"l07-{cell}"]


def test_without_triton_all_that_needs_none_is_there(absent: dict[str, str]):
    assert "for tile_start" in absent["l07-head-look"]
    assert "64.0 MiB" in absent["l07-ladder-run"]
    assert "without Triton: largest error" in absent["l07-same-run"]
    assert "passed" not in absent["l07-same-run"]


def test_the_line_that_puts_an_answer_into_the_lesson_is_there():
    assert 'decode = mine("my_decode_kernel")' in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["07"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
