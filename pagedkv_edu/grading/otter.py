"""A plugin for Otter-Grader: it grades in isolation, and Otter only counts.

Otter runs a submission and its tests in one process, without a limit of time. So this
plugin gives Otter another notebook to run: none of the learner's code is left in it,
only the verdicts that the isolated runner has reached. Afterwards it sets every score
once more. Otter finds the class by name, so nothing of Otter is imported here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import nbformat

from pagedkv_edu.grading.isolate import Grades, Packages, Question, grade
from pagedkv_edu.grading.notebook import (
    NotAnExercise,
    questions_of,
    read_notebook,
)
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.report import Report

VERDICTS = "pagedkv_verdicts"  # by question: "" if passed, else the report
PLUGIN = "pagedkv_edu.grading.otter.IsolatedGrading"

# A test file of one question, in Otter's exception-based format.
TEST_FILE = """OK_FORMAT = False

from otter.test_files import test_case

name = {exercise_id!r}
points = {points}


@test_case(points={points}, hidden=False)
def test_question({verdicts}):
    report = ({verdicts} or {{}}).get({exercise_id!r}, "not graded in isolation")
    assert not report, report
"""


class Results(Protocol):
    """What Otter hands over after it has run all tests."""

    @property
    def test_files(self) -> list[str]:
        """Return the names of the tests."""
        ...

    def update_score(self, test_name: str, new_score: float) -> None:
        """Set the score of a test."""
        ...

    def set_output(self, output: str) -> None:
        """Set the text that stands above all tests."""
        ...


class IsolatedGrading:
    """The plugin; Otter makes one for each submission."""

    def __init__(
        self,
        submission_path: str | None,
        submission_metadata: Mapping[str, Any],
        plugin_config: Mapping[str, Any],
    ) -> None:
        self._path = Path(submission_path) if submission_path else None
        self._exercise = str(plugin_config.get("exercise", ""))
        self._allowance = Allowance(
            seconds=float(plugin_config.get("timeout", 120)),
            memory_mib=int(plugin_config.get("memory", 2048)),
        )
        self._grades = Grades(self._exercise, ())

    def before_execution(
        self, submission: nbformat.NotebookNode
    ) -> nbformat.NotebookNode:
        """Grade the file, and return a notebook that holds the verdicts alone."""
        self._grades = self._graded()
        reports = {
            question.exercise.id: ""
            if question.report.passed
            else question.report.text()
            for question in self._grades.questions
        }
        cell = nbformat.v4.new_code_cell(f"{VERDICTS} = {reports!r}")
        cell["id"] = "verdicts"
        metadata = submission.metadata
        return nbformat.v4.new_notebook(cells=[cell], metadata=metadata)

    def after_grading(self, results: Results) -> None:
        """Set every score to what the isolated runner has found."""
        points = {q.exercise.id: q.points for q in self._grades.questions}
        for name in results.test_files:
            results.update_score(name, points.get(name, 0))
        results.set_output(self.generate_report())

    def generate_report(self) -> str:
        """Return the report that Otter prints below its own."""
        grades = self._grades
        lines = [f"{grades.points} of {grades.most_points} points"]
        lines += [f"{cell} failed: {text}" for cell, text in grades.cells]
        missing = [wall for wall, stands in grades.walls.items() if not stands]
        if missing:
            lines.append(f"walls that do not stand here: {', '.join(sorted(missing))}")
        return "\n".join(lines)

    def _graded(self) -> Grades:
        assert self._path, "Otter names the submission that it grades"
        try:
            submission = read_notebook(self._path.read_bytes(), self._path.name)
            if submission.exercise != self._exercise:
                raise NotAnExercise(
                    f"this is exercise {submission.exercise}, not {self._exercise}"
                )
        except NotAnExercise as reason:
            return Grades(self._exercise, _nothing(self._exercise, str(reason)))
        with Packages() as packages:
            return grade(submission, packages, self._allowance)


def _nothing(notebook: str, reason: str) -> tuple[Question, ...]:
    return tuple(
        Question(e, Report(e.id, "failed", reason, expected="", found=f"{reason}."))
        for e in questions_of(notebook)
    )


def test_file(exercise_id: str, points: int) -> str:
    """Return the text of a test file."""
    return TEST_FILE.format(exercise_id=exercise_id, points=points, verdicts=VERDICTS)
