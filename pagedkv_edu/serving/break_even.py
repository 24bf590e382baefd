"""Weigh what a larger block wastes against what it saves, in one unit.

The unit is the time in which a decode step reads the keys and values of one token.
How much an empty slot, a started block and a copied slot are worth in it are prices:
one is measured, two are assumptions, and a lesson says which.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite, log2, sqrt
from statistics import fmean

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.block_sizes import Held
from pagedkv_edu.sizes import require_positive

# Milliseconds of one decode step by block size, as measured for this course: a loop
# compiled with numba on 2 CPU cores, 8 sequences of 4,096 tokens, 32 heads, 8 KV heads
# of 128 numbers of 4 bytes; and the same step from one contiguous run.
CPU_DECODE_MS: Mapping[int, float] = {1: 15.5, 4: 13.3, 16: 12.4, 64: 12.3, 256: 12.7}
CPU_CONTIGUOUS_MS = 12.0


@dataclass(frozen=True, slots=True)
class Prices:
    """What things cost, in token reads."""

    block: float = 0.25  # to start reading a block, as CPU_DECODE_MS says
    empty_slot: float = 1.0  # an assumption: a share of memory is worth one of time
    copied_slot: float = 2.0  # an assumption: read once and written once

    def __post_init__(self) -> None:
        for field in fields(self):
            price: float = getattr(self, field.name)
            if not (isfinite(price) and price > 0):
                raise InvalidSize(f"{field.name} must be above 0, got {price}")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a block size costs a sequence in a decode step, in token reads."""

    block_size: int
    mean_len: float
    empty: float
    blocks: float
    copies: float

    @property
    def total(self) -> float:
        """All three together."""
        return self.empty + self.blocks + self.copies

    @property
    def share(self) -> float:
        """The total, as a share of reading the sequence itself."""
        return self.total / self.mean_len


def cost_of(seen: Held, prices: Prices, branches_per_step: float = 0.0) -> Cost:
    """Return what was held as a cost.

    `branches_per_step` is how many branches a sequence has in a step; one copies a
    block unless it falls on a block boundary.
    """
    num_copies = branches_per_step * seen.num_inside / seen.num_steps
    return Cost(
        seen.block_size,
        seen.mean_len,
        empty=prices.empty_slot * seen.num_empty / seen.num_steps,
        blocks=prices.block * seen.num_blocks / seen.num_steps,
        copies=prices.copied_slot * num_copies * seen.block_size,
    )


def slope(prices: Prices, branches_per_step: float = 0.0) -> float:
    """Return what one more slot in each block costs, in token reads.

    Half of it is empty on average. A branch copies block_size slots, except for the one
    length in block_size at which the last block is full: block_size - 1 on average.
    """
    return prices.empty_slot / 2 + prices.copied_slot * branches_per_step


def best_size(mean_len: float, prices: Prices, branches_per_step: float = 0.0) -> float:
    """Return the block size with the least cost, if any number were allowed.

    The cost slope * (block_size - 1) + price * mean_len / block_size is least where
    its two terms in block_size are equal.

    >>> best_size(512, Prices(block=0.25))
    16.0
    """
    return sqrt(prices.block * mean_len / slope(prices, branches_per_step))


def choose_size(mean_len: float, branches_per_step: float, price: float) -> int:
    """Return the power of two next to the best block size; `price` is that of a block.

    Next to means by ratio: 16 is as far from 32 as from 8.

    >>> choose_size(422, 0.0, 0.25), choose_size(71, 0.0, 0.25)
    (16, 8)
    """
    best = best_size(mean_len, Prices(block=price), branches_per_step)
    return 2 ** max(0, round(log2(best)))


def break_even_len(
    block_size: int, prices: Prices, branches_per_step: float = 0.0
) -> float:
    """Return the length at which this block size and its double cost the same.

    Shorter sequences are better off with `block_size`, longer ones with its double.

    >>> break_even_len(16, Prices(block=0.25))
    1024.0
    """
    require_positive("block_size", block_size)
    return 2 * slope(prices, branches_per_step) * block_size**2 / prices.block


def block_price(ms_by_block_size: Mapping[int, float]) -> float:
    """Return what starting a block costs, in token reads, from measured times.

    Fits ms = token_ms * (1 + price / block_size) by least squares: of n tokens a step
    reads n rows and starts n / block_size blocks.

    >>> round(block_price({1: 15.0, 2: 12.5, 10: 10.5}), 6)
    0.5
    """
    if len(ms_by_block_size) < 2:
        raise InvalidSize("two block sizes at least must be measured to fit a line")
    starts = [1 / size for size in ms_by_block_size]  # blocks for each token
    times = list(ms_by_block_size.values())
    middle, average = fmean(starts), fmean(times)
    pairs = list(zip(starts, times, strict=True))
    rise = sum((x - middle) * (y - average) for x, y in pairs)
    block_ms = rise / sum((x - middle) ** 2 for x in starts)
    return block_ms / (average - block_ms * middle)
