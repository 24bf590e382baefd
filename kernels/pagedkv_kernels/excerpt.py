"""Lines of a kernel as they stand in its file, for a page to show."""

import ast
import textwrap
from pathlib import Path

from pagedkv_edu.errors import PagedKVError

FOLDER = Path(__file__).parent


class NoSuchLines(PagedKVError):  # noqa: N818
    """A function, or a line of it, is not in the file."""


def excerpt(name: str, begin: str = "", end: str = "") -> str:
    """Return a function's lines, from one that contains `begin` to one with `end`.

    `excerpt("ladder.head_kernel", "for tile_start", "scores =")`. Nothing is imported,
    so Triton need not be there.
    """
    module, _, function = name.partition(".")
    path = FOLDER / f"{module}.py"
    if not path.is_file():
        raise NoSuchLines(f"there is no {path.name} among the kernels")
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            return textwrap.dedent("\n".join(_between(name, lines, begin, end)))
    raise NoSuchLines(f"{path.name} defines no function {function!r}")


def _between(name: str, lines: list[str], begin: str, end: str) -> list[str]:
    first = _index(name, lines, begin, 0) if begin else 0
    last = _index(name, lines, end, first) if end else len(lines) - 1
    return lines[first : last + 1]


def _index(name: str, lines: list[str], part: str, start: int) -> int:
    for i, line in enumerate(lines[start:], start):
        if part in line:
            return i
    raise NoSuchLines(f"{name} has no line with {part!r}")
