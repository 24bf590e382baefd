"""What the parent lends to a learner's code: a pool, a function, a manager."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

AskBack = Callable[[int, str, str, tuple[object, ...]], object]


def watched_pool(num_blocks: int, handle: int, calls: list[list[Any]]) -> Any:
    """Make a pool of whose calls the parent is told.

    The parent makes the same calls on a pool of its own and believes only that one.
    """
    # by name: it is not there in a question that asks for a pool
    pool_class: Any = import_module("pagedkv_edu.memory.pool").BlockPool

    def told(name: str) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any) -> Any:
            plain = [a if type(a) is int else repr(a)[:60] for a in arguments]
            try:
                result = getattr(pool_class, name)(self, *arguments)
            except Exception as error:
                calls.append([handle, name, plain, None, type(error).__name__])
                raise
            calls.append([handle, name, plain, result, ""])
            return result

        return method

    methods = {name: told(name) for name in ("allocate", "share", "free")}
    return type(pool_class.__name__, (pool_class,), methods)(num_blocks)


class _Lent:
    """Stands for an object that stays in the parent."""

    def __init__(self, handle: int, kind: str, names: list[str], ask: AskBack) -> None:
        self.__dict__.update(_handle=handle, _kind=kind, _ask=ask)
        self.__dict__["_methods"] = set(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._methods:

            def method(*arguments: object) -> object:
                return self._ask(self._handle, name, "call", arguments)

            return method
        return self._ask(self._handle, name, "get", ())

    def __call__(self, *arguments: object) -> object:
        return self._ask(self._handle, "", "call", arguments)

    def __repr__(self) -> str:
        return f"<{self._kind}>"


class Lender:
    """Makes what a handle of the parent's stands for, and remembers it."""

    def __init__(self, ask: AskBack) -> None:
        self._ask = ask
        self._lent: dict[int, Any] = {}
        self._handle_by_id: dict[int, int] = {}
        self._pool_calls: list[list[Any]] = []

    def take(self, own: dict[int, Any]) -> Callable[[dict[str, Any]], Any]:
        """Return how a decoder turns a handle into an object."""

        def taken(data: dict[str, Any]) -> Any:
            return own[data["object"]] if "object" in data else self._borrowed(data)

        return taken

    def _borrowed(self, data: dict[str, Any]) -> Any:
        handle = data["lent"]
        if handle not in self._lent:
            if "pool" in data:
                lent: Any = watched_pool(data["pool"], handle, self._pool_calls)
            else:
                lent = _Lent(handle, data["kind"], data["methods"], self._ask)
            self._lent[handle] = lent
            self._handle_by_id[id(lent)] = handle
        return self._lent[handle]

    def handle_of(self, value: object) -> dict[str, Any] | None:
        """Return the handle of an object that came from the parent."""
        handle = self._handle_by_id.get(id(value))
        return None if handle is None else {"lent": handle}

    def pool_calls(self) -> list[list[Any]]:
        """Return the calls of every pool since the last time."""
        calls = [*self._pool_calls]
        self._pool_calls.clear()
        return calls

    def drop(self, handle: int) -> None:
        """Forget what was lent."""
        lent = self._lent.pop(handle, None)
        self._handle_by_id.pop(id(lent), None)

    def error(self, told: dict[str, str]) -> Exception:
        """Return an error of ours that the parent's object has raised."""
        kind = getattr(import_module("pagedkv_edu.errors"), told["kind"], None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind(told["message"])
        return RuntimeError(told["message"])
