"""An answer in another process, as the checks see it.

A class, an object or a function here stands for the learner's there. It speaks the
learner's protocol, so the same check functions run on it: what they call goes over the
wire. Errors come back by class name and message, with the learner's own line.
"""

import signal
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from pagedkv_edu.grading.session import Request, Session

# Methods that change nothing, by contract. What a check has read of an object after one
# change it will read after the next one too, so it is asked for at the same time.
READS = {"ref_count", "table", "lookup"}
SECONDS = 2.0  # where no clock has been set


def answer_named(session: Session, name: str, described: dict[str, Any]) -> object:
    """Return what stands for the answer of this name."""
    kind = described["kind"]
    if kind == "class":
        return RemoteClass(session, name, described)
    if kind == "function":
        return RemoteFunction(session, name, described)
    return session.value(described["value"])


class RemoteFunction:
    """A learner's function."""

    def __init__(self, session: Session, name: str, described: dict[str, Any]) -> None:
        self._session = session
        self._on = name
        self.__name__ = described["name"]
        _sign(self, described["parameters"])

    def __call__(self, *arguments: object) -> object:
        """Call the function."""
        request: Request = {"op": "call", "on": self._on}
        return self._session.call(request, arguments, _limit())

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<function {self.__name__}>"


class RemoteClass:
    """A learner's class; a call makes an object of it, there."""

    def __init__(self, session: Session, name: str, described: dict[str, Any]) -> None:
        self._session = session
        self._on = name
        self.__name__ = described["name"]
        self._kind = object_kind(
            described["name"], described["methods"], described["data"]
        )
        _sign(self, described["parameters"])

    def __call__(self, *arguments: object) -> object:
        """Make an object."""
        handle = self._session.new_handle()
        request: Request = {"op": "call", "on": self._on, "make": handle}
        names = self._session.make(request, arguments, _limit())
        for name in names:  # set in __init__: as good as a property
            if not name.startswith("_") and not hasattr(self._kind, name):
                setattr(self._kind, name, _property(name))
        return self._kind(self._session, handle, {})

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<class {self.__name__}>"


class RemoteObject:
    """An object of the learner's."""

    def __init__(self, session: Session, handle: int, told: dict[str, Any]) -> None:
        self._remote = session
        self.remote_handle = handle
        self._remote_told = told
        self._remote_era = session.era
        # asked since the last change, and what is known since then
        self._remote_asked: dict[str, Request] = {}
        self._remote_known: dict[str, dict[str, Any]] = {}

    def remote_call(self, name: str, arguments: tuple[object, ...]) -> object:
        """Call a method; a read may be known already."""
        request: Request = {"op": "call", "on": self.remote_handle, "name": name}
        if name in READS:
            return self.remote_read(request, arguments)
        session = self._remote
        self._remote_require()
        reads = [*self._remote_asked.values()]
        keys = [*self._remote_asked]
        known: dict[str, dict[str, Any]] = {}
        self._remote_asked, self._remote_known = {}, known

        def learn(replies: list[dict[str, Any]]) -> None:
            known.update(zip(keys, replies, strict=False))

        return session.call(request, arguments, _limit(), reads, learn)

    def remote_read(self, request: Request, arguments: tuple[object, ...]) -> object:
        """Ask for what changes nothing."""
        session = self._remote
        says = session.says(self.remote_handle, self._remote_told)
        if request["op"] == "get" and request["name"] in says:
            return says[request["name"]]
        self._remote_require()
        limit = _limit()
        asked = {**request, "args": session.plain(arguments), "limit": limit}
        key = f"{request['op']} {request['name']} {asked['args']}"
        self._remote_asked[key] = asked
        session.catch_up(limit)
        if key in self._remote_known:
            return session.result(self._remote_known.pop(key))
        return session.call(request, arguments, limit)

    def _remote_require(self) -> None:
        self._remote.require_era(self._remote_era)

    def __repr__(self) -> str:
        """Return what the object said of itself when it was returned."""
        return str(self._remote_told.get("repr", "")) or f"<{type(self).__name__}>"

    def __del__(self) -> None:
        """Let it go there too."""
        self._remote.let_go(self.remote_handle, self._remote_era)


def object_there(session: Session, handle: int, told: dict[str, Any]) -> RemoteObject:
    """Return what stands for an object that a call has returned."""
    names = [str(name) for name in told["names"]]
    return object_kind(str(told["kind"]), [], names)(session, handle, told)


def object_kind(name: str, methods: list[str], data: list[str]) -> type[RemoteObject]:
    """Return a class with a learner's name, and with the learner's public names."""
    names: dict[str, Any] = {"__module__": "__main__"}
    names |= {method: _method(method) for method in methods}
    names |= {item: _property(item) for item in data}
    name = name if name.isidentifier() and len(name) <= 60 else "Answer"
    return type(name, (RemoteObject,), names)


def _method(name: str) -> Callable[..., object]:
    def method(self: RemoteObject, *arguments: object) -> object:
        return self.remote_call(name, arguments)

    return method


def _property(name: str) -> property:
    def read(self: RemoteObject) -> object:
        return self.remote_read(
            {"op": "get", "on": self.remote_handle, "name": name}, ()
        )

    return property(read)


def _limit() -> float:
    """Return how long the caller will wait: the alarm clock that it has set."""
    return signal.getitimer(signal.ITIMER_REAL)[0] or SECONDS


def _sign(function: Any, parameters: list[list[Any]] | None) -> None:
    """Let `inspect.signature` tell the learner's own parameters."""
    if parameters is None:
        return
    kinds = [Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD]
    kinds += [Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD]
    function.__signature__ = Signature(
        [
            Parameter(name, kinds[kind], default=None if optional else Parameter.empty)
            for name, kind, optional in parameters
        ]
    )
