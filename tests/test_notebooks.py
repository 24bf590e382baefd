"""Every notebook runs from top to bottom, as a learner would run it."""

import shutil
import time
from pathlib import Path

import nbclient
import nbformat
import pytest

from pagedkv_edu.course.folder import WORK_VARIABLE, copy_exercises

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("notebooks", "solutions", "exercises")
PATHS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
SECONDS_EACH = 60
SECONDS_TOGETHER = 300


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def execute(path: Path, course: Path) -> nbformat.NotebookNode:
    """Run a notebook of a copied course; return it with its outputs."""
    notebook = nbformat.read(course / path.relative_to(ROOT), as_version=4)
    folder = course / path.parent.name
    client = nbclient.NotebookClient(
        notebook,
        timeout=SECONDS_EACH,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return notebook


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the course into a temporary folder, as a learner has it."""
    monkeypatch.delenv(WORK_VARIABLE)
    copy = tmp_path / "course"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder)
    copy_exercises(copy, copy / "work")
    return copy


@pytest.fixture(scope="session")
def stopwatch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which all workers of this run write down their seconds."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen") else base
    folder = shared / "seconds"
    folder.mkdir(exist_ok=True)
    return folder


def loud(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what cells wrote to stderr: warnings, mostly."""
    return [
        f"{cell['id']}: {output.text}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]


def texts(notebook: nbformat.NotebookNode, tag: str) -> list[str]:
    """Return, as text, what each cell with a tag shows."""
    return [
        "\n".join(
            output.get("text", "") + output.get("data", {}).get("text/plain", "")
            for output in cell.outputs
        )
        for cell in notebook.cells
        if tag in cell.metadata.get("tags", [])
    ]


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_a_notebook_runs_from_top_to_bottom_without_a_warning(
    path: Path, course: Path, stopwatch: Path
):
    start = time.perf_counter()
    notebook = execute(path, course)
    seconds = time.perf_counter() - start
    draft = stopwatch / f"{path.parent.name}-{path.stem}.draft"
    draft.write_text(str(seconds))
    draft.replace(draft.with_suffix(".seconds"))

    assert loud(notebook) == []
    assert seconds < SECONDS_EACH
    together = sum(float(one.read_text()) for one in stopwatch.glob("*.seconds"))
    assert together < SECONDS_TOGETHER
    verdicts = texts(notebook, "check")
    if path.parent.name == "solutions":
        assert [text for text in verdicts if "passed" not in text.split("\n")[0]] == []
    if path.parent.name == "exercises":
        assert [text for text in verdicts if "waiting for you" not in text] == []
