"""`pagedkv grade` as a teaching assistant uses it."""

import csv
import json
import re
import signal
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pagedkv_edu.cli import app
from pagedkv_edu.grading.many import grade_all, new_task
from pagedkv_edu.grading.outcome import as_csv, row
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.grading.submissions import Item, find
from tests.submissions import ROOT, as_bytes, empty, right, with_answers

NOTEBOOK = "10_preemption"
WRONG = with_answers(NOTEBOOK, {"10.1": "def my_victim(seq_lens):\n    return 0\n"})
ALLOWANCE = Allowance(seconds=20)
# somebody may be writing on the course while its tests run
SAME_COURSE = (
    "from pagedkv_edu.grading import many; many.course_version = lambda: 'same'\n"
    "from pagedkv_edu.cli import app; app()"
)


@pytest.fixture(autouse=True)
def _same_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagedkv_edu.grading.many.course_version", lambda: "same")


def handed_in(folder: Path) -> Path:
    """A folder as it comes: three learners, a zip, and what should not be there."""
    class_folder = folder / "class"
    for name, notebook in (
        ("anna", right(NOTEBOOK)),
        ("björn 木", WRONG),
        ("=cmd()", empty(NOTEBOOK)),
    ):
        path = class_folder / name / "10_preemption.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(as_bytes(notebook))
    (class_folder / "cut.ipynb").write_bytes(as_bytes(right(NOTEBOOK))[:500])
    (class_folder / "foreign.ipynb").write_text('{"cells": [], "nbformat": 4}')
    (class_folder / "link.ipynb").symlink_to(class_folder / "anna")
    (class_folder / ".ipynb_checkpoints").mkdir()
    (class_folder / ".ipynb_checkpoints" / "old.ipynb").write_text("no")
    with zipfile.ZipFile(class_folder / "platform.zip", "w") as archive:
        archive.writestr("Chloé_123/10.ipynb", as_bytes(right(NOTEBOOK)))
        archive.writestr("../../outside.ipynb", as_bytes(WRONG))
        link = zipfile.ZipInfo("link.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        inner = folder / "inner.zip"
        with zipfile.ZipFile(inner, "w") as deeper:
            deeper.writestr("10.ipynb", as_bytes(right(NOTEBOOK)))
        archive.write(inner, "David_9.zip")
    (class_folder / "broken.zip").write_bytes(b"PK no zip")
    return class_folder


def table(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {line["submission"]: line for line in csv.DictReader(file)}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_mixed_folder_is_graded_with_one_command(tmp_path: Path) -> None:
    folder, out = handed_in(tmp_path), tmp_path / "grades"

    options = ["--out", str(out), "--only", "10.1", "--jobs", "2"]
    run = CliRunner().invoke(app, ["grade", str(folder), *options])

    assert run.exit_code == 0, run.output
    points = {name: line["points"] for name, line in table(out).items()}
    assert points == {
        "class/=cmd()/10_preemption.ipynb": "0",
        "class/anna/10_preemption.ipynb": "2",
        "class/björn 木/10_preemption.ipynb": "0",
        "class/broken.zip": "0",
        "class/cut.ipynb": "0",
        "class/foreign.ipynb": "0",
        "class/link.ipynb": "0",
        "class/platform.zip/../../outside.ipynb": "0",
        "class/platform.zip/Chloé_123/10.ipynb": "2",
        "class/platform.zip/David_9.zip/10.ipynb": "2",
        "class/platform.zip/link.ipynb": "0",
    }
    notes = {name: line["note"] for name, line in table(out).items()}
    assert notes["class/link.ipynb"] == "a link; links are not followed"
    assert notes["class/cut.ipynb"].startswith("the file is no notebook: ")
    assert notes["class/foreign.ipynb"].startswith("no exercise of this course")
    assert notes["class/broken.zip"].startswith("the zip cannot be read")
    assert "class/cut.ipynb: the file is no notebook" in run.output
    assert not list(tmp_path.rglob("outside*.ipynb"))

    # the same bytes again, from nothing
    once = contents(out)
    again = tmp_path / "again"
    options[1] = str(again)
    CliRunner().invoke(app, ["grade", str(folder), *options])

    assert contents(again) == once


def test_what_is_graded_is_not_graded_again(tmp_path: Path) -> None:
    folder, out = handed_in(tmp_path), tmp_path / "grades"
    items = [
        item for item in find([folder]) if "anna" in item.label or "cut" in item.label
    ]
    task = new_task(out, ALLOWANCE, "10.1")
    done: list[Item] = []

    assert grade_all(items, task, done.append) == 2
    assert grade_all(items, task, done.append) == 0
    assert len(done) == 4

    (folder / "anna" / "10_preemption.ipynb").write_bytes(as_bytes(WRONG))
    assert grade_all(items, task, done.append) == 1
    assert table(out)["class/anna/10_preemption.ipynb"]["points"] == "0"


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "grades"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.ipynb").write_bytes(as_bytes(right(NOTEBOOK)))
    command = [sys.executable, "-c", SAME_COURSE]
    command += ["grade", str(folder), "--out", str(out), "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(list(out.rglob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.json")}

    finished = subprocess.run(command, capture_output=True, text=True, timeout=200)

    assert process.returncode == 2
    assert "the same command goes on from here" in said
    assert 2 <= len(before) < 6
    assert {p: p.stat().st_mtime_ns for p in before} == before
    assert f"{6 - len(before)} new, {len(before)} graded before" in finished.stdout
    assert {line["points"] for line in table(out).values()} == {"10"}


def test_feedback_shows_the_learners_work_and_no_solution(tmp_path: Path) -> None:
    path = tmp_path / "10.ipynb"
    path.write_bytes(as_bytes(WRONG))
    items = find([path])
    grade_all(items, new_task(tmp_path / "grades", ALLOWANCE), lambda _: None)

    [page] = (tmp_path / "grades" / "feedback").iterdir()
    text = page.read_text()
    [data] = (tmp_path / "grades" / "results").iterdir()
    result: dict[str, Any] = json.loads(data.read_text())

    assert "Exercise 10, preemption: 8 of 10 points" in text
    assert "my_victim([35, 14, 10]) returned 0; expected 2" in text
    for question in right(NOTEBOOK)["cells"]:
        source = "".join(question["source"])
        if "BEGIN SOLUTION" in source:
            answer = re.findall(r"# BEGIN SOLUTION.*\n(.*)\n", source)[0].strip()
            assert answer not in text
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", text)
    assert [q["points"] for q in result["questions"]] == [0, 2, 2, 4]
    assert result["questions"][0]["report"]["hints"][0]["title"] in text


def test_the_table_holds_no_formula() -> None:
    result = {
        "submission": "=HYPERLINK()",
        "exercise": "",
        "points": 0,
        "most_points": 0,
        "questions": [],
        "problem": "",
        "feedback": "",
    }

    assert as_csv([row(result)]).splitlines()[1].startswith("'=HYPERLINK()")


def test_what_is_no_answer_to_the_question_is_not_graded(tmp_path: Path) -> None:
    lesson, other = tmp_path / "05_copy_on_write.ipynb", tmp_path / "10.ipynb"
    lesson.write_bytes((ROOT / "notebooks" / lesson.name).read_bytes())
    other.write_bytes(as_bytes(right(NOTEBOOK)))
    out = tmp_path / "out"

    task = new_task(out, ALLOWANCE, "5.1")
    grade_all(find([lesson, other]), task, lambda _: None)

    notes = {name: line["note"] for name, line in table(out).items()}
    assert notes == {
        lesson.name: "lesson 05 and not its exercise, which is the notebook in work/",
        other.name: "this is 10_preemption, which has no 5.1",
    }
    pages = [path.read_text() for path in sorted((out / "feedback").iterdir())]
    assert "<p>Lesson 05 and not its exercise" in pages[0]
    assert "<p>This is 10_preemption" in pages[1]


def test_a_wrong_command_says_what_is_wrong(tmp_path: Path) -> None:
    notebook = tmp_path / "class" / "10.ipynb"
    notebook.parent.mkdir()
    notebook.write_bytes(as_bytes(WRONG))
    (tmp_path / "none").mkdir()
    for arguments, said in (
        (["nowhere"], "nowhere is not there"),
        ([str(tmp_path / "none")], "there is no notebook in"),
        ([str(tmp_path), "--only", "99.9"], "there is no exercise '99.9'"),
        ([str(notebook), "--out", str(notebook)], "10.ipynb is a file"),
        ([str(notebook), "--jobs", "-3"], "Invalid value for '--jobs'"),
        ([str(notebook), "--timeout", "0"], "Invalid value for '--timeout'"),
        ([str(notebook), "--memory", "1"], "Invalid value for '--memory'"),
    ):
        run = CliRunner().invoke(app, ["grade", *arguments])

        assert run.exit_code == 2
        assert "".join(said.split()) in "".join(run.output.split())


@pytest.mark.parametrize("name", ["a" * 300, "../../x", "con", "a\nb", "😀"])
def test_every_submission_has_a_file_name_of_its_own(name: str, tmp_path: Path) -> None:
    item = Item(f"{name}.ipynb", tmp_path / "x")

    (tmp_path / f"{item.name}.json").write_text("")

    assert "/" not in item.name
    assert item.name != Item(f"{name} .ipynb", tmp_path / "x").name


def test_a_grader_that_ends_costs_one_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "10.ipynb"
    path.write_bytes(as_bytes(WRONG))
    ends = [sys.executable, "-c", "input(); raise SystemExit('no more memory')"]
    monkeypatch.setattr("pagedkv_edu.grading.many._WORKER", ends)

    grade_all(find([path]), new_task(tmp_path / "out", ALLOWANCE), lambda _: None)

    note = table(tmp_path / "out")["10.ipynb"]["note"]
    assert note == "the grader itself has ended: no more memory"
