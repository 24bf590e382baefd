"""Grade one submission: its cells in a process of their own, the checks in this one."""

import resource
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Self

from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.course.exercises import report_on
from pagedkv_edu.errors import NoAnswer
from pagedkv_edu.grading.notebook import Submission
from pagedkv_edu.grading.points import points_of, whole
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.grading.remote import answer_named, object_there
from pagedkv_edu.grading.session import Session
from pagedkv_edu.grading.trouble import Trouble
from pagedkv_edu.grading.withhold import write_copy
from pagedkv_edu.report import Report

MOST_MEMORY = 8 << 30  # bytes, of the checks themselves

OnQuestion = Callable[[Exercise], None]


@dataclass(frozen=True, slots=True)
class Question:
    """What one question of a submission is worth, and why."""

    exercise: Exercise
    report: Report

    @property
    def points(self) -> float:
        """The points reached."""
        return points_of(self.exercise, self.report)


@dataclass(frozen=True, slots=True)
class Grades:
    """What a submission is worth, and what was seen on the way."""

    exercise: str
    questions: tuple[Question, ...]
    cells: tuple[tuple[str, str], ...] = ()  # cells that failed, each with its reason
    walls: dict[str, bool] = field(default_factory=dict[str, bool])

    @property
    def points(self) -> float:
        """The points reached."""
        return whole(round(sum(question.points for question in self.questions), 1))

    @property
    def most_points(self) -> int:
        """The points that can be reached."""
        return sum(question.exercise.points for question in self.questions)


class Packages:
    """Copies of the library, one for each set of names that a question withholds."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pagedkv-package-"))
        self._folder.chmod(0o755)
        self._copy_by_names: dict[tuple[str, ...], Path] = {}

    def __enter__(self) -> Self:
        """Begin with no copy."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove every copy."""
        rmtree(self._folder, ignore_errors=True)

    def without(self, names: Iterable[str]) -> Path:
        """Return the folder of the copy without these names."""
        key = tuple(sorted(names))
        if key not in self._copy_by_names:
            folder = self._folder / str(len(self._copy_by_names))
            write_copy(folder, key)
            self._copy_by_names[key] = folder
        return self._copy_by_names[key]


def grade(
    submission: Submission,
    packages: Packages,
    allowance: Allowance | None = None,
    only: str = "",
    on_question: OnQuestion | None = None,
) -> Grades:
    """Return what a submission is worth.

    Questions that withhold the same share a process. What ends a process, or hangs in
    it, costs the question that did it and no other one.
    """
    allowance = allowance or Allowance()
    questions: list[Question] = []
    trouble = Trouble()
    walls: dict[str, bool] = {}
    session, withheld = None, None
    asked = [e for e in submission.questions if only in ("", e.id)]
    memory = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        # A check reserves more only for a pool that 32 bits cannot count, and leaves
        # that case out where it cannot: such a pool does not go over a wire.
        soft = MOST_MEMORY if memory[0] < 0 else min(MOST_MEMORY, memory[0])
        resource.setrlimit(resource.RLIMIT_DATA, (soft, memory[1]))
        for exercise in sorted(asked, key=lambda e: sorted(e.withholds)):
            if on_question:
                on_question(exercise)
            if session is None or withheld != sorted(exercise.withholds):
                if session:
                    session.close()
                withheld = sorted(exercise.withholds)
                package = packages.without(withheld)
                session = Session(
                    submission.cells, package, allowance, object_there, trouble
                )
            report = _report(session, exercise, allowance.seconds, trouble)
            questions.append(Question(exercise, report))
            walls = session.walls or walls
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, memory)
        if session:
            session.close()
    questions.sort(key=lambda question: asked.index(question.exercise))
    cells = tuple((cell.name, text) for cell, text in trouble.by_cell())
    return Grades(submission.exercise, tuple(questions), cells, walls)


def _report(
    session: Session, exercise: Exercise, seconds: float, trouble: Trouble
) -> Report:
    session.begin(seconds)
    try:
        described = session.describe(exercise.answer)
        if described["kind"] == "missing":
            return _missing(trouble, exercise)
        answer = answer_named(session, exercise.answer, described)
        return report_on(exercise, answer)
    except NoAnswer as none:
        return _no_answer(exercise, none, seconds)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        # what came over the wire has not the form that it should have
        return _failed(
            exercise,
            "what came back cannot be read",
            "an answer of plain values.",
            f"{type(error).__name__}: {error}."[:300],
        )


def _missing(trouble: Trouble, exercise: Exercise) -> Report:
    name = exercise.answer
    likely = [
        f"{cell.name} failed: {failure}"
        for cell, failure in trouble.by_cell()
        if name in cell.source
    ]
    found = likely[0] if likely else f"no cell defines {name}"
    what = "a class" if name[:1].isupper() else "a function"
    return _failed(
        exercise,
        f"{name} is not defined",
        f"{what} called {name}, as in the exercise.",
        found if found.endswith((".", "?")) else f"{found}.",
    )


def _no_answer(exercise: Exercise, none: NoAnswer, seconds: float) -> Report:
    what, found = none.what, none.found
    if none.is_late:
        what = f"gave no answer within {seconds:g} s"
        found = f"no answer within {seconds:g} s; is there an endless loop?"
    return _failed(exercise, f"{exercise.answer} {what}", "an answer.", found)


def _failed(exercise: Exercise, title: str, expected: str, found: str) -> Report:
    return Report(exercise.id, "failed", title, expected=expected, found=found)
