"""How four launches cut one decode step into programs, and the programs into turns."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import cdiv

PADDED_HEADS = 16  # rows that a matrix unit takes at least


@dataclass(frozen=True, slots=True)
class Program:
    """One program: whose tokens it reads, and how many are real in each turn."""

    seq_id: str
    first_head: int
    num_heads: int
    kv_head: int
    split: int
    begin: int  # its first token
    turns: tuple[int, ...]  # tokens of each turn; none where the split is empty

    @property
    def num_tokens(self) -> int:
        """Tokens whose key and value it reads."""
        return sum(self.turns)


@dataclass(frozen=True, slots=True)
class Launch:
    """All programs of one kernel launch."""

    name: str
    tile: int  # tokens of a turn
    num_rows: int  # query rows that a program computes with, padding included
    programs: tuple[Program, ...]

    @property
    def total_turns(self) -> int:
        """Turns of all programs together."""
        return sum(len(program.turns) for program in self.programs)

    @property
    def longest(self) -> int:
        """Turns of the program that ends last."""
        return max(len(program.turns) for program in self.programs)

    @property
    def rows_read(self) -> int:
        """Rows of keys that all programs read; as many of values."""
        return sum(program.num_tokens for program in self.programs)


def launches(
    seq_lens: Mapping[str, int],
    *,
    num_heads: int = 8,
    num_kv_heads: int = 2,
    block_size: int = 16,
    tile: int = 64,
    num_splits: int = 4,
) -> list[Launch]:
    """Return the rungs of the ladder, from a program for each query head on.

    >>> [len(launch.programs) for launch in launches({"A": 70})]
    [8, 8, 2, 8]
    """
    if num_heads % num_kv_heads:
        raise InvalidSize(f"{num_heads} query heads share {num_kv_heads} KV heads")
    group = num_heads // num_kv_heads

    def cut(heads: int, tokens: int, splits: int = 1) -> tuple[Program, ...]:
        return tuple(
            _program(seq_id, seq_len, first, heads, group, tokens, split, splits)
            for seq_id, seq_len in seq_lens.items()
            for first in range(0, num_heads, heads)
            for split in range(splits)
        )

    padded = max(PADDED_HEADS, 1 << (group - 1).bit_length())
    return [
        Launch("By head, a block", block_size, 1, cut(1, block_size)),
        Launch("By head, a tile", tile, 1, cut(1, tile)),
        Launch("Group the heads", tile, padded, cut(group, tile)),
        Launch("Split", tile, padded, cut(group, tile, num_splits)),
    ]


def _program(
    seq_id: str,
    seq_len: int,
    first_head: int,
    num_heads: int,
    group: int,
    tile: int,
    split: int,
    num_splits: int,
) -> Program:
    per_split = cdiv(cdiv(seq_len, tile), num_splits) * tile  # whole tiles
    begin = min(split * per_split, seq_len)
    end = min(begin + per_split, seq_len)
    turns = tuple(min(tile, end - start) for start in range(begin, end, tile))
    return Program(
        seq_id, first_head, num_heads, first_head // group, split, begin, turns
    )
