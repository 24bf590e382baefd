"""`progress()`: what has been done, lesson by lesson."""

from dataclasses import dataclass
from html import escape

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.progress import Record, load, progress_file
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.course.tables import html_table, text_table

HEAD = ("lesson", "predictions", "quiz", "exercises")


@dataclass(frozen=True, slots=True)
class Overview:
    """One row for each lesson that has something to do."""

    rows: tuple[tuple[str, ...], ...]
    kept_in: str

    def __repr__(self) -> str:
        return f"{text_table(HEAD, self.rows)}\n\n{self.kept_in}"

    def _repr_html_(self) -> str:
        return f"{html_table(HEAD, self.rows)}<p>{escape(self.kept_in)}</p>"


def progress() -> Overview:
    """Return what you have done so far, lesson by lesson."""
    record = load()
    lessons = dict.fromkeys(
        [*(exercise.notebook for exercise in EXERCISES.values()), *_others(record)]
    )
    path = progress_file()
    kept_in = (
        f"Kept in {path.parent.name}/{path.name}; delete that file to begin anew."
        if path
        else "Not kept: this is not the course folder."
    )
    return Overview(tuple(_row(record, lesson) for lesson in sorted(lessons)), kept_in)


def _others(record: Record) -> list[str]:
    """Return lessons without exercises in which something was answered."""
    known = {exercise.notebook[:2] for exercise in EXERCISES.values()}
    return [number for key in record.answers if (number := key[:2]) not in known]


def _row(record: Record, lesson: str) -> tuple[str, ...]:
    number = lesson[:2]
    answers = {
        key: answer for key, answer in record.answers.items() if key[:2] == number
    }
    predicted = [a.first_right for a in answers.values() if a.kind == "prediction"]
    right = sum(a.right for a in answers.values() if a.kind == "quiz")
    num_asked = len(KEY.get(number, {}))
    return (
        lesson.replace("_", " "),
        f"{sum(predicted)} of {len(predicted)} right" if predicted else "none yet",
        f"{right} of {num_asked} right" if num_asked else "",
        _exercises(record, lesson),
    )


def _exercises(record: Record, lesson: str) -> str:
    parts: list[str] = []
    for exercise in EXERCISES.values():
        if exercise.notebook != lesson:
            continue
        attempts = record.exercises.get(exercise.id)
        if attempts is None:
            parts.append(f"{exercise.id} open")
        elif attempts.passed:
            parts.append(f"{exercise.id} passed")
        else:
            parts.append(f"{exercise.id} tried {_times(attempts.num_tried)}")
    return ", ".join(parts)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
