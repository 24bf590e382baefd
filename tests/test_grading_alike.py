"""The same answer gets the same report in a notebook and in a process of its own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagedkv_edu.course.answers import answer_cells, run_cells
from pagedkv_edu.course.exercises import EXERCISES, report_on
from pagedkv_edu.grading.isolate import Packages, grade
from pagedkv_edu.grading.notebook import read_notebook
from tests.submissions import answer_cell, as_bytes, right, with_answers

# what stands in the published answer, and what a learner might have written
WRONG = (
    ("1.1", "return ", "return 2 * "),
    ("2.1", "raise OutOfSlots(", "raise ValueError("),
    ("3.3", "range(start, stop)", "range(start, stop + 1)"),
    ("4.1", "self._free.append(block_id)", "pass"),
    ("4.1", "@property", ""),
    ("4.1", "return len(self._free)", "return float(len(self._free))"),
    ("4.2", "block_ids=list(table.block_ids)", "block_ids=table.block_ids"),
    ("4.2", "del self._table_by_seq[seq_id]", "self._table_by_seq.popitem"),
    ("5.1", "self._ref_counts[block_id] -= 1", "self._ref_counts[block_id] = 0"),
    ("5.3", "self.pool.free(source)", "pass"),
    ("5.3", "block_ids=list(parent.block_ids)", "block_ids=parent.block_ids"),
    ("5.3", "self.pool.share(block_id)", "self.pool.shares(block_id)"),
    ("5.4", "copies += manager.append(beam)", "manager.append(beam)"),
    ("10.4", "return ", "return 1 and "),
    ("11.1", "hash_block(", "hash_block(0 * "),
    ("11.3", "return ", "return 0 or "),
)


@pytest.fixture(scope="module")
def packages() -> Iterator[Packages]:
    with Packages() as made:
        yield made


@pytest.mark.parametrize(("exercise_id", "old", "new"), WRONG)
def test_an_answer_has_the_same_report_in_both_places(
    exercise_id: str, old: str, new: str, packages: Packages, tmp_path: Path
) -> None:
    exercise = EXERCISES[exercise_id]
    source = "".join(answer_cell(right(exercise.notebook), exercise_id)["source"])
    assert old in source
    wrong = with_answers(exercise.notebook, {exercise_id: source.replace(old, new)})
    path = tmp_path / f"{exercise.notebook}.ipynb"
    path.write_text(json.dumps(wrong))

    module, _ = run_cells(answer_cells(path), "handed_in")
    here = report_on(exercise, getattr(module, exercise.answer))
    submission = read_notebook(as_bytes(wrong))
    there = grade(submission, packages, only=exercise_id).questions[0].report

    assert there == here
