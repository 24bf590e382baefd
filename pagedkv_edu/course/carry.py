"""`mine("MyBlockPool")`: carry an answer from one notebook into the next."""

from pathlib import Path

from pagedkv_edu.course.answers import answer_cells, run_cells
from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.course.exercises import exercise_for, named, report_on
from pagedkv_edu.course.folder import course_folder, work_folder
from pagedkv_edu.course.page import say


class _NotUsable(Exception):  # noqa: N818  (why an answer is not used, for the page)
    pass


_running: set[str] = set()  # notebooks whose cells run now: a cell may call mine itself


def mine(name: str) -> object:
    """Return your own answer if it passes its check, and ours if not; say which."""
    exercise = exercise_for(name)
    try:
        answer = _own(exercise)
    except _NotUsable as reason:
        say(f"{name}: this page uses the course's own version. {reason}")
        return _reference(exercise)
    say(f"{name}: this page uses yours, from work/{exercise.notebook}.ipynb.")
    return answer


def _own(exercise: Exercise) -> object:
    folder = work_folder()
    path = folder / f"{exercise.notebook}.ipynb" if folder else None
    if path is None or not path.exists():
        raise _NotUsable(
            f"There is no work/{exercise.notebook}.ipynb; `pagedkv lab` puts it there."
        )
    answer, trouble = _object_in(path, exercise)
    if answer is None:
        raise _NotUsable(trouble or f"{exercise.answer} is not in {path.name}.")
    report = report_on(exercise, answer)
    if report.status == "waiting":
        raise _NotUsable(f"Exercise {exercise.id} waits for you: {report.title}.")
    if not report.passed:
        raise _NotUsable(f"Yours does not pass check {exercise.id}: {report.title}.")
    return answer


def _object_in(path: Path, exercise: Exercise) -> tuple[object, str]:
    """Return the answer that a notebook defines, or None and what went wrong."""
    if exercise.notebook in _running:
        raise _NotUsable("A cell of the exercise notebook itself asks for it.")
    _running.add(exercise.notebook)
    try:
        cells = answer_cells(path)
    except ValueError as trouble:
        raise _NotUsable(f"{trouble}.") from None
    else:
        module, failure = run_cells(cells, f"work_{exercise.notebook}")
        return getattr(module, exercise.answer, None), failure
    finally:
        _running.discard(exercise.notebook)


def _reference(exercise: Exercise) -> object:
    """Return what the library has, or else what the published solution defines."""
    if exercise.reference:
        return named(exercise.reference)
    course = course_folder(Path(__file__).parent) or course_folder()
    if course is None:
        raise FileNotFoundError("solutions/ is not here; run this in the course folder")
    path = course / "solutions" / f"{exercise.notebook}.ipynb"
    module, _ = run_cells(answer_cells(path), f"solution_{exercise.notebook}")
    return getattr(module, exercise.answer)
