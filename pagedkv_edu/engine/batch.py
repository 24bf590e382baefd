"""What one step of the engine computes, laid out as one row of tokens."""

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

    @property
    def num_cached(self) -> int:
        """Tokens before the chunk, written in earlier steps."""
        return self.seq_len - (self.stop - self.start)


@dataclass(slots=True)
class StepBatch:
    """All tokens of a step, decodes and chunks mixed, and where each one goes.

    `decode_rows[i]` is the row of the i-th decoding sequence, whose table is
    `block_tables[i]` and whose length, the new token included, is `seq_lens[i]`.
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
    """Gathers the tokens of a step, one sequence after another."""

    block_size: int
    device: torch.device
    token_ids: list[int] = field(default_factory=list[int])
    positions: list[int] = field(default_factory=list[int])
    slots: list[int] = field(default_factory=list[int])
    decode_rows: list[int] = field(default_factory=list[int])
    decode_tables: list[TableLike] = field(default_factory=list[TableLike])
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
        if len(token_ids) == 1:
            self.decode_rows.append(first_row)
            self.decode_tables.append(table)
        else:
            block_ids = torch.tensor(table.block_ids, device=self.device)
            self.chunks.append(Chunk(first_row, len(self.token_ids), stop, block_ids))
        self.last_rows.append(len(self.token_ids) - 1)

    def batch(self) -> StepBatch:
        """Return everything as tensors on the device."""
        widest = max((len(t.block_ids) for t in self.decode_tables), default=0)
        tables = [
            [*t.block_ids, *[-1] * (widest - len(t.block_ids))]
            for t in self.decode_tables
        ]
        int32, long = torch.int32, torch.int64
        return StepBatch(
            self._tensor(self.token_ids, long),
            self._tensor(self.positions, long),
            self._tensor(self.slots, long),
            self._tensor(self.decode_rows, long),
            self._tensor(tables, int32).view(len(tables), widest),
            self._tensor([t.seq_len for t in self.decode_tables], int32),
            self.chunks,
            self._tensor(self.last_rows, long),
        )

    def _tensor(self, values: object, dtype: torch.dtype) -> Tensor:
        return torch.tensor(values, dtype=dtype, device=self.device)
