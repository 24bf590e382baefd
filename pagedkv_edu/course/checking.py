"""`check("5.3", MyBlockManager)`: run a check, keep the attempt, show the verdict."""

from dataclasses import dataclass

from IPython.display import display

from pagedkv_edu.course.exercises import (
    Exercise,
    exercise_after,
    exercise_with_id,
    report_on,
)
from pagedkv_edu.course.page import Note
from pagedkv_edu.course.progress import record_attempt
from pagedkv_edu.report import Report
from pagedkv_edu.viz.verdict import verdict


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `check` returns: a report, and what to do next.

    A notebook draws it; a test reads `passed`, and `text()` says why.
    """

    exercise: Exercise
    report: Report
    num_tried: int

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.report.passed

    def text(self) -> str:
        """Return the verdict as plain text."""
        return f"{self.report.text()}\n\n{self.next_step()}".rstrip()

    def next_step(self) -> str:
        """Return what the learner can do now: use the answer, or see a solution."""
        if self.report.status == "passed":
            use = self.exercise.use
            put = f"Put it into the lesson: `{use}`. " if use else ""
            return f"{put}{self._next_question()}"
        if self.report.status == "waiting":
            return ""
        times = "attempt" if self.num_tried == 1 else "attempts"
        return (
            f"{self.num_tried} {times} so far. A full solution is in "
            f"{self._solution()}, question {self.exercise.id}."
        )

    def _next_question(self) -> str:
        after = exercise_after(self.exercise)
        if after and after.notebook == self.exercise.notebook:
            return f"Next: {after.id}, {after.title}."
        last = f"That was the last question of exercise {self.exercise.notebook[:2]}."
        if after is None:
            return last
        return f"{last} The next ones belong to lesson {_named(after.notebook)}."

    def _solution(self) -> str:
        return f"solutions/{self.exercise.notebook}.ipynb"

    def __repr__(self) -> str:
        return self.text()

    def _ipython_display_(self) -> None:
        display(verdict(self.report, max(1, self.num_tried)))
        if self.next_step():
            links = {self._solution(): f"../{self._solution()}"}
            display(Note(self.next_step(), links))


def _named(notebook: str) -> str:
    """Return "09, block size" for "09_block_size"."""
    number, _, topic = notebook.partition("_")
    return f"{number}, {topic.replace('_', ' ')}"


def check(exercise_id: str, answer: object) -> Verdict:
    """Check an answer, in a notebook or in a test; a stub is no attempt.

    `check("5.3", MyBlockManager)` takes the class or the function itself.
    """
    exercise = exercise_with_id(exercise_id)
    report = report_on(exercise, answer)
    if report.status == "waiting":
        return Verdict(exercise, report, 0)
    attempts = record_attempt(exercise_id, passed=report.passed)
    return Verdict(exercise, report, attempts.num_tried)
