"""Histories: short lists of calls as plain data, and the drawing of them."""

from dataclasses import dataclass
from typing import TypeGuard, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.report import Json

T = TypeVar("T")


class Name(str):
    """A name for the result of an earlier call: a in `a = allocate()`, `free(a)`."""

    __slots__ = ()


class Given(str):
    """A name for what is there from the beginning: manager in `step(manager)`."""

    __slots__ = ()


class Pairs(tuple[tuple[str, str], ...]):
    """A dict as it is given to a call: {"B": "A"}."""

    __slots__ = ()


Argument = int | str | Pairs | tuple["Argument", ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call, as a learner would type it."""

    name: str
    arguments: tuple[Argument, ...] = ()
    result: str = ""  # the name that later calls use for what comes back

    def __str__(self) -> str:
        """Return the call as text: add("A", 6), a = allocate()."""
        call = f"{self.name}({', '.join(map(_as_typed, self.arguments))})"
        return f"{self.result} = {call}" if self.result else call


@dataclass(frozen=True, slots=True)
class History:
    """Calls, and the sizes of what they are made on."""

    sizes: tuple[tuple[str, int], ...]  # ("num_blocks", 8), ("block_size", 4)
    calls: tuple[Call, ...]

    def size(self, name: str) -> int:
        """Return one of the sizes."""
        return dict(self.sizes)[name]

    def with_calls(self, calls: tuple[Call, ...]) -> "History":
        """Return the same sizes with other calls."""
        return History(self.sizes, calls)

    def with_size(self, name: str, value: int) -> "History":
        """Return the same calls with another size."""
        sizes = tuple((n, value if n == name else old) for n, old in self.sizes)
        return History(sizes, self.calls)

    def to_json(self) -> Json:
        """Return the history as JSON."""
        return {
            "sizes": dict(self.sizes),
            "calls": [
                {
                    "call": call.name,
                    "arguments": [_to_json(value) for value in call.arguments],
                    "result": call.result,
                }
                for call in self.calls
            ],
        }

    @staticmethod
    def from_json(data: Json) -> "History":
        """Return the history that `to_json` was made from."""
        calls = tuple(
            Call(
                call["call"],
                tuple(_from_json(value) for value in call["arguments"]),
                call["result"],
            )
            for call in data["calls"]
        )
        return History(tuple(data["sizes"].items()), calls)


_UNHEALTHY_IS_FINE = [  # nothing is tested while drawing, and a check may be nested
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
    HealthCheck.nested_given,
    HealthCheck.too_slow,
]


def drawn(strategy: SearchStrategy[T], number: int, num_examples: int) -> list[T]:
    """Return examples of a strategy: always the same ones for the same seed number."""
    found: list[T] = []

    @seed(number)
    @settings(
        max_examples=num_examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=_UNHEALTHY_IS_FINE,
    )
    @given(strategy)
    def keep(example: T) -> None:
        found.append(example)

    keep()
    return found


def _as_typed(argument: Argument) -> str:
    if isinstance(argument, Name | Given):
        return str(argument)
    if isinstance(argument, Pairs):
        return "{" + ", ".join(f'"{key}": "{value}"' for key, value in argument) + "}"
    if isinstance(argument, tuple):
        return f"[{', '.join(map(_as_typed, argument))}]"
    return f'"{argument}"' if isinstance(argument, str) else str(argument)


def _to_json(argument: Argument) -> object:
    if isinstance(argument, Name):
        return {"name": str(argument)}
    if isinstance(argument, Given):
        return {"given": str(argument)}
    if isinstance(argument, Pairs):
        return {"pairs": [list(pair) for pair in argument]}
    if isinstance(argument, tuple):
        return [_to_json(value) for value in argument]
    return argument


def _from_json(data: object) -> Argument:
    if isinstance(data, int | str):
        return data
    if is_list(data):
        return tuple(_from_json(value) for value in data)
    if not _is_object(data) or len(data) != 1:
        raise TypeError(f"not an argument of a call: {data!r}")
    [(kind, value)] = data.items()
    if kind == "pairs" and is_list(value):
        return Pairs(_pair(pair) for pair in value)
    return Given(value) if kind == "given" else Name(value)


def _pair(data: object) -> tuple[str, str]:
    if not is_list(data) or len(data) != 2:
        raise TypeError(f"not a pair of names: {data!r}")
    return str(data[0]), str(data[1])


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Tell whether a value is a list, of anything."""
    return isinstance(value, list)


def is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    """Tell whether a value is a tuple, of anything."""
    return isinstance(value, tuple)
