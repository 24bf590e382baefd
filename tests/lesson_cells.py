"""A lesson's cells, run in one namespace as a learner runs them."""

import contextlib
import io
import linecache
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
LONGEST_CELL = 12
LONGEST_LESSON_WORDS = 2300  # 20 minutes leave about half of them for reading


class Lesson:
    """One lesson notebook."""

    def __init__(self, name: str) -> None:
        self.cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells

    def of_kind(self, kind: str) -> list[nbformat.NotebookNode]:
        return [cell for cell in self.cells if cell.cell_type == kind]

    @property
    def prose(self) -> str:
        return "\n".join(cell.source for cell in self.of_kind("markdown"))

    @property
    def code(self) -> str:
        return "\n".join(cell.source for cell in self.of_kind("code"))

    @property
    def headings(self) -> list[str]:
        return [line[3:] for line in self.prose.splitlines() if line.startswith("## ")]

    def run(
        self, plugged: Mapping[str, object] | None = None, after: str = "-numbers"
    ) -> "Run":
        """Run every code cell; after the second, what a learner plugs in counts.

        `after` names another cell, by the end of its id.
        """
        names: dict[str, Any] = {}
        printed: dict[str, str] = {}
        for cell in self.of_kind("code"):
            out = io.StringIO()
            # as in a notebook, where the source of a cell's functions can be asked for
            lines = cell.source.splitlines(keepends=True)
            linecache.cache[cell.id] = len(cell.source), None, lines, cell.id
            with contextlib.redirect_stdout(out):
                exec(compile(cell.source, cell.id, "exec"), names)
            printed[cell.id] = out.getvalue()
            if cell.id.endswith(after):
                names.update(plugged or {})
        return Run(names, printed)


def headings_sent_to(lesson: str) -> set[str]:
    """Return the headings of a lesson that the checks of kernels send a learner to."""
    folder = NOTEBOOKS.parent / "kernels" / "pagedkv_kernels"
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    return {
        heading
        for text in texts
        for heading in re.findall(rf'lesson {lesson}, "([^"]+)"', text)
    }


class Run:
    """What a run left behind."""

    def __init__(self, names: dict[str, Any], printed: dict[str, str]) -> None:
        self.names = names
        self.printed = printed


def faults_of_form(lesson: Lesson) -> list[str]:
    """Return what breaks the rules that every lesson keeps."""
    faults: list[str] = []
    for cell in lesson.of_kind("code"):
        if len(cell.source.splitlines()) > LONGEST_CELL:
            faults.append(f"{cell.id} is longer than {LONGEST_CELL} lines")
        if cell.outputs or cell.execution_count is not None:
            faults.append(f"{cell.id} has output")
    if lesson.prose.count("\n# ") + lesson.prose.startswith("# ") != 1:
        faults.append("there must be one h1")
    if len(lesson.prose.split()) > LONGEST_LESSON_WORDS:
        faults.append(f"{len(lesson.prose.split())} words are too many")
    return faults
