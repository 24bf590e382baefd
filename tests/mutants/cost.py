"""Wrong answers to exercise 01 that learners write, and right ones of another kind."""

from collections.abc import Callable
from itertools import accumulate
from math import prod

from pagedkv_edu.checks.hints import cost as hint
from tests.mutants.block_size import Mutant

# --- 1.1 my_bytes_per_token ----------------------------------------------------------


def counts_the_query_heads(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> int:
    return 2 * layers * heads * dim * size


def forgets_the_values(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> int:
    return layers * kv_heads * dim * size


def counts_one_layer(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> int:
    return 2 * kv_heads * dim * size


def counts_numbers_not_bytes(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> int:
    return 2 * layers * kv_heads * dim


def counts_bits(layers: int, heads: int, kv_heads: int, dim: int, size: int) -> int:
    return 8 * 2 * layers * kv_heads * dim * size


def follows_the_hidden_size(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> float:
    hidden_size = heads * dim
    return 2 * layers * hidden_size * size / (heads / kv_heads)


def bytes_without_return(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> None:
    prod((2, layers, kv_heads, dim, size))


# --- 1.2 my_num_promises -------------------------------------------------------------


def forgets_the_weights(memory: int, weights: int, token: int, max_len: int) -> int:
    return memory // (max_len * token)


def goes_below_zero(memory: int, weights: int, token: int, max_len: int) -> int:
    return (memory - weights) // (max_len * token)


def rounds_up(memory: int, weights: int, token: int, max_len: int) -> int:
    return max(0, -(-(memory - weights) // (max_len * token)))


def keeps_the_fraction(memory: int, weights: int, token: int, max_len: int) -> float:
    return max(0, memory - weights) / (max_len * token)


def counts_tokens(memory: int, weights: int, token: int, max_len: int) -> int:
    return max(0, memory - weights) // token


def loads_the_weights_each_time(
    memory: int, weights: int, token: int, max_len: int
) -> int:
    return memory // (weights + max_len * token)


# --- 1.3 my_num_that_fit -------------------------------------------------------------


def lets_short_ones_overtake(num_slots: int, lengths: list[int]) -> int:
    num_running = 0
    for length in lengths:
        if length <= num_slots:
            num_slots -= length
            num_running += 1
    return num_running


def begins_with_the_shortest(num_slots: int, lengths: list[int]) -> int:
    return sum(taken <= num_slots for taken in accumulate(sorted(lengths)))


def counts_the_one_too_many(num_slots: int, lengths: list[int]) -> int:
    num_running = 0
    for length in lengths:
        if num_slots <= 0:
            break
        num_slots -= length
        num_running += 1
    return num_running


def refuses_an_exact_fit(num_slots: int, lengths: list[int]) -> int:
    return sum(taken < num_slots for taken in accumulate(lengths))


def reserves_the_longest_for_each(num_slots: int, lengths: list[int]) -> int:
    return min(len(lengths), num_slots // max(lengths)) if lengths else 0


def empties_the_queue(num_slots: int, lengths: list[int]) -> int:
    num_running = 0
    while lengths and lengths[0] <= num_slots:
        num_slots -= lengths.pop(0)
        num_running += 1
    return num_running


def fails_without_a_queue(num_slots: int, lengths: list[int]) -> int:
    taken, num_running = lengths[0], 0
    while taken <= num_slots:
        num_running += 1
        if num_running == len(lengths):
            break
        taken += lengths[num_running]
    return num_running


_BYTES = "my_bytes_per_token"
_PROMISES = "my_num_promises"
_FIT = "my_num_that_fit"
MUTANTS = (
    Mutant(
        "1.1",
        counts_the_query_heads,
        f"{_BYTES}(3, 4, 2, 4, 4) returned 384; expected 192",
        hint.QUERY_HEADS,
    ),
    Mutant(
        "1.1",
        forgets_the_values,
        f"{_BYTES}(3, 2, 2, 4, 4) returned 96; expected 192",
        hint.TOO_FEW_BYTES,
    ),
    Mutant(
        "1.1",
        counts_one_layer,
        f"{_BYTES}(3, 2, 2, 4, 4) returned 64; expected 192",
        hint.TOO_FEW_BYTES,
    ),
    Mutant(
        "1.1",
        counts_numbers_not_bytes,
        f"{_BYTES}(3, 2, 2, 4, 4) returned 48; expected 192",
        hint.TOO_FEW_BYTES,
    ),
    Mutant(
        "1.1",
        counts_bits,
        f"{_BYTES}(3, 2, 2, 4, 4) returned 1536; expected 192",
        hint.TOO_MANY_BYTES,
    ),
    Mutant(
        "1.1",
        follows_the_hidden_size,
        f"{_BYTES}(3, 2, 2, 4, 4) returned 192.0, a float; expected 192",
        hint.DECIMAL,
    ),
    Mutant(
        "1.1",
        bytes_without_return,
        f"{_BYTES}(3, 2, 2, 4, 4) returned None; expected 192",
        hint.BEGIN,
    ),
    Mutant(
        "1.2",
        forgets_the_weights,
        f"{_PROMISES}(100, 41, 2, 10) returned 5; expected 2",
        hint.TOO_MANY,
    ),
    Mutant(
        "1.2",
        goes_below_zero,
        f"{_PROMISES}(100, 140, 2, 10) returned -2; expected 0",
        hint.NEGATIVE,
    ),
    Mutant(
        "1.2",
        rounds_up,
        f"{_PROMISES}(100, 41, 2, 10) returned 3; expected 2",
        hint.TOO_MANY,
    ),
    Mutant(
        "1.2",
        keeps_the_fraction,
        f"{_PROMISES}(100, 41, 2, 10) returned 2.95; expected 2",
        hint.DECIMAL,
    ),
    Mutant(
        "1.2",
        counts_tokens,
        f"{_PROMISES}(100, 41, 2, 10) returned 29; expected 2",
        hint.TOO_MANY,
    ),
    Mutant(
        "1.2",
        loads_the_weights_each_time,
        f"{_PROMISES}(100, 41, 2, 10) returned 1; expected 2",
        hint.TOO_FEW,
    ),
    Mutant(
        "1.3",
        lets_short_ones_overtake,
        f"{_FIT}(10, [4, 8, 1]) returned 2; expected 1",
        hint.OVERTAKES,
    ),
    Mutant(
        "1.3",
        begins_with_the_shortest,
        f"{_FIT}(10, [4, 8, 1]) returned 2; expected 1",
        hint.OVERTAKES,
    ),
    Mutant(
        "1.3",
        counts_the_one_too_many,
        f"{_FIT}(10, [4, 3, 5]) returned 3; expected 2",
        hint.TOO_MANY,
    ),
    Mutant(
        "1.3",
        refuses_an_exact_fit,
        f"{_FIT}(10, [6, 4]) returned 1; expected 2",
        hint.TOO_FEW,
    ),
    Mutant(
        "1.3",
        reserves_the_longest_for_each,
        f"{_FIT}(10, [6, 3]) returned 1; expected 2",
        hint.TOO_FEW,
    ),
    Mutant(
        "1.3",
        empties_the_queue,
        f"{_FIT}(10, [6, 3]) changed what it was given",
        hint.CHANGES,
    ),
    Mutant(
        "1.3",
        fails_without_a_queue,
        f"{_FIT}(10, []) raised IndexError; expected 0",
        hint.BEGIN,
    ),
)


# --- right ---------------------------------------------------------------------------


def bytes_by_product(
    layers: int, heads: int, kv_heads: int, dim: int, size: int
) -> int:
    return prod((2, layers, kv_heads, dim, size))


def bytes_by_adding(layers: int, heads: int, kv_heads: int, dim: int, size: int) -> int:
    key = value = dim * size
    return sum(kv_heads * (key + value) for _ in range(layers))


def promises_by_tokens(memory: int, weights: int, token: int, max_len: int) -> int:
    if weights > memory:
        return 0
    return (memory - weights) // token // max_len


def promises_one_by_one(memory: int, weights: int, token: int, max_len: int) -> int:
    if memory > 10**6:
        return promises_by_tokens(memory, weights, token, max_len)
    num, left = 0, memory - weights
    while left >= max_len * token:
        left -= max_len * token
        num += 1
    return num


def fit_by_sums(num_slots: int, lengths: list[int]) -> int:
    return sum(taken <= num_slots for taken in accumulate(lengths))


def fit_by_counting_down(num_slots: int, lengths: list[int]) -> int:
    num_running = 0
    for length in lengths:
        if length > num_slots:
            break
        num_slots -= length
        num_running += 1
    return num_running


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "1.1": (bytes_by_product, bytes_by_adding),
    "1.2": (promises_by_tokens, promises_one_by_one),
    "1.3": (fit_by_sums, fit_by_counting_down),
}
