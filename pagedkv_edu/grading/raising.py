"""Raise here what a learner's code has raised in its own process."""

import linecache
from collections.abc import Sequence
from typing import Any

from pagedkv_edu import errors
from pagedkv_edu.errors import NoAnswer, PagedKVError
from pagedkv_edu.grading.notebook import Cell


def raised_there(told: dict[str, Any]) -> BaseException:
    """Return what to raise: our own error, or one with the same name.

    Its traceback ends in the learner's own line, as if it had happened here. So a check
    names that line as it does in a notebook.
    """
    if "stopped" in told:
        filename, line = told["stopped"]
        return NoAnswer(is_late=True, place=_place(str(filename), int(line)))
    error = _error(list(map(str, told["kinds"])), str(told["message"]))
    return _at(error, str(told["file"]), int(told["line"]))


def _error(kinds: list[str], message: str) -> Exception:
    for kind in kinds:
        module, _, name = kind.partition(":")
        ours: Any = getattr(errors, name, None) if module == errors.__name__ else None
        if isinstance(ours, type) and issubclass(ours, PagedKVError):
            return ours(message)
    if "builtins:NotImplementedError" in kinds:
        return NotImplementedError(message)
    name = kinds[0].rpartition(":")[2]
    name = name if name.isidentifier() and len(name) <= 60 else "Error"
    return type(name, (Exception,), {"__module__": "builtins"})(message)


def _at(error: Exception, filename: str, line: int) -> Exception:
    if not filename or not 0 < line < 100_000:
        return error
    code = compile("\n" * (line - 1) + "raise error", filename, "exec")
    try:
        exec(code, {"error": error})
    except Exception as same:  # noqa: BLE001  (it was raised to get its traceback)
        return same
    raise AssertionError("a raise statement raises")


def _place(filename: str, line: int) -> str:
    text = linecache.getline(filename, line).strip()
    return f"in line {line}" + (f', "{text}"' if text else "") if line else ""


def keep_sources(cells: Sequence[Cell]) -> None:
    """Let a message quote the lines of these cells."""
    for cell in cells:
        lines = cell.source.splitlines(keepends=True)
        linecache.cache[cell.name] = (len(cell.source), None, lines, cell.name)


def forget_sources(cells: Sequence[Cell]) -> None:
    """Forget them."""
    for cell in cells:
        linecache.cache.pop(cell.name, None)
