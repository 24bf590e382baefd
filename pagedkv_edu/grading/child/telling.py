"""What the parent is told of a learner's class, function, object or error."""

import inspect
from typing import Any

from pagedkv_edu.grading.child.cells import said
from pagedkv_edu.grading.child.limits import place


def described(value: Any, name: str) -> dict[str, Any]:
    """Describe a class or a function, so that the parent can stand in for it."""
    if not inspect.isclass(value):
        own = getattr(value, "__name__", name)
        told = {"kind": "function", "name": str(own)}
        return told | {"parameters": parameters_of(value)}
    names = public_names(value)
    methods = [n for n in names if _is_method(value, n)]
    return {
        "kind": "class",
        "name": value.__name__,
        "methods": methods,
        "data": [n for n in names if n not in methods],
        "parameters": parameters_of(value),
    }


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name, None)
    return callable(found) or isinstance(found, staticmethod | classmethod)


def told_of_error(
    error: BaseException, source_by_name: dict[str, str]
) -> dict[str, Any]:
    """Return classes, message and place of an error."""
    cause = error
    while cause.__cause__ is not None:  # an interpreter wraps what a kernel raises
        cause = cause.__cause__
    filename, line = place(cause, source_by_name)
    if not filename:
        filename, line = place(error, source_by_name)
    kinds = type(cause).__mro__
    return {
        "kinds": [f"{k.__module__}:{k.__name__}" for k in kinds if k is not object],
        "message": said(cause).partition(": ")[2],
        "file": filename,
        "line": line,
    }


def shown(value: object) -> str:
    """Return how a value shows itself, cut."""
    try:
        return repr(value)[:400]
    except BaseException:  # noqa: BLE001  (a learner's __repr__ may fail in any way)
        return ""


def public_names(value: object) -> list[str]:
    """Return the names that may be asked of an object."""
    try:
        return [name for name in dir(value) if not name.startswith("_")]
    except BaseException:  # noqa: BLE001  (a learner's __dir__ may fail in any way)
        return []


def parameters_of(function: Any) -> list[list[Any]] | None:
    """Return name, kind and whether there is a default, for each parameter."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [[p.name, int(p.kind), p.default is not p.empty] for p in parameters]
