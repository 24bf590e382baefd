"""What must hold for the report on any answer, used by the tests of several checks."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat
import pytest

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.report import Report
from tests.mutants.block_pool import Mutant

ROOT = Path(__file__).resolve().parents[1]


def assert_rejected(mutant: Mutant, report: Report) -> None:
    """The mutant's own title, its shortest history and the hint that fits."""
    assert report.status == "failed"
    assert report.title == mutant.title
    assert report.calls[: (report.wrong_call or 0) + 1] == mutant.calls
    assert report.hints[0].title == mutant.hint


def assert_complete(report: Report) -> None:
    """Every part of a message is there and is a sentence; the films fit the calls."""
    lesson = report.exercise_id.partition(".")[0]
    assert report.expected.endswith(".")
    assert report.found.endswith((".", "?"))
    assert report.reread.startswith(f'lesson {lesson:0>2}, "')
    assert report.compared
    assert report.found_value
    assert report.expected_value
    assert report.found_value != report.expected_value
    assert report.num_passed < report.num_tried
    texts = (report.title, report.expected, report.found, report.go_on, report.nearby)
    assert not any("  " in text or " at 0x" in text for text in texts)
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title
    for name in ("yours", "reference"):
        if report.setting:
            assert len(report.films[name]["frames"]) == len(report.calls)


def run_pasted(report: Report, answer: Callable[..., object], **known: object) -> None:
    """Run the test that a report offers, as if it stood below this answer."""
    names: dict[str, Any] = {report_name(report): answer, **known}
    exec(compile(report.as_test, "<pasted>", "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 1
    tests[0]()


def report_name(report: Report) -> str:
    """The name that the pasted test uses for the answer."""
    return EXERCISES[report.exercise_id].answer


def assert_test_tells_them_apart(
    report: Report,
    wrong: Callable[..., object],
    right: Callable[..., object],
    **known: object,
) -> None:
    """The pasted test passes on a right answer and fails on the wrong one.

    `known` are other names that stand above it in the exercise.
    """
    run_pasted(report, right, **known)
    with pytest.raises((Exception, pytest.fail.Exception)):
        run_pasted(report, wrong, **known)


def headings(exercise_id: str) -> set[str]:
    """The headings of an exercise's lesson, as a message names them."""
    number = exercise_id.partition(".")[0].zfill(2)
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    lesson = nbformat.read(path, as_version=4)
    lines = [line for cell in lesson.cells for line in cell.source.splitlines()]
    found = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    return {f'lesson {number}, "{heading}"' for heading in found}


def as_data(report: Report) -> dict[str, Any]:
    """The report without its films."""
    return asdict(report) | {"films": {}}
