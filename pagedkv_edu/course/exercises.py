"""The one table of exercises: what is asked, who checks it, what it is worth."""

from collections.abc import Callable
from importlib import import_module

from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.course.exercise_rows.cost import COST
from pagedkv_edu.course.exercise_rows.kernels import KERNELS
from pagedkv_edu.course.exercise_rows.memory import MEMORY
from pagedkv_edu.course.exercise_rows.serve import SERVE
from pagedkv_edu.course.exercise_rows.serving import SERVING
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report

EXERCISES = {
    exercise.id: exercise for exercise in (*COST, *MEMORY, *KERNELS, *SERVING, *SERVE)
}


def exercise_with_id(exercise_id: str) -> Exercise:
    """Return the exercise called "5.3"; name the others where there is none."""
    if exercise_id not in EXERCISES:
        raise PagedKVError(
            f"there is no exercise {exercise_id!r}; there are {', '.join(EXERCISES)}"
        )
    return EXERCISES[exercise_id]


def exercise_after(exercise: Exercise) -> Exercise | None:
    """Return the exercise that comes next in the table."""
    exercises = list(EXERCISES.values())
    after = exercises[exercises.index(exercise) + 1 :]
    return after[0] if after else None


def exercise_for(answer: str) -> Exercise:
    """Return the exercise that asks for the name "MyBlockPool"."""
    for exercise in EXERCISES.values():
        if exercise.answer == answer:
            return exercise
    names = ", ".join(exercise.answer for exercise in EXERCISES.values())
    raise PagedKVError(f"no exercise asks for {answer!r}; they ask for {names}")


def named(path: str) -> object:
    """Load what "module:name" stands for."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def report_on(exercise: Exercise, answer: object) -> Report:
    """Run the exercise's check on an answer; draw nothing, record nothing."""
    check: Callable[[object], Report] = getattr(
        import_module(exercise.check.partition(":")[0]),
        exercise.check.partition(":")[2],
    )
    return check(answer)
