"""An allocator of extents behind a guard, and with names for what it hands out."""

from pagedkv_edu.checks.histories import Call, Name, is_list, is_tuple
from pagedkv_edu.checks.judging.guarded import as_int, ask, require
from pagedkv_edu.checks.judging.limits import Complaint, Guard, shown
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.extents import Extent, ExtentsLike

Outcome = int | PagedKVError | None  # a start, our error, or nothing


class GuardedExtents:
    """Speaks the allocator's protocol; what comes out has the type it should have."""

    def __init__(self, extents: ExtentsLike, guard: Guard) -> None:
        self._extents = extents
        self._guard = guard

    @property
    def num_free(self) -> int:
        """Slots that the learner's allocator says are free."""
        return as_int("num_free", self._read("num_free"))

    @property
    def largest_hole(self) -> int:
        """Slots of the longest hole, as the learner's allocator says."""
        return as_int("largest_hole", self._read("largest_hole"))

    @property
    def holes(self) -> list[Extent]:
        """The learner's holes, in the learner's order."""
        value = self._read("holes")
        if is_list(value) or is_tuple(value):
            holes = [_as_extent(item) for item in value]
            extents = [hole for hole in holes if hole is not None]
            if len(extents) == len(holes):
                return extents
        raise Complaint(
            "holes",
            f"returned {shown(value)}",
            f"{shown(value)}; it must be a list of (start, num_slots), both ints.",
        )

    def reserve(self, num_slots: int) -> int:
        """Let the learner's allocator take a run."""
        return as_int("reserve", ask(self._guard, self._extents, "reserve", num_slots))

    def release(self, start: int) -> None:
        """Let the learner's allocator take a run back."""
        ask(self._guard, self._extents, "release", start)

    def _read(self, name: str) -> object:
        require(self._extents, name)
        value: object = self._guard.ask(name, getattr, self._extents, name)
        if callable(value):
            found = f'write "@property" on the line above "def {name}".'
            raise Complaint(name, "is a method, not a property", found)
        return value


class NamedExtents:
    """An allocator whose extents are called by the names of a history."""

    def __init__(self, extents: ExtentsLike) -> None:
        self.extents = extents
        self.start_by_name: dict[str, int] = {}
        self.live: dict[str, Extent] = {}  # as long as was asked for

    def make(self, call: Call) -> Outcome:
        """Make a call, and keep what it handed out or took back."""
        try:
            if call.name == "reserve":
                num_slots = call.arguments[0]
                assert isinstance(num_slots, int), call
                start = self.extents.reserve(num_slots)
                self.start_by_name[call.result] = start
                self.live[call.result] = Extent(start, num_slots)
                return start
            start = self.start_of(call)
            self.extents.release(start)
        except PagedKVError as error:
            return error
        named = [name for name, extent in self.live.items() if extent.start == start]
        for name in named[-1:]:  # a wrong allocator may have handed out one twice
            del self.live[name]
        return None

    def start_of(self, call: Call) -> int:
        """Return the start that a release is about."""
        start = call.arguments[0]
        if isinstance(start, Name):
            return self.start_by_name[start]
        assert isinstance(start, int), call
        return start


def _as_extent(value: object) -> Extent | None:
    if not (is_tuple(value) or is_list(value)) or len(value) != 2:
        return None
    start, num_slots = value
    if type(start) is not int or type(num_slots) is not int:
        return None
    return Extent(start, num_slots)
