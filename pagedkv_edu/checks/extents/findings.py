"""Compare a learner's first fit with ours, after one call."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pagedkv_edu.checks.extents.named import Outcome
from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import amount, be, counted, joined
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.extents import Extent, ExtentsLike


def as_extents(holes: Sequence[tuple[int, int]]) -> list[Extent]:
    """Return holes with names for their two numbers."""
    return [Extent(*hole) for hole in holes]


def as_text(holes: Sequence[Extent]) -> str:
    """Return holes as a learner would write them: [(0, 2), (5, 3)]."""
    return str([tuple(hole) for hole in holes])


def as_python(call: Call) -> str:
    """Return the call as it stands in a test: "slots.reserve(3)"."""
    return f"slots.{replace(call, result='')}"


def slots_text(extent: Extent) -> str:
    """Return "slot 3" or "slots 3 to 5"."""
    start, num_slots = extent
    return (
        f"slots {start} to {start + num_slots - 1}"
        if num_slots > 1
        else f"slot {start}"
    )


def in_the_way(extent: Extent, live: Mapping[str, Extent]) -> list[str]:
    """Return the names of what is held of the same slots."""
    end = extent.start + extent.num_slots
    return [
        name
        for name, (start, num_slots) in live.items()
        if start < end and extent.start < start + num_slots
    ]


def free_runs(live: Mapping[str, Extent], num_slots: int) -> list[int]:
    """Return the lengths of the runs that nobody holds."""
    lengths: list[int] = []
    free_from = 0
    for start, length in [*sorted(live.values()), Extent(num_slots, 0)]:
        lengths.append(start - free_from)
        free_from = max(free_from, start + length)
    return [length for length in lengths if length > 0]


def refusal_differs(
    call: Call,
    outcome: Outcome,
    wanted: PagedKVError,
    reason: str,
    state: Iterator[Finding],
) -> Finding | None:
    """Compare a call that must be refused, with nothing changed."""
    name = type(wanted).__name__
    expected = f"{name}, and everything as it was before: {reason}."
    if isinstance(outcome, type(wanted)):
        changes = list(state)
        if not changes:
            return None
        return Finding(
            "changed",
            f"{call} was refused, but something changed first",
            expected,
            f"{name}, but {'; '.join(c.found.rstrip('.') for c in changes)}.",
            changes[0].compared,
            changes[0].found_value,
            changes[0].expected_value,
        )
    if isinstance(outcome, PagedKVError):
        value = type(outcome).__name__
        did, found = f"raised {value}", f"{value}: {outcome}."
    elif outcome is None:
        value, did, found = "no error", "returned", "no error."
    else:
        value, did = str(outcome), f"returned {outcome}"
        found = f"{outcome}, and no error."
    title = f"{call} {did}; expected {name}"
    return Finding(
        f"accepted {call.name}", title, expected, found, as_python(call), value, name
    )


def why_refused(holes: Sequence[Extent]) -> str:
    """Say why a request must be refused."""
    if not holes:
        return "no slot is free"
    largest = max(hole.num_slots for hole in holes)
    return f"{counted(len(holes), 'hole')}, the largest has {amount(largest, 'slot')}"


def refused_wrongly(
    call: Call, error: PagedKVError, wanted: Outcome, holes: Sequence[Extent]
) -> Finding:
    """Tell of an error that must not be."""
    name = type(error).__name__
    if call.name == "reserve":
        hole = next(hole for hole in holes if hole.start == wanted)
        length = amount(hole.num_slots, "slot")
        why = f"{wanted}: the hole from slot {hole.start} on has {length}"
        value = str(wanted)
    else:
        why, value = "no error: an extent starts there", "no error"
    return Finding(
        f"refused {call.name}",
        f"{call} raised {name}; expected {value}",
        f"{why}.",
        f"{name}: {error}.",
        as_python(call),
        name,
        value,
    )


def start_differs(
    call: Call,
    outcome: int,
    wanted: int,
    holes: Sequence[Extent],
    live: Mapping[str, Extent],
) -> Finding:
    """Say what is wrong with a start that is not the first hole's."""
    num_slots = call.arguments[0]
    assert isinstance(num_slots, int), call
    last = outcome + num_slots - 1
    end = max(hole.start + hole.num_slots for hole in [*holes, *live.values()])
    hole = next(hole for hole in holes if hole.start == wanted)
    expected = (
        f"{wanted}: of the holes {as_text(holes)}, the one at {hole.start} is the "
        f"first with {amount(num_slots, 'slot')} or more."
    )
    kind, title = "not first", f"{call} returned {outcome}; expected {wanted}"
    found = f"{outcome}, in a hole that comes later."
    extent = Extent(outcome, num_slots)
    there = in_the_way(extent, live)
    if outcome < 0 or last >= end:
        kind = "outside"
        title = f"{call} returned {outcome}; the memory has slots 0 to {end - 1}"
        found = f"{slots_text(extent)}, which are not all there."
    elif there:
        kind = "in use"
        title = f"{call} returned {outcome}, where slots are in use"
        found = f"{slots_text(extent)}, where {joined(there)} {be(len(there))}."
    elif outcome > wanted and outcome < hole.start + hole.num_slots:
        kind = "upper end"
        found = f"{outcome}, inside the hole, not at its lower end."
    return Finding(
        kind, title, expected, found, as_python(call), str(outcome), str(wanted)
    )


def state_differs(
    call: Call, mine: ExtentsLike, ours: ExtentsLike
) -> Iterator[Finding]:
    """Compare the holes, the largest of them, and num_free."""
    found, wanted = as_extents(mine.holes), as_extents(ours.holes)
    if found != wanted:
        yield _holes_differ(call, found, wanted)
    for name in ("largest_hole", "num_free"):
        number: int = getattr(mine, name)
        right: int = getattr(ours, name)
        if number != right:
            yield Finding(
                f"{name} wrong",
                f"after {call}, {name} is {number}; expected {right}",
                f"{name} is {right}: the holes are {as_text(wanted)}.",
                f"{name} is {number}.",
                f"slots.{name}",
                str(number),
                str(right),
            )


def _holes_differ(
    call: Call, found: Sequence[Extent], wanted: Sequence[Extent]
) -> Finding:
    kind, why = "holes", "these slots are free, in address order"
    ends = [hole.start + hole.num_slots for hole in found]
    if any(hole.num_slots < 1 for hole in found):
        kind, why = "empty hole", "a hole has at least one slot"
    elif sorted(found) == list(wanted):
        kind, why = "order", "holes are listed in address order"
    elif _joined(found) == list(wanted):
        kind, why = "not joined", "holes that touch are one hole"
    elif any(a > b.start for a, (_, b) in zip(ends, pairwise(found), strict=False)):
        kind, why = "overlap", "a slot is in one hole at most"
    elif sum(h.num_slots for h in found) < sum(h.num_slots for h in wanted):
        kind, why = "lost", "slots that nobody holds are in a hole"
    return Finding(
        kind,
        f"after {call}, holes is {as_text(found)}; expected {as_text(wanted)}",
        f"holes is {as_text(wanted)}: {why}.",
        f"holes is {as_text(found)}.",
        "slots.holes",
        as_text(found),
        as_text(wanted),
    )


def _joined(holes: Sequence[Extent]) -> list[Extent]:
    joint: list[Extent] = []
    for hole in sorted(holes):
        if joint and joint[-1].start + joint[-1].num_slots == hole.start:
            hole = Extent(joint[-1].start, joint.pop().num_slots + hole.num_slots)
        joint.append(hole)
    return joint
