"""What is right for `my_rows`, and how it is said."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import serve as hint
from pagedkv_edu.checks.histories import is_list, is_tuple
from pagedkv_edu.checks.judging.functions import NearbyCases, Right, Wrong
from pagedkv_edu.checks.questions.positions import long, tables, unusual
from pagedkv_edu.report import Hint

# known_ids, num_tokens, block_ids, seq_len, block_size
RowsCase = tuple[list[int], int, list[int], int, int]


@dataclass(frozen=True)
class RowsTopic:
    """What `my_rows` should return."""

    exercise_id: str = "13.1"
    answer_name: str = "my_rows"
    hints: tuple[Hint, ...] = hint.HINTS["13.1"]
    reread: str = 'lesson 13, "The rows of a step"'

    def edges(self) -> Iterable[RowsCase]:
        """Return decodes and chunks of a small table."""
        return [
            ([100 + i for i in range(num_known)], num, [2, 3, 0], seq_len, 4)
            for num_known in (6, 11)
            for seq_len in range(1, num_known + 1)
            for num in range(1, seq_len + 1)
        ]

    def cases(self) -> SearchStrategy[RowsCase]:
        """Draw a table, and a step that may leave known tokens over."""
        return tables().flatmap(_steps_of)

    def right(self, case: RowsCase) -> Right:
        """Return the three lists, and how they come about."""
        known, num_tokens, block_ids, seq_len, size = case
        positions = list(range(seq_len - num_tokens, seq_len))
        slots = [block_ids[p // size] * size + p % size for p in positions]
        value = ([known[p] for p in positions], positions, slots)
        first, last = positions[0], positions[-1]
        span = f"position {first}" if first == last else f"positions {first} to {last}"
        reason = (
            f"the last {num_tokens} of {seq_len} tokens stand at {span}; "
            f"the first of them in slot {block_ids[first // size]} × {size} + "
            f"{first % size}."
        )
        return Right(value, reason)

    def size(self, case: RowsCase) -> tuple[int, ...]:
        """Prefer the lesson's table, with tokens left over, then few tokens."""
        known, num_tokens, block_ids, seq_len, size = case
        whole = len(known) == seq_len
        return (
            *unusual(size),
            *long(block_ids),
            whole,
            len(known),
            num_tokens == 1,
            num_tokens,
            seq_len,
        )

    def hint(self, case: RowsCase, wrong: Wrong) -> str:
        """Choose by the first list that is wrong."""
        right = self.right(case).value
        if wrong.changed:
            return hint.CHANGES
        if wrong.value is None or not is_tuple(right):
            return hint.BEGIN
        if not is_tuple(wrong.value) or len(wrong.value) != 3:
            return hint.THREE
        parts = (hint.TOKENS, hint.POSITIONS, hint.SLOTS)
        for part, found, due in zip(parts, wrong.value, right, strict=True):
            if is_list(found) and any(isinstance(item, float) for item in found):
                return hint.DECIMAL
            if found != due:
                return part
        return hint.THREE

    def nearby(self, case: RowsCase) -> NearbyCases[RowsCase]:
        """Compute fewer or more of the same tokens."""
        known, _, block_ids, seq_len, size = case
        counts = range(1, min(seq_len, 12) + 1)
        cases = tuple((n, (known, n, block_ids, seq_len, size)) for n in counts)
        return NearbyCases(
            f"my_rows({known}, n, {block_ids}, {seq_len}, {size})", cases
        )


def _steps_of(table: tuple[list[int], int]) -> SearchStrategy[RowsCase]:
    block_ids, size = table
    lengths = st.integers(1, len(block_ids) * size)
    return st.tuples(lengths, lengths, st.integers(0, 9)).map(
        lambda drawn: (
            [100 + i for i in range(max(drawn[:2]) + drawn[2])],
            min(drawn[:2]),
            block_ids,
            max(drawn[:2]),
            size,
        )
    )
