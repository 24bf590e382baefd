"""Histories of an allocator of extents, drawn from bytes and kept readable."""

from pagedkv_edu.checks.extents.named import NamedExtents
from pagedkv_edu.checks.histories import Call, History, Name
from pagedkv_edu.memory.extents import ExtentAllocator

NAMES = "abcdefghijklmnopqrstuvwxyz"
KINDS = ("reserve",) * 6 + ("release",) * 5 + ("again", "foreign")
LENGTHS = (1, 2, 3, 2, 4, 1, 3, 6, 12)


class ClearCalls:
    """Makes calls on our allocator, and keeps those that are clear to a reader.

    What starts at a released start may be another extent, once more was reserved; and
    what is longer than the memory is another story.
    """

    def __init__(self, num_slots: int) -> None:
        self.named = NamedExtents(ExtentAllocator(num_slots))
        self.num_slots = num_slots
        self.calls: list[Call] = []
        self.released: list[str] = []  # since the last reserve

    @property
    def live(self) -> list[str]:
        """Names of what is held."""
        return list(self.named.live)

    def make(self, call: Call) -> None:
        """Make a call, unless a reader could take it for another one."""
        for value in call.arguments:
            if isinstance(value, Name) and value not in [*self.live, *self.released]:
                return
            if (
                call.name == "reserve"
                and isinstance(value, int)
                and value > self.num_slots
            ):
                return
        self.calls.append(call)
        outcome = self.named.make(call)
        if call.name == "reserve":
            self.released = []
        elif outcome is None and isinstance(call.arguments[0], Name):
            self.released.append(call.arguments[0])


def drawn_history(num_slots: int, choices: bytes) -> History:
    """Return the history that some bytes stand for, two for each call."""
    names = ClearCalls(num_slots)
    num_reserved = 0
    for first, second in zip(choices[::2], choices[1::2], strict=False):
        call = _call(KINDS[first % len(KINDS)], second, names, NAMES[num_reserved])
        num_reserved += call.name == "reserve"
        names.make(call)
    return History((("num_slots", num_slots),), tuple(names.calls))


def _call(kind: str, choice: int, names: ClearCalls, new: str) -> Call:
    if kind == "foreign" and choice % 4 == 0:
        starts = {extent.start for extent in names.named.live.values()}
        ids = [
            -1,
            names.num_slots,
            *(s for s in range(names.num_slots) if s not in starts),
        ]
        return Call("release", (ids[choice // 4 % len(ids)],))
    if kind == "again" and names.released:
        return Call("release", (Name(names.released[choice % len(names.released)]),))
    if kind == "release" and names.live:
        return Call("release", (Name(names.live[choice % len(names.live)]),))
    length = LENGTHS[choice % len(LENGTHS)]
    return Call("reserve", (min(length, names.num_slots),), new)
