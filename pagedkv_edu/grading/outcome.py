"""What is kept of a graded submission: one JSON file, and a row of the table."""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pagedkv_edu.grading.isolate import Grades
from pagedkv_edu.grading.process import Allowance

SCHEMA = 1
HEAD = ("submission", "exercise", "points", "of", "questions", "note", "feedback")
Outcome = dict[str, Any]


def outcome(label: str, name: str, made_from: Outcome, grades: Grades) -> Outcome:
    """Return the JSON of a graded submission."""
    return _head(label, name, made_from) | {
        "exercise": grades.exercise,
        "points": grades.points,
        "most_points": grades.most_points,
        "questions": [
            {
                "id": question.exercise.id,
                "title": question.exercise.title,
                "answer": question.exercise.answer,
                "points": question.points,
                "most_points": question.exercise.points,
                "report": question.report.to_json(),
            }
            for question in grades.questions
        ],
        "failed_cells": [{"cell": c, "failure": text} for c, text in grades.cells],
        "walls": grades.walls,
    }


def not_graded(label: str, name: str, made_from: Outcome, problem: str) -> Outcome:
    """Return the JSON of a file that could not be graded; `problem` is one line."""
    return _head(label, name, made_from) | {
        "problem": " ".join(problem.split())[:300],
    }


def _head(label: str, name: str, made_from: Outcome) -> Outcome:
    return {
        "schema": SCHEMA,
        "submission": label,
        "feedback": f"feedback/{name}.html",
        "made_from": made_from,
        "problem": "",
        "exercise": "",
        "points": 0,
        "most_points": 0,
        "questions": [],
        "failed_cells": [],
        "walls": {},
    }


def made_from(data: bytes, course: str, allowance: Allowance, only: str) -> Outcome:
    """Return what a result depends on: where it is the same, the result is reused."""
    return {
        "file": hashlib.sha256(data).hexdigest(),
        "course": course,
        "only": only,
        "timeout": allowance.seconds,
        "memory": allowance.memory_mib,
    }


_GRADED_BY = (  # in both packages, what a verdict may depend on
    "*.py",
    "checks/**/*.py",
    "checking/*.py",
    "course/exercise*.py",
    "course/exercise_rows/*.py",
    "engine/*.py",
    "grading/**/*.py",
    "memory/*.py",
    "replay/*.py",
    "serving/*.py",
)


def course_version() -> str:
    """Return a mark of the installed course: another one for other checks."""
    mark = hashlib.sha256()
    for package in ("pagedkv_edu", "pagedkv_kernels"):
        spec = find_spec(package)
        places = spec.submodule_search_locations if spec else None
        for place in places or ():
            root = Path(place)
            for path in sorted(p for part in _GRADED_BY for p in root.glob(part)):
                mark.update(path.relative_to(root).as_posix().encode())
                mark.update(path.read_bytes())
    return mark.hexdigest()[:16]


def row(result: Outcome) -> dict[str, str]:
    """Return the row of a result in the table of all."""
    questions = [
        f"{q['id']}: {q['points']}/{q['most_points']}" for q in result["questions"]
    ]
    values = (
        result["submission"],
        result["exercise"],
        result["points"],
        result["most_points"],
        " ".join(questions),
        result["problem"],
        result["feedback"],
    )
    return dict(zip(HEAD, map(_for_a_sheet, values), strict=True))


def as_csv(rows: Iterable[dict[str, str]]) -> str:
    """Return the table as text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list[str](HEAD), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8", errors="replace")
    part.replace(path)


def read(path: Path) -> Outcome | None:
    """Return a result that was written before, None if there is none to be used."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_one = isinstance(found, dict) and found.get("schema") == SCHEMA
    return found if is_one else None


def as_text(result: Outcome) -> str:
    """Return a result as it is written."""
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"


def _for_a_sheet(value: object) -> str:
    """Return text that no spreadsheet takes for a formula."""
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
