"""Wrong answers to exercise 09 that learners write, and right ones of another kind."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2, sqrt

from pagedkv_edu import cdiv

Four = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer, the beginning of its message, and the hint that it gets."""

    exercise_id: str
    answer: Callable[..., object]
    title: str
    hint: str


# --- 9.1 my_block_costs --------------------------------------------------------------


def _four(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    blocks = len(range(0, n, size))
    empty = -n % size
    return 4 * blocks, empty, (empty > 0) * size * token_bytes, min(n, size) * row_bytes


def rounds_the_blocks_down(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    _, tail, copied, piece = _four(n, size, token_bytes, row_bytes)
    return 4 * (n // size), tail, copied, piece


def counts_entries_not_bytes(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> Four:
    table, tail, copied, piece = _four(n, size, token_bytes, row_bytes)
    return table // 4, tail, copied, piece


def empties_a_full_block(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    table, _, copied, piece = _four(n, size, token_bytes, row_bytes)
    return table, size - n % size, copied, piece


def takes_the_mean_tail(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> tuple[int, float, int, int]:
    table, _, copied, piece = _four(n, size, token_bytes, row_bytes)
    return table, (size - 1) / 2, copied, piece


def copies_at_every_length(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    table, tail, _, piece = _four(n, size, token_bytes, row_bytes)
    return table, tail, size * token_bytes, piece


def copies_the_filled_slots(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> Four:
    table, tail, _, piece = _four(n, size, token_bytes, row_bytes)
    return table, tail, n % size * token_bytes, piece


def copies_the_whole_sequence(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> Four:
    table, tail, _, piece = _four(n, size, token_bytes, row_bytes)
    return table, tail, table // 4 * size * token_bytes, piece


def reads_a_block_of_a_short_sequence(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> Four:
    table, tail, copied, _ = _four(n, size, token_bytes, row_bytes)
    return table, tail, copied, size * row_bytes


def reads_all_layers_at_once(
    n: int, size: int, token_bytes: int, row_bytes: int
) -> Four:
    table, tail, copied, _ = _four(n, size, token_bytes, row_bytes)
    return table, tail, copied, min(n, size) * token_bytes


def returns_a_list(n: int, size: int, token_bytes: int, row_bytes: int) -> list[int]:
    return list(_four(n, size, token_bytes, row_bytes))


def costs_without_return(n: int, size: int, token_bytes: int, row_bytes: int) -> None:
    _four(n, size, token_bytes, row_bytes)


# --- 9.2 my_break_even ---------------------------------------------------------------


def multiplies_by_the_price(size: int, price: float) -> int:
    return ceil(size**2 * price)


def weighs_the_whole_block(size: int, price: float) -> int:
    return ceil(2 * size**2 / price)


def finds_the_best_length(size: int, price: float) -> int:
    """Return the length for which this size is the best of all numbers."""
    return ceil(size**2 / (2 * price))


def compares_with_half(size: int, price: float) -> int:
    return ceil((size / 2) ** 2 / price)


def rounds_down(size: int, price: float) -> int:
    return int(size**2 / price)


def wants_it_strictly_cheaper(size: int, price: float) -> int:
    return int(size**2 / price) + 1


def keeps_the_fraction(size: int, price: float) -> float:
    return size**2 / price


# --- 9.3 my_choice -------------------------------------------------------------------


def always_takes_16(mean_len: float, branches: float, price: float) -> int:
    return 16


def forgets_the_branches(mean_len: float, branches: float, price: float) -> int:
    return 2 ** max(0, round(log2(sqrt(2 * price * mean_len))))


def forgets_the_root(mean_len: float, branches: float, price: float) -> int:
    return max(1, min(1024, round(2 * price * mean_len)))


def counts_bytes(mean_len: float, branches: float, price: float) -> int:
    return 1


def forgets_the_price(mean_len: float, branches: float, price: float) -> int:
    return 2 ** max(0, round(log2(sqrt(mean_len / (0.5 + 2 * branches)))))


def forgets_the_half(mean_len: float, branches: float, price: float) -> int:
    return max(1, round(sqrt(price * mean_len / (2 + 2 * branches))))


def keeps_the_root(mean_len: float, branches: float, price: float) -> float:
    return sqrt(price * mean_len / (0.5 + 2 * branches))


_COSTS = "my_block_costs(5, 4, 64, 8) returned "
_SHORT = "my_block_costs(1, 4, 64, 8) returned "
_FULL = "my_block_costs(8, 4, 64, 8) returned "
_EVEN = "my_break_even(4, 0.25) returned "
_CHAT = "my_choice(455.0, 0.0, 0.25) "

MUTANTS = (
    Mutant(
        "9.1",
        rounds_the_blocks_down,
        _COSTS + "(4, 3",
        "My first number, the table, is wrong",
    ),
    Mutant(
        "9.1",
        counts_entries_not_bytes,
        _COSTS + "(2, 3",
        "My first number, the table, is wrong",
    ),
    Mutant(
        "9.1",
        empties_a_full_block,
        _FULL + "(8, 4, 0",
        "My second number, the tail, is wrong",
    ),
    Mutant(
        "9.1",
        takes_the_mean_tail,
        _COSTS + "(8, 1.5",
        "There is a decimal point in my result",
    ),
    Mutant(
        "9.1",
        copies_at_every_length,
        _FULL + "(8, 0, 256",
        "My third number, the copy, is wrong",
    ),
    Mutant(
        "9.1",
        copies_the_filled_slots,
        _COSTS + "(8, 3, 64",
        "My third number, the copy, is wrong",
    ),
    Mutant(
        "9.1",
        copies_the_whole_sequence,
        _COSTS + "(8, 3, 512",
        "My third number, the copy, is wrong",
    ),
    Mutant(
        "9.1",
        reads_a_block_of_a_short_sequence,
        _SHORT + "(4, 3, 256, 32)",
        "My fourth number, the piece, is wrong",
    ),
    Mutant(
        "9.1",
        reads_all_layers_at_once,
        _COSTS + "(8, 3, 256, 256)",
        "My fourth number, the piece, is wrong",
    ),
    Mutant("9.1", returns_a_list, _COSTS + "[", "I do not return four numbers"),
    Mutant(
        "9.1", costs_without_return, _COSTS + "None", "I do not know where to begin"
    ),
    Mutant("9.2", multiplies_by_the_price, _EVEN + "4;", "My length is too short"),
    Mutant("9.2", weighs_the_whole_block, _EVEN + "128;", "My length is too long"),
    Mutant("9.2", finds_the_best_length, _EVEN + "32;", "My length is too short"),
    Mutant("9.2", compares_with_half, _EVEN + "16;", "My length is too short"),
    Mutant(
        "9.2",
        rounds_down,
        "my_break_even(4, 0.375) returned 42;",
        "My length is off by one",
    ),
    Mutant("9.2", wants_it_strictly_cheaper, _EVEN + "65;", "My length is off by one"),
    Mutant(
        "9.2",
        keeps_the_fraction,
        _EVEN + "64.0",
        "There is a decimal point in my result",
    ),
    Mutant(
        "9.3",
        always_takes_16,
        "my_choice(76.4, 0.0, 0.25) chose 16 for commands",
        "My blocks are too large",
    ),
    Mutant(
        "9.3",
        forgets_the_branches,
        "my_choice(402.9, 0.5, 0.25) chose 16 for beam search",
        "My choice is right only without branches",
    ),
    Mutant(
        "9.3", forgets_the_root, _CHAT + "chose 228 for chat", "My blocks are too large"
    ),
    Mutant("9.3", counts_bytes, _CHAT + "chose 1 for chat", "My blocks are too small"),
    Mutant(
        "9.3", forgets_the_price, _CHAT + "chose 32 for chat", "My blocks are too large"
    ),
    Mutant(
        "9.3", forgets_the_half, _CHAT + "chose 8 for chat", "My blocks are too small"
    ),
    Mutant(
        "9.3", keeps_the_root, _CHAT + "returned 15.08", "My choice is no block size"
    ),
)


# --- right answers of another kind ---------------------------------------------------


def costs_by_counting(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    blocks = [range(first, min(first + size, n)) for first in range(0, n, size)]
    empty = size - len(blocks[-1])
    copied = sum(token_bytes for _ in range(size)) if empty else 0
    return 4 * len(blocks), empty, copied, max(map(len, blocks)) * row_bytes


def costs_by_cdiv(n: int, size: int, token_bytes: int, row_bytes: int) -> Four:
    blocks = cdiv(n, size)
    is_full = n % size == 0
    piece = row_bytes * (size if blocks > 1 else n)
    return blocks * 4, blocks * size - n, 0 if is_full else size * token_bytes, piece


def even_by_fractions(size: int, price: float) -> int:
    return ceil(Fraction(size * size) / Fraction(price))


def even_by_the_difference(size: int, price: float) -> int:
    more = (2 * size - 1) / 2 - (size - 1) / 2
    saved = price / size - price / (2 * size)
    return ceil(more / saved)


def chooses_by_trying(mean_len: float, branches: float, price: float) -> int:
    def cost(size: int) -> float:
        return (0.5 + 2 * branches) * (size - 1) + price * mean_len / size

    return min((2**k for k in range(11)), key=cost)


def chooses_by_the_root(mean_len: float, branches: float, price: float) -> int:
    return max(1, round(sqrt(price * mean_len / (0.5 + 2 * branches))))


def chooses_by_doubling(mean_len: float, branches: float, price: float) -> int:
    """Double as long as the mean length is beyond the break-even."""
    size = 1
    while mean_len > 2 * (0.5 + 2 * branches) * size**2 / price:
        size *= 2
    return size


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "9.1": (_four, costs_by_counting, costs_by_cdiv),
    "9.2": (even_by_fractions, even_by_the_difference),
    "9.3": (chooses_by_trying, chooses_by_the_root, chooses_by_doubling),
}
