"""Answer what the parent asks: run a cell, make an object, call, read.

One JSON object a line. While an answer is computed, the learner's code may ask back:
an object of the parent's that it was given is asked over the same wire.
"""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, BinaryIO

from pagedkv_edu.grading.child.cells import Cells
from pagedkv_edu.grading.child.codec import (
    Decoder,
    Encoder,
    TooLarge,
    new_storage,
    storage_bytes,
)
from pagedkv_edu.grading.child.given import Lender
from pagedkv_edu.grading.child.limits import Clock, Stopped, place
from pagedkv_edu.grading.child.opened import OpenArguments
from pagedkv_edu.grading.child.telling import (
    described,
    public_names,
    shown,
    told_of_error,
)
from pagedkv_edu.grading.child.watching import Watched

MOST_BYTES = 64 << 20


class Server:
    """Serves one learner's module over two pipes."""

    def __init__(self, requests: BinaryIO, replies: int, cells: Cells) -> None:
        self._requests = requests
        self._replies = replies
        self._cells = cells
        self._clock = Clock()
        self._object_by_handle: dict[int, Any] = {}
        self._watched = Watched()
        self._lender = Lender(self._ask_back)
        self._process_id = os.getpid()
        self._open = OpenArguments([], self._encode)

    def serve(self) -> None:
        """Answer until the parent closes the wire."""
        for line in self._requests:
            request = json.loads(line)
            for handle in request.get("drop", ()):
                self._object_by_handle.pop(handle, None)
                self._watched.drop(handle)
            for handle in request.get("drop_lent", ()):
                self._lender.drop(handle)
            self._send(self._answer(request))
            reads = request.get("reads")
            if reads is not None:
                self._send({"reads": [self._answer(read) for read in reads]})

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        op = request["op"]
        try:
            if op == "cell":
                return {"ok": self._run_cell(request)}
            if op == "describe":
                return {"ok": self._described(request["name"])}
            if op == "names":
                return {"ok": sorted(public_names(self._target(request)))}
            return self._asked(request)
        except RecursionError as error:
            return {"error": self._told(error)}

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        storages = [new_storage(b64decode(d)) for d in request.get("storages", ())]
        before = [storage_bytes(storage) for storage in storages]
        take = self._lender.take(self._object_by_handle)
        decoder = Decoder(take, storages)
        arguments: list[Any] = []
        try:
            arguments += [decoder.decode(data) for data in request.get("args", ())]
            self._open = OpenArguments(arguments, self._encode)
            function = self._function(request)
            result = self._clock.ask(request["limit"], function, *arguments)
        except Stopped as stopped:
            reply: dict[str, Any] = {"stopped": self._place(stopped)}
        except BaseException as error:  # noqa: BLE001  (it is told to the learner)
            reply = {"error": self._told(error)}
        else:
            reply = self._result(request, result)
        if os.getpid() != self._process_id:
            os._exit(0)  # a fork that the learner's code has let run on
        reply["busy"] = self._clock.busy
        changes = list(zip(storages, before, strict=True))
        self._add_changes(reply, changes)
        return reply

    def _result(self, request: dict[str, Any], result: object) -> dict[str, Any]:
        encoder = self._encoder()
        try:
            if "make" in request:
                handle = request["make"]
                self._object_by_handle[handle] = result
                return {
                    "ok": None,
                    "names": sorted(vars(result)) if _has_vars(result) else [],
                }
            reply: dict[str, Any] = {"ok": encoder.encode(result)}
        except (TooLarge, RecursionError, ValueError) as error:
            return {"error": self._told(error)}
        if encoder.storages:
            reply["storages"] = [_as_text(storage) for storage in encoder.storages]
        return reply

    def _add_changes(
        self, reply: dict[str, Any], storages: list[tuple[Any, bytes]]
    ) -> None:
        changed = self._open.changes()
        if changed:
            reply["changed"] = changed
        self._open = OpenArguments([], self._encode)
        for index, (storage, old) in enumerate(storages):
            if storage_bytes(storage) != old:
                reply.setdefault("filled", {})[str(index)] = _as_text(storage)
        calls = self._lender.pool_calls()
        if calls:
            reply["pool_calls"] = calls
        seen = self._watched.changes()
        if seen:
            reply["seen"] = seen

    def _function(self, request: dict[str, Any]) -> Callable[..., object]:
        if request["op"] == "get":
            target, name = self._target(request), request["name"]
            return lambda: getattr(target, name)
        if request["op"] == "call" and request.get("name"):
            target, name = self._target(request), request["name"]
            return lambda *arguments: getattr(target, name)(*arguments)
        return self._target(request)

    def _target(self, request: dict[str, Any]) -> Any:
        on = request["on"]
        if isinstance(on, str):
            return self._cells.names[on]
        return self._object_by_handle[on]

    def _encoder(self) -> Encoder:
        return Encoder(self._give)

    def _encode(self, value: object) -> Any:
        return self._encoder().encode(value)

    def _give(self, value: object) -> dict[str, Any]:
        """Keep an object here, and tell the parent what it is."""
        lent = self._lender.handle_of(value)
        if lent is not None:
            return lent
        handle = id(value)
        self._object_by_handle[handle] = value
        told: dict[str, Any] = {
            "object": handle,
            "kind": type(value).__name__,
            "callable": callable(value),
            "repr": shown(value),
            "names": sorted(public_names(value)),
        }
        return self._watched.begin(handle, value) | told

    def _described(self, name: str) -> dict[str, Any]:
        if name not in self._cells.names:
            return {"kind": "missing"}
        value = self._cells.names[name]
        if callable(value):
            return described(value, name)
        return {"kind": "value", "value": self._encoder().encode(value)}

    def _run_cell(self, request: dict[str, Any]) -> list[Any]:
        def begin(number: int, seconds: float) -> None:
            self._send({"begins": number, "limit": seconds})

        failures = self._cells.run(request, begin)
        if os.getpid() != self._process_id:
            os._exit(0)
        return [list(failure) for failure in failures]

    def _told(self, error: BaseException) -> dict[str, Any]:
        return told_of_error(error, self._cells.source_by_name)

    def _place(self, error: BaseException) -> list[Any]:
        return list(place(error, self._cells.source_by_name))

    def _ask_back(
        self, on: int, name: str, op: str, arguments: tuple[object, ...]
    ) -> object:
        """Let the parent answer for an object of its own."""
        encoder = self._encoder()
        asked = {
            "on": on,
            "name": name,
            "op": op,
            "args": [encoder.encode(a) for a in arguments],
            "changed": self._open.changes(),
        }
        with self._clock.paused():
            self._send({"ask": asked})
            reply = json.loads(self._requests.readline())
        take = self._lender.take(self._object_by_handle)
        self._open.take(reply.get("changed", {}), Decoder(take, []).decode)
        if "error" in reply:
            raise self._lender.error(reply["error"])
        storages = [new_storage(b64decode(data)) for data in reply.get("storages", ())]
        return Decoder(take, storages).decode(reply["ok"])

    def _send(self, reply: dict[str, Any]) -> None:
        try:
            data = json.dumps(reply).encode() + b"\n"
        except (ValueError, RecursionError) as error:
            data = json.dumps({"error": self._told(error)}).encode() + b"\n"
        if len(data) > MOST_BYTES:
            error = TooLarge(f"an answer of {len(data) >> 20} MiB")
            data = json.dumps({"error": self._told(error)}).encode() + b"\n"
        view = memoryview(data)
        while view:
            view = view[os.write(self._replies, view) :]


def _as_text(storage: Any) -> str:
    return b64encode(storage_bytes(storage)).decode()


def _has_vars(value: object) -> bool:
    return hasattr(value, "__dict__")
