"""A kernel's source with everything it refers to, as a module of its own."""

import ast
import builtins
import inspect
import textwrap
from types import FunctionType, ModuleType

from pagedkv_edu.errors import PagedKVError


class NoSource(PagedKVError):  # noqa: N818
    """The source of a kernel, or of something it refers to, cannot be found."""


def function_of(kernel: object) -> FunctionType:
    """Return the Python function under `@triton.jit`, interpreted or not."""
    while not isinstance(kernel, FunctionType):
        if not hasattr(kernel, "fn"):
            raise NoSource(
                f"{kernel!r} is no kernel: give the function under @triton.jit"
            )
        kernel = kernel.fn  # pyright: ignore[reportAttributeAccessIssue]
    return kernel


def module_source(kernel: object) -> str:
    """Return a module that defines the kernel, and what it refers to by name.

    Other kernels, modules and constants are found where the kernel would find them: in
    its module or notebook, and in the functions around it.
    """
    parts: dict[str, str] = {}
    _define(function_of(kernel), parts)
    head = "import triton\nimport triton.language as tl\n"
    return "\n\n".join([head, *parts.values()]) + "\n"


def _define(function: FunctionType, parts: dict[str, str]) -> None:
    source = _source(function)
    variables = inspect.getclosurevars(function)
    around = {**variables.globals, **variables.nonlocals}
    name = function.__name__
    for used in sorted(_names(source) - {name} - set(dir(builtins))):
        if used in around and used not in parts:
            _add(used, around[used], parts)
    parts[name] = f"@triton.jit\n{source}"


def _add(name: str, value: object, parts: dict[str, str]) -> None:
    if isinstance(value, ModuleType):
        parts[name] = f"import {value.__name__} as {name}"
    elif hasattr(value, "fn") or isinstance(value, FunctionType):
        function = function_of(value)
        owner = function.__module__
        if owner.split(".")[0] == "triton":
            parts[name] = f"from {owner} import {function.__name__} as {name}"
        else:
            _define(function, parts)
    elif type(value).__name__ == "constexpr":
        inner: object = value.value  # pyright: ignore[reportAttributeAccessIssue]
        parts[name] = f"{name} = tl.constexpr({inner!r})"
    elif type(value).__name__ == "dtype":
        parts[name] = f"{name} = tl.dtype({str(value)!r})"
    elif isinstance(value, int | float | str | bool | None):
        # as it is: where Triton wants a tl.constexpr, its error says so
        parts[name] = f"{name} = {value!r}"


def _source(function: FunctionType) -> str:
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except OSError as error:
        raise NoSource(
            f"the source of {function.__name__} cannot be read: define it in a cell or "
            "in a file"
        ) from error
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    # without its decorators: the child puts its own @triton.jit there
    lines = text.splitlines()[definition.lineno - 1 : definition.end_lineno]
    return "\n".join(lines)


def _names(source: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)}
