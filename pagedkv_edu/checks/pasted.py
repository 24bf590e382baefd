"""A failing history as a test that a learner can paste below the answer."""

import ast
import re
from collections.abc import Sequence

from pagedkv_edu import errors
from pagedkv_edu.checks.topics import Difference
from pagedkv_edu.errors import PagedKVError

_NAMES_BY_MODULE = {
    "pagedkv_edu": ("BlockCopy", "BlockManager", "BlockPool"),
    "pagedkv_edu.errors": tuple(name for name in vars(errors) if name[0].isupper()),
}


def pasted_test(
    answer_name: str,
    made: Sequence[str],
    calls: Sequence[tuple[str, PagedKVError | None]],
    difference: Difference,
) -> str:
    """Return a test that fails on this answer and passes on a right one.

    `calls` are lines of Python, each with the error that it should raise.
    "" if the difference cannot be said in one assertion.
    """
    lines = list(made)
    for line, error in calls:
        if error is not None:
            lines.append(f"with pytest.raises({type(error).__name__}):")
            line = f"    {line}"
        lines.append(line)
    if difference.broken:
        if not difference.found_value.startswith("raised"):
            return ""
    elif difference.compared not in str(calls[-1][0]):
        assertion = _assertion(difference)
        if not assertion:
            return ""
        if re.search(r"\bcopies\b", assertion[0]):
            lines[-1] = f"copies = {lines[-1]}"
        lines += assertion
    body = "\n".join(f"    {line}" for line in lines)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", answer_name).lower()
    return f"{_imports(body)}\n\n\ndef test_{name}() -> None:\n{body}\n"


def _assertion(difference: Difference) -> list[str]:
    compared, expected = difference.compared, difference.expected_value
    if expected in _NAMES_BY_MODULE["pagedkv_edu.errors"]:
        return [f"with pytest.raises({expected}):", f"    {compared}"]
    if not expected.startswith("[BlockCopy("):
        try:
            ast.literal_eval(expected)
        except (SyntaxError, ValueError):
            return []
    try:
        ast.parse(compared, mode="eval")
    except SyntaxError:
        return []
    return [f"assert {compared} == {expected}"]


def _imports(body: str) -> str:
    words = set(re.findall(r"\w+", body))
    blocks = ["import pytest"] if "pytest" in words else []
    ours: list[str] = []
    for module, names in _NAMES_BY_MODULE.items():
        used = sorted(words & set(names))
        if used:
            ours.append(f"from {module} import {', '.join(used)}")
    return "\n\n".join([*blocks, "\n".join(ours)] if ours else blocks)
