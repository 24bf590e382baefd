"""What the learner has done so far: one small file, which may be deleted."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pagedkv_edu.course.folder import work_folder
from pagedkv_edu.course.page import say

FILE_NAME = "progress.json"
VERSION = 1
Kind = Literal["prediction", "quiz"]


@dataclass(slots=True)
class Attempts:
    """What happened with one exercise."""

    num_tried: int = 0  # a stub does not count
    passed: bool = False  # once passed, always passed


@dataclass(slots=True)
class Answer:
    """What the learner answered to one question, and how it was marked."""

    kind: Kind
    answer: str  # the latest
    right: bool
    first_right: bool  # the first counts as the prediction
    num_tried: int = 1


@dataclass(slots=True)
class Record:
    """Everything that the file holds."""

    exercises: dict[str, Attempts] = field(default_factory=dict[str, Attempts])
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])


def progress_file() -> Path | None:
    """Return where progress is kept, or None outside a checkout."""
    folder = work_folder()
    return folder / FILE_NAME if folder else None


def load() -> Record:
    """Read the file; set a damaged one aside, say so, and begin a new one."""
    path = progress_file()
    if path is None or not path.exists():
        return Record()
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as damage:
        _set_aside(path, damage)
        return Record()


def record_attempt(exercise_id: str, *, passed: bool) -> Attempts:
    """Count one attempt at an exercise, and return what is known of it now."""
    record = load()
    attempts = record.exercises.setdefault(exercise_id, Attempts())
    attempts.num_tried += 1
    attempts.passed = attempts.passed or passed
    _save(record)
    return attempts


def record_answer(question_id: str, kind: Kind, answer: str, *, right: bool) -> Answer:
    """Keep the answer to a question, and return what is known of it now."""
    record = load()
    before = record.answers.get(question_id)
    now = Answer(kind, answer, right, right)
    if before:
        now.first_right = before.first_right
        now.num_tried = before.num_tried + 1
    record.answers[question_id] = now
    _save(record)
    return now


def _save(record: Record) -> None:
    """Replace the file as a whole, so that no reader ever sees half of it."""
    path = progress_file()
    if path is None:
        return
    text = json.dumps({"version": VERSION} | asdict(record), indent=1, sort_keys=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as trouble:
        say(f"Your progress could not be saved: {trouble}. The course goes on.")


def _set_aside(path: Path, damage: Exception) -> None:
    number = 1
    while (kept := path.with_name(f"progress.damaged-{number}.json")).exists():
        number += 1
    try:
        path.replace(kept)
    except OSError as trouble:
        say(f"{path.name} could not be read ({damage}) or moved: {trouble}.")
        return
    say(
        f"{path.name} could not be read ({damage}). It is kept as {kept.name}, "
        "and a new one begins. Your notebooks are untouched."
    )


def _parsed(data: object) -> Record:
    content = _mapping(data, "the file")
    if content.get("version") != VERSION:
        raise ValueError(f"version {content.get('version')!r}, expected {VERSION}")
    exercises = _mapping(content.get("exercises"), "exercises")
    answers = _mapping(content.get("answers"), "answers")
    return Record(
        {name: _attempts(_mapping(one, name)) for name, one in exercises.items()},
        {name: _answer(_mapping(one, name)) for name, one in answers.items()},
    )


def _mapping(data: object, name: str) -> Mapping[str, object]:
    if not isinstance(data, dict):
        raise TypeError(f"{name} is not an object")
    return {str(key): value for key, value in data.items()}


def _attempts(data: Mapping[str, object]) -> Attempts:
    return Attempts(_count(data, "num_tried"), _flag(data, "passed"))


def _answer(data: Mapping[str, object]) -> Answer:
    kind: Kind = "quiz" if data.get("kind") == "quiz" else "prediction"
    return Answer(
        kind,
        str(data.get("answer")),
        _flag(data, "right"),
        _flag(data, "first_right"),
        _count(data, "num_tried"),
    )


def _count(data: Mapping[str, object], name: str) -> int:
    value = data.get(name)
    if type(value) is not int:
        raise TypeError(f"{name} is {value!r}, not a number")
    return value


def _flag(data: Mapping[str, object], name: str) -> bool:
    value = data.get(name)
    if type(value) is not bool:
        raise TypeError(f"{name} is {value!r}, not true or false")
    return value
