"""Run the answer cells of an exercise notebook as a module."""

import ast
import contextlib
import io
import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

# Ours run only where an answer may need them: they can be long, draw, or use what
# is withheld. A cell without one of our ids was added by the learner, and runs.
SETUP_ENDINGS = ("-imports", "-numbers")
OUR_PREFIX = "e"


@dataclass(frozen=True, slots=True)
class Cell:
    """The code of one cell, and the name under which a traceback shows it."""

    name: str
    source: str
    is_answer: bool


def answer_cells(path: Path) -> list[Cell]:
    """Return the cells that make up the answers: ours, and those that were added.

    Raises `ValueError` or `OSError` if the file is not a notebook.
    """
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    return [
        Cell(f"{path.name}, cell {cell.get('id', number)}", cell.source, answers(cell))
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and (answers(cell) or _supports(cell))
    ]


def answers(cell: nbformat.NotebookNode) -> bool:
    """Tell whether a cell holds an answer."""
    return "answer" in cell.metadata.get("tags", [])


def _supports(cell: nbformat.NotebookNode) -> bool:
    tags = cell.metadata.get("tags", [])
    if "check" in tags or "picture" in tags:
        return False
    cell_id = cell.get("id", "")
    is_ours = cell_id[:1] == OUR_PREFIX and cell_id[1:3].isdigit() and "-" in cell_id
    return not is_ours or cell_id.endswith(SETUP_ENDINGS)


def run_cells(cells: list[Cell], name: str) -> tuple[ModuleType, str]:
    """Run cells one statement after the other; return the module and what failed.

    Nothing is printed, and a statement that fails does not stop the next one: the
    answer that is asked for may not need it. What failed is the first such line.
    """
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    failures: list[str] = []
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        for cell in cells:
            failures += _run(cell, module)
    return module, failures[0] if failures else ""


def _run(cell: Cell, module: ModuleType) -> list[str]:
    source = TransformerManager().transform_cell(cell.source)
    filename = f"<{cell.name}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)
    try:
        statements = ast.parse(source, filename).body
    except SyntaxError as error:
        return [f"{cell.name}: line {error.lineno}, {error.msg}"]
    failures: list[str] = []
    for statement in statements:
        if _only_shows(statement):
            continue
        try:
            code = compile(ast.Module([statement], []), filename, "exec")
            exec(code, module.__dict__)
        except Exception as error:  # noqa: BLE001  (a learner's line may fail in any way)
            failures.append(
                f"{cell.name}, line {statement.lineno}: {type(error).__name__}: {error}"
            )
    return failures


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
