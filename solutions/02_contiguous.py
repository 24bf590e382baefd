# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e02-title"
# # Exercise 02: a contiguous cache
#
# You write a first fit, then the choice that best fit makes, and then a story in which free slots are of no use.
# The three do not depend on each other.
# Lesson: [02, a contiguous cache](../notebooks/02_contiguous.ipynb).
#
# Slots count from 0.
# A *hole* is a pair `(start, num_slots)`: where it begins, and how many free slots it has.
# Holes are listed in address order, and two holes never touch: then they would be one.

# %% id="e02-imports"
from pagedkv_edu.course import check
from pagedkv_edu.errors import NotAllocated, OutOfSlots
from pagedkv_edu.memory.extents import ExtentAllocator

# %% id="e02-numbers"
num_slots = 12

# %% [markdown] id="e02-1-task"
# ## 2.1 First fit
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# Write `reserve`, which takes neighbouring slots from the first hole that is long enough, and returns where they start.
# Write `release`, which is told that start and makes the slots a hole again.
#
# ```python
# reserve(num_slots: int) -> int
# release(start: int) -> None
# ```
#
# | holes before | call | returns | holes after | |
# |---|---|---|---|---|
# | `[(0, 12)]` | `reserve(5)` | `0` | `[(5, 7)]` | the lower end of the hole |
# | `[(0, 5), (8, 4)]` | `reserve(4)` | `0` | `[(4, 1), (8, 4)]` | the first that is long enough, not the tightest |
# | `[(0, 5), (8, 4)]` | `reserve(5)` | `0` | `[(8, 4)]` | nothing of the hole is left |
# | `[(0, 2), (8, 4)]` | `reserve(3)` | `8` | `[(0, 2), (11, 1)]` | the first hole is too short |
# | `[(0, 5), (8, 4)]` | `reserve(6)` | raises `OutOfSlots` | as before | 9 slots are free |
# | `[(0, 5), (8, 4)]` | `release(5)` | | `[(0, 12)]` | slots 5 to 7 touch both holes |
# | `[(0, 5), (8, 4)]` | `release(6)` | raises `NotAllocated` | as before | nothing starts at 6 |
#
# `num_slots` is at least 1; you need not check that.
# The holes and the numbers that follow from them are done.

# %% id="e02-1-picture"
wanted = ExtentAllocator(num_slots)  # the library's, with fit="first"
starts = [wanted.reserve(length) for length in (5, 3, 4)]
wanted.release(starts[0])
wanted.release(starts[2])
print("holes:", [tuple(hole) for hole in wanted.holes])
wanted.release(starts[1])
print("holes:", [tuple(hole) for hole in wanted.holes])


# %% id="e02-1-answer" tags=["answer"] exercise="2.1"
class MyFirstFit:
    """Hands out neighbouring slots of the first hole that is long enough."""

    def __init__(self, num_slots: int) -> None:
        self._holes = [(0, num_slots)]  # in address order
        self._size_by_start: dict[int, int] = {}  # of what is held

    @property
    def holes(self) -> list[tuple[int, int]]:
        """The free runs as (start, num_slots), in address order."""
        return list(self._holes)

    @property
    def largest_hole(self) -> int:
        """Slots of the longest hole, 0 if there is none."""
        return max((length for _, length in self._holes), default=0)

    @property
    def num_free(self) -> int:
        """Slots that nobody holds."""
        return sum(length for _, length in self._holes)

    def reserve(self, num_slots: int) -> int:
        """Take num_slots neighbouring slots; return where they start.

        Raises `OutOfSlots`, with nothing changed, if no hole is long enough.
        """
        # BEGIN SOLUTION: take the lower end of the first hole that is long enough
        for index, (start, length) in enumerate(self._holes):
            if length >= num_slots:
                rest = (start + num_slots, length - num_slots)
                self._holes[index : index + 1] = [rest] if length > num_slots else []
                self._size_by_start[start] = num_slots
                return start
        raise OutOfSlots(
            f"need {num_slots} slots in one piece; "
            f"largest hole {self.largest_hole}, sum {self.num_free}"
        )
        # END SOLUTION

    def release(self, start: int) -> None:
        """Make the slots that were reserved at this start a hole again.

        Raises `NotAllocated`, with nothing changed, if nothing held starts here.
        """
        # BEGIN SOLUTION: add the slots to the holes, and join holes that touch
        if start not in self._size_by_start:
            raise NotAllocated(f"nothing starts at {start}")
        self._holes.append((start, self._size_by_start.pop(start)))
        joined: list[tuple[int, int]] = []
        for first, length in sorted(self._holes):
            if joined and sum(joined[-1]) == first:  # the last one ends here
                first, length = joined[-1][0], joined.pop()[1] + length
            joined.append((first, length))
        self._holes = joined
        # END SOLUTION


# %% id="e02-1-check" tags=["check"] exercise="2.1"
check("2.1", MyFirstFit)

# %% [markdown] id="e02-1-see"
# **See it.** When the check passes, put your class into the lesson: `Allocator = mine("MyFirstFit")` in its second cell.
# The strip of the race is then served by your code.

# %% [markdown] id="e02-2-task"
# ## 2.2 Best fit: choose the hole
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# Best fit takes the shortest hole that is long enough; of equal holes, the one with the lowest address.
# Write `my_best_hole`, which returns where that hole starts, or `None` if no hole is long enough.
#
# ```python
# my_best_hole(holes: list[tuple[int, int]], num_slots: int) -> int | None
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_best_hole([(0, 5), (8, 4)], 3)` | `8` | leaves 1 slot over, the other would leave 2 |
# | `my_best_hole([(0, 5), (8, 4)], 5)` | `0` | an exact fit |
# | `my_best_hole([(0, 4), (8, 4)], 3)` | `0` | equal holes: the first |
# | `my_best_hole([(0, 5), (8, 4)], 6)` | `None` | too long for both |
# | `my_best_hole([], 1)` | `None` | |
#
# ```
# slots     0  1  2  3  4  5  6  7  8  9 10 11
# holes     .  .  .  .  .  b  b  b  .  .  .  .
# 3 slots                           ^  ^  ^
# ```
#
# Leave `holes` as it is: it belongs to the caller.


# %% id="e02-2-answer" tags=["answer"] exercise="2.2"
def my_best_hole(holes: list[tuple[int, int]], num_slots: int) -> int | None:
    """Return the start of the shortest hole that is long enough, None if none is."""
    # BEGIN SOLUTION: return the start of the shortest hole that is long enough
    fitting = [(length, start) for start, length in holes if length >= num_slots]
    return min(fitting)[1] if fitting else None
    # END SOLUTION


# %% id="e02-2-check" tags=["check"] exercise="2.2"
check("2.2", my_best_hole)

# %% [markdown] id="e02-3-task"
# ## 2.3 Refused, although enough is free
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# A memory has 16 slots and a first fit.
# Write a history in which the last request is refused although at least as many slots are free as it asks for.
# Every call before it must be served.
#
# ```python
# my_refused_history() -> list[tuple[str, str, int] | tuple[str, str]]
# ```
#
# | an entry | means |
# |---|---|
# | `("reserve", "a", 4)` | request a gets 4 slots side by side |
# | `("release", "a")` | request a ends |
#
# The check plays your calls on the library's allocator and draws each of them.
# It also says what best fit and buddy would have done.


# %% id="e02-3-answer" tags=["answer"] exercise="2.3"
def my_refused_history() -> list[tuple[str, str, int] | tuple[str, str]]:
    """Return calls of which only the last is refused, for want of one long hole."""
    # BEGIN SOLUTION: leave holes that do not touch
    return [
        ("reserve", "a", 4),
        ("reserve", "b", 4),
        ("reserve", "c", 4),
        ("reserve", "d", 4),
        ("release", "a"),
        ("release", "c"),
        ("reserve", "e", 8),
    ]
    # END SOLUTION


# %% id="e02-3-check" tags=["check"] exercise="2.3"
check("2.3", my_refused_history)

# %% [markdown] id="e02-3-see"
# **Go on.** Find a history that first fit refuses and best fit serves, and one the other way round.
# The second is harder.
