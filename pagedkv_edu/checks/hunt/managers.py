"""A right block manager; what a bug replaces is a method."""

from collections.abc import Callable, Sequence

from pagedkv_edu.errors import DuplicateSequence, OutOfBlocks, UnknownSequence
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId
from pagedkv_edu.sizes import cdiv

# Whether a bug shows in this moment: the table that the call names, as it is, and how
# many tables hold its last block.
Strikes = Callable[[BlockTable, int], bool]


def always(table: BlockTable, num_owners: int) -> bool:
    """Strike in every call."""
    return True


class RightManager:
    """Owns one table per sequence; what a bug replaces is a method."""

    def __init__(
        self, pool: PoolLike, block_size: int, strikes: Strikes = always
    ) -> None:
        self.pool = pool
        self.block_size = block_size
        self.strikes = strikes
        self.tables: dict[SeqId, BlockTable] = {}

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        """Take the blocks of a new sequence."""
        self.require_new(seq_id)
        block_ids = self.take(cdiv(num_tokens, self.block_size))
        self.tables[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def adopt(self, seq_id: SeqId, block_ids: list[int]) -> None:
        """Start a sequence with full blocks that the caller holds a reference to."""
        self.require_new(seq_id)
        num_tokens = len(block_ids) * self.block_size
        self.tables[seq_id] = BlockTable(self.block_size, list(block_ids), num_tokens)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens; return the copies to be carried out first."""
        table = self.require(seq_id)
        must_copy = self.must_copy(table)
        num_new = self.num_new(table, num_tokens)
        self.require_free(table, num_new + must_copy, num_tokens)
        copies = [self.copy_last(table)] if must_copy else []
        table.block_ids += self.take(num_new)
        table.seq_len += num_tokens
        return copies

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with the parent's blocks and length."""
        parent = self.require(parent_id)
        self.require_new(child_id)
        for block_id in self.shared_by_fork(parent):
            self.pool.share(block_id)
        block_ids = list(parent.block_ids)
        self.tables[child_id] = BlockTable(self.block_size, block_ids, parent.seq_len)

    def free(self, seq_id: SeqId) -> None:
        """Drop every reference of a sequence and forget it."""
        table = self.require(seq_id)
        for block_id in reversed(self.dropped_by_free(table)):
            self.pool.free(block_id)
        del self.tables[seq_id]

    def table(self, seq_id: SeqId) -> BlockTable:
        """Return a snapshot of a sequence's table."""
        table = self.require(seq_id)
        return BlockTable(self.block_size, list(table.block_ids), table.seq_len)

    def must_copy(self, table: BlockTable) -> bool:
        """Tell whether the next token goes into a block that others read."""
        return table.seq_len % self.block_size != 0 and self.num_owners(table) > 1

    def num_new(self, table: BlockTable, num_tokens: int) -> int:
        """Return the blocks that so many more tokens need."""
        num_blocks = cdiv(table.seq_len + num_tokens, self.block_size)
        return num_blocks - len(table.block_ids)

    def copy_last(self, table: BlockTable) -> BlockCopy:
        """Put a block of its own at the end of a table."""
        source, [target] = table.block_ids[-1], self.take(1)
        table.block_ids[-1] = target
        self.pool.free(source)
        return BlockCopy(source, target)

    def shared_by_fork(self, parent: BlockTable) -> Sequence[int]:
        """Return the blocks that get one more reference."""
        return parent.block_ids

    def dropped_by_free(self, table: BlockTable) -> Sequence[int]:
        """Return the blocks that lose one reference."""
        return table.block_ids

    def require_free(self, table: BlockTable, num_blocks: int, num_tokens: int) -> None:
        """Raise, before anything is changed, if too few blocks are free."""
        if self.pool.num_free < num_blocks:
            raise OutOfBlocks(f"need {num_blocks} blocks, {self.pool.num_free} free")

    def take(self, num_blocks: int) -> list[int]:
        """Allocate blocks, all of them or none."""
        if self.pool.num_free < num_blocks:
            raise OutOfBlocks(f"need {num_blocks} blocks, {self.pool.num_free} free")
        return [self.pool.allocate() for _ in range(num_blocks)]

    def num_owners(self, table: BlockTable) -> int:
        """Return how many hold the last block of a table."""
        return self.pool.ref_count(table.block_ids[-1])

    def struck(self, table: BlockTable) -> bool:
        """Tell whether the bug shows now."""
        return self.strikes(table, self.num_owners(table))

    def require(self, seq_id: SeqId) -> BlockTable:
        """Return the table of a live sequence."""
        if seq_id not in self.tables:
            raise UnknownSequence(f"no sequence {seq_id!r}")
        return self.tables[seq_id]

    def require_new(self, seq_id: SeqId) -> None:
        """Raise if a live sequence has this id."""
        if seq_id in self.tables:
            raise DuplicateSequence(f"sequence {seq_id!r} is live")
