"""What is right for `my_slot_mapping`, and how it is said."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import block_table as hint
from pagedkv_edu.checks.histories import is_list
from pagedkv_edu.checks.judging.functions import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.wording import joined
from pagedkv_edu.checks.questions.positions import (
    LESSON_TABLES,
    MOST_NEARBY,
    has_decimals,
    long,
    tables,
    unusual,
)
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.report import Hint

MappingCase = tuple[list[int], int, int, int]  # block_ids, block_size, start, stop


@dataclass(frozen=True)
class MappingTopic:
    """What `my_slot_mapping` should return."""

    exercise_id: str = "3.3"
    answer_name: str = "my_slot_mapping"
    hints: tuple[Hint, ...] = hint.HINTS["3.3"]
    reread: str = 'lesson 03, "The fix"'

    def edges(self) -> Iterable[MappingCase]:
        """Return every step of small tables, the empty ones too."""
        return [
            (list(block_ids), size, start, stop)
            for block_ids in LESSON_TABLES
            for size in (4, 2, 1)
            for stop in range(len(block_ids) * size + 1)
            for start in range(stop + 1)
        ]

    def cases(self) -> SearchStrategy[MappingCase]:
        """Draw a table, a block size and a step inside."""
        return tables().flatmap(_steps)

    def right(self, case: MappingCase) -> Right:
        """Return the slots, block by block."""
        block_ids, block_size, start, stop = case
        table = BlockTable(block_size, list(block_ids), stop)
        return Right(table.slots(start, stop), _block_by_block(table, start, stop))

    def size(self, case: MappingCase) -> tuple[int, ...]:
        """Prefer the lesson's block size and table, then few and early tokens."""
        block_ids, block_size, start, stop = case
        few = (stop == start, stop - start, start)
        return (*unusual(block_size), *long(block_ids), *few)

    def hint(self, case: MappingCase, wrong: Wrong) -> str:
        """Choose by where the list begins to differ."""
        right = self.right(case).value
        found = wrong.value
        if wrong.changed:
            return hint.CHANGES
        if wrong.found_value == "raised IndexError":
            return hint.INDEX_ERROR
        if has_decimals(found):
            return hint.DECIMAL
        if not is_list(found) or not is_list(right):
            return hint.BEGIN
        if len(found) != len(right):
            return hint.MAPPING_LENGTH
        if found[0] == right[0] and _is_one_range(found):
            return hint.MAPPING_RUNS_ON
        return hint.MAPPING_OTHER

    def nearby(self, case: MappingCase) -> NearbyCases[MappingCase]:
        """Let the same step end earlier or later."""
        block_ids, block_size, start, _ = case
        stops = range(start, min(len(block_ids) * block_size, start + MOST_NEARBY) + 1)
        cases = tuple((n, (block_ids, block_size, start, n)) for n in stops)
        return NearbyCases(
            f"my_slot_mapping({block_ids}, {block_size}, {start}, n)", cases
        )


def _steps(table: tuple[list[int], int]) -> SearchStrategy[MappingCase]:
    block_ids, block_size = table
    ends = st.integers(0, len(block_ids) * block_size)
    both = st.tuples(ends, ends)
    return both.map(lambda pair: (block_ids, block_size, min(pair), max(pair)))


def _block_by_block(table: BlockTable, start: int, stop: int) -> str:
    """Say which positions lie in which block: a range each."""
    if start == stop:
        return "no token is new."
    parts: list[str] = []
    while start < stop:
        end = min(stop, (start // table.block_size + 1) * table.block_size)
        slots = table.slots(start, end)
        positions = _span("position", start, end - 1)
        block_id = slots[0] // table.block_size
        where = f"block {block_id} ({_span('slot', slots[0], slots[-1])})"
        parts.append(f"{positions} {'is' if end - start == 1 else 'are'} in {where}")
        start = end
    return f"{joined(parts)}."


def _span(noun: str, first: int, last: int) -> str:
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def _is_one_range(slots: list[object]) -> bool:
    first = slots[0]
    return isinstance(first, int) and slots == list(range(first, first + len(slots)))
