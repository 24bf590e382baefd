"""Run the cells of a submission, one statement after the other."""

import __future__

import ast
import os
from collections.abc import Callable
from typing import Any

from pagedkv_edu.grading.child.limits import Clock, Stopped, keep_source

Begin = Callable[[int, float], None]  # told each statement, and its seconds
Failure = tuple[int, str, bool]  # statement, what failed, and whether it has hung

FUTURES = __future__.annotations.compiler_flag  # the only one that is not the default
_DEFINES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
)


class Cells:
    """The module that a submission's cells make up.

    A statement that fails, or takes too long, does not stop the next one: the answer
    that is asked for may not need it.
    """

    def __init__(self, names: dict[str, Any], clock: Clock, folder: str) -> None:
        self.names = names
        self.source_by_name: dict[str, str] = {}
        self._clock = clock
        self._flags = 0  # of `from __future__ import ...` in earlier statements
        self._folder = folder

    def run(self, wanted: dict[str, Any], begin: Begin) -> list[Failure]:
        """Run a cell; return what failed in it."""
        name, source = wanted["name"], without_magics(wanted["source"])
        self.source_by_name[name] = source
        keep_source(name, source)
        try:
            statements = ast.parse(source, name).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return [(0, _syntax_error(error), False)]
        failures: list[Failure] = []
        for number, statement in enumerate(statements):
            if number in wanted["skip"]:
                continue
            if wanted["only_definitions"] and not isinstance(statement, _DEFINES):
                continue
            is_import = isinstance(statement, ast.Import | ast.ImportFrom)
            seconds = wanted["limit_of_imports" if is_import else "limit"]
            begin(number, seconds)
            text, has_hung = self._failure(statement, name, seconds)
            failures += [(number, text, has_hung)] if text else []
        return failures

    def _failure(
        self, statement: ast.stmt, name: str, seconds: float
    ) -> tuple[str, bool]:
        where = f'in line {statement.lineno}, "{self._line(name, statement.lineno)}"'
        try:
            tree = ast.Module([statement], [])
            code = compile(tree, name, "exec", self._flags, dont_inherit=True)
            self._flags |= code.co_flags & FUTURES
            self._clock.ask(seconds, exec, code, self.names)
        except Stopped:
            late = f"no answer within {seconds:g} s, {where}; is there an endless loop?"
            return late, True
        except BaseException as error:  # noqa: BLE001  (a learner's line may fail in any way)
            return f"{said(error)}, {where}", False
        finally:
            os.chdir(self._folder)
        return "", False

    def _line(self, name: str, number: int) -> str:
        lines = self.source_by_name[name].splitlines()
        return lines[number - 1].strip()[:80] if number <= len(lines) else ""


def said(error: BaseException) -> str:
    """Return an error as its name and message."""
    try:
        message = " ".join(str(error).split())[:300]
    except BaseException:  # noqa: BLE001  (a learner's __str__ may fail in any way)
        message = ""
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def without_magics(source: str) -> str:
    """Return a cell without what only IPython understands; lines keep their numbers."""
    if source.lstrip().startswith("%%"):
        return "\n" * source.count("\n")
    if not any(mark in source for mark in "%!?"):
        return source
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "\n".join(_without_magic(line) for line in source.split("\n"))
    return source


def _without_magic(line: str) -> str:
    code = line.strip()
    is_magic = code.startswith(("%", "!", "?")) or code.endswith("?")
    return f"{line[: len(line) - len(line.lstrip())]}pass" if is_magic else line


def _syntax_error(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        text = (error.text or "").strip()[:80]
        return f'{type(error).__name__}: {error.msg}, in line {error.lineno}, "{text}"'
    return said(error)
