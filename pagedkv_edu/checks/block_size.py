"""Check exercise 09: the four quantities, the break-even, and a choice."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import block_size as hint
from pagedkv_edu.checks.hints.block_size import HINTS as HINTS
from pagedkv_edu.checks.histories import is_tuple
from pagedkv_edu.checks.judging.functions import (
    NearbyCases,
    Right,
    Wrong,
    judge_function,
)
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.questions.block_size_choice import check_choice as check_choice
from pagedkv_edu.checks.questions.positions import has_decimals, unusual
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.serving import block_sizes
from pagedkv_edu.sizes import cdiv

CostsCase = tuple[int, int, int, int]  # seq_len, block_size, bytes_per_token, row_bytes
EvenCase = tuple[int, float]  # block_size, price

_PARTS = (hint.TABLE, hint.TAIL, hint.COPY, hint.PIECE)


def check_block_costs(answer: object, *, seed: int = 0) -> Report:
    """Check `my_block_costs(seq_len, block_size, bytes_per_token, row_bytes)`."""
    return judge_function(CostsTopic(), answer, seed=seed)


def check_break_even(answer: object, *, seed: int = 0) -> Report:
    """Check `my_break_even(block_size, price)`."""
    return judge_function(EvenTopic(), answer, seed=seed)


@dataclass(frozen=True)
class CostsTopic:
    """What `my_block_costs` should return."""

    exercise_id: str = "9.1"
    answer_name: str = "my_block_costs"
    hints: tuple[Hint, ...] = HINTS["9.1"]
    reread: str = 'lesson 09, "The four quantities"'

    def edges(self) -> Iterable[CostsCase]:
        """Return small lengths, and the lesson's."""
        small = [(n, size) for size in (4, 3, 16, 1) for n in range(1, 2 * size + 2)]
        lesson = [(200, size, 131_072, 2048) for size in (1, 16, 64, 256)]
        return [*((n, size, 64, 8) for n, size in small), *lesson]

    def cases(self) -> SearchStrategy[CostsCase]:
        """Draw a length, a block size, and a model of a few layers."""
        return st.builds(
            _case,
            st.integers(1, 5000),
            st.integers(1, 300),
            st.integers(1, 8),
            st.integers(1, 4096),
        )

    def right(self, case: CostsCase) -> Right:
        """Return the four numbers, and how each comes about."""
        n, size, token_bytes, row_bytes = case
        value = (
            block_sizes.table_bytes(n, size),
            block_sizes.empty_slots(n, size),
            block_sizes.fork_copy_bytes(n, size, token_bytes),
            block_sizes.contiguous_bytes(n, size, row_bytes),
        )
        blocks = cdiv(n, size)
        copied = f"a branch copies {size} × {token_bytes} bytes"
        if not value[1]:
            copied = "the last block is full, so a branch copies nothing"
        reason = (
            f"{amount(n, 'token')} in {amount(blocks, 'block')}: 4 × {blocks} bytes; "
            f"{blocks} × {size} - {n} slots are empty; {copied}; "
            f"and {amount(min(n, size), 'row')} of {row_bytes} bytes lie together."
        )
        return Right(value, reason)

    def size(self, case: CostsCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, then lengths of more than a block."""
        n, size, token_bytes, row_bytes = case
        is_other = (token_bytes, row_bytes) != (64, 8)  # the bytes of the task
        return (*unusual(size), is_other, token_bytes, n <= size, n)

    def hint(self, case: CostsCase, wrong: Wrong) -> str:
        """Choose by the first number that is wrong."""
        if wrong.value is None:
            return hint.BEGIN
        if has_decimals(wrong.value):
            return hint.DECIMAL
        right = self.right(case).value
        if not is_tuple(wrong.value) or not is_tuple(right) or len(wrong.value) != 4:
            return hint.FOUR
        pairs = zip(_PARTS, wrong.value, right, strict=True)
        return next((part for part, found, due in pairs if found != due), hint.FOUR)

    def nearby(self, case: CostsCase) -> NearbyCases[CostsCase]:
        """Try lengths up to two blocks and a token."""
        _, size, token_bytes, row_bytes = case
        lengths = range(1, 2 * min(size, 8) + 2)
        cases = tuple((n, (n, size, token_bytes, row_bytes)) for n in lengths)
        text = f"my_block_costs(n, {size}, {token_bytes}, {row_bytes})"
        return NearbyCases(text, cases)


def _case(seq_len: int, block_size: int, num_layers: int, row_bytes: int) -> CostsCase:
    return seq_len, block_size, 2 * num_layers * row_bytes, row_bytes


@dataclass(frozen=True)
class EvenTopic:
    """What `my_break_even` should return."""

    exercise_id: str = "9.2"
    answer_name: str = "my_break_even"
    hints: tuple[Hint, ...] = HINTS["9.2"]
    reread: str = 'lesson 09, "The break-even"'

    def edges(self) -> Iterable[EvenCase]:
        """Return the lesson's price at every size, then others."""
        prices = (0.25, 1.0, 0.5, 2.0, 0.375, 0.75)
        return [(size, price) for price in prices for size in (4, 1, 2, 16, 64)]

    def cases(self) -> SearchStrategy[EvenCase]:
        """Draw a power of two and a price in eighths.

        A float holds both exactly, and all that comes of them up to the division, so
        that the order of the steps of an answer does not matter.
        """
        powers = st.integers(0, 6).map(lambda k: 2**k)
        return st.tuples(powers, st.integers(2, 24).map(lambda k: k / 8))

    def right(self, case: EvenCase) -> Right:
        """Return the length, and what is equal there."""
        size, price = case
        exact = size**2 / Fraction(price)
        value = ceil(exact)
        rounded = "" if value == exact else f", rounded up from {float(exact):.2f}"
        reason = (
            f"blocks of {2 * size} have {size / 2:g} more empty slots on average, and "
            f"n / {2 * size} block starts fewer at {price:g} each; "
            f"that is equal at n = {size} × {size} / {price:g}{rounded}."
        )
        return Right(value, reason)

    def size(self, case: EvenCase) -> tuple[int, ...]:
        """Prefer the lesson's price, and blocks of 4."""
        size, price = case
        return (price != 0.25, *unusual(size), round(8 * price))

    def hint(self, case: EvenCase, wrong: Wrong) -> str:
        """Choose by which side the number is on, and how far."""
        right = self.right(case).value
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int) or not isinstance(right, int):
            return hint.BEGIN
        if abs(wrong.value - right) == 1:
            return hint.ONE_OFF
        return hint.TOO_SHORT if wrong.value < right else hint.TOO_LONG

    def nearby(self, case: EvenCase) -> NearbyCases[EvenCase]:
        """Try the other block sizes at the same price."""
        _, price = case
        cases = tuple((2**k, (2**k, price)) for k in range(7))
        return NearbyCases(f"my_break_even(n, {price:g})", cases)
