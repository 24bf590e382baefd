"""What one step of the engine computes, laid out as one row of tokens."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Int
from torch import Tensor

from pagedkv_edu.protocols import TableLike


@dataclass(frozen=True, slots=True)
class Chunk:
    """The part of a prompt that a step computes: rows start to stop of the batch."""

    start: int
    stop: int
    seq_len: int  # tokens that its last row may see, itself included
    block_ids: Int[Tensor, " num_blocks"]
    first_of_run: int | None = (
        None  # the first block, if each next one is its neighbour
    )

    @property
    def num_cached(self) -> int:
        """Tokens before the chunk, written in earlier steps."""
        return self.seq_len - (self.stop - self.start)


@dataclass(slots=True)
class StepBatch:
    """All tokens of a step, decodes and chunks mixed, and where each one goes.

    `decode_rows[i]` is a row that attends by itself: through the table
    `block_tables[i]`, to `seq_lens[i]` tokens, its own included. It is a decoding
    sequence's, or one of a short chunk.
    `last_rows` are the rows whose logits are wanted: the last one of each sequence.
    """

    token_ids: Int[Tensor, " num_tokens"]
    positions: Int[Tensor, " num_tokens"]
    slot_mapping: Int[Tensor, " num_tokens"]
    decode_rows: Int[Tensor, " num_decodes"]
    block_tables: Int[Tensor, "num_decodes max_blocks"]
    seq_lens: Int[Tensor, " num_decodes"]
    chunks: list[Chunk]
    last_rows: Int[Tensor, " num_seqs"]


@dataclass(slots=True)
class Rows:
    """Gathers the tokens of a step, one sequence after another.

    A chunk of at most `short_chunk` tokens becomes as many decode rows, which read its
    context through the table instead of copying it.
    """

    block_size: int
    device: torch.device
    short_chunk: int = 1
    token_ids: list[int] = field(default_factory=list[int])
    positions: list[int] = field(default_factory=list[int])
    slots: list[int] = field(default_factory=list[int])
    decode_rows: list[int] = field(default_factory=list[int])
    decode_tables: list[Sequence[int]] = field(default_factory=list[Sequence[int]])
    decode_lens: list[int] = field(default_factory=list[int])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    last_rows: list[int] = field(default_factory=list[int])

    def add(self, table: TableLike, token_ids: Sequence[int]) -> None:
        """Add the last len(token_ids) tokens of a sequence; they have slots already."""
        first_row, stop = len(self.token_ids), table.seq_len
        start = stop - len(token_ids)
        self.token_ids += token_ids
        self.positions += range(start, stop)
        size = self.block_size
        self.slots += [
            table.block_ids[position // size] * size + position % size
            for position in range(start, stop)
        ]
        if len(token_ids) <= self.short_chunk:
            # every key of the step is written before attention reads the first one
            for row, position in enumerate(range(start, stop), start=first_row):
                self.decode_rows.append(row)
                self.decode_tables.append(table.block_ids)
                self.decode_lens.append(position + 1)
        else:
            self.chunks.append(self._chunk(first_row, table))
        self.last_rows.append(len(self.token_ids) - 1)

    def batch(self) -> StepBatch:
        """Return everything as tensors on the device."""
        widest = max(map(len, self.decode_tables), default=0)
        tables = [[*ids, *[-1] * (widest - len(ids))] for ids in self.decode_tables]
        int32, long = torch.int32, torch.int64
        return StepBatch(
            self._tensor(self.token_ids, long),
            self._tensor(self.positions, long),
            self._tensor(self.slots, long),
            self._tensor(self.decode_rows, long),
            self._tensor(tables, int32).view(len(tables), widest),
            self._tensor(self.decode_lens, int32),
            self.chunks,
            self._tensor(self.last_rows, long),
        )

    def _chunk(self, first_row: int, table: TableLike) -> Chunk:
        ids = table.block_ids
        is_run = all(b == a + 1 for a, b in itertools.pairwise(ids))
        return Chunk(
            first_row,
            len(self.token_ids),
            table.seq_len,
            torch.tensor(ids, device=self.device),
            ids[0] if is_run else None,
        )

    def _tensor(self, values: object, dtype: torch.dtype) -> Tensor:
        return torch.tensor(values, dtype=dtype, device=self.device)
