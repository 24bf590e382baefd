"""The same submissions by the real Otter-Grader and the real nbgrader.

Both are large, and learners do not need them. So they are installed once, into a
folder of the test environment, on top of what is installed already.
"""

import csv
import fcntl
import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from pagedkv_edu.checks.hunt.under_test import Pool
from pagedkv_edu.grading.export import CannotExport, export_nbgrader, export_otter
from pagedkv_edu.grading.nbgrader import require
from pagedkv_edu.grading.otter import IsolatedGrading
from tests.submissions import (
    ROOT,
    added,
    answer_cell,
    as_bytes,
    empty,
    right,
    with_answers,
)

NOTEBOOK = "10_preemption"
ENGINES = ("otter-grader==7.0.0", "nbgrader==0.9.6")
HEAD = "def my_victim(seq_lens: list[int]) -> int:\n"


def bad(source: str) -> dict[str, Any]:
    """A notebook in which only 10.1 is not right: 8 of 10 points."""
    return with_answers(NOTEBOOK, {"10.1": HEAD + source})


def renamed() -> dict[str, Any]:
    """A right notebook without ids, tags and checks of ours."""
    notebook = right(NOTEBOOK)
    kept = [
        c for c in notebook["cells"] if "check" not in c["metadata"].get("tags", [])
    ]
    for number, cell in enumerate(kept):
        cell |= {"id": f"renamed-{number}", "metadata": {}}
    return notebook | {"cells": kept}


def helped() -> dict[str, Any]:
    helper = (
        "def place(lens): return max(i for i, n in enumerate(lens) if n == min(lens))"
    )
    return added(bad("    return place(seq_lens)\n"), helper, before="10.1")


def patched(lines: str) -> dict[str, Any]:
    return added(bad("    return 0\n"), lines, before="10.1")


SWALLOWS = (
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n"
)
# what, notebook, points by Otter, points by nbgrader; its limits are documented
ROWS: tuple[tuple[str, dict[str, Any], int, int], ...] = (
    ("right", right(NOTEBOOK), 10, 10),
    ("empty", empty(NOTEBOOK), 0, 0),
    ("wrong", bad("    return 0\n"), 8, 8),
    ("loop", bad("    while True: pass\n"), 8, 8),
    (
        "helper",
        added(bad("    return least\n"), "while True: pass\nleast = 1", before="10.1"),
        8,
        8,
    ),
    ("syntax", bad("    return return\n"), 8, 8),
    ("sysexit", bad("    import sys; sys.exit(0)\n"), 8, 8),
    ("osexit", bad("    import os; os._exit(0)\n"), 8, 0),
    ("helped", helped(), 10, 10),
    (
        "patch",
        patched(
            "import pagedkv_edu.grading.nbgrader as g\ng.require = lambda *_: None\n"
        ),
        8,
        10,
    ),
)
OTTER_ONLY: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("swallows", bad("".join(f"    {s}\n" for s in SWALLOWS.split("\n"))), 8),
    ("swallows in a helper", added(bad("    return 0\n"), SWALLOWS, before="10.1"), 8),
    ("kill", bad("    import os; os.kill(os.getpid(), 9)\n"), 8),
    ("memory", bad("    return len(bytearray(1 << 40))\n"), 8),
    ("fork bomb", bad("    import os\n    while True: os.fork()\n"), 8),
    (
        "disk",
        bad("    while True: open('x', 'ab').write(bytes(1 << 24))\n"),
        8,
    ),
    ("renamed", renamed(), 10),
    (
        "patches otter",
        patched(
            "import otter.test_files\n"
            "otter.test_files.GradingResults.total = 10\n"
            "pagedkv_verdicts = {}\n"
        ),
        8,
    ),
    (
        "a socket",
        bad("    import socket; socket.create_connection(('127.0.0.1', 22))\n"),
        8,
    ),
    (
        "delegates",
        with_answers(
            NOTEBOOK,
            {"10.4": "from pagedkv_edu.serving.small import plan_step as my_plan_step"},
        ),
        6,
    ),
)


@pytest.fixture(scope="module")
def engines() -> Path:
    """The programs of both engines; they are installed where they are not."""
    folder = Path(sys.prefix) / "engines"
    mark = folder / "made.txt"
    Path(f"{folder}.lock").touch()
    with Path(f"{folder}.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be making it
        wanted = "\n".join((*ENGINES, sys.version, str(ROOT)))
        if not mark.exists() or mark.read_text() != wanted:
            venv.create(folder, clear=True, with_pip=True)
            site = next(folder.glob("lib/python*/site-packages"))
            ours = [p for p in sys.path if p.endswith("site-packages")]
            paths = (*ours, str(ROOT), str(ROOT / "kernels"))
            (site / "course.pth").write_text("\n".join(paths))
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
            subprocess.run([*pip, *ENGINES], check=True)
            mark.write_text(wanted)
    return folder / "bin"


def run(engines: Path, cwd: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = f"{engines}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(engines / command[0]), *command[1:]],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
    )


@pytest.fixture(scope="module")
def autograder(engines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("otter")
    code = "from pagedkv_edu.cli import app; app()"
    export = ["export", "otter", str(folder), "--only", "10"]
    done = run(engines, ROOT, "python", "-c", code, *export)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / NOTEBOOK / "autograder.zip"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notebook", "points"),
    [
        pytest.param(notebook, points, id=name)
        for name, notebook, points in [*(row[:3] for row in ROWS), *OTTER_ONLY]
    ],
)
def test_otter_run_gives_the_right_points(
    notebook: dict[str, Any],
    points: int,
    engines: Path,
    autograder: Path,
    tmp_path: Path,
) -> None:
    (tmp_path / "handed_in.ipynb").write_bytes(as_bytes(notebook))

    done = run(
        engines, tmp_path, "otter", "run", "-a", str(autograder), "handed_in.ipynb"
    )

    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    scored = [test for test in results["tests"] if "score" in test]
    assert sum(test["score"] for test in scored) == points
    assert sum(test["max_score"] for test in scored) == 10
    assert results["output"].startswith(f"{points} of 10 points")


@pytest.mark.slow
def test_nbgrader_releases_our_exercises_and_grades_them(
    engines: Path, tmp_path: Path
) -> None:
    export_nbgrader(ROOT, tmp_path, "10")

    made = run(
        engines, tmp_path, "nbgrader", "generate_assignment", NOTEBOOK, "--create"
    )
    assert made.returncode == 0, made.stderr
    released = nbformat.read(
        tmp_path / "release" / NOTEBOOK / f"{NOTEBOOK}.ipynb", as_version=4
    )
    ours = nbformat.read(ROOT / "exercises" / f"{NOTEBOOK}.ipynb", as_version=4)
    assert [(c.id, c.source) for c in released.cells] == [
        (c.id, c.source) for c in ours.cells
    ]

    for name, notebook, _, _ in ROWS:
        path = tmp_path / "submitted" / name / NOTEBOOK / f"{NOTEBOOK}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(as_bytes(notebook))
    timeout = "--Execute.timeout=20"
    run(engines, tmp_path, "nbgrader", "autograde", NOTEBOOK, "--create", timeout)
    run(engines, tmp_path, "nbgrader", "export")

    with (tmp_path / "grades.csv").open() as file:
        scores = {line["student_id"]: line["score"] for line in csv.DictReader(file)}
    assert {n: float(s) for n, s in scores.items()} == {
        name: float(points) for name, _, _, points in ROWS
    }


def test_the_plugin_leaves_nothing_of_the_learner_to_run(tmp_path: Path) -> None:
    path = tmp_path / "10.ipynb"
    path.write_bytes(as_bytes(bad("    return 0  # mine\n")))
    plugin = IsolatedGrading(str(path), {}, {"exercise": NOTEBOOK, "timeout": 20})

    executed = plugin.before_execution(nbformat.read(path, as_version=4))

    [cell] = executed.cells
    names: dict[str, Any] = {}
    exec(cell.source, names)
    verdicts = names["pagedkv_verdicts"]
    assert "# mine" not in cell.source.replace(verdicts["10.1"], "")
    assert verdicts["10.1"].startswith("10.1  not yet: my_victim([35, 14, 10])")
    assert [verdicts[q] for q in ("10.2", "10.3", "10.4")] == ["", "", ""]


def test_the_plugin_says_when_it_is_another_exercise(tmp_path: Path) -> None:
    path = tmp_path / "10.ipynb"
    path.write_bytes(as_bytes(right(NOTEBOOK)))
    plugin = IsolatedGrading(str(path), {}, {"exercise": "05_copy_on_write"})

    plugin.before_execution(nbformat.read(path, as_version=4))

    assert plugin.generate_report() == "0 of 10 points"


def test_the_nbgrader_source_differs_by_its_hidden_tests_only(tmp_path: Path) -> None:
    [path] = export_nbgrader(ROOT, tmp_path, "05")
    made = json.loads(path.read_text())

    for cell in made["cells"]:
        source = "".join(cell["source"])
        if "check" in cell["metadata"].get("tags", []):
            head, _, hidden = source.partition("\n### BEGIN HIDDEN TESTS\n")
            assert hidden.startswith("from pagedkv_edu.grading.nbgrader import require")
            cell["source"] = head
    ours = json.loads((ROOT / "exercises" / path.name).read_text())
    assert [("".join(c["source"]), c["metadata"]) for c in made["cells"]] == [
        ("".join(c["source"]), c["metadata"]) for c in ours["cells"]
    ]
    assert answer_cell(made, "5.3")["metadata"]["nbgrader"]["solution"]


def test_an_export_that_cannot_be_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CannotExport, match="there is no exercise notebook 99"):
        export_nbgrader(ROOT, tmp_path, "99")
    monkeypatch.setattr("pagedkv_edu.grading.export.find_spec", {}.get)
    with pytest.raises(CannotExport, match=r"pip install 'otter-grader==7.0.0'"):
        export_otter(ROOT, tmp_path)


def test_the_hidden_test_gives_the_part_that_is_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def my_pool_check(new_pool: Callable[[int], Pool]) -> str | None:
        pool = new_pool(2)
        return "a block twice" if pool.allocate() == pool.allocate() else None

    def my_victim(seq_lens: list[int]) -> int:
        return max(range(len(seq_lens)), key=lambda i: (-seq_lens[i], i))

    def my_wrong_victim(seq_lens: list[int]) -> int:
        return 0

    points = require("12.1", my_pool_check)

    assert points is not None
    assert 0 < points < 3
    assert " parts of the points" in capsys.readouterr().out
    assert require("10.1", my_victim) is None
    with pytest.raises(AssertionError, match="not yet: "):
        require("10.1", my_wrong_victim)
