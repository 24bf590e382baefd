"""Wrong managers and wrong engines; the tests of whole steps must reject each."""

from collections.abc import Sequence

from pagedkv_edu import BlockCopy, BlockTable, OutOfBlocks, WordMemory, cdiv
from pagedkv_edu.protocols import PoolLike, SeqId
from tests.plain_manager import PlainManager
from tests.steps import Write


class WritesInPlace(PlainManager):
    """Never looks at the count."""

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        return False


class CopiesAFullBlock(PlainManager):
    """Copies whatever is shared."""

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        return self.pool.ref_count(table.block_ids[-1]) > 1


class CopiesWhatIsItsOwn(PlainManager):
    """Copies whatever is partly filled."""

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        return table.seq_len % self.block_size != 0


class LooksAtAnyBlock(PlainManager):
    """Copies if any block of the table is shared."""

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        shared = any(self.pool.ref_count(b) > 1 for b in table.block_ids)
        return shared and table.seq_len % self.block_size != 0


class MeasuresAfterGrowing(PlainManager):
    """Asks whether the last block will be partly filled, not whether it is."""

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        partly_filled = (table.seq_len + num_tokens) % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1


class DropsTheCopy(PlainManager):
    """Changes the table and tells nobody."""

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        super().append(seq_id, num_tokens)
        return []


class ReturnsCopiesInTheWrongOrder(PlainManager):
    """Holds a copy back and returns it behind the next one."""

    def __init__(
        self, pool: PoolLike, block_size: int, host_pool: PoolLike | None = None
    ) -> None:
        super().__init__(pool, block_size, host_pool)
        self.held_back: list[BlockCopy] = []

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        copies = super().append(seq_id, num_tokens)
        if copies and not self.held_back:
            self.held_back = copies
            return []
        held_back, self.held_back = self.held_back, []
        return copies + held_back


class CopiesTheWrongWay(PlainManager):
    """Takes the source for the target."""

    def copy_last(self, table: BlockTable) -> BlockCopy:
        copy = super().copy_last(table)
        return BlockCopy(copy.target, copy.source)


class CopiesTheFirstBlock(PlainManager):
    """Names another block than the one that it left."""

    def copy_last(self, table: BlockTable) -> BlockCopy:
        first = table.block_ids[0]
        return BlockCopy(first, super().copy_last(table).target)


class KeepsTheOldReference(PlainManager):
    """The table lets go of the source, the pool is not told."""

    def copy_last(self, table: BlockTable) -> BlockCopy:
        source, target = table.block_ids[-1], self.pool.allocate()
        table.block_ids[-1] = target
        return BlockCopy(source, target)


class SharesTheList(PlainManager):
    """Gives parent and child one list of blocks."""

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        super().fork(parent_id, child_id)
        self.tables[child_id].block_ids = self.tables[parent_id].block_ids


class ForgetsToShare(PlainManager):
    """Copies the table and adds no reference."""

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        parent = self.table(parent_id)
        self.require_new(child_id)
        self.tables[child_id] = parent


class FailsHalfway(PlainManager):
    """Lets `allocate` find out that the pool is empty."""

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        table = self.require(seq_id)
        copies = [self.copy_last(table)] if self.must_copy(table, num_tokens) else []
        table.seq_len += num_tokens
        while len(table.block_ids) < table.num_blocks:
            table.block_ids.append(self.pool.allocate())
        return copies


class FreesTheFirstBlocksOnly(PlainManager):
    """Forgets the partly filled block."""

    def free(self, seq_id: SeqId) -> None:
        table = self.require(seq_id)
        del self.tables[seq_id]
        for block_id in table.block_ids[: table.seq_len // self.block_size]:
            self.pool.free(block_id)


class GrowsOneTokenLate(PlainManager):
    """Takes the next block when the last one is over-full."""

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        table = self.require(seq_id)
        table.seq_len -= 1
        try:
            return super().append(seq_id, num_tokens)
        finally:
            table.seq_len += 1


class RefusesThePoolsLastBlock(PlainManager):
    """Allocates at add and again at append, so it wants one block too many."""

    def require_free(self, needed: int) -> None:
        if self.pool.num_free < needed + 1:
            raise OutOfBlocks(f"need {needed} blocks, {self.pool.num_free} free")


class WindowOfTwo(PlainManager):
    """Keeps two blocks in turn, so a block stands in a table twice; frees it once.

    The published bug: fork counts a block for each entry, free for each block.
    """

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        self.require_new(seq_id)
        needed = cdiv(num_tokens, self.block_size)
        self.require_free(min(2, needed))
        taken = [self.pool.allocate() for _ in range(min(2, needed))]
        ring = [taken[i % len(taken)] for i in range(needed)]
        self.tables[seq_id] = BlockTable(self.block_size, ring, num_tokens)

    def free(self, seq_id: SeqId) -> None:
        table = self.require(seq_id)
        del self.tables[seq_id]
        for block_id in set(table.block_ids):
            self.pool.free(block_id)


# --- wrong engines: the manager is right, the step is not ----------------------------


def copies_backwards(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    memory.copy(reversed(copies))
    for slot, word in writes:
        memory.write(slot, word)


def drops_the_last_copy(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    memory.copy(copies[:-1])
    for slot, word in writes:
        memory.write(slot, word)


def writes_before_copying(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    for slot, word in writes:
        memory.write(slot, word)
    memory.copy(copies)


def copies_all_at_once(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Read every source before the first target is written, as one launch might."""
    aside = [(copy, 10**6 + i) for i, copy in enumerate(copies)]  # spare blocks
    for copy, spare in aside:
        memory.copy(
            [BlockCopy(copy.source, spare, "in" if copy.kind == "in" else "copy")]
        )
    for copy, spare in aside:
        kind = "out" if copy.kind == "out" else "copy"
        memory.copy([BlockCopy(spare, copy.target, kind)])
    for slot, word in writes:
        memory.write(slot, word)
