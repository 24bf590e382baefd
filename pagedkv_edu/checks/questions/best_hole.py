"""Exercise 2.2: which hole best fit takes."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import contiguous as hint
from pagedkv_edu.checks.judging.functions import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.report import Hint

BestHoleCase = tuple[list[tuple[int, int]], int]  # holes, num_slots


@dataclass(frozen=True)
class BestHoleTopic:
    """What `my_best_hole` should return."""

    exercise_id: str = "2.2"
    answer_name: str = "my_best_hole"
    hints: tuple[Hint, ...] = hint.HINTS["2.2"]
    reread: str = hint.FIRST_FIT

    def edges(self) -> Iterable[BestHoleCase]:
        """Return no hole, one, two and three of small lengths, with every request."""
        for num_holes in range(4):
            for lengths in product((1, 2, 4), repeat=num_holes):
                for num_slots in range(1, 6):
                    yield laid_out(lengths), num_slots

    def cases(self) -> SearchStrategy[BestHoleCase]:
        """Draw up to eight holes, and a request."""
        lengths = st.lists(st.integers(1, 40), max_size=8)
        return st.tuples(lengths.map(laid_out), st.integers(1, 45))

    def right(self, case: BestHoleCase) -> Right:
        """Return the start, and what makes this hole the best."""
        holes, num_slots = case
        fitting = [(length, start) for start, length in holes if length >= num_slots]
        if not fitting:
            longest = max((length for _, length in holes), default=0)
            return Right(None, f"the longest hole has {amount(longest, 'slot')}.")
        length, start = min(fitting)
        others = [other for other, _ in fitting]
        why = "no other hole leaves fewer"
        if len(others) == 1:
            why = "no other hole is long enough"
        elif others.count(length) > 1:
            why = "of equal holes the first is taken"
        hole = f"the hole from {start} on has {amount(length, 'slot')}"
        return Right(start, f"{hole} and leaves {length - num_slots} over; {why}.")

    def size(self, case: BestHoleCase) -> tuple[int, ...]:
        """Prefer two holes, unequal and no exact fit, then short ones."""
        holes, num_slots = case
        lengths = [length for _, length in holes]
        special = num_slots in lengths, len(set(lengths)) < len(lengths)
        return (abs(len(holes) - 2), *special, sum(lengths), num_slots)

    def hint(self, case: BestHoleCase, wrong: Wrong) -> str:
        """Choose by what came back."""
        holes, num_slots = case
        length_by_start = dict(holes)
        right = self.right(case).value
        if wrong.changed:
            return hint.CHANGES
        if type(wrong.value) is int and wrong.value in length_by_start:
            length = length_by_start[wrong.value]
            if length < num_slots:
                return hint.TOO_SHORT
            assert isinstance(right, int)
            if length == length_by_start[right]:
                return hint.TIE
            exact = length_by_start[right] == num_slots
            next_best = min(n for _, n in holes if n > num_slots)
            missed = exact and length == next_best
            return hint.MISSES_FIT if missed else hint.FIRST_NOT_BEST
        if right is None:
            return hint.NO_HOLE
        return hint.MISSES_FIT if wrong.found_value == "None" else hint.NOT_A_START

    def nearby(self, case: BestHoleCase) -> NearbyCases[BestHoleCase]:
        """Vary the request."""
        holes, num_slots = case
        longest = max((length for _, length in holes), default=num_slots)
        lengths = range(1, min(max(longest, num_slots), 12) + 2)
        cases = tuple((n, (holes, n)) for n in lengths)
        return NearbyCases(f"my_best_hole({holes}, n)", cases)


def laid_out(lengths: Iterable[int]) -> list[tuple[int, int]]:
    """Return holes of these lengths in address order, each with something behind it."""
    holes: list[tuple[int, int]] = []
    start = 0
    for length in lengths:
        holes.append((start, length))
        start += length + 2
    return holes
