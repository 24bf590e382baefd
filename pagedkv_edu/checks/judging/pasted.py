"""A failing history as a test that a learner can paste below the answer."""

import ast
import re
from collections.abc import Sequence

from pagedkv_edu import errors
from pagedkv_edu.checks.judging.topics import Difference
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
    for index, (line, error) in enumerate(calls):
        if difference.prepared and index == len(calls) - 1:
            lines.append(difference.prepared)
        if error is not None:
            lines.append(f"with pytest.raises({type(error).__name__}):")
            line = f"    {line}"
        lines.append(line)
    refused = calls[-1][1] is not None if calls else False
    if difference.stopped:
        return ""
    if difference.broken:
        if not (refused or difference.found_value.startswith("raised")):
            return ""
    elif difference.compared != re.sub(r"\b(pool|manager|cache)\.", "", calls[-1][0]):
        assertion = _assertion(difference)
        if not assertion:
            return ""
        if re.search(r"\bcopies\b", assertion[0]):
            lines[-1] = f"copies = {lines[-1]}"
        lines += assertion
    body = "\n".join(f"    {line}" for line in lines)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", answer_name).lower()
    imports = _imports(body)
    head = f"{imports}\n\n\n" if imports else ""
    return f"{head}def test_{name}() -> None:\n{body}\n"


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
    if expected in ("True", "False"):
        return [
            f"assert {compared}" if expected == "True" else f"assert not {compared}"
        ]
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
