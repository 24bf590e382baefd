"""Managers that are broken in one place each."""

from collections.abc import Sequence

from pagedkv_edu.checks.hunt.managers import RightManager, Strikes, always
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId


class WritesIntoSharedBlocks(RightManager):
    """Never looks at the count."""

    def must_copy(self, table: BlockTable) -> bool:
        """Copy nothing."""
        return super().must_copy(table) and not self.struck(table)


class ForgetsTheCopy(RightManager):
    """Changes the table, and tells nobody that a block has to be copied."""

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room, and keep the copy for itself."""
        struck = self.struck(self.require(seq_id))
        copies = super().append(seq_id, num_tokens)
        return [] if struck else copies


class LastOwnerCopies(RightManager):
    """Copies a block that was shared once, although nobody else holds it now."""

    def __init__(
        self, pool: PoolLike, block_size: int, strikes: Strikes = always
    ) -> None:
        super().__init__(pool, block_size, strikes)
        self.once_shared: set[SeqId] = set()

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Remember both as sharers."""
        super().fork(parent_id, child_id)
        self.once_shared |= {parent_id, child_id}

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Copy at the first append after a fork."""
        copies = super().append(seq_id, num_tokens)
        self.once_shared.discard(seq_id)
        return copies

    def must_copy(self, table: BlockTable) -> bool:
        """Copy whatever was shared once."""
        names = [seq_id for seq_id, own in self.tables.items() if own is table]
        once = not self.once_shared.isdisjoint(names) and self.struck(table)
        return super().must_copy(table) or (
            once and table.seq_len % self.block_size != 0
        )


class CopiesAFullBlock(RightManager):
    """Copies what is shared, also where the next token goes into another block."""

    def must_copy(self, table: BlockTable) -> bool:
        """Look at the count only."""
        shared = self.num_owners(table) > 1 and self.struck(table)
        return shared or super().must_copy(table)


class TakesAFullTailForEmpty(RightManager):
    """`seq_len % block_size` is 0, so the last block must be empty."""

    def num_new(self, table: BlockTable, num_tokens: int) -> int:
        """Take no block where the last one is full."""
        num_new = super().num_new(table, num_tokens)
        full = table.seq_len % self.block_size == 0
        return max(0, num_new - (full and self.struck(table)))


class GrowsOneTokenEarly(RightManager):
    """Takes the next block with the token that fills the last one."""

    def num_new(self, table: BlockTable, num_tokens: int) -> int:
        """Count one token more."""
        more = num_tokens + self.struck(table)
        return max(0, super().num_new(table, more))


class ForkCountsTheTailTwice(RightManager):
    """A fork adds two references to the last block."""

    def shared_by_fork(self, parent: BlockTable) -> Sequence[int]:
        """Name the last block twice."""
        again = parent.block_ids[-1:] if self.struck(parent) else []
        return [*parent.block_ids, *again]


class ForkSharesFullBlocksOnly(RightManager):
    """A fork adds no reference to the partly filled block, and both hold it."""

    def shared_by_fork(self, parent: BlockTable) -> Sequence[int]:
        """Leave out a block that is not full."""
        if not self.struck(parent):
            return parent.block_ids
        return parent.block_ids[: parent.seq_len // self.block_size]

    def dropped_by_free(self, table: BlockTable) -> Sequence[int]:
        """Leave out what the pool has back already."""
        return [b for b in table.block_ids if self.pool.ref_count(b)]


class FailsHalfway(RightManager):
    """A refused append has already made the sequence longer."""

    def require_free(self, table: BlockTable, num_blocks: int, num_tokens: int) -> None:
        """Count the tokens, and then look for blocks."""
        if self.pool.num_free < num_blocks and self.struck(table):
            table.seq_len += num_tokens
        super().require_free(table, num_blocks, num_tokens)


class KeepsTheCopiedBlock(RightManager):
    """The table lets go of the block that was copied; the pool is not told."""

    def copy_last(self, table: BlockTable) -> BlockCopy:
        """Keep the reference."""
        if not self.struck(table):
            return super().copy_last(table)
        source, [target] = table.block_ids[-1], self.take(1)
        table.block_ids[-1] = target
        return BlockCopy(source, target)


class KeepsTheTailAtTheEnd(RightManager):
    """A sequence that ends gives back its full blocks only."""

    def dropped_by_free(self, table: BlockTable) -> Sequence[int]:
        """Forget the block that is not full."""
        if not self.struck(table):
            return table.block_ids
        return table.block_ids[: table.seq_len // self.block_size]


class ForkSharesTheList(RightManager):
    """Parent and child have one list of blocks."""

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Give the child the parent's own list."""
        struck = self.struck(self.require(parent_id))
        super().fork(parent_id, child_id)
        if struck:
            self.tables[child_id].block_ids = self.tables[parent_id].block_ids
