"""Calls that the types forbid, and that must be refused all the same."""

from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")

# each is an int to somebody: to Python, to a reader, or to a file
NO_INTS: list[object] = [True, False, 1.0, 2.5, "4", None, [4], (4,)]


def refuses(
    call: Callable[..., object],
    *arguments: object,
    error: type[Exception] | tuple[type[Exception], ...],
    match: str | None = None,
) -> None:
    """Assert that the call raises this error, with this message."""
    with pytest.raises(error, match=match):
        call(*arguments)


def make(kind: Callable[..., T], *arguments: object) -> T:
    """Build something from what the types forbid."""
    return kind(*arguments)
