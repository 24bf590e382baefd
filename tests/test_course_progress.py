import json
from pathlib import Path

import pytest

from pagedkv_edu.course import progress
from pagedkv_edu.course.folder import WORK_VARIABLE, course_folder, work_folder
from pagedkv_edu.course.progress import load, record_answer, record_attempt
from pagedkv_edu.course.tables import html_table

ROOT = Path(__file__).resolve().parents[1]
DAMAGED = {
    "half a file": '{"version": 1, "exercises": {',
    "not an object": "[1, 2]",
    "another version": '{"version": 99, "exercises": {}, "answers": {}}',
    "no exercises": '{"version": 1, "answers": {}}',
    "a word for a count": (
        '{"version": 1, "answers": {},'
        ' "exercises": {"5.3": {"num_tried": "x", "passed": true}}}'
    ),
    "a number for a flag": (
        '{"version": 1, "answers": {},'
        ' "exercises": {"5.3": {"num_tried": 1, "passed": 1}}}'
    ),
    "not text": b"\xff\xfe\x00",
    "empty": "",
}


def test_an_attempt_is_there_again_after_a_restart():
    record_attempt("5.3", passed=False)
    record_attempt("5.3", passed=True)
    record_attempt("5.3", passed=False)

    attempts = load().exercises["5.3"]
    assert (attempts.num_tried, attempts.passed) == (3, True)


def test_the_first_answer_counts_as_the_prediction():
    record_answer("05.p1", "prediction", "2", right=False)
    record_answer("05.p1", "prediction", "0", right=True)

    answer = load().answers["05.p1"]
    assert (answer.answer, answer.right) == ("0", True)
    assert (answer.first_right, answer.num_tried) == (False, 2)


def test_a_deleted_file_begins_anew(work: Path):
    record_attempt("5.3", passed=True)
    (work / "progress.json").unlink()

    assert load().exercises == {}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_is_kept_under_another_name_and_said(
    content: str | bytes, work: Path, capsys: pytest.CaptureFixture[str]
):
    work.mkdir()
    damaged = content if isinstance(content, bytes) else content.encode()
    (work / "progress.json").write_bytes(damaged)

    record_attempt("5.3", passed=True)

    assert (work / "progress.damaged-1.json").read_bytes() == damaged
    assert load().exercises["5.3"].passed
    said = capsys.readouterr().out
    assert "progress.json could not be read" in said
    assert "progress.damaged-1.json" in said


def test_a_second_damaged_file_does_not_replace_the_first(work: Path):
    work.mkdir()
    for content in ("first", "second"):
        (work / "progress.json").write_text(content)
        load()

    kept = sorted(path.read_text() for path in work.glob("progress.damaged-*.json"))
    assert kept == ["first", "second"]


def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_raised(
    work: Path, capsys: pytest.CaptureFixture[str]
):
    work.write_text("a file where the folder should be")

    attempts = record_attempt("5.3", passed=True)

    assert attempts.num_tried == 1
    assert "could not be saved" in capsys.readouterr().out


def test_the_file_is_small_readable_json_and_no_draft_stays_behind(work: Path):
    for number in range(50):
        record_answer(f"05.p{number}", "prediction", "0", right=True)

    assert [path.name for path in work.iterdir()] == ["progress.json"]
    assert len(json.loads((work / "progress.json").read_text())["answers"]) == 50


def test_outside_the_course_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(WORK_VARIABLE)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    attempts = record_attempt("5.3", passed=True)

    assert work_folder() is None
    assert attempts.passed
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["notebooks", "exercises", "pagedkv_edu/course"])
def test_the_course_is_found_from_the_folders_inside_it(name: str):
    assert course_folder(ROOT / name) == ROOT


def test_the_overview_names_what_is_open_tried_and_passed():
    record_attempt("5.1", passed=True)
    record_attempt("5.2", passed=False)
    record_answer("05.p1", "prediction", "2", right=False)
    record_answer("05.p1", "prediction", "0", right=True)
    record_answer("05.p2", "prediction", "0", right=True)
    record_answer("05.q1", "quiz", "b", right=True)
    record_answer("00.p1", "prediction", "1", right=True)

    row = next(row for row in _rows() if row[0] == "05 copy on write")
    assert row[1:3] == ("1 of 2 right", "1 of 3 right")
    assert row[3] == "5.1 passed, 5.2 tried once, 5.3 open, 5.4 open"
    assert ("00", "1 of 1 right", "", "") in _rows()


def _rows() -> tuple[tuple[str, ...], ...]:
    return progress().rows


def test_a_table_shows_text_as_text_and_not_as_markup():
    assert "<b>" not in html_table(("<b>", "x"), [("<b>", "<b>")])
