"""Run the answer cells of an exercise notebook as a module."""

import __future__

import ast
import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from pagedkv_edu.checks.judging.limits import Complaint, Guard

# Ours run only where an answer may need them: they can be long, draw, or use what
# is withheld. A cell without one of our ids was added by the learner, and runs.
SETUP_ENDINGS = ("-imports", "-numbers")
OUR_PREFIX = "e"
FUTURES = __future__.annotations.compiler_flag  # the only one that is not the default


@dataclass(frozen=True, slots=True)
class Cell:
    """The code of one cell, and the name under which a traceback shows it."""

    name: str
    source: str


def answer_cells(path: Path) -> list[Cell]:
    """Return the cells that make up the answers: ours, and those that were added.

    Raises `ValueError` if the file is not a notebook.
    """
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        return [
            Cell(f"{path.name}, cell {cell.get('id', number)}", cell.source)
            for number, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and (_answers(cell) or _supports(cell))
        ]
    except Exception as error:  # nbformat fails in many ways on what is no notebook
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path.name} is not a notebook ({reason})") from error


def _answers(cell: nbformat.NotebookNode) -> bool:
    """Tell whether a cell holds an answer."""
    return "answer" in cell.metadata.get("tags", [])


def _supports(cell: nbformat.NotebookNode) -> bool:
    tags = cell.metadata.get("tags", [])
    if "check" in tags or "picture" in tags:
        return False
    cell_id = cell.get("id", "")
    is_ours = cell_id[:1] == OUR_PREFIX and cell_id[1:3].isdigit() and "-" in cell_id
    return not is_ours or cell_id.endswith(SETUP_ENDINGS)


def run_cells(
    cells: list[Cell], name: str, seconds: float = 10
) -> tuple[ModuleType, str]:
    """Run cells one statement after the other; return the module and what failed.

    Nothing is printed, and a statement that fails, or takes longer than `seconds`, does
    not stop the next one: the answer that is asked for may not need it. What failed is
    the first such statement.
    """
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    failures: list[str] = []
    with Guard(seconds, 2 * seconds) as guard:
        run = _Run(module, guard)
        for cell in cells:
            failures += run.failures_of(cell)
    return module, failures[0] if failures else ""


class _Run:
    """Runs cells in one module, as a kernel does."""

    def __init__(self, module: ModuleType, guard: Guard) -> None:
        self._names = module.__dict__
        self._guard = guard
        self._flags = 0  # of `from __future__ import ...` in earlier statements

    def failures_of(self, cell: Cell) -> list[str]:
        """Run a cell; return what failed in it."""
        filename = f"<{cell.name}>"
        try:
            source = TransformerManager().transform_cell(cell.source)
            statements = ast.parse(source, filename).body
        except (SyntaxError, ValueError) as error:
            return [f"{cell.name}: {error}."]
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        failures = [
            self._failure(statement, filename)
            for statement in statements
            if not _only_shows(statement)
        ]
        return [f"{cell.name}: {failure}" for failure in failures if failure]

    def _failure(self, statement: ast.stmt, filename: str) -> str:
        """Run one statement; return what failed, empty if nothing did."""
        try:
            tree = ast.Module([statement], [])
            code = compile(tree, filename, "exec", self._flags, dont_inherit=True)
            self._flags |= code.co_flags & FUTURES
            self._guard.ask("cell", exec, code, self._names)
        except Complaint as complaint:
            return complaint.found
        except Exception as error:  # noqa: BLE001  (a learner's line may fail in any way)
            return f"{type(error).__name__}: {error}."
        return ""


def _only_shows(statement: ast.stmt) -> bool:
    """Tell whether a statement draws, prints or checks: check(...), %timeit, table.

    A call of a method, as in `table.append(3)`, may be part of an answer.
    """
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return True
    return "get_ipython" in ast.dump(value.func)
