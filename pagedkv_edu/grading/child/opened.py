"""Lists and dicts that a call was given: both sides see each other's changes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class OpenArguments:
    """The arguments of one call that it may change, and what the other side knows."""

    def __init__(
        self, arguments: Sequence[object], encode: Callable[[object], Any]
    ) -> None:
        self._encode = encode
        self._value_by_index: dict[str, Any] = {
            str(index): value
            for index, value in enumerate(arguments)
            if isinstance(value, list | dict)
        }
        self._known = {i: encode(value) for i, value in self._value_by_index.items()}

    def changes(self) -> dict[str, Any]:
        """Return what the other side does not know yet."""
        changed: dict[str, Any] = {}
        for index, value in self._value_by_index.items():
            now = self._encode(value)
            if now != self._known[index]:
                changed[index] = self._known[index] = now
        return changed

    def take(self, changed: Mapping[str, Any], decode: Callable[[Any], Any]) -> None:
        """Let the values here hold what they hold on the other side."""
        for index, data in changed.items():
            value, found = self._value_by_index[index], decode(data)
            value.clear()
            if isinstance(value, list):
                value.extend(found)
            else:
                value.update(found)
            self._known[index] = self._encode(value)
