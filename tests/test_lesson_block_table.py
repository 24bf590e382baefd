"""Lesson 03 as a learner runs it: on our functions, and on wrong ones of their own."""

import contextlib
import io
from pathlib import Path
from typing import Any

import nbformat
import pytest

from pagedkv_edu.checks.block_table import (
    EntriesTopic,
    LocateTopic,
    MappingTopic,
    SlotTopic,
)
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.viz.addresses import guarded
from tests.mutants.block_table import MUTANTS, Mutant

LESSON = Path(__file__).parents[1] / "notebooks" / "03_block_table.ipynb"
# the cell after which a learner puts their own function in, as its comment says
PLUGGED_AFTER = {
    "3.1": ("l03-slot-code", "locate"),
    "3.2": ("l03-slot-code", "slot"),
    "3.3": ("l03-fix-code", "slot_mapping"),
}
PLUGGED = [mutant for mutant in MUTANTS if mutant.exercise_id in PLUGGED_AFTER]


def cells(kind: str) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(LESSON, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == kind]


class Learner:
    """Runs the lesson's cells in order, in one namespace."""

    def __init__(self, mutant: Mutant | None = None) -> None:
        self.names: dict[str, Any] = {}
        self.printed: dict[str, str] = {}
        for cell in cells("code"):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(cell.source, cell.id, "exec"), self.names)
            self.printed[cell.id] = out.getvalue()
            if mutant and PLUGGED_AFTER[mutant.exercise_id][0] == cell.id:
                name = PLUGGED_AFTER[mutant.exercise_id][1]
                self.names[name] = guarded(mutant.answer)


def test_the_lesson_runs_from_top_to_bottom_and_its_numbers_come_out():
    lesson = Learner()

    assert lesson.names["lost"] == 3
    assert "4,096          16      256" in lesson.printed["l03-cost-run"]
    assert "4,096         256       16" in lesson.printed["l03-cost-run"]
    assert "100,000          16    6,250" in lesson.printed["l03-cost-run"]


def test_one_range_damages_two_sequences_and_the_table_mends_both():
    lesson = Learner()
    whole_a = " ".join(lesson.names["words"]["A"] + lesson.names["more"])
    whole_b = " ".join(lesson.names["words"]["B"])

    assert lesson.printed["l03-fresh"] == f"{whole_a}\n"
    assert whole_a not in lesson.printed["l03-broken"]
    assert whole_b not in lesson.printed["l03-broken"]
    assert lesson.printed["l03-fixed"] == f"A reads: {whole_a}\nB reads: {whole_b}\n"


def test_the_first_unused_entry_is_a_block_of_somebody_else():
    lesson = Learner()
    row, num_used = lesson.names["row"], lesson.names["num_used"]

    assert row[num_used] in lesson.names["manager"].table("F").block_ids
    assert row[num_used] not in lesson.names["manager"].table("E").block_ids


@pytest.mark.parametrize("mutant", PLUGGED, ids=lambda m: m.answer.__name__)
def test_a_wrong_function_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    with contextlib.suppress(PagedKVError):
        Learner(mutant)


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    headings = {
        line.lstrip("# ")
        for cell in cells("markdown")
        for line in cell.source.splitlines()
        if line.startswith("## ")
    }

    for topic in (LocateTopic(), SlotTopic(), MappingTopic(), EntriesTopic()):
        assert topic.reread.removeprefix('lesson 03, "').rstrip('"') in headings


def test_the_lines_that_check_offers_stand_in_the_lesson():
    from pagedkv_edu.course.exercises import EXERCISES

    sources = "\n".join(cell.source for cell in cells("code"))

    for exercise_id in PLUGGED_AFTER:
        assert EXERCISES[exercise_id].use in sources


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    text = "\n".join(cell.source for cell in cells("markdown"))

    for question, letter in KEY["03"].items():
        assert f"**{question.upper()}: {letter}.**" in text
        assert f"**{question.upper()}.**" in text


def test_cells_are_short_and_have_no_output():
    for cell in cells("code"):
        assert len(cell.source.splitlines()) <= 12, cell.id
        assert cell.outputs == [], cell.id
        assert cell.execution_count is None, cell.id
