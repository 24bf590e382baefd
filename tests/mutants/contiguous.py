"""Wrong answers to exercise 02 that learners write, and right ones of another kind."""

from collections.abc import Callable
from dataclasses import dataclass

from pagedkv_edu.errors import NotAllocated, OutOfSlots

Holes = list[tuple[int, int]]
Calls = list[tuple[str, str, int] | tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer, a part of its message's title, and the hint that it gets."""

    exercise_id: str
    answer: Callable[..., object]
    title: str
    hint: str


# --- 2.1 MyFirstFit ------------------------------------------------------------------


class FirstFit:
    """A right answer: a list of holes that is rebuilt when something comes back."""

    def __init__(self, num_slots: int) -> None:
        self._holes: Holes = [(0, num_slots)]
        self._size_by_start: dict[int, int] = {}

    @property
    def holes(self) -> Holes:
        return list(self._holes)

    @property
    def largest_hole(self) -> int:
        return max((length for _, length in self._holes), default=0)

    @property
    def num_free(self) -> int:
        return sum(length for _, length in self._holes)

    def reserve(self, num_slots: int) -> int:
        for index, (start, length) in enumerate(self._holes):
            if length >= num_slots:
                self._take(index, num_slots)
                self._size_by_start[start] = num_slots
                return start
        raise OutOfSlots(f"need {num_slots}, largest hole {self.largest_hole}")

    def release(self, start: int) -> None:
        if start not in self._size_by_start:
            raise NotAllocated(f"nothing starts at {start}")
        self._holes.append((start, self._size_by_start.pop(start)))
        self._join()

    def _take(self, index: int, num_slots: int) -> None:
        start, length = self._holes[index]
        rest = [(start + num_slots, length - num_slots)]
        self._holes[index : index + 1] = rest if length > num_slots else []

    def _join(self) -> None:
        joined: Holes = []
        for start, length in sorted(self._holes):
            if joined and sum(joined[-1]) == start:
                joined[-1] = joined[-1][0], joined[-1][1] + length
            else:
                joined.append((start, length))
        self._holes = joined


class OwnerOfEverySlot:
    """A right answer without a list of holes: one owner for each slot."""

    def __init__(self, num_slots: int) -> None:
        self._owners: list[int | None] = [None] * num_slots

    @property
    def holes(self) -> list[list[int]]:
        runs: list[list[int]] = []
        for slot, owner in enumerate(self._owners):
            if owner is None:
                if runs and sum(runs[-1]) == slot:
                    runs[-1][1] += 1
                else:
                    runs.append([slot, 1])
        return runs

    @property
    def largest_hole(self) -> int:
        return max((length for _, length in self.holes), default=0)

    @property
    def num_free(self) -> int:
        return self._owners.count(None)

    def reserve(self, num_slots: int) -> int:
        for start, length in self.holes:
            if length >= num_slots:
                self._owners[start : start + num_slots] = [start] * num_slots
                return start
        raise OutOfSlots("no run is long enough")

    def release(self, start: int) -> None:
        if start not in range(len(self._owners)) or self._owners[start] != start:
            raise NotAllocated(f"nothing starts at {start}")
        self._owners = [None if owner == start else owner for owner in self._owners]


class SortsExtents:
    """A right answer that keeps only what is held, and finds the holes when asked."""

    def __init__(self, num_slots: int) -> None:
        self._num_slots = num_slots
        self._held: dict[int, int] = {}

    @property
    def holes(self) -> Holes:
        position, found = 0, Holes()
        for start, length in [*sorted(self._held.items()), (self._num_slots, 0)]:
            if start > position:
                found.append((position, start - position))
            position = start + length
        return found

    @property
    def largest_hole(self) -> int:
        return max([0, *(length for _, length in self.holes)])

    @property
    def num_free(self) -> int:
        return self._num_slots - sum(self._held.values())

    def reserve(self, num_slots: int) -> int:
        fitting = [start for start, length in self.holes if length >= num_slots]
        if not fitting:
            raise OutOfSlots("no hole is long enough")
        self._held[fitting[0]] = num_slots
        return fitting[0]

    def release(self, start: int) -> None:
        if self._held.pop(start, None) is None:
            raise NotAllocated(f"nothing starts at {start}")


class NeverJoins(FirstFit):
    def _join(self) -> None:
        self._holes.sort()


class JoinsOnlyUpwards(FirstFit):
    """Join a released extent to the hole behind it, not to the one before it."""

    def _join(self) -> None:
        start, length = self._holes.pop()
        for other in self._holes:
            if other[0] == start + length:
                self._holes.remove(other)
                length += other[1]
                break
        self._holes = sorted([*self._holes, (start, length)])


class JoinsOneSide(FirstFit):
    """Join to one neighbour, although there may be one on each side."""

    def _join(self) -> None:
        start, length = self._holes.pop()
        for other in self._holes:
            touches = sum(other) == start or start + length == other[0]
            if touches:
                self._holes.remove(other)
                start, length = min(start, other[0]), length + other[1]
                break
        self._holes = sorted([*self._holes, (start, length)])


class TakesTheSmallest(FirstFit):
    def reserve(self, num_slots: int) -> int:
        fitting = [(n, i) for i, (_, n) in enumerate(self._holes) if n >= num_slots]
        if not fitting:
            raise OutOfSlots("no hole is long enough")
        index = min(fitting)[1]
        start = self._holes[index][0]
        self._take(index, num_slots)
        self._size_by_start[start] = num_slots
        return start


class TakesTheUpperEnd(FirstFit):
    def reserve(self, num_slots: int) -> int:
        for index, (start, length) in enumerate(self._holes):
            if length >= num_slots:
                rest = [(start, length - num_slots)] if length > num_slots else []
                self._holes[index : index + 1] = rest
                self._size_by_start[start + length - num_slots] = num_slots
                return start + length - num_slots
        raise OutOfSlots("no hole is long enough")


class RefusesAnExactFit(FirstFit):
    def reserve(self, num_slots: int) -> int:
        for index, (start, length) in enumerate(self._holes):
            if length > num_slots:
                self._take(index, num_slots)
                self._size_by_start[start] = num_slots
                return start
        raise OutOfSlots("no hole is long enough")


class LooksAtOneHole(FirstFit):
    def reserve(self, num_slots: int) -> int:
        if not self._holes or self._holes[0][1] < num_slots:
            raise OutOfSlots("the first hole is too short")
        return super().reserve(num_slots)


class LooksAtTheSum(FirstFit):
    """Ask whether enough slots are free in all."""

    def reserve(self, num_slots: int) -> int:
        if self.num_free < num_slots:
            raise OutOfSlots("too few slots are free")
        index = next((i for i, (_, n) in enumerate(self._holes) if n >= num_slots), 0)
        start, length = self._holes[index]
        self._take(index, min(length, num_slots))
        self._size_by_start[start] = num_slots
        return start


class KeepsTheHole(FirstFit):
    def _take(self, index: int, num_slots: int) -> None:
        if self._holes[index][1] == num_slots:
            del self._holes[index]


class LosesTheRest(FirstFit):
    def _take(self, index: int, num_slots: int) -> None:
        del self._holes[index]


class LeavesEmptyHoles(FirstFit):
    def _take(self, index: int, num_slots: int) -> None:
        start, length = self._holes[index]
        self._holes[index] = start + num_slots, length - num_slots


class ForgetsToSort(FirstFit):
    def _join(self) -> None:
        held = self._holes[:-1]
        super()._join()
        if sorted(held) != self._holes and len(self._holes) > len(held):
            self._holes = [*held, next(h for h in self._holes if h not in held)]


class AcceptsAnyRelease(FirstFit):
    def release(self, start: int) -> None:
        if start in self._size_by_start:
            super().release(start)


class ForgetsToForget(FirstFit):
    """Leave the length behind, so the same extent can be released twice."""

    def release(self, start: int) -> None:
        if start not in self._size_by_start:
            raise NotAllocated(f"nothing starts at {start}")
        self._holes.append((start, self._size_by_start[start]))
        self._join()


class TakesSlotZeroForNothing(FirstFit):
    def release(self, start: int) -> None:
        if not start:
            raise NotAllocated("nothing was reserved")
        super().release(start)


class ReturnsTheHole(FirstFit):
    def reserve(self, num_slots: int) -> tuple[int, int]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().reserve(num_slots), num_slots


class RaisesIndexError(FirstFit):
    def reserve(self, num_slots: int) -> int:
        index = 0
        while self._holes[index][1] < num_slots:
            index += 1
        start = self._holes[index][0]
        self._take(index, num_slots)
        self._size_by_start[start] = num_slots
        return start


class NeverStops(FirstFit):
    def reserve(self, num_slots: int) -> int:
        largest_hole = self.largest_hole
        while largest_hole < num_slots:
            pass  # somebody may release an extent
        return super().reserve(num_slots)


class CountsSlotsGivenOut(FirstFit):
    """Keep num_free beside the list, and take off what was asked even if refused."""

    def __init__(self, num_slots: int) -> None:
        super().__init__(num_slots)
        self._num_free = num_slots

    @property
    def num_free(self) -> int:
        return self._num_free

    def reserve(self, num_slots: int) -> int:
        self._num_free -= num_slots
        return super().reserve(num_slots)

    def release(self, start: int) -> None:
        self._num_free += self._size_by_start.get(start, 0)
        super().release(start)


# --- 2.2 my_best_hole ----------------------------------------------------------------


def takes_the_first(holes: Holes, num_slots: int) -> int | None:
    return next((start for start, length in holes if length >= num_slots), None)


def takes_the_largest(holes: Holes, num_slots: int) -> int | None:
    fitting = [(length, -start) for start, length in holes if length >= num_slots]
    return -max(fitting)[1] if fitting else None


def misses_an_exact_fit(holes: Holes, num_slots: int) -> int | None:
    fitting = [(length, start) for start, length in holes if length > num_slots]
    return min(fitting)[1] if fitting else None


def takes_the_smallest_of_all(holes: Holes, num_slots: int) -> int | None:
    return min((length, start) for start, length in holes)[1] if holes else None


def keeps_the_last_of_equals(holes: Holes, num_slots: int) -> int | None:
    best = None
    for start, length in holes:
        if length >= num_slots and (best is None or length <= best[1]):
            best = start, length
    return best[0] if best else None


def returns_the_length(holes: Holes, num_slots: int) -> int | None:
    return min((n for _, n in holes if n >= num_slots), default=None)


def returns_the_hole(holes: Holes, num_slots: int) -> tuple[int, int] | None:
    fitting = [hole for hole in holes if hole[1] >= num_slots]
    return min(fitting, key=lambda hole: hole[1], default=None)


def returns_minus_one(holes: Holes, num_slots: int) -> int:
    fitting = [(length, start) for start, length in holes if length >= num_slots]
    return min(fitting)[1] if fitting else -1


def takes_min_of_nothing(holes: Holes, num_slots: int) -> int:
    return min((n, start) for start, n in holes if n >= num_slots)[1]


def sorts_the_callers_list(holes: Holes, num_slots: int) -> int | None:
    holes.sort(key=lambda hole: hole[1])
    return next((start for start, length in holes if length >= num_slots), None)


def best_hole_by_loop(holes: Holes, num_slots: int) -> int | None:
    best = None
    for start, length in holes:
        if length >= num_slots and (best is None or length < best[1]):
            best = start, length
    return None if best is None else best[0]


def best_hole_by_sorting(holes: Holes, num_slots: int) -> int | None:
    for start, length in sorted(holes, key=lambda hole: hole[1]):
        if length >= num_slots:
            return start
    return None


# --- 2.3 my_refused_history ----------------------------------------------------------


def lanes() -> Calls:
    filled: Calls = [("reserve", name, 4) for name in "abcd"]
    return [*filled, ("release", "a"), ("release", "c"), ("reserve", "e", 8)]


def three_requests() -> list[list[str | int]]:
    return [
        ["reserve", "a", 2],
        ["reserve", "b", 13],
        ["release", "a"],
        ["reserve", "c", 3],
    ]


def fills_the_memory() -> Calls:
    return [("reserve", "a", 16), ("reserve", "b", 1)]


def asks_for_more_than_is_free() -> Calls:
    return [*lanes()[:-1], ("reserve", "e", 9)]


def releases_neighbours() -> Calls:
    filled: Calls = [("reserve", name, 4) for name in "abcd"]
    return [*filled, ("release", "a"), ("release", "b"), ("reserve", "e", 8)]


def is_refused_too_early() -> Calls:
    return [("reserve", "x", 10), ("reserve", "y", 10), *lanes()]


def ends_with_a_release() -> Calls:
    return [*lanes()[:-1], ("release", "b")]


def returns_text() -> list[str]:
    return ["a = reserve(4)", "release(a)", "reserve(20)"]


def returns_no_list() -> None:
    lanes()


def releases_what_nobody_holds() -> Calls:
    return [("reserve", "a", 4), ("release", "b"), ("reserve", "c", 16)]


def reserves_a_name_twice() -> Calls:
    return [("reserve", "a", 8), ("reserve", "a", 8), ("reserve", "b", 4)]


def asks_for_nothing() -> Calls:
    return [("reserve", "a", 0)]


def calls_an_allocator() -> Calls:
    raise OutOfSlots("largest hole 4, sum 8")


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "2.1": (FirstFit, OwnerOfEverySlot, SortsExtents),
    "2.2": (best_hole_by_loop, best_hole_by_sorting),
    "2.3": (lanes, three_requests),
}

_JOIN = "Two holes touch and are not one"
_LISTED = "The list of holes is not as it should be"
_NOT_FIRST = "It takes another hole than the first one"
_REFUSES = "It refuses, although a hole is long enough"
_IMPOSSIBLE = "One of my calls cannot be made"
_ERROR = "My code stops with an error, or returns something else"
_RELEASE = "A release is accepted that should be refused"
_NO_HOLE = "It goes wrong where no hole is long enough"
_NOT_START = "It returns a hole, a length or an index"
_FORM = "My list is not read as calls"

MUTANTS = (
    Mutant("2.1", NeverJoins, "after release(a), holes is [(0, 1), (1, 11)]", _JOIN),
    Mutant(
        "2.1", JoinsOnlyUpwards, "after release(b), holes is [(0, 1), (1, 11)]", _JOIN
    ),
    Mutant("2.1", JoinsOneSide, "after release(", _JOIN),
    Mutant("2.1", TakesTheSmallest, "reserve(1) returned ", _NOT_FIRST),
    Mutant(
        "2.1", TakesTheUpperEnd, "a = reserve(1) returned 11; expected 0", _NOT_FIRST
    ),
    Mutant("2.1", RefusesAnExactFit, "reserve(12) raised OutOfSlots", _REFUSES),
    Mutant("2.1", LooksAtOneHole, "reserve(2) raised OutOfSlots; expected", _REFUSES),
    Mutant(
        "2.1",
        LooksAtTheSum,
        "; expected OutOfSlots",
        "It hands out slots, although no hole is long enough",
    ),
    Mutant("2.1", KeepsTheHole, "holes is [(0, 12)]; expected [(1, 11)]", _LISTED),
    Mutant(
        "2.1",
        LosesTheRest,
        "after a = reserve(1), holes is []; expected [(1, 11)]",
        "Free slots are in no hole",
    ),
    Mutant("2.1", LeavesEmptyHoles, "holes is [(12, 0)]; expected []", _LISTED),
    Mutant("2.1", ForgetsToSort, "after release(", _LISTED),
    Mutant("2.1", AcceptsAnyRelease, "release(", _RELEASE),
    Mutant(
        "2.1", ForgetsToForget, "release(a) returned; expected NotAllocated", _RELEASE
    ),
    Mutant(
        "2.1",
        TakesSlotZeroForNothing,
        "release(a) raised NotAllocated; expected no error",
        "release refuses what is held",
    ),
    Mutant("2.1", ReturnsTheHole, "returned (0, 1); expected 0", _ERROR),
    Mutant("2.1", RaisesIndexError, "raised IndexError; expected OutOfSlots", _ERROR),
    Mutant("2.1", NeverStops, "did not return within 2 s", _ERROR),
    Mutant(
        "2.1",
        CountsSlotsGivenOut,
        "was refused, but something changed first",
        "was refused, but something changed first",
    ),
    Mutant(
        "2.2",
        takes_the_first,
        "my_best_hole([(0, 4), (6, 2)], 1) returned 0; expected 6",
        "It takes a hole that fits, not the smallest",
    ),
    Mutant(
        "2.2",
        takes_the_largest,
        "my_best_hole([(0, 2), (4, 4)], 1) returned 4; expected 0",
        "It takes a hole that fits, not the smallest",
    ),
    Mutant("2.2", misses_an_exact_fit, "expected 0", "It misses a hole"),
    Mutant(
        "2.2",
        takes_the_smallest_of_all,
        "returned 0; expected",
        "It takes a hole that is too short",
    ),
    Mutant(
        "2.2",
        keeps_the_last_of_equals,
        "my_best_hole([(0, 2), (4, 2)], 1) returned 4; expected 0",
        "Of two equal holes it takes the later one",
    ),
    Mutant("2.2", returns_the_length, "returned 4; expected 3", _NOT_START),
    Mutant("2.2", returns_the_hole, "returned (3, 4); expected 3", _NOT_START),
    Mutant("2.2", returns_minus_one, "returned -1; expected None", _NO_HOLE),
    Mutant("2.2", takes_min_of_nothing, "raised ValueError; expected None", _NO_HOLE),
    Mutant(
        "2.2",
        sorts_the_callers_list,
        "changed what it was given",
        "It changes the list that it was given",
    ),
    Mutant(
        "2.3",
        fills_the_memory,
        "b = reserve(1) is refused, but only 0 slots are free",
        "It is refused, but too few slots are free",
    ),
    Mutant(
        "2.3",
        asks_for_more_than_is_free,
        "e = reserve(9) is refused, but only 8 slots are free",
        "It is refused, but too few slots are free",
    ),
    Mutant(
        "2.3",
        releases_neighbours,
        "e = reserve(8) is accepted; expected OutOfSlots",
        "The last request fits",
    ),
    Mutant(
        "2.3",
        is_refused_too_early,
        "y = reserve(10) is refused, and it is not the last call",
        "A call before the last one is refused",
    ),
    Mutant(
        "2.3",
        ends_with_a_release,
        "the last call is release(b); expected a request",
        "The last call is not a request",
    ),
    Mutant("2.3", returns_text, "is no list of calls", _FORM),
    Mutant("2.3", returns_no_list, "None is no list of calls", _FORM),
    Mutant(
        "2.3",
        releases_what_nobody_holds,
        "entry 2, ('release', 'b'), cannot be made",
        _IMPOSSIBLE,
    ),
    Mutant(
        "2.3",
        reserves_a_name_twice,
        "entry 2, ('reserve', 'a', 8), cannot be made",
        _IMPOSSIBLE,
    ),
    Mutant(
        "2.3",
        asks_for_nothing,
        "entry 1, ('reserve', 'a', 0), cannot be made",
        _IMPOSSIBLE,
    ),
    Mutant("2.3", calls_an_allocator, "raised OutOfSlots", _FORM),
)
