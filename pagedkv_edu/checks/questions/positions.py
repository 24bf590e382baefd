"""What is right for `my_locate` and `my_slot`, and how it is said."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import block_table as hint
from pagedkv_edu.checks.histories import is_list, is_tuple
from pagedkv_edu.checks.judging.functions import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.report import Hint
from pagedkv_edu.sizes import locate

LESSON_BLOCK_SIZE = 4
LESSON_TABLES = ([2, 3, 0], [7, 1, 4], [0, 1, 2])
MOST_NEARBY = 16

LocateCase = tuple[int, int]  # position, block_size
SlotCase = tuple[list[int], int, int]  # block_ids, block_size, position


@dataclass(frozen=True)
class LocateTopic:
    """What `my_locate` should return."""

    exercise_id: str = "3.1"
    answer_name: str = "my_locate"
    hints: tuple[Hint, ...] = hint.HINTS["3.1"]
    reread: str = 'lesson 03, "From position to slot"'

    def edges(self) -> Iterable[LocateCase]:
        """Return the first positions of small blocks."""
        return [(p, size) for size in (4, 16, 3, 2, 1) for p in range(2 * size + 2)]

    def cases(self) -> SearchStrategy[LocateCase]:
        """Draw a position and a block size."""
        return st.tuples(st.integers(0, 9999), st.integers(1, 256))

    def right(self, case: LocateCase) -> Right:
        """Return logical block and offset, and the division behind them."""
        position, block_size = case
        block, offset = locate(position, block_size)
        where = f"behind {amount(block, 'full block')}" if block else "in block 0"
        division = f"position {position} is {block} × {block_size} + {offset}"
        return Right((block, offset), f"{division}: {where}, at offset {offset}.")

    def size(self, case: LocateCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, then small positions that are not at 0."""
        position, block_size = case
        block, offset = locate(position, block_size)
        return (*unusual(block_size), block == 0, offset == 0, position)

    def hint(self, case: LocateCase, wrong: Wrong) -> str:
        """Choose by what came back."""
        block, offset = locate(*case)
        if wrong.found_value == "None":
            return hint.LOCATE_NOTHING
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if wrong.value == (offset, block) and offset != block:
            return hint.LOCATE_SWAPPED
        return hint.LOCATE_ONE_WRONG if is_tuple(wrong.value) else hint.BEGIN

    def nearby(self, case: LocateCase) -> NearbyCases[LocateCase]:
        """Try the first two blocks and the first position after them."""
        _, block_size = case
        positions = range(2 * min(block_size, 8) + 1)
        cases = tuple((n, (n, block_size)) for n in positions)
        return NearbyCases(f"my_locate(n, {block_size})", cases)


@dataclass(frozen=True)
class SlotTopic:
    """What `my_slot` should return."""

    exercise_id: str = "3.2"
    answer_name: str = "my_slot"
    hints: tuple[Hint, ...] = hint.HINTS["3.2"]
    reread: str = 'lesson 03, "From position to slot"'

    def edges(self) -> Iterable[SlotCase]:
        """Return every position of small tables."""
        return [
            (list(block_ids), size, position)
            for block_ids in LESSON_TABLES
            for size in (4, 2, 3, 1)
            for position in range(len(block_ids) * size)
        ]

    def cases(self) -> SearchStrategy[SlotCase]:
        """Draw a table, a block size and a position inside."""
        return tables().flatmap(
            lambda table: st.tuples(
                st.just(table[0]),
                st.just(table[1]),
                st.integers(0, len(table[0]) * table[1] - 1),
            )
        )

    def right(self, case: SlotCase) -> Right:
        """Return the slot, and the three steps to it."""
        block_ids, block_size, position = case
        block, offset = locate(position, block_size)
        slot = block_ids[block] * block_size + offset
        reason = (
            f"position {position} is in logical block {block}, at offset {offset}; "
            f"entry {block} of the table is {block_ids[block]}, and "
            f"{block_ids[block]} × {block_size} + {offset} = {slot}."
        )
        return Right(slot, reason)

    def size(self, case: SlotCase) -> tuple[int, ...]:
        """Prefer the lesson's block size and table, then positions after block 0."""
        block_ids, block_size, position = case
        first_block = position < block_size
        return (*unusual(block_size), *long(block_ids), first_block, position)

    def hint(self, case: SlotCase, wrong: Wrong) -> str:
        """Choose by where the slot lies that came back."""
        block_ids, block_size, position = case
        block, offset = locate(position, block_size)
        if wrong.changed:
            return hint.CHANGES
        if wrong.found_value == "raised IndexError":
            return hint.INDEX_ERROR
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int):
            return hint.BEGIN
        if wrong.value in (block_ids[block], block_ids[block] + offset):
            return hint.SLOT_NOT_MULTIPLIED
        in_block = wrong.value // block_size == block_ids[block]
        return hint.SLOT_OFFSET if in_block else hint.SLOT_WRONG_BLOCK

    def nearby(self, case: SlotCase) -> NearbyCases[SlotCase]:
        """Try the other positions of the same table."""
        block_ids, block_size, _ = case
        positions = range(min(len(block_ids) * block_size, MOST_NEARBY))
        cases = tuple((n, (block_ids, block_size, n)) for n in positions)
        return NearbyCases(f"my_slot({block_ids}, {block_size}, n)", cases)


def tables() -> SearchStrategy[tuple[list[int], int]]:
    """Draw the block ids of a table, and a block size."""
    ids = st.lists(st.integers(0, 63), min_size=1, max_size=8, unique=True)
    return st.tuples(ids, st.integers(1, 32))


def has_decimals(value: object) -> bool:
    """Tell whether a number with a decimal point came back, alone or in a list."""
    values = value if is_list(value) or is_tuple(value) else [value]
    return any(isinstance(item, float) for item in values)


def unusual(block_size: int) -> tuple[int, int, int]:
    """Return a sort key: the lesson's block size first, then small ones, 1 last."""
    # a block size of 1 explains least: there the offset is always 0
    return block_size != LESSON_BLOCK_SIZE, block_size == 1, block_size


def long(block_ids: list[int]) -> tuple[int, int]:
    """Return a sort key: the lesson's table first, then short ones."""
    return block_ids != LESSON_TABLES[0], len(block_ids)
