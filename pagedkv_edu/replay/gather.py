"""One decode step of attention through a block table, turn by turn, in plain Python.

Every number is rounded to 32 bits, as in a kernel, so that the distance from float64 is
a real one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from random import Random
from struct import pack, unpack

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import cdiv, locate, require_positive

Row = tuple[float, ...]  # one query, key or value: head_dim numbers


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the loop: what block it read, and the state after it."""

    logical_block: int
    block_id: int
    first_token: int
    scores: Row  # of the tokens of this block; masked slots have none
    running_max: float
    rescale: float  # of the old sum; 0 in the first turn, where there is none
    added: float  # the exponentials of this block
    running_sum: float
    is_new_max: bool

    @property
    def max_here(self) -> float:
        """The largest score of this block."""
        return max(self.scores)


@dataclass(frozen=True, slots=True)
class GatherStep:
    """One query's attention over its sequence, as a loop over logical blocks."""

    block_size: int
    num_blocks: int
    num_tokens: int
    head_dim: int
    block_table: tuple[int, ...]
    turns: tuple[Turn, ...]
    out: Row
    error: float  # the largest distance from dense attention in float64


def f32(number: float) -> float:
    """Round a number to the nearest of 32 bits.

    >>> f32(0.1) == 0.1, f32(0.5) == 0.5
    (False, True)
    """
    return unpack("f", pack("f", number))[0]


def some_row(seed: int, kind: str, token: int = 0, head_dim: int = 64) -> Row:
    """Return a made-up query, key or value; a longer sequence keeps its first rows."""
    rng = Random(f"{seed} {kind} {token}")
    return tuple(f32(rng.gauss(0, 1)) for _ in range(head_dim))


def gather_step(
    block_table: Sequence[int],
    num_tokens: int,
    *,
    block_size: int = 16,
    num_blocks: int = 24,
    head_dim: int = 64,
    seed: int = 0,
) -> GatherStep:
    """Write made-up keys and values through a table, and attend to them through it.

    >>> step = gather_step([3, 1], 6, block_size=4, num_blocks=4)
    >>> [(turn.block_id, len(turn.scores)) for turn in step.turns]
    [(3, 4), (1, 2)]
    """
    table = _require_table(block_table, num_tokens, block_size, num_blocks)
    query = some_row(seed, "query", head_dim=head_dim)
    keys: dict[tuple[int, int], Row] = {}  # by block_id and offset: the pool
    values: dict[tuple[int, int], Row] = {}
    for token in range(num_tokens):
        logical, offset = locate(token, block_size)
        keys[table[logical], offset] = some_row(seed, "key", token, head_dim)
        values[table[logical], offset] = some_row(seed, "value", token, head_dim)

    largest, total = -inf, 0.0
    acc = (0.0,) * head_dim
    turns: list[Turn] = []
    for logical, block_id in enumerate(table):
        first = logical * block_size
        slots = [(block_id, i) for i in range(min(block_size, num_tokens - first))]
        scores = tuple(f32(_dot(query, keys[s]) / f32(sqrt(head_dim))) for s in slots)
        new_max = max(largest, *scores)
        rescale = f32(exp(largest - new_max))
        weights = [f32(exp(score - new_max)) for score in scores]
        added = 0.0
        acc = tuple(f32(number * rescale) for number in acc)
        for weight, slot in zip(weights, slots, strict=True):
            added = f32(added + weight)
            row = values[slot]
            acc = tuple(f32(a + f32(weight * v)) for a, v in zip(acc, row, strict=True))
        total = f32(f32(total * rescale) + added)
        turns.append(
            Turn(
                logical,
                block_id,
                first,
                scores,
                running_max=new_max,
                rescale=rescale,
                added=added,
                running_sum=total,
                is_new_max=new_max > largest,
            )
        )
        largest = new_max

    out = tuple(f32(number / total) for number in acc)
    dense = _dense(query, num_tokens, seed)
    error = max(abs(a - b) for a, b in zip(out, dense, strict=True))
    return GatherStep(
        block_size, num_blocks, num_tokens, head_dim, table, tuple(turns), out, error
    )


def _dense(query: Row, num_tokens: int, seed: int) -> list[float]:
    """Return dense attention over the same rows in float64; there is no table here."""
    dim = len(query)
    keys = [some_row(seed, "key", token, dim) for token in range(num_tokens)]
    values = [some_row(seed, "value", token, dim) for token in range(num_tokens)]
    scores = [sum(map(float.__mul__, query, key)) / sqrt(dim) for key in keys]
    weights = [exp(score - max(scores)) for score in scores]
    total = sum(weights)
    columns = zip(*values, strict=True)
    return [sum(map(float.__mul__, weights, column)) / total for column in columns]


def _dot(a: Row, b: Row) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total = f32(total + f32(x * y))
    return total


def _require_table(
    block_table: Sequence[int], num_tokens: int, block_size: int, num_blocks: int
) -> tuple[int, ...]:
    require_positive("num_tokens", num_tokens)
    require_positive("block_size", block_size)
    table = tuple(block_table)
    needed = cdiv(num_tokens, block_size)
    if len(table) != needed:
        raise InvalidSize(
            f"{num_tokens} tokens in blocks of {block_size} are {needed} blocks, "
            f"the table has {len(table)}"
        )
    if len(set(table)) < needed or not set(table) <= set(range(num_blocks)):
        raise InvalidSize(
            f"a table names different blocks of 0 to {num_blocks - 1}, got {table}"
        )
    return table
