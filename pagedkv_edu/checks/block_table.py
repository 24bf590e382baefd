"""Check the four functions of exercise 03: locate, slot, slot mapping, table size."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import block_table as hint
from pagedkv_edu.checks.hints.block_table import HINTS as HINTS
from pagedkv_edu.checks.judging.functions import (
    NearbyCases,
    Right,
    Wrong,
    judge_function,
)
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.questions.positions import (
    LocateTopic,
    SlotTopic,
    has_decimals,
    unusual,
)
from pagedkv_edu.checks.questions.slot_mappings import MappingTopic
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.sizes import cdiv

EntriesCase = tuple[int, int]  # max_len, block_size


def check_locate(answer: object, *, seed: int = 0) -> Report:
    """Check `my_locate(position, block_size)`."""
    return judge_function(LocateTopic(), answer, seed=seed)


def check_slot(answer: object, *, seed: int = 0) -> Report:
    """Check `my_slot(block_ids, block_size, position)`."""
    return judge_function(SlotTopic(), answer, seed=seed)


def check_slot_mapping(answer: object, *, seed: int = 0) -> Report:
    """Check `my_slot_mapping(block_ids, block_size, start, stop)`."""
    return judge_function(MappingTopic(), answer, seed=seed)


def check_table_entries(answer: object, *, seed: int = 0) -> Report:
    """Check `my_table_entries(max_len, block_size)`."""
    return judge_function(EntriesTopic(), answer, seed=seed)


@dataclass(frozen=True)
class EntriesTopic:
    """What `my_table_entries` should return."""

    exercise_id: str = "3.4"
    answer_name: str = "my_table_entries"
    hints: tuple[Hint, ...] = HINTS["3.4"]
    reread: str = 'lesson 03, "What a table costs"'

    def edges(self) -> Iterable[EntriesCase]:
        """Return small lengths, and the lesson's."""
        small = [(n, size) for size in (4, 16, 3, 1) for n in range(1, 2 * size + 2)]
        return [*small, (4096, 16), (4097, 16), (4096, 256), (100_000, 16)]

    def cases(self) -> SearchStrategy[EntriesCase]:
        """Draw a length and a block size."""
        return st.tuples(st.integers(1, 200_000), st.integers(1, 512))

    def right(self, case: EntriesCase) -> Right:
        """Return the entries, and what is left over."""
        max_len, block_size = case
        full, rest = divmod(max_len, block_size)
        tokens = f"{amount(max_len, 'token')} {'fills' if max_len == 1 else 'fill'}"
        reason = f"{tokens} {amount(full, 'block')} exactly."
        if rest:
            reason = f"of {amount(max_len, 'token')}, {full * block_size} are in "
            reason += f"{amount(full, 'full block')}; one more block holds the rest."
        return Right(cdiv(max_len, block_size), reason)

    def size(self, case: EntriesCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, then small lengths of more than a block."""
        max_len, block_size = case
        return (*unusual(block_size), max_len < block_size, max_len)

    def hint(self, case: EntriesCase, wrong: Wrong) -> str:
        """Choose by which side the number is on."""
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int):
            return hint.BEGIN
        too_few = wrong.value < cdiv(*case)
        return hint.ENTRIES_TOO_FEW if too_few else hint.ENTRIES_TOO_MANY

    def nearby(self, case: EntriesCase) -> NearbyCases[EntriesCase]:
        """Try lengths up to two blocks and a token."""
        _, block_size = case
        lengths = range(1, 2 * min(block_size, 8) + 2)
        cases = tuple((n, (n, block_size)) for n in lengths)
        return NearbyCases(f"my_table_entries(n, {block_size})", cases)
