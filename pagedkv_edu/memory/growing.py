"""A manager that leaves one function open: how a table grows."""

from collections.abc import Callable

from pagedkv_edu.errors import DuplicateSequence, UnknownSequence
from pagedkv_edu.memory.references import drop, share
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId
from pagedkv_edu.sizes import require_positive

# Takes the blocks of num_tokens more tokens from a pool and puts them into a table.
Grow = Callable[[PoolLike, BlockTable, int], None]


class GrowingManager:
    """Keeps a table per sequence, and lets `grow` change it; it never copies a block.

    What `grow` leaves behind when it fails stays as it is, so that it can be seen.

    >>> from pagedkv_edu import BlockPool
    >>> def grow(pool, table, num_tokens):
    ...     table.seq_len += num_tokens
    ...     while len(table.block_ids) < table.num_blocks:
    ...         table.block_ids.append(pool.allocate())
    >>> manager = GrowingManager(BlockPool(4), 2, grow)
    >>> manager.add("A", 3)
    """

    def __init__(self, pool: PoolLike, block_size: int, grow: Grow) -> None:
        self.pool = pool
        self.block_size = require_positive("block_size", block_size)
        self._grow = grow
        self._table_by_seq: dict[SeqId, BlockTable] = {}

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        """Start a sequence and let its empty table grow."""
        self._require_new(seq_id)
        table = BlockTable(self.block_size)
        self._grow(self.pool, table, num_tokens)
        self._table_by_seq[seq_id] = table

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Let a table grow."""
        self._grow(self.pool, self._live(seq_id), num_tokens)
        return []

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with the parent's blocks and length."""
        parent = self._live(parent_id)
        self._require_new(child_id)
        share(self.pool, parent.block_ids)
        self._table_by_seq[child_id] = BlockTable(
            self.block_size, list(parent.block_ids), parent.seq_len
        )

    def free(self, seq_id: SeqId) -> None:
        """Drop the references of a table, and forget it."""
        table = self._live(seq_id)
        del self._table_by_seq[seq_id]
        drop(self.pool, table.block_ids)

    def table(self, seq_id: SeqId) -> BlockTable:
        """Return a snapshot of a sequence's table."""
        table = self._live(seq_id)
        return BlockTable(table.block_size, list(table.block_ids), table.seq_len)

    def _live(self, seq_id: SeqId) -> BlockTable:
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"no sequence {seq_id!r}; add it first")
        return self._table_by_seq[seq_id]

    def _require_new(self, seq_id: SeqId) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"sequence {seq_id!r} is live; free it first")
