"""Find the argument that a function has changed, and say so."""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature

from pagedkv_edu.checks.judging.cases import Changed, Wrong
from pagedkv_edu.checks.judging.limits import shown

_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def changed_argument(
    function: Callable[..., object],
    before: Sequence[object],
    after: Sequence[object],
) -> Wrong | None:
    """Return what is wrong with a call that changed what it was given."""
    pairs = enumerate(zip(before, after, strict=True))
    index = next((i for i, (old, new) in pairs if old != new), None)
    if index is None:
        return None
    changed = Changed(_name(function, index), index, before[index])
    value = shown(after[index])
    return Wrong(
        "changed what it was given; expected its arguments as they were",
        f"{changed.name} is {value} after the call.",
        value,
        changed=changed,
    )


def test_of_arguments(name: str, case: Sequence[object], changed: Changed) -> str:
    """Return a test to paste: it fails as long as the argument is changed."""
    arguments = [repr(value) for value in case]
    arguments[changed.index] = changed.name
    return (
        f"def test_{name}() -> None:\n"
        f"    {changed.name} = {changed.before!r}\n"
        f"    {name}({', '.join(arguments)})\n"
        f"    assert {changed.name} == {changed.before!r}\n"
    )


def _name(function: Callable[..., object], index: int) -> str:
    """Return the learner's own name for an argument."""
    try:
        names = [
            name
            for name, parameter in signature(function).parameters.items()
            if parameter.kind in _BY_POSITION
        ]
    except (TypeError, ValueError):
        names = []
    return names[index] if index < len(names) else f"argument_{index + 1}"
