"""Objects of ours that a learner's code is given: lent, and asked over the wire."""

import weakref
from base64 import b64encode
from itertools import count
from typing import Any

from pagedkv_edu.errors import NoAnswer, PagedKVError
from pagedkv_edu.grading.child.codec import Decoder, Encoder, storage_bytes
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.replay.recorded_pool import RecordedPool

MOST_ASKED_BACK = 100_000  # in one call


class Lent:
    """What one process of a learner's has been given.

    A new pool is made there too, and the calls that it tells of are made here again:
    only the pool here is believed. Anything else stays here and is asked.
    """

    def __init__(self) -> None:
        self._handles = count(1)
        self._object_by_handle: dict[int, Any] = {}
        self._handle_by_id: dict[int, int] = {}
        self._returned: list[int] = []
        self._num_asked = 0

    def begin_call(self) -> list[int]:
        """Return what is not lent any more, since the last call."""
        self._num_asked = 0
        returned, self._returned = self._returned, []
        return returned

    def give(self, value: object) -> dict[str, Any]:
        """Return the handle that goes over the wire for an object."""
        there = getattr(value, "remote_handle", None)
        if there is not None:
            return {"object": there}
        if id(value) in self._handle_by_id:
            return {"lent": self._handle_by_id[id(value)]}
        handle = next(self._handles)
        self._object_by_handle[handle] = value
        self._handle_by_id[id(value)] = handle
        told: dict[str, Any] = {"lent": handle}
        is_pool = isinstance(value, BlockPool | RecordedPool)
        if is_pool and value.num_free == value.num_blocks:
            weakref.finalize(value, self._return, handle, id(value))
            self._object_by_handle[handle] = weakref.ref(value)
            return told | {"pool": value.num_blocks}
        methods = [
            name
            for name in dir(value)
            if not name.startswith("_") and callable(getattr(type(value), name, None))
        ]
        return told | {"kind": type(value).__name__, "methods": methods}

    def taken_back(self, handle: int) -> Any:
        """Return the object of a handle."""
        lent = self._object_by_handle[handle]
        return lent() if isinstance(lent, weakref.ref) else lent

    def repeat(
        self, handle: int, name: str, arguments: list[Any], result: Any, error: str
    ) -> None:
        """Make the call of a pool there on the pool here; both must say the same."""
        if handle not in self._object_by_handle:
            return
        pool: Any = self.taken_back(handle)
        if pool is None or name not in ("allocate", "share", "free"):
            return
        found, raised = None, ""
        try:
            found = getattr(pool, name)(*arguments)
        except PagedKVError as ours:
            raised = type(ours).__name__
        if (found, raised) != (result, error):
            what = "changed the pool that it was given"
            raise NoAnswer(what, f"it {what}, and not by the pool's own methods.")

    def answer(self, asked: dict[str, Any], decoder: Decoder) -> dict[str, Any]:
        """Answer for an object of ours that the learner's code asks."""
        self._num_asked += 1
        if self._num_asked > MOST_ASKED_BACK:
            raise NoAnswer(is_late=True)
        name = str(asked["name"])
        if name.startswith("_"):
            return {"error": {"kind": "AttributeError", "message": name}}
        target = self.taken_back(int(asked["on"]))
        encoder = Encoder(self.give)
        try:
            arguments = [decoder.decode(data) for data in asked["args"]]
            found: Any = getattr(target, name) if name else target
            if asked["op"] == "call":
                found = found(*arguments)
            reply: dict[str, Any] = {"ok": encoder.encode(found)}
        except Exception as error:  # noqa: BLE001  (told to the learner's code)
            told = {"kind": type(error).__name__, "message": str(error)}
            return {"error": told}
        return reply | {"storages": [as_text(s) for s in encoder.storages]}

    def _return(self, handle: int, value_id: int) -> None:
        self._object_by_handle.pop(handle, None)
        self._handle_by_id.pop(value_id, None)
        self._returned.append(handle)


def as_text(storage: Any) -> str:
    """Return the bytes of a storage as text."""
    return b64encode(storage_bytes(storage)).decode()
