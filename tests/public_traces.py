"""Where tests find the public traces, which are not part of the project."""

import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("PAGEDKV_TRACES", Path(__file__).parents[2] / "shared" / "data")
)


def public_trace(name: str) -> Path:
    """Return the path of a public trace, or skip the test that asks for it."""
    if not (FOLDER / name).exists():
        pytest.skip(f"no {name} in {FOLDER}; PAGEDKV_TRACES names another folder")
    return FOLDER / name
