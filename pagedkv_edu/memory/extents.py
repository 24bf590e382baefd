"""A contiguous cache: every request gets one unbroken run of slots."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, get_args

from pagedkv_edu.errors import InvalidSize, NeverFits, NotAllocated, OutOfSlots
from pagedkv_edu.sizes import require_positive

Fit = Literal["first", "best", "buddy"]


class Extent(NamedTuple):
    """A run of neighbouring slots: where it starts, and how many it has."""

    start: int
    num_slots: int


class ExtentsLike(Protocol):
    """Hands out runs of neighbouring slots, and takes them back."""

    @property
    def holes(self) -> Sequence[tuple[int, int]]:
        """The free runs, (start, num_slots), in address order."""
        ...

    @property
    def largest_hole(self) -> int:
        """Slots of the longest free run, 0 if there is none."""
        ...

    @property
    def num_free(self) -> int:
        """Slots that no run holds."""
        ...

    def reserve(self, num_slots: int) -> int:
        """Take a run of neighbouring slots; return where it starts."""
        ...

    def release(self, start: int) -> None:
        """Give back the run that starts here."""
        ...


class ExtentAllocator:
    """Hands out runs of neighbouring slots, and takes them back.

    `fit` says which hole is taken, from its lower end:
    "first" the one with the lowest address, "best" the smallest one that is large
    enough. "buddy" rounds a request up to a power of two and cuts larger holes in half
    until one fits; a hole joins only the twin that it was cut from.

    >>> slots = ExtentAllocator(num_slots=8, fit="first")
    >>> start_a, start_b = slots.reserve(2), slots.reserve(3)
    >>> slots.release(start_a)
    >>> slots.holes
    [Extent(start=0, num_slots=2), Extent(start=5, num_slots=3)]
    """

    def __init__(self, num_slots: int, fit: Fit = "first") -> None:
        self._num_slots = require_positive("num_slots", num_slots)
        if fit not in get_args(Fit):
            raise InvalidSize(f'fit is "first", "best" or "buddy", got {fit!r}')
        self._fit = fit
        self._size_by_start: dict[int, int] = {}
        self._num_free = num_slots
        self._holes = _powers(num_slots) if fit == "buddy" else [Extent(0, num_slots)]
        self._most = max(hole.num_slots for hole in self._holes)

    @property
    def num_slots(self) -> int:
        """Slots of the whole cache, free or not."""
        return self._num_slots

    @property
    def num_free(self) -> int:
        """Slots that no extent holds."""
        return self._num_free

    @property
    def holes(self) -> list[Extent]:
        """The free runs that can be handed out, in address order."""
        return list(self._holes)

    @property
    def largest_hole(self) -> int:
        """Slots of the longest free run, 0 if there is none."""
        return max((hole.num_slots for hole in self._holes), default=0)

    @property
    def extents(self) -> list[Extent]:
        """The runs in use, in address order, as long as they were taken."""
        return [Extent(*item) for item in sorted(self._size_by_start.items())]

    def reserve(self, num_slots: int) -> int:
        """Take a run of neighbouring slots; return where it starts.

        Raises `OutOfSlots`, with nothing changed, if no hole is long enough, and
        `NeverFits` if none could be, with every slot free.
        """
        needed = require_positive("num_slots", num_slots)
        if self._fit == "buddy":
            needed = 1 << (needed - 1).bit_length()
        hole = self._choose(needed)
        if hole is None:
            raise self._refusal(num_slots, needed)
        self._holes.remove(hole)
        if self._fit == "buddy":
            hole = self._halve(hole, needed)
        elif hole.num_slots > needed:
            rest = Extent(hole.start + needed, hole.num_slots - needed)
            insort(self._holes, rest)
        self._size_by_start[hole.start] = needed
        self._num_free -= needed
        return hole.start

    def release(self, start: int) -> None:
        """Give back the extent that starts here; its slots join the holes beside it.

        Raises `NotAllocated` if no extent starts here.
        """
        if type(start) is not int or start not in self._size_by_start:
            starts = [extent.start for extent in self.extents]
            raise NotAllocated(f"no extent starts at {start!r}; they start at {starts}")
        freed = Extent(start, self._size_by_start.pop(start))
        self._num_free += freed.num_slots
        join = self._join_twins if self._fit == "buddy" else self._join_neighbours
        insort(self._holes, join(freed))

    def check(self) -> None:
        """Assert that holes and extents cover every slot once, and are joined."""
        position = 0
        for run in sorted(self._holes + self.extents):
            assert run.start == position, (
                f"slot {position}: the next run starts at {run.start}"
            )
            assert run.num_slots > 0, f"an empty run at {run.start}"
            position = run.start + run.num_slots
        assert position == self._num_slots, (
            f"runs end at {position}, expected {self._num_slots}"
        )
        in_holes = sum(hole.num_slots for hole in self._holes)
        assert self._num_free == in_holes, (
            f"num_free {self._num_free}, but the holes have {in_holes} slots"
        )
        assert self._holes == sorted(self._holes), "the holes are out of order"
        for hole in self._holes:
            assert not self._partners(hole), (
                f"hole {hole} was not joined to {self._partners(hole)}"
            )

    def _choose(self, needed: int) -> Extent | None:
        fitting = (hole for hole in self._holes if hole.num_slots >= needed)
        if self._fit == "first":
            return next(fitting, None)
        return min(fitting, key=lambda hole: hole.num_slots, default=None)

    def _refusal(self, num_slots: int, needed: int) -> NeverFits | OutOfSlots:
        rounded = f", {needed} as a power of two," if needed > num_slots else ""
        slots = "slot" if num_slots == 1 else "slots"
        asked = f"need {num_slots} {slots}{rounded} in one piece"
        if needed > self._most:
            return NeverFits(
                f"{asked}; the longest piece of an empty cache is {self._most}; "
                "make the cache larger or refuse the request"
            )
        return OutOfSlots(
            f"{asked}; largest hole {self.largest_hole}, sum {self._num_free}; "
            "wait until an extent is released, or ask for less"
        )

    def _halve(self, hole: Extent, needed: int) -> Extent:
        while hole.num_slots > needed:
            half = hole.num_slots // 2
            insort(self._holes, Extent(hole.start + half, half))
            hole = Extent(hole.start, half)
        return hole

    def _join_neighbours(self, hole: Extent) -> Extent:
        for other in self._partners(hole):
            self._holes.remove(other)
            hole = Extent(
                min(hole.start, other.start), hole.num_slots + other.num_slots
            )
        return hole

    def _join_twins(self, hole: Extent) -> Extent:
        while partners := self._partners(hole):
            (other,) = partners
            self._holes.remove(other)
            hole = Extent(min(hole.start, other.start), 2 * hole.num_slots)
        return hole

    def _partners(self, hole: Extent) -> list[Extent]:
        """Return the holes that this one must be joined to."""
        if self._fit == "buddy":
            # holes are aligned to their size, so twins differ in one bit of the start
            twin = Extent(hole.start ^ hole.num_slots, hole.num_slots)
            return [twin] if twin in self._holes else []
        index = bisect_left(self._holes, hole)
        beside = self._holes[max(0, index - 1) : index + 2]
        return [
            other
            for other in beside
            if other.start + other.num_slots == hole.start
            or hole.start + hole.num_slots == other.start
        ]


def _powers(num_slots: int) -> list[Extent]:
    """Cut a run into powers of two, largest first: 640 = 512 + 128."""
    holes: list[Extent] = []
    start = 0
    while start < num_slots:
        size = 1 << ((num_slots - start).bit_length() - 1)
        holes.append(Extent(start, size))
        start += size
    return holes
