"""Tables that a learner's manager has returned, watched for changes."""

from typing import Any

_TABLE = ("block_ids", "seq_len")


class Watched:
    """Tables that were handed out: what they say now, told with every reply.

    A table must stay as it was when it was returned. So the parent wants to know after
    every call whether one has changed, and asking for each would take most of the time.
    """

    def __init__(self) -> None:
        self._table_by_handle: dict[int, Any] = {}
        self._said: dict[int, dict[str, Any]] = {}

    def begin(self, handle: int, value: object) -> dict[str, Any]:
        """Begin to watch a value if it is a table; return what it says."""
        said = _read(value)
        if said is None:
            return {}
        self._table_by_handle[handle] = value
        self._said[handle] = said
        return {"says": said}

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return what tables say otherwise than before."""
        changed: dict[str, dict[str, Any]] = {}
        for handle, table in self._table_by_handle.items():
            said = _read(table)
            if said is not None and said != self._said[handle]:
                self._said[handle] = said
                changed[str(handle)] = said
        return changed

    def drop(self, handle: int) -> None:
        """Watch a table no more."""
        self._table_by_handle.pop(handle, None)
        self._said.pop(handle, None)


def _read(value: object) -> dict[str, Any] | None:
    try:
        block_ids, seq_len = (getattr(value, name) for name in _TABLE)
    except BaseException:  # noqa: BLE001  (a learner's property may fail in any way)
        return None
    is_plain = type(block_ids) in (list, tuple) and type(seq_len) is int
    if not is_plain or any(type(b) is not int for b in block_ids):
        return None
    return {"block_ids": list(block_ids), "seq_len": seq_len}
