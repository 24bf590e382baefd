from pathlib import Path

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter

from pagedkv_edu import locate
from pagedkv_edu.course import check, mine
from pagedkv_edu.course.answers import answer_cells, run_cells
from pagedkv_edu.course.checking import Verdict
from pagedkv_edu.course.exercises import (
    EXERCISES,
    Exercise,
    exercise_for,
    exercise_with_id,
    named,
)
from pagedkv_edu.course.page import Note
from pagedkv_edu.course.progress import load
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report

RIGHT = "def my_locate(position, block_size):\n    return divmod(position, block_size)"
WRONG = "def my_locate(position, block_size):\n    return position, block_size"
STUB = (
    "def my_locate(position, block_size):\n"
    '    raise NotImplementedError("your turn: divide")'
)


def code(source: str, cell_id: str, *tags: str) -> nbformat.NotebookNode:
    cell = nbformat.v4.new_code_cell(source, id=cell_id)
    cell.metadata["tags"] = list(tags)
    return cell


def write(work: Path, *cells: nbformat.NotebookNode) -> None:
    work.mkdir(exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    nbformat.write(notebook, work / "03_block_table.ipynb")


def answer(source: str) -> nbformat.NotebookNode:
    return code(source, "e03-1-answer", "answer")


def test_an_answer_that_passes_is_carried_over(
    work: Path, capsys: pytest.CaptureFixture[str]
):
    write(work, answer(RIGHT))

    own = mine("my_locate")

    assert own is not locate
    assert callable(own)
    assert own(9, 4) == (2, 1)
    assert "this page uses yours" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (WRONG, "does not pass check 3.1"),
        (STUB, "Exercise 3.1 waits for you"),
        ("my_locate = 1 +", "cell e03-1-answer: invalid syntax"),
        ("raise ValueError('no')", "ValueError: no"),
        ("other = 1", "my_locate is not in 03_block_table.ipynb"),
    ],
    ids=["wrong", "stub", "syntax error", "raises", "missing"],
)
def test_else_the_reference_is_used_and_the_page_says_why(
    source: str, reason: str, work: Path, capsys: pytest.CaptureFixture[str]
):
    write(work, answer(source))

    assert mine("my_locate") is locate
    said = capsys.readouterr().out
    assert "this page uses the course's own version" in said
    assert reason in said


def test_without_a_notebook_the_reference_is_used(capsys: pytest.CaptureFixture[str]):
    assert mine("my_locate") is locate
    assert "There is no work/03_block_table.ipynb" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 3}', "\0"])
def test_a_file_that_is_no_notebook_is_said(
    content: str, work: Path, capsys: pytest.CaptureFixture[str]
):
    work.mkdir()
    (work / "03_block_table.ipynb").write_text(content)

    assert mine("my_locate") is locate
    assert "03_block_table.ipynb is not a notebook" in capsys.readouterr().out


def test_imports_numbers_and_added_helper_cells_run_too(work: Path):
    write(
        work,
        code("from math import floor", "e03-imports"),
        code("one = 1", "e03-numbers"),
        code("def helper(a, b):\n    return floor(a / b)", "1c2d3e"),
        answer(
            "def my_locate(position, block_size):\n"
            "    return helper(position, block_size) * one, position % block_size"
        ),
    )

    assert mine("my_locate") is not locate


def test_pictures_checks_prints_and_magics_do_not_run(
    work: Path, capsys: pytest.CaptureFixture[str]
):
    write(
        work,
        code("raise SystemExit", "e03-1-picture", "picture"),
        code("raise SystemExit", "e03-1-check", "check"),
        code("raise SystemExit", "e03-scene"),
        code("%timeit 1\n!ls\nprint('loud')\ncheck('3.1', None)", "added"),
        code("1 / 0\nsurely = 1 / 0", "added-too"),
        answer(f"{RIGHT}\nprint('loud')\nimport sys\nsys.stderr.write('loud')"),
    )

    assert mine("my_locate") is not locate
    captured = capsys.readouterr()
    assert "loud" not in captured.out + captured.err


def test_carrying_an_answer_over_counts_as_no_attempt(work: Path):
    write(work, answer(WRONG))
    mine("my_locate")

    assert load().exercises == {}


def test_an_answer_that_asks_for_itself_gets_the_reference(work: Path):
    source = (
        "from pagedkv_edu.course import mine\n"
        "theirs = mine('my_locate')\n"
        "def my_locate(position, block_size):\n"
        "    return theirs(position, block_size)"
    )
    write(work, answer(source))

    own = mine("my_locate")
    assert callable(own)
    assert own(9, 4) == (2, 1)


def test_an_endless_loop_in_a_cell_is_stopped_and_named(work: Path):
    write(work, code("while True:\n    pass", "added"), answer(RIGHT))
    cells = answer_cells(work / "03_block_table.ipynb")

    module, failure = run_cells(cells, "endless", seconds=0.2)

    assert failure.startswith("03_block_table.ipynb, cell added: no answer within")
    assert module.my_locate(9, 4) == (2, 1)


def test_leaving_python_in_a_cell_is_no_way_out(work: Path):
    write(work, code("import sys\nsys.exit(3)", "added"), answer(RIGHT))

    assert mine("my_locate") is not locate


def test_dataclasses_and_annotations_work_as_in_a_notebook(work: Path):
    source = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Place:\n"
        "    block: int\n"
        "def my_locate(position: int, block_size: int) -> tuple[int, int]:\n"
        "    return Place(position // block_size).block, position % block_size"
    )
    write(work, answer(source))

    assert mine("my_locate") is not locate


def test_a_check_says_what_to_do_next_and_counts_attempts():
    def wrong(position: int, block_size: int) -> tuple[int, int]:
        return position, block_size

    first, second = check("3.1", wrong), check("3.1", wrong)

    assert not first.passed
    assert "1 attempt so far" in first.text()
    assert "2 attempts so far" in second.text()
    assert "solutions/03_block_table.ipynb, question 3.1" in second.text()


@pytest.mark.parametrize(
    ("exercise_id", "says"),
    [
        ("3.1", '`locate = mine("my_locate")`. Next: 3.2, From position to slot.'),
        ("5.2", "Next: 5.3, Fork, and append with copy on write."),
        ("4.3", "exercise 04. The next ones belong to lesson 05, copy on write."),
        (list(EXERCISES)[-1], "That was the last question of exercise"),
    ],
)
def test_an_answer_that_passes_is_told_the_next_step(exercise_id: str, says: str):
    report = Report(exercise_id, "passed", "300 histories, 3 seeds")

    assert says in Verdict(EXERCISES[exercise_id], report, 1).next_step()


def test_a_stub_is_no_attempt():
    def my_locate(position: int, block_size: int) -> tuple[int, int]:
        raise NotImplementedError("your turn: divide")

    verdict = check("3.1", my_locate)

    assert verdict.report.status == "waiting"
    assert load().exercises == {}


def test_a_right_answer_is_kept_as_passed():
    assert check("3.1", locate).passed
    assert load().exercises["3.1"].passed


def test_an_unknown_exercise_names_the_known_ones():
    with pytest.raises(PagedKVError, match=r"5\.3"):
        check("9.9", locate)
    with pytest.raises(PagedKVError, match="MyBlockManager"):
        mine("MyClass")


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES.keys())
def test_everything_that_the_table_names_exists(exercise: Exercise):
    assert callable(named(exercise.check))
    for path in (exercise.reference, *exercise.withholds):
        assert not path or named(path)
    assert exercise_with_id(exercise.id) is exercise_for(exercise.answer)
    assert int(exercise.id.partition(".")[0]) == int(exercise.notebook[:2])


def test_the_questions_of_a_notebook_are_worth_ten_points():
    points: dict[str, int] = {}
    for exercise in EXERCISES.values():
        points[exercise.notebook] = points.get(exercise.notebook, 0) + exercise.points

    assert set(points.values()) == {10}


def test_a_note_links_what_it_names_and_escapes_the_rest():
    note = Note("see <a.ipynb> or `x < 1`", {"<a.ipynb>": "../a.ipynb"})
    html, _ = DisplayFormatter().format(note)

    assert '<a href="../a.ipynb"' in html["text/html"]
    assert ">&lt;a.ipynb&gt;</a>" in html["text/html"]
    assert "<code>x &lt; 1</code>" in html["text/html"]
    assert html["text/plain"] == "see <a.ipynb> or `x < 1`"
