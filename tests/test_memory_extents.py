"""The contiguous allocator against a list with one owner per slot."""

from itertools import groupby

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from pagedkv_edu.errors import InvalidSize, NeverFits, NotAllocated, OutOfSlots
from pagedkv_edu.memory.extents import Extent, ExtentAllocator, Fit

FITS: tuple[Fit, ...] = ("first", "best", "buddy")
every_fit = pytest.mark.parametrize("fit", FITS)


def free_runs(owners: list[int | None]) -> list[Extent]:
    """Every run of slots without an owner, as long as it can be."""
    runs: list[Extent] = []
    position = 0
    for is_free, group in groupby(owner is None for owner in owners):
        length = len(list(group))
        runs += [Extent(position, length)] if is_free else []
        position += length
    return runs


def free_squares(owners: list[int | None]) -> list[Extent]:
    """Every free aligned power of two that is not half of a larger free one."""

    def is_free(start: int, size: int) -> bool:
        inside = start + size <= len(owners)
        return inside and all(o is None for o in owners[start : start + size])

    return sorted(
        Extent(start, size)
        for size in (1 << k for k in range(len(owners).bit_length()))
        for start in range(0, len(owners), size)
        if is_free(start, size)
        and not is_free(start // (2 * size) * 2 * size, 2 * size)
    )


class AllocatorAgainstList(RuleBasedStateMachine):
    """Any history leaves the allocator where one owner per slot says it should be."""

    starts = Bundle("starts")

    @initialize(num_slots=st.integers(1, 40), fit=st.sampled_from(FITS))
    def build(self, num_slots: int, fit: Fit) -> None:
        self.allocator = ExtentAllocator(num_slots, fit)
        self.fit = fit
        self.owners: list[int | None] = [None] * num_slots

    def model_holes(self) -> list[Extent]:
        return (free_squares if self.fit == "buddy" else free_runs)(self.owners)

    def model_start(self, size: int) -> int | None:
        fitting = [hole for hole in self.model_holes() if hole.num_slots >= size]
        if self.fit == "first":
            return min((hole.start for hole in fitting), default=None)
        smallest = min(((hole.num_slots, hole.start) for hole in fitting), default=None)
        return smallest[1] if smallest else None

    @rule(target=starts, num_slots=st.integers(1, 45))
    def reserve(self, num_slots: int) -> object:
        size = num_slots
        while self.fit == "buddy" and size & (size - 1):
            size += 1
        expected = self.model_start(size)
        if expected is None:
            with pytest.raises((OutOfSlots, NeverFits)):
                self.allocator.reserve(num_slots)
            return multiple()
        assert self.allocator.reserve(num_slots) == expected
        self.owners[expected : expected + size] = [expected] * size
        return expected

    @rule(start=consumes(starts))
    def release(self, start: int) -> None:
        self.allocator.release(start)
        self.owners = [None if owner == start else owner for owner in self.owners]

    @rule(start=st.integers(-2, 45))
    def release_what_nobody_holds(self, start: int) -> None:
        if start in self.owners:
            return
        with pytest.raises(NotAllocated):
            self.allocator.release(start)

    @invariant()
    def agrees_with_the_list(self) -> None:
        if not hasattr(self, "allocator"):
            return
        holes = self.model_holes()

        self.allocator.check()
        assert self.allocator.holes == holes
        assert self.allocator.num_free == self.owners.count(None)
        assert self.allocator.largest_hole == max(
            (h.num_slots for h in holes), default=0
        )
        held = [
            Extent(start, self.owners.count(start))
            for start in sorted({o for o in self.owners if o is not None})
        ]
        assert self.allocator.extents == held


TestAllocatorAgainstList = AllocatorAgainstList.TestCase
TestAllocatorAgainstList.settings = settings(
    max_examples=150, stateful_step_count=30, deadline=None
)


@every_fit
def test_half_of_the_memory_is_free_and_a_request_for_half_is_refused(fit: Fit):
    lanes = ExtentAllocator(num_slots=16, fit=fit)
    starts = [lanes.reserve(4) for _ in range(4)]
    for start in starts[::2]:
        lanes.release(start)

    assert lanes.num_free == 8
    with pytest.raises(OutOfSlots, match=r"need 8 slots .* largest hole 4, sum 8"):
        lanes.reserve(8)


def test_first_fit_takes_the_lowest_hole_and_best_fit_the_tightest():
    first, best = ExtentAllocator(10, "first"), ExtentAllocator(10, "best")
    for allocator in (first, best):
        starts = [allocator.reserve(size) for size in (4, 1, 2, 1)]
        allocator.release(starts[0])
        allocator.release(starts[2])  # holes: 4 at 0, 2 at 5, 2 at 8

    assert first.reserve(2) == 0
    assert best.reserve(2) == 5


def test_a_buddy_hole_joins_only_the_twin_that_it_was_cut_from():
    slots = ExtentAllocator(8, "buddy")
    starts = [slots.reserve(2) for _ in range(4)]
    slots.release(starts[1])
    slots.release(starts[2])  # slots 2 to 5 are free, but in two halves

    assert slots.holes == [(2, 2), (4, 2)]
    with pytest.raises(OutOfSlots, match="largest hole 2, sum 4"):
        slots.reserve(4)
    slots.release(starts[0])
    assert slots.reserve(4) == 0


def test_buddy_rounds_a_request_up_and_says_so():
    slots = ExtentAllocator(8, "buddy")
    slots.reserve(3)

    assert slots.num_free == 4
    with pytest.raises(OutOfSlots, match="need 5 slots, 8 as a power of two, in one"):
        slots.reserve(5)


@every_fit
def test_a_request_larger_than_the_empty_cache_never_fits(fit: Fit):
    slots = ExtentAllocator(6, fit)
    longest = 4 if fit == "buddy" else 6  # 6 = 4 + 2

    with pytest.raises(
        NeverFits, match=f"longest piece of an empty cache is {longest}"
    ):
        slots.reserve(longest + 1)
    assert slots.reserve(longest) == 0


@every_fit
@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "2", None])
def test_a_size_that_is_not_a_positive_int_is_refused(fit: Fit, wrong: int):
    slots = ExtentAllocator(8, fit)
    before = slots.holes

    with pytest.raises(InvalidSize, match="num_slots must be"):
        slots.reserve(wrong)
    with pytest.raises(InvalidSize, match="num_slots must be"):
        ExtentAllocator(wrong, fit)
    assert slots.holes == before


@every_fit
@pytest.mark.parametrize("wrong", [-1, 1, 8, False, 0.0, "0", None])
def test_a_start_where_nothing_starts_cannot_be_released(fit: Fit, wrong: int):
    slots = ExtentAllocator(8, fit)
    slots.reserve(4)

    with pytest.raises(NotAllocated, match=r"they start at \[0\]"):
        slots.release(wrong)
    assert slots.num_free == 4


def test_an_extent_cannot_be_released_twice():
    slots = ExtentAllocator(8)
    start = slots.reserve(4)
    slots.release(start)

    with pytest.raises(NotAllocated):
        slots.release(start)
    assert slots.holes == [(0, 8)]


@pytest.mark.parametrize("fit", ["worst", "", None])
def test_an_unknown_fit_is_refused(fit: Fit):
    with pytest.raises(InvalidSize, match='"first", "best" or "buddy"'):
        ExtentAllocator(8, fit)


def test_holes_are_a_list_of_the_callers_own():
    slots = ExtentAllocator(8)
    slots.holes.clear()

    assert slots.holes == [(0, 8)]


@every_fit
def test_check_notices_slots_that_are_neither_held_nor_free(fit: Fit):
    class ForgetsExtents(ExtentAllocator):
        @property
        def extents(self) -> list[Extent]:
            return []

    slots = ForgetsExtents(8, fit)
    slots.check()
    slots.reserve(2)

    with pytest.raises(AssertionError, match="slot 0: the next run starts at 2"):
        slots.check()
