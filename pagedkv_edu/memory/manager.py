"""Grow, fork, swap and free sequences on top of a pool."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidId,
    InvalidSize,
    NotAllocated,
    OutOfBlocks,
    SwappedOut,
    UnknownSequence,
)
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId
from pagedkv_edu.sizes import cdiv, require_positive


@dataclass(slots=True)
class _Sequence(BlockTable):
    # Up to this seq_len the last block is known to be this sequence's alone, and append
    # need not ask the pool. Only fork shares a partly filled block, and resets this.
    in_place_until: int = 0


class BlockManager:
    """Owns one block table per sequence; never touches keys and values.

    A step is any number of calls, then the copies in the order they were returned,
    then the writes of new keys and values, then attention.

    >>> from pagedkv_edu import BlockPool
    >>> manager = BlockManager(BlockPool(4), block_size=4)
    >>> manager.add("A", num_tokens=6)
    >>> manager.fork("A", "B")
    >>> manager.append("A"), manager.append("B")
    ([BlockCopy(source=1, target=2, kind='copy')], [])
    """

    def __init__(
        self, pool: PoolLike, block_size: int, host_pool: PoolLike | None = None
    ) -> None:
        self.pool = pool
        self.block_size = require_positive("block_size", block_size)
        self.host_pool = host_pool
        self._table_by_seq: dict[SeqId, _Sequence] = {}
        self._host_table_by_seq: dict[SeqId, BlockTable] = {}

    def add(self, seq_id: SeqId, num_tokens: int, prefix: Sequence[int] = ()) -> None:
        """Take the blocks of a new sequence of num_tokens tokens, at least 1.

        `prefix` names full blocks at the sequence's beginning that the caller holds a
        reference to; the sequence takes those references over.
        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        self._require_new(seq_id)
        require_positive("num_tokens", num_tokens)
        self._require_prefix(prefix, num_tokens)
        num_new = cdiv(num_tokens, self.block_size) - len(prefix)
        block_ids = [*prefix, *self._take(self.pool, num_new)]
        self._table_by_seq[seq_id] = self._sequence(block_ids, num_tokens)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens; return the copy to be carried out first, if any.

        Only the last block can be partly filled, so at most one block is copied.
        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        table = self._live(seq_id)
        if type(num_tokens) is not int or num_tokens < 1:
            require_positive("num_tokens", num_tokens)
        seq_len = table.seq_len + num_tokens
        if seq_len <= table.in_place_until:
            table.seq_len = seq_len
            return []

        num_new, must_copy = self._growth(table, num_tokens)
        taken = self._take(self.pool, num_new + must_copy)
        copies: list[BlockCopy] = []
        if must_copy:
            source, target = table.block_ids[-1], taken.pop(0)
            copies.append(BlockCopy(source, target))
            table.block_ids[-1] = target
            self.pool.free(source)
        table.block_ids += taken
        table.seq_len = seq_len
        table.in_place_until = len(table.block_ids) * self.block_size
        return copies

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with the parent's blocks and length; take and copy nothing."""
        parent = self._live(parent_id)
        self._require_new(child_id)
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        parent.in_place_until = 0
        self._table_by_seq[child_id] = self._sequence(
            list(parent.block_ids), parent.seq_len
        )

    def free(self, seq_id: SeqId) -> None:
        """Drop every reference of a sequence, last block first, and forget it."""
        _require_id(seq_id)
        if seq_id in self._host_table_by_seq:
            assert self.host_pool is not None
            self._drop(self.host_pool, self._host_table_by_seq.pop(seq_id))
            return
        table = self._live(seq_id)
        del self._table_by_seq[seq_id]
        self._drop(self.pool, table)

    def table(self, seq_id: SeqId) -> BlockTable:
        """Return a snapshot of a sequence's table; its list is the caller's own."""
        return _snapshot(self._live(seq_id))

    def blocks_needed(self, seq_id: SeqId, num_tokens: int) -> int:
        """Return the blocks that `append` would take now, a copy's target included."""
        table = self._live(seq_id)
        require_positive("num_tokens", num_tokens)
        num_new, must_copy = self._growth(table, num_tokens)
        return num_new + must_copy

    def can_append(self, seq_id: SeqId, num_tokens: int) -> bool:
        """Tell whether `append` would succeed now."""
        return self.blocks_needed(seq_id, num_tokens) <= self.pool.num_free

    def swap_out(self, seq_id: SeqId) -> list[BlockCopy]:
        """Move a sequence to the host pool; return the copies to be carried out.

        Every block gets a private host block, a shared one too, and the device
        references are dropped. Raises `OutOfBlocks`, with nothing changed, if the
        host pool has too few free blocks; recompute is the other way out.
        """
        table = self._live(seq_id)
        if self.host_pool is None:
            raise OutOfBlocks(
                f"host pool: need {len(table.block_ids)} blocks, there is no host pool"
            )
        targets = self._take(self.host_pool, len(table.block_ids), "host pool: ")
        self._host_table_by_seq[seq_id] = BlockTable(
            self.block_size, targets, table.seq_len
        )
        del self._table_by_seq[seq_id]
        self._drop(self.pool, table)
        pairs = zip(table.block_ids, targets, strict=True)
        return [BlockCopy(source, target, "out") for source, target in pairs]

    def swap_in(self, seq_id: SeqId) -> list[BlockCopy]:
        """Bring a sequence back into fresh private blocks; return the copies.

        Sharing is not restored. Raises `OutOfBlocks`, with nothing changed, if the
        device pool has too few free blocks.
        """
        _require_id(seq_id)
        if seq_id not in self._host_table_by_seq:
            self._live(seq_id)
            raise UnknownSequence(f"sequence {seq_id!r} is not swapped out")
        assert self.host_pool is not None
        table = self._host_table_by_seq[seq_id]
        targets = self._take(self.pool, len(table.block_ids))
        del self._host_table_by_seq[seq_id]
        self._table_by_seq[seq_id] = self._sequence(targets, table.seq_len)
        self._drop(self.host_pool, table)
        pairs = zip(table.block_ids, targets, strict=True)
        return [BlockCopy(source, target, "in") for source, target in pairs]

    def check(self) -> None:
        """Assert that tables have the right size and every reference is counted."""
        _check_tables(self._table_by_seq, self.pool)
        if self.host_pool is not None:
            _check_tables(self._host_table_by_seq, self.host_pool)
        both = self._table_by_seq.keys() & self._host_table_by_seq.keys()
        assert not both, f"sequences on the device and on the host: {both}"

    def _growth(self, table: BlockTable, num_tokens: int) -> tuple[int, bool]:
        """Return the new blocks for num_tokens, and whether the last one is copied."""
        block_ids = table.block_ids
        num_empty = len(block_ids) * self.block_size - table.seq_len
        must_copy = num_empty > 0 and self.pool.ref_count(block_ids[-1]) > 1
        if num_tokens <= num_empty:
            return 0, must_copy
        return cdiv(num_tokens - num_empty, self.block_size), must_copy

    def _take(self, pool: PoolLike, num_blocks: int, whose: str = "") -> list[int]:
        if pool.num_free < num_blocks:
            raise OutOfBlocks(
                f"{whose}need {num_blocks} blocks, {pool.num_free} free; "
                "preempt a sequence or make the pool larger"
            )
        return [pool.allocate() for _ in range(num_blocks)]

    def _drop(self, pool: PoolLike, table: BlockTable) -> None:
        for block_id in reversed(table.block_ids):
            pool.free(block_id)

    def _sequence(self, block_ids: list[int], seq_len: int) -> _Sequence:
        return _Sequence(self.block_size, block_ids, seq_len)

    def _live(self, seq_id: SeqId) -> _Sequence:
        _require_id(seq_id)
        if seq_id in self._table_by_seq:
            return self._table_by_seq[seq_id]
        if seq_id in self._host_table_by_seq:
            raise SwappedOut(f"sequence {seq_id!r} is on the host; swap it in first")
        raise UnknownSequence(f"no sequence {seq_id!r}; add it first")

    def _require_new(self, seq_id: SeqId) -> None:
        _require_id(seq_id)
        if seq_id in self._table_by_seq or seq_id in self._host_table_by_seq:
            raise DuplicateSequence(f"sequence {seq_id!r} is live; free it first")

    def _require_prefix(self, prefix: Sequence[int], num_tokens: int) -> None:
        if len(prefix) * self.block_size > num_tokens:
            raise InvalidSize(
                f"a prefix of {len(prefix)} full blocks holds "
                f"{len(prefix) * self.block_size} tokens; the sequence has {num_tokens}"
            )
        if len(set(prefix)) < len(prefix):
            raise InvalidSize(f"a block is in the prefix twice: {list(prefix)}")
        for block_id in prefix:
            if self.pool.ref_count(block_id) == 0:
                raise NotAllocated(f"prefix block {block_id} is free; reuse it first")


def _require_id(seq_id: object) -> None:
    if type(seq_id) is not int and type(seq_id) is not str:
        raise InvalidId(f"a sequence id is an int or a str, got {seq_id!r}")


def _snapshot(table: BlockTable) -> BlockTable:
    return BlockTable(table.block_size, list(table.block_ids), table.seq_len)


def _check_tables(table_by_seq: Mapping[SeqId, BlockTable], pool: PoolLike) -> None:
    held: Counter[int] = Counter()
    for seq_id, table in table_by_seq.items():
        assert table.seq_len > 0, f"sequence {seq_id!r} has no token"
        assert len(table.block_ids) == table.num_blocks, (
            f"sequence {seq_id!r}: {len(table.block_ids)} blocks "
            f"for {table.seq_len} tokens, expected {table.num_blocks}"
        )
        assert len(set(table.block_ids)) == len(table.block_ids), (
            f"sequence {seq_id!r} holds a block twice: {table.block_ids}"
        )
        held.update(table.block_ids)
    for block_id in range(pool.num_blocks):
        assert pool.ref_count(block_id) == held[block_id], (
            f"block {block_id}: ref_count {pool.ref_count(block_id)}, "
            f"but {held[block_id]} tables hold it"
        )
