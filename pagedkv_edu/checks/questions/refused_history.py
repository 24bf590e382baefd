"""Exercise 2.3: a request that is refused although the free slots would suffice."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagedkv_edu.checks.extents.named import NamedExtents, Outcome
from pagedkv_edu.checks.extents.run import ExtentsFilms
from pagedkv_edu.checks.hints import contiguous as hint
from pagedkv_edu.checks.histories import Call, Name, is_list, is_tuple
from pagedkv_edu.checks.judging.limits import Complaint, Guard, Unwritten, shown
from pagedkv_edu.checks.judging.reports import hints_from, not_callable, waiting
from pagedkv_edu.checks.judging.wording import amount, be, joined
from pagedkv_edu.errors import OutOfSlots, PagedKVError
from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.report import Hint, Report

NUM_SLOTS = 16
FORM = 'each entry is ("reserve", name, num_slots) or ("release", name).'
LENGTH = "num_slots is 1 or more."
NEW_NAME = "a reserve gives a name that is not held; a name is held until its release."
HELD_NAME = "a release names what is held: reserved before, and not released since."


@dataclass(frozen=True)
class RefusedTopic:
    """What the reports of this exercise have in common."""

    exercise_id: str = "2.3"
    answer_name: str = "my_refused_history"
    hints: tuple[Hint, ...] = hint.HINTS["2.3"]
    reread: str = hint.REFUSED


_TOPIC = RefusedTopic()


class _NotCalls(Exception):  # noqa: N818
    """The answer cannot be read as calls; the message says why."""


class _Impossible(Exception):  # noqa: N818
    """The answer is a list of calls, and one of them names what it may not name."""

    def __init__(self, number: int, entry: object, expected: str, found: str) -> None:
        super().__init__(found)
        self.number = number  # counted from 1, as calls are
        self.entry = shown(entry)
        self.expected = expected
        self.found = found


@dataclass(frozen=True, slots=True)
class _Played:
    """The calls and what came of each, up to the first refusal."""

    calls: tuple[Call, ...]
    outcomes: tuple[Outcome, ...]
    num_free: int  # before the last call that was made
    largest_hole: int
    films: ExtentsFilms


def check_refused_history(answer: object, *, seed: int = 0) -> Report:
    """Check `my_refused_history()`: play its calls on a first fit of 16 slots."""
    if not callable(answer):
        return not_callable(_TOPIC, answer, "function")
    with Guard() as guard:
        try:
            value = guard.ask(_TOPIC.answer_name, answer)
        except Unwritten:
            return waiting(_TOPIC, (_TOPIC.answer_name,), {_TOPIC.answer_name})
        except (Complaint, PagedKVError) as error:
            return _not_a_list(error)
    try:
        calls = as_calls(value)
    except _NotCalls as reason:
        return _failed(
            hint.FORM, f"{shown(value)} is no list of calls", FORM, f"{reason}."
        )
    except _Impossible as impossible:
        return _failed(
            hint.IMPOSSIBLE,
            f"entry {impossible.number}, {impossible.entry}, cannot be made",
            impossible.expected,
            impossible.found,
        )
    return _judge(_play(calls))


def as_calls(value: object) -> tuple[Call, ...]:
    """Return an answer as calls; raise with the reason if they cannot be made."""
    if not is_list(value):
        raise _NotCalls(f"{shown(value)} is not a list")
    if not value:
        raise _NotCalls("the list is empty")
    live: set[str] = set()
    calls: list[Call] = []
    for number, entry in enumerate(value, start=1):
        match tuple(entry) if is_tuple(entry) or is_list(entry) else entry:
            case ("reserve", str(name), int(num_slots)) if type(num_slots) is int:
                if num_slots < 1:
                    raise _Impossible(number, entry, LENGTH, f"{num_slots}.")
                if name in live:
                    raise _Impossible(number, entry, NEW_NAME, f"{name!r} is held.")
                live.add(name)
                calls.append(Call("reserve", (num_slots,), name))
            case ("release", str(name)):
                if name not in live:
                    found = f"{name!r} is not held."
                    raise _Impossible(number, entry, HELD_NAME, found)
                live.remove(name)
                calls.append(Call("release", (Name(name),)))
            case _:
                raise _NotCalls(f"{shown(entry)} is neither")
    return tuple(calls)


def _play(calls: Sequence[Call]) -> _Played:
    named = NamedExtents(ExtentAllocator(NUM_SLOTS))
    films = ExtentsFilms(NUM_SLOTS)
    outcomes: list[Outcome] = []
    num_free = largest = NUM_SLOTS
    for call in calls:
        num_free, largest = named.extents.num_free, named.extents.largest_hole
        outcomes.append(named.make(call))
        films.add(call, outcomes[-1], named, "yours")
        if isinstance(outcomes[-1], PagedKVError):
            break
    return _Played(tuple(calls), tuple(outcomes), num_free, largest, films)


def _judge(played: _Played) -> Report:
    done, call = len(played.outcomes), played.calls[len(played.outcomes) - 1]
    refused = isinstance(played.outcomes[-1], PagedKVError)
    holes = f"{played.num_free} free, largest hole {played.largest_hole}"
    if refused and done < len(played.calls):
        return _failed(
            hint.TOO_EARLY,
            f"{call} is refused, and it is not the last call",
            "every call but the last finds its slots.",
            f"{played.outcomes[-1]}.",
            played,
        )
    if call.name == "release":
        return _failed(
            hint.NO_REQUEST,
            f"the last call is {call}; expected a request",
            "the last call is a reserve, and it is refused.",
            "a release, which needs no slots.",
            played,
        )
    num_slots = call.arguments[0]
    assert isinstance(num_slots, int)
    if not refused:
        return _failed(
            hint.FITS,
            f"{call} is accepted; expected OutOfSlots",
            f"OutOfSlots. Before the call: {holes}.",
            f"it starts at slot {played.outcomes[-1]}.",
            played,
        )
    if played.num_free < num_slots:
        free = f"{amount(played.num_free, 'slot')} {be(played.num_free)} free"
        return _failed(
            hint.FULL,
            f"{call} is refused, but only {free}",
            f"at least {amount(num_slots, 'slot')} free in all, and no hole that long.",
            f"{holes}.",
            played,
        )
    title = f"{num_slots} asked, {holes}; {_others(played.calls)}"
    return Report(
        _TOPIC.exercise_id,
        "passed",
        title,
        setting=f"memory of {NUM_SLOTS} slots, first fit",
        calls=tuple(map(str, played.calls)),
        num_tried=1,
        num_passed=1,
        films=played.films.to_json(),
    )


def _others(calls: Sequence[Call]) -> str:
    """Say what the other two fits do with the same calls."""
    others = {
        "best fit": ExtentAllocator(NUM_SLOTS, "best"),
        "buddy": ExtentAllocator(NUM_SLOTS, "buddy"),
    }
    refusing = [name for name, extents in others.items() if _refuses(calls, extents)]
    if not refusing:
        return "best fit and buddy serve the same calls"
    return f"{joined(refusing)} {'refuses' if len(refusing) == 1 else 'refuse'} too"


def _refuses(calls: Sequence[Call], extents: ExtentAllocator) -> bool:
    named = NamedExtents(extents)
    return any(isinstance(named.make(call), OutOfSlots) for call in calls)


def _not_a_list(error: Complaint | PagedKVError) -> Report:
    if isinstance(error, Complaint):
        title, found = error.what, error.found
    else:
        name = type(error).__name__
        title, found = f"raised {name}", f"{name}: {error}."
    return _failed(hint.FORM, f"my_refused_history() {title}", f"a list: {FORM}", found)


def _failed(
    title_of_hint: str,
    title: str,
    expected: str,
    found: str,
    played: _Played | None = None,
) -> Report:
    return Report(
        _TOPIC.exercise_id,
        "failed",
        title,
        setting=f"memory of {NUM_SLOTS} slots, first fit",
        calls=tuple(map(str, played.calls[: len(played.outcomes)])) if played else (),
        wrong_call=len(played.outcomes) - 1 if played else None,
        expected=expected,
        found=found,
        reread=_TOPIC.reread,
        hints=hints_from(_TOPIC.hints, title_of_hint),
        num_tried=1,
        films=played.films.to_json() if played else {},
    )
