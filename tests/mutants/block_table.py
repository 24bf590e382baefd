"""Wrong answers to exercise 03 that learners write, and right ones of another kind."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer, the beginning of its message, and the hint that it gets."""

    exercise_id: str
    answer: Callable[..., object]
    title: str
    hint: str


# --- 3.1 my_locate -------------------------------------------------------------------


def swaps_block_and_offset(position: int, block_size: int) -> tuple[int, int]:
    return position % block_size, position // block_size


def rounds_the_block_up(position: int, block_size: int) -> tuple[int, int]:
    return ceil(position / block_size), position % block_size


def counts_positions_from_one(position: int, block_size: int) -> tuple[int, int]:
    return (position + 1) // block_size, (position + 1) % block_size


def counts_offsets_from_one(position: int, block_size: int) -> tuple[int, int]:
    return position // block_size, position % block_size + 1


def divides_with_a_slash(position: int, block_size: int) -> tuple[float, int]:
    return position / block_size, position % block_size


def keeps_the_boundary_back(position: int, block_size: int) -> tuple[int, int]:
    """Leave position block_size in block 0, with an offset outside it."""
    if position and position % block_size == 0:
        return position // block_size - 1, block_size
    return position // block_size, position % block_size


def locates_without_return(position: int, block_size: int) -> None:
    divmod(position, block_size)


# --- 3.2 my_slot ---------------------------------------------------------------------


def indexes_the_table_by_token(
    block_ids: list[int], block_size: int, position: int
) -> int:
    return block_ids[position] * block_size + position % block_size


def counts_on_from_the_first_block(
    block_ids: list[int], block_size: int, position: int
) -> int:
    return block_ids[0] * block_size + position


def does_not_multiply(block_ids: list[int], block_size: int, position: int) -> int:
    return block_ids[position // block_size] + position % block_size


def forgets_the_offset(block_ids: list[int], block_size: int, position: int) -> int:
    return block_ids[position // block_size] * block_size


def adds_the_whole_position(
    block_ids: list[int], block_size: int, position: int
) -> int:
    return block_ids[position // block_size] * block_size + position


def never_asks_the_table(block_ids: list[int], block_size: int, position: int) -> int:
    return position // block_size * block_size + position % block_size


def takes_the_block_out(block_ids: list[int], block_size: int, position: int) -> int:
    """Return the right slot, and leave the caller without that block."""
    block_id = block_ids.pop(position // block_size)
    return block_id * block_size + position % block_size


# --- 3.3 my_slot_mapping -------------------------------------------------------------


def _slot(block_ids: list[int], block_size: int, position: int) -> int:
    return block_ids[position // block_size] * block_size + position % block_size


def maps_one_range(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    if start == stop:
        return []
    first = _slot(block_ids, block_size, start)
    return list(range(first, first + stop - start))


def begins_at_the_block(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    """Take whole blocks from the one of start on, and cut the list to length."""
    blocks = block_ids[start // block_size :]
    slots = [b * block_size + offset for b in blocks for offset in range(block_size)]
    return slots[: stop - start]


def includes_stop(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    last = min(stop, len(block_ids) * block_size - 1)
    return [_slot(block_ids, block_size, p) for p in range(start, last + 1)]


def maps_the_whole_sequence(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    return [_slot(block_ids, block_size, p) for p in range(stop)]


def maps_whole_blocks(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    """Give back every slot of every block that is touched, filled or not."""
    touched = range(start // block_size, -(-stop // block_size))
    return [block_ids[k] * block_size + o for k in touched for o in range(block_size)]


def counts_offsets_from_start(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    return [
        block_ids[p // block_size] * block_size + (p - start) % block_size
        for p in range(start, stop)
    ]


def indexes_the_table_by_token_in_a_step(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    return [block_ids[p] * block_size + p % block_size for p in range(start, stop)]


def sorts_the_slots(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    return sorted(_slot(block_ids, block_size, p) for p in range(start, stop))


def eats_the_table(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    """Return the right slots, and empty the caller's table on the way."""
    slots = [_slot(block_ids, block_size, p) for p in range(start, stop)]
    while block_ids:
        block_ids.pop()
    return slots


# --- 3.4 my_table_entries ------------------------------------------------------------


def rounds_down(max_len: int, block_size: int) -> int:
    return max_len // block_size


def adds_one_always(max_len: int, block_size: int) -> int:
    return max_len // block_size + 1


def rounds_to_the_nearest(max_len: int, block_size: int) -> int:
    return round(max_len / block_size)


def one_entry_for_each_token(max_len: int, block_size: int) -> int:
    return max_len


def leaves_the_point(max_len: int, block_size: int) -> float:
    return max_len / block_size


BEGIN = "I do not know where to begin"
CHANGES = "It changes the list that it was given"
INDEX = "IndexError: list index out of range"
POINT = "There is a decimal point in my result"
SWAPPED = "My two numbers are the wrong way round"
ONE_WRONG = "One of my two numbers is wrong"
ELSEWHERE = "My slot lies in another block"
RUNS_ON = "My slots run on into the next block of the pool"
LENGTH = "My list is too long or too short"
SOME_WRONG = "The length is right, some slots are not"
TOO_FEW = "I count too few entries"
TOO_MANY = "I count too many entries"

TABLE = "[2, 3, 0], 4"
MUTANTS = (
    Mutant("3.1", swaps_block_and_offset, "(6, 4) returned (2, 1)", SWAPPED),
    Mutant("3.1", rounds_the_block_up, "(5, 4) returned (2, 1)", ONE_WRONG),
    Mutant("3.1", counts_positions_from_one, "(5, 4) returned (1, 2)", ONE_WRONG),
    Mutant("3.1", counts_offsets_from_one, "(5, 4) returned (1, 2)", ONE_WRONG),
    Mutant("3.1", divides_with_a_slash, "(5, 4) returned (1.25, 1)", POINT),
    Mutant("3.1", keeps_the_boundary_back, "(4, 4) returned (0, 4)", ONE_WRONG),
    Mutant(
        "3.1",
        locates_without_return,
        "(5, 4) returned None",
        "My function returns None",
    ),
    Mutant("3.2", indexes_the_table_by_token, f"({TABLE}, 4) raised IndexError", INDEX),
    Mutant(
        "3.2", counts_on_from_the_first_block, f"({TABLE}, 8) returned 16", ELSEWHERE
    ),
    Mutant(
        "3.2", does_not_multiply, f"({TABLE}, 4) returned 3", "My slot is too small"
    ),
    Mutant(
        "3.2",
        forgets_the_offset,
        f"({TABLE}, 5) returned 12",
        "Right block, wrong slot",
    ),
    Mutant("3.2", adds_the_whole_position, f"({TABLE}, 4) returned 16", ELSEWHERE),
    Mutant("3.2", never_asks_the_table, f"({TABLE}, 4) returned 4", ELSEWHERE),
    Mutant("3.2", takes_the_block_out, "changed what it was given", CHANGES),
    Mutant("3.3", maps_one_range, f"({TABLE}, 7, 9) returned [15, 16]", RUNS_ON),
    Mutant("3.3", begins_at_the_block, f"({TABLE}, 1, 2) returned [8]", SOME_WRONG),
    Mutant("3.3", includes_stop, f"({TABLE}, 0, 1) returned [8, 9]", LENGTH),
    Mutant("3.3", maps_the_whole_sequence, f"({TABLE}, 1, 2) returned [8, 9]", LENGTH),
    Mutant("3.3", maps_whole_blocks, f"({TABLE}, 0, 1) returned [8, 9", LENGTH),
    Mutant(
        "3.3", counts_offsets_from_start, f"({TABLE}, 1, 2) returned [8]", SOME_WRONG
    ),
    Mutant(
        "3.3",
        indexes_the_table_by_token_in_a_step,
        f"({TABLE}, 1, 2) returned [13]",
        SOME_WRONG,
    ),
    Mutant("3.3", sorts_the_slots, f"({TABLE}, 7, 9) returned [0, 15]", SOME_WRONG),
    Mutant(
        "3.3", eats_the_table, f"({TABLE}, 0, 1) changed what it was given", CHANGES
    ),
    Mutant("3.4", rounds_down, "(5, 4) returned 1", TOO_FEW),
    Mutant("3.4", adds_one_always, "(4, 4) returned 2", TOO_MANY),
    Mutant("3.4", rounds_to_the_nearest, "(5, 4) returned 1", TOO_FEW),
    Mutant("3.4", one_entry_for_each_token, "(4, 4) returned 4", TOO_MANY),
    Mutant("3.4", leaves_the_point, "(4, 4) returned 1.0", POINT),
)


# --- right, and written otherwise ----------------------------------------------------


def locates_by_subtracting(position: int, block_size: int) -> tuple[int, int]:
    block = 0
    while position >= block_size:
        position -= block_size
        block += 1
    return block, position


def slot_by_listing_all(block_ids: list[int], block_size: int, position: int) -> int:
    slots = [s for b in block_ids for s in range(b * block_size, (b + 1) * block_size)]
    return slots[position]


def slot_from_the_end_of_the_block(
    block_ids: list[int], block_size: int, position: int
) -> int:
    logical_block = position // block_size
    missing = (logical_block + 1) * block_size - position
    return (block_ids[logical_block] + 1) * block_size - missing


def maps_block_by_block(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    slots: list[int] = []
    while start < stop:
        logical_block, offset = divmod(start, block_size)
        num_here = min(block_size - offset, stop - start)
        first = block_ids[logical_block] * block_size + offset
        slots += range(first, first + num_here)
        start += num_here
    return slots


def maps_by_slicing(
    block_ids: list[int], block_size: int, start: int, stop: int
) -> list[int]:
    slots = [b * block_size + offset for b in block_ids for offset in range(block_size)]
    return slots[start:stop]


def entries_by_counting(max_len: int, block_size: int) -> int:
    return len(range(0, max_len, block_size))


def entries_by_remainder(max_len: int, block_size: int) -> int:
    full, rest = divmod(max_len, block_size)
    return full + 1 if rest else full


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "3.1": (divmod, locates_by_subtracting),
    "3.2": (_slot, slot_by_listing_all, slot_from_the_end_of_the_block),
    "3.3": (maps_block_by_block, maps_by_slicing),
    "3.4": (entries_by_counting, entries_by_remainder),
}
