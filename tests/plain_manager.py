"""A right pool and a right manager, written as a learner writes them."""

from collections import deque

from pagedkv_edu import BlockCopy, BlockTable, OutOfBlocks, cdiv
from pagedkv_edu.errors import DuplicateSequence, NotAllocated, UnknownSequence
from pagedkv_edu.protocols import PoolLike, SeqId


class PlainPool:
    """Hands out the block that has been free for longest."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self.free_blocks = deque(range(num_blocks))
        self.counts: dict[int, int] = {}

    @property
    def num_free(self) -> int:
        return len(self.free_blocks)

    def allocate(self) -> int:
        if not self.free_blocks:
            raise OutOfBlocks(f"all {self.num_blocks} blocks are in use")
        block_id = self.free_blocks.popleft()
        self.counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        if block_id not in self.counts:
            raise NotAllocated(f"block {block_id} is not in use")
        self.counts[block_id] += 1

    def free(self, block_id: int) -> None:
        if block_id not in self.counts:
            raise NotAllocated(f"block {block_id} is not in use")
        self.counts[block_id] -= 1
        if self.counts[block_id] == 0:
            del self.counts[block_id]
            self.free_blocks.append(block_id)

    def ref_count(self, block_id: int) -> int:
        return self.counts.get(block_id, 0)


class PlainManager:
    """Each part that a learner gets wrong is a method, for a mutant to replace."""

    def __init__(
        self, pool: PoolLike, block_size: int, host_pool: PoolLike | None = None
    ) -> None:
        self.pool = pool
        self.block_size = block_size
        self.tables: dict[SeqId, BlockTable] = {}

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        self.require_new(seq_id)
        needed = cdiv(num_tokens, self.block_size)
        self.require_free(needed)
        block_ids = [self.pool.allocate() for _ in range(needed)]
        self.tables[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        table = self.require(seq_id)
        must_copy = self.must_copy(table, num_tokens)
        num_new = cdiv(table.seq_len + num_tokens, self.block_size) - len(
            table.block_ids
        )
        self.require_free(num_new + must_copy)
        copies = [self.copy_last(table)] if must_copy else []
        table.block_ids += [self.pool.allocate() for _ in range(num_new)]
        table.seq_len += num_tokens
        return copies

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        parent = self.require(parent_id)
        self.require_new(child_id)
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        self.tables[child_id] = BlockTable(
            self.block_size, list(parent.block_ids), parent.seq_len
        )

    def free(self, seq_id: SeqId) -> None:
        table = self.require(seq_id)
        del self.tables[seq_id]
        for block_id in reversed(table.block_ids):
            self.pool.free(block_id)

    def table(self, seq_id: SeqId) -> BlockTable:
        table = self.require(seq_id)
        return BlockTable(self.block_size, list(table.block_ids), table.seq_len)

    def must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        partly_filled = table.seq_len % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1

    def copy_last(self, table: BlockTable) -> BlockCopy:
        source, target = table.block_ids[-1], self.pool.allocate()
        table.block_ids[-1] = target
        self.pool.free(source)
        return BlockCopy(source, target)

    def require_free(self, needed: int) -> None:
        if self.pool.num_free < needed:
            raise OutOfBlocks(f"need {needed} blocks, {self.pool.num_free} free")

    def require(self, seq_id: SeqId) -> BlockTable:
        if seq_id not in self.tables:
            raise UnknownSequence(f"no sequence {seq_id!r}")
        return self.tables[seq_id]

    def require_new(self, seq_id: SeqId) -> None:
        if seq_id in self.tables:
            raise DuplicateSequence(f"sequence {seq_id!r} is live")
