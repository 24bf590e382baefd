"""Read a submitted notebook: which cells run, and to which exercise they belong."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.course.exercises import EXERCISES

MOST_BYTES = 200 << 20
MOST_SOURCE = 1 << 20  # bytes of a cell: more is no answer
_OUR_ID = re.compile(r"e(\d\d)-")
_OUR_ANSWER = re.compile(r"e(\d\d)-(\d+)-answer")
_OF_A_LESSON = re.compile(r"l(\d\d)-")
_RUN_WHOLE = ("-imports", "-numbers", "-answer")


class NotAnExercise(Exception):  # noqa: N818
    """The file cannot be graded; the message says why, in a line."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The code of one cell."""

    number: int  # from 1, as it stands in the notebook
    name: str  # "the answer to 5.3", as no editor shows ids; else "cell mine"
    source: str
    # Of our own pictures and checks only what they define is run: they draw, or use
    # what is withheld, and a learner may have put a helper there.
    only_definitions: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """A notebook that can be graded."""

    exercise: str  # "05_copy_on_write"
    cells: tuple[Cell, ...]

    @property
    def questions(self) -> tuple[Exercise, ...]:
        """The rows of the exercise table that it answers."""
        return questions_of(self.exercise)


def questions_of(notebook: str) -> tuple[Exercise, ...]:
    """Return the questions of one exercise notebook."""
    return tuple(e for e in EXERCISES.values() if e.notebook == notebook)


def read_notebook(data: bytes, name: str = "") -> Submission:
    """Return the submission in a file; raises `NotAnExercise` with the reason."""
    if len(data) > MOST_BYTES:
        size, most = len(data) >> 20, MOST_BYTES >> 20
        raise NotAnExercise(f"the file has {size} MiB; at most {most} are read")
    try:
        notebook: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        where = re.sub(r"\s+", " ", str(error))[:120]
        raise NotAnExercise(f"the file is no notebook: {where}") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NotAnExercise("the file is no notebook of format 4: it has no cells")
    found = [cell for cell in cells if isinstance(cell, dict)]
    exercise = _exercise(notebook, found, name)
    return Submission(exercise, tuple(_code_cells(found)))


def _exercise(notebook: dict[str, Any], cells: list[Any], name: str) -> str:
    """Return which exercise this is: by its metadata, cells, answers, or file name."""
    known = {exercise.notebook for exercise in EXERCISES.values()}
    metadata = notebook.get("metadata")
    otter = metadata.get("otter") if isinstance(metadata, dict) else None
    assigned = otter.get("assignment_name") if isinstance(otter, dict) else None
    if assigned in known:
        return str(assigned)
    votes = Counter(_votes(cells))
    if votes:
        return votes.most_common(1)[0][0]
    lesson = next(filter(None, (_OF_A_LESSON.match(_id(cell)) for cell in cells)), None)
    if lesson:
        raise NotAnExercise(
            f"lesson {lesson[1]} and not its exercise, which is the notebook in work/"
        )
    named = [n for n in sorted(known) if n in name]
    if named:
        return named[0]
    raise NotAnExercise(
        "no exercise of this course: it has none of its cells and asks for none of "
        "its answers"
    )


def _votes(cells: list[Any]) -> Iterator[str]:
    by_number = {e.notebook[:2]: e.notebook for e in EXERCISES.values()}
    by_answer = {e.answer: e.notebook for e in EXERCISES.values()}
    for cell in cells:
        ours = _OUR_ID.match(_id(cell))
        if ours and ours[1] in by_number:
            yield by_number[ours[1]]
        for name in re.findall(r"^(?:class|def) (\w+)", _source(cell), re.MULTILINE):
            if name in by_answer:
                yield by_answer[name]


def _code_cells(cells: list[Any]) -> Iterator[Cell]:
    names: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        source = _source(cell)
        if cell.get("cell_type") != "code" or not source.strip():
            continue
        if len(source) > MOST_SOURCE:
            source = f"raise MemoryError('a cell of {len(source)} characters')"
        ours = _OUR_ANSWER.fullmatch(_id(cell))
        name = f"the answer to {int(ours[1])}.{ours[2]}" if ours else ""
        name = name or f"cell {_id(cell) or number}"
        while name in names:  # an id that is there twice
            name = f"{name}, the {number}th"
        names.add(name)
        yield Cell(number, name, source, only_definitions=_is_a_page_of_ours(cell))


def _is_a_page_of_ours(cell: dict[str, Any]) -> bool:
    cell_id, tags = _id(cell), _tags(cell)
    is_ours = _OUR_ID.match(cell_id) is not None
    return is_ours and "answer" not in tags and not cell_id.endswith(_RUN_WHOLE)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _id(cell: dict[str, Any]) -> str:
    cell_id = cell.get("id", "")
    text = cell_id if isinstance(cell_id, str) else ""
    return re.sub(r"[^\w-]", "_", text)[:64]


def _tags(cell: dict[str, Any]) -> list[str]:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return [str(tag) for tag in tags] if isinstance(tags, list) else []
