import doctest
from importlib import import_module
from pathlib import Path

import pagedkv_kernels  # before triton: it decides whether triton interprets
import pytest

ROOM = Path(pagedkv_kernels.__file__).parent
MODULES = [
    ".".join(path.relative_to(ROOM.parent).with_suffix("").parts)
    for path in sorted(ROOM.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name: str):
    results = doctest.testmod(import_module(name))

    assert results.attempted > 0
    assert results.failed == 0


def test_there_are_examples():
    assert len(MODULES) >= 5
