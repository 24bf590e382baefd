"""Histories like a given one, but easier to explain."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from pagedkv_edu.checks.histories import Argument, Call, History, Name
from pagedkv_edu.checks.prefixes.model import Tokens, names_in, registering, tokens_in
from pagedkv_edu.checks.prefixes.script import NAMES

LESSON_BLOCK_SIZE = 2


def tokens_of(history: History) -> list[int]:
    """Return the tokens of all registrations, one after another."""
    return [
        t for call in history.calls if call.name == "register" for t in tokens_in(call)
    ]


def disorder(history: History) -> tuple[int, ...]:
    """Return how far a history is from the order in which an engine would do it."""
    calls = history.calls
    begins_first = sum(
        one.name == other.name == "free" and names_in(one) < names_in(other)
        for one, other in pairwise(calls)
    )
    later_first = sum(
        one.name == other.name == "register" and names_in(one) > names_in(other)
        for one, other in pairwise(calls)
    )
    lists = [names_in(call) for call in calls]
    return (
        begins_first + later_first,
        sum(names != sorted(names) for names in lists),
        sum(i for i, call in enumerate(calls) if call.name == "allocate"),
        sum(NAMES.index(name) for names in lists for name in names),
    )


def simpler(history: History) -> Iterator[History]:
    """Yield histories with as many calls and other numbers, names or order."""
    yield from _other_tokens(history)
    yield from _other_calls(history)
    for index in range(len(history.calls) - 1):
        calls = list(history.calls)
        calls[index], calls[index + 1] = calls[index + 1], calls[index]
        yield history.with_calls(tuple(calls))
    num_named = sum(call.name == "allocate" for call in history.calls)
    for one, other in pairwise(NAMES[:num_named]):
        yield _swapped(history, {one: other, other: one})


def _other_calls(history: History) -> Iterator[History]:
    size = history.size("block_size")
    firsts = {names_in(c)[0] for c in history.calls if c.name == "register"}
    for name in sorted(firsts):
        yield _without_first(history, name)
    for index, call in enumerate(history.calls):
        if call.name == "register":
            tokens, names = tokens_in(call), names_in(call)
            full = len(tokens) // size * size
            for end in {full, full - size, len(tokens) - 1} - {0, len(tokens)}:
                shorter = registering(tokens[:end], names[: -(-end // size)])
                yield _with(history, index, shorter)
        elif call.name in ("free", "share"):
            for new in NAMES[: NAMES.index(names_in(call)[0])]:
                yield _with(history, index, Call(call.name, (Name(new),)))
        elif call.name == "reuse" and len(names_in(call)) > 1:
            for kept in (names_in(call)[:-1], names_in(call)[1:]):
                few = tuple(Name(name) for name in kept)
                yield _with(history, index, Call("reuse", (few,)))


def _other_tokens(history: History) -> Iterator[History]:
    """Yield the same with tokens numbered anew: by what is before them, by value."""
    size = history.size("block_size")
    if size != LESSON_BLOCK_SIZE:
        yield _numbered(history.with_size("block_size", LESSON_BLOCK_SIZE), size)
    by_prefix: dict[Tokens, int] = {}
    yield _mapped(
        history,
        lambda tokens: [
            by_prefix.setdefault(tokens[: i + 1], len(by_prefix) + 1)
            for i in range(len(tokens))
        ],
    )
    by_value: dict[int, int] = {}
    yield _mapped(
        history,
        lambda tokens: [by_value.setdefault(t, len(by_value) + 1) for t in tokens],
    )
    used = sorted(set(tokens_of(history)))
    for old in reversed(used):
        for new in range(1, min(old, 6)):

            def changed(tokens: Tokens, old: int = old, new: int = new) -> list[int]:
                return [new if token == old else token for token in tokens]

            yield _mapped(history, changed)


def _without_first(history: History, name: str) -> History:
    """Let all prompts that begin with this block begin with the next one."""
    size = history.size("block_size")
    return history.with_calls(
        tuple(
            registering(tokens_in(call)[size:], names_in(call)[1:])
            if call.name == "register" and names_in(call)[0] == name
            else call
            for call in history.calls
            if not (call.name == "register" and names_in(call) == [name])
        )
    )


def _numbered(history: History, old_size: int) -> History:
    """Give each different block its own tokens, as many as a block has now."""
    number_by_block: dict[Tokens, int] = {}
    size = history.size("block_size")

    def renumbered(tokens: Tokens) -> list[int]:
        new: list[int] = []
        for start in range(0, len(tokens) - old_size + 1, old_size):
            own = tokens[start : start + old_size]
            number = number_by_block.setdefault(own, len(number_by_block))
            new += [number * size + i + 1 for i in range(size)]
        return [*new, *tokens[len(tokens) // old_size * old_size :][: size - 1]]

    return _mapped(history, renumbered)


def _mapped(history: History, change: Callable[[Tokens], list[int]]) -> History:
    return history.with_calls(
        tuple(
            registering(change(tokens_in(call)), names_in(call))
            if call.name == "register"
            else call
            for call in history.calls
        )
    )


def _swapped(history: History, new_by_old: dict[str, str]) -> History:
    def swapped(argument: Argument) -> Argument:
        if isinstance(argument, Name):
            return Name(new_by_old.get(argument, argument))
        if isinstance(argument, tuple):
            return tuple(map(swapped, argument))
        return argument

    return history.with_calls(
        tuple(
            Call(call.name, tuple(map(swapped, call.arguments)), call.result)
            for call in history.calls
        )
    )


def _with(history: History, index: int, call: Call) -> History:
    calls = history.calls
    return history.with_calls((*calls[:index], call, *calls[index + 1 :]))
