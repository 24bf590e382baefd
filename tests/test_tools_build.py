from pathlib import Path

import nbformat
import pytest

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.report import Hint
from tools.build_exercises import build, build_all, differences, hint_cell, stub
from tools.percent import notebook

SOURCE = '''\
# %% [markdown] id="e03-title"
# # Exercise 03

# %% id="e03-imports"
from pagedkv_edu.course import check


# %% id="e03-1-answer" tags=["answer"] exercise="3.1"
def my_locate(position: int, block_size: int) -> tuple[int, int]:
    """Return logical block and offset; both count from 0."""
    # BEGIN SOLUTION
    return divmod(position, block_size)
    # END SOLUTION


# %% id="e03-1-check" tags=["check"] exercise="3.1"
check("3.1", my_locate)
'''


def built(tmp_path: Path, source: str = SOURCE) -> tuple[bytes, bytes]:
    path = tmp_path / "source" / "03_block_table.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    build(path, tmp_path / "exercises", tmp_path / "solutions")
    name = "03_block_table.ipynb"
    return (
        (tmp_path / "exercises" / name).read_bytes(),
        (tmp_path / "solutions" / name).read_bytes(),
    )


def cells(content: bytes) -> dict[str, nbformat.NotebookNode]:
    read = nbformat.reads(content.decode(), as_version=4)
    return {cell["id"]: cell for cell in read.cells}


def test_two_builds_have_the_same_bytes(tmp_path: Path):
    assert built(tmp_path) == built(tmp_path)


def test_the_exercise_has_a_stub_and_the_solution_has_the_answer(tmp_path: Path):
    exercise, solution = map(cells, built(tmp_path))

    assert exercise["e03-1-answer"].source.endswith(
        '"""Return logical block and offset; both count from 0."""\n'
        '    raise NotImplementedError("your turn: return logical block and offset")'
    )
    assert "return divmod(position, block_size)" in solution["e03-1-answer"].source
    assert "raise" not in solution["e03-1-answer"].source


def test_the_text_of_a_stub_can_be_given():
    source = "def f():\n    # BEGIN SOLUTION: share every block\n    return 1\n"
    source += "    # END SOLUTION\n    return 2\n"

    assert stub(source) == (
        'def f():\n    raise NotImplementedError("your turn: share every block")\n'
        "    return 2\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "# BEGIN SOLUTION\nx = 1\n# END SOLUTION",
        "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION",
        "def f():\n    # BEGIN SOLUTION: say\n    return 1",
        "def f():\n    return 1\n    # END SOLUTION",
    ],
    ids=["outside a function", "nothing to say", "no end", "no beginning"],
)
def test_a_mark_that_makes_no_stub_is_refused(source: str):
    with pytest.raises(ValueError, match=r"SOLUTION|function"):
        stub(source)


def test_each_check_is_followed_by_the_hints_of_its_exercise(tmp_path: Path):
    exercise, _ = map(cells, built(tmp_path))

    ids = list(exercise)
    assert ids[ids.index("e03-1-check") + 1] == "e03-1-hints"
    text = exercise["e03-1-hints"].source
    assert text.startswith("### Hints for 3.1, by what you see")
    assert text.count("<details>") == text.count("</details>") > 0


def test_hints_open_layer_by_layer():
    hint = Hint("`x` is <wrong>", ("Which?", "This one.", "`x = 1`"))
    text = hint_cell(EXERCISES["3.1"], (hint,)).source

    assert "<summary><code>x</code> is &lt;wrong&gt;</summary>" in text
    layers = ["Which?", "<summary>More</summary>", "This one."]
    layers += [
        "<summary>Almost code</summary>",
        "`x = 1`",
        "</details></details></details>",
    ]
    places = [text.index(layer) for layer in layers]
    assert places == sorted(places)


def test_otter_and_nbgrader_find_what_they_look_for(tmp_path: Path):
    exercise, _ = built(tmp_path)
    read = nbformat.reads(exercise.decode(), as_version=4)
    by_id = cells(exercise)

    assert read.metadata["otter"] == {"assignment_name": "03_block_table"}
    answer = by_id["e03-1-answer"].metadata["nbgrader"]
    assert (answer["schema_version"], answer["grade_id"]) == (3, "e03-1-answer")
    assert (answer["solution"], answer["grade"], answer["locked"]) == (
        True,
        False,
        False,
    )
    check = by_id["e03-1-check"].metadata["nbgrader"]
    assert (check["solution"], check["grade"], check["locked"]) == (False, True, True)
    assert check["points"] == EXERCISES["3.1"].points


def test_an_id_that_is_used_twice_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="used twice"):
        built(tmp_path, SOURCE + '\n# %% id="e03-imports"\nx = 1\n')


def test_a_cell_without_an_id_is_refused():
    with pytest.raises(KeyError, match="id"):
        notebook("# %%\nx = 1\n")


def test_what_is_committed_is_what_the_sources_build():
    assert differences() == []


def test_a_full_build_writes_only_into_the_two_folders(tmp_path: Path):
    build_all(tmp_path / "exercises", tmp_path / "solutions")

    assert {path.name for path in tmp_path.iterdir()} <= {"exercises", "solutions"}
