"""Grow, fork, swap and free sequences on top of a pool."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidId,
    InvalidSize,
    NotAllocated,
    UnknownSequence,
    WrongPool,
)
from pagedkv_edu.memory.references import check_references, drop, share, take
from pagedkv_edu.memory.swap import HostTables
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import BlockCopy, CopyKind, PoolLike, SeqId
from pagedkv_edu.sizes import cdiv, require_positive

_ONE = 1


@dataclass(slots=True)
class _Sequence(BlockTable):
    seq_id: SeqId = 0
    # Up to this seq_len the last block is known to be this sequence's alone, and append
    # need not ask the pool. Only fork shares a partly filled block, and resets this.
    in_place_until: int = 0


class BlockManager:
    """Owns one block table per sequence; never touches keys and values.

    A step is any number of calls, then the copies in the order they were returned,
    then the writes of new keys and values, then attention. `fork` and `swap_out` need
    every token of their sequence written, so in a step they come before its `append`.

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
        if host_pool is pool:
            raise WrongPool("the host pool is the device pool; give it one of its own")
        self.pool = pool
        self.block_size = require_positive("block_size", block_size)
        self.host_pool = host_pool
        self._table_by_seq: dict[SeqId, _Sequence] = {}
        self._on_host = HostTables(host_pool)

    def add(self, seq_id: SeqId, num_tokens: int, prefix: Sequence[int] = ()) -> None:
        """Take the blocks of a new sequence of num_tokens tokens, at least 1.

        `prefix` names full blocks at the sequence's beginning that the caller holds a
        reference to; the sequence takes those references over.
        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        self._require_new(seq_id)
        num_needed = cdiv(require_positive("num_tokens", num_tokens), self.block_size)
        self._require_prefix(prefix, num_tokens)
        block_ids = [*prefix, *take(self.pool, num_needed - len(prefix))]
        # a block that is not full is one of those taken here, so it is nobody else's
        self._put(seq_id, block_ids, num_tokens, num_needed * self.block_size)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens; return the copy to be carried out first, if any.

        Only the last block can be partly filled, so at most one block is copied.
        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        # This runs once per token of every sequence, so types are looked at only where
        # they may be wrong: True and 1.0 find the sequence 1, but they are not the very
        # object that add has looked at, and not the int 1.
        try:
            table = self._table_by_seq[seq_id]
        except (KeyError, TypeError):
            table = self._live(seq_id)
        if seq_id is not table.seq_id:
            _require_id(seq_id)
        if num_tokens is not _ONE:
            require_positive("num_tokens", num_tokens)

        seq_len = table.seq_len + num_tokens
        if seq_len <= table.in_place_until:
            table.seq_len = seq_len
            return []
        return self._grow(table, seq_len)

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with the parent's blocks and length; take and copy nothing."""
        parent = self._live(parent_id)
        self._require_new(child_id)
        share(self.pool, parent.block_ids)
        parent.in_place_until = 0
        self._put(child_id, list(parent.block_ids), parent.seq_len, 0)

    def free(self, seq_id: SeqId) -> None:
        """Drop every reference of a sequence, last block first, and forget it."""
        _require_id(seq_id)
        if seq_id in self._on_host:
            self._on_host.drop(seq_id)
            return
        table = self._live(seq_id)
        del self._table_by_seq[seq_id]
        drop(self.pool, table.block_ids)

    def table(self, seq_id: SeqId) -> BlockTable:
        """Return a snapshot of a sequence's table; its list is the caller's own."""
        table = self._live(seq_id)
        return BlockTable(table.block_size, list(table.block_ids), table.seq_len)

    def blocks_needed(self, seq_id: SeqId, num_tokens: int) -> int:
        """Return the blocks that `append` would take now, a copy's target included."""
        table = self._live(seq_id)
        require_positive("num_tokens", num_tokens)
        num_new = cdiv(table.seq_len + num_tokens, self.block_size)
        return num_new - len(table.block_ids) + self._must_copy(table)

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
        targets = self._on_host.put(seq_id, table)
        del self._table_by_seq[seq_id]
        drop(self.pool, table.block_ids)
        return _copies(table.block_ids, targets, "out")

    def swap_in(self, seq_id: SeqId) -> list[BlockCopy]:
        """Bring a sequence back into fresh private blocks; return the copies.

        Sharing is not restored. Raises `OutOfBlocks`, with nothing changed, if the
        device pool has too few free blocks.
        """
        _require_id(seq_id)
        table = self._on_host.get(seq_id)
        targets = take(self.pool, len(table.block_ids))
        self._on_host.drop(seq_id)
        self._put(seq_id, targets, table.seq_len, len(targets) * self.block_size)
        return _copies(table.block_ids, targets, "in")

    def check(self) -> None:
        """Assert that tables have the right size and every reference is counted."""
        check_references(self._table_by_seq, self.pool)
        self._on_host.check()
        both = [seq_id for seq_id in self._table_by_seq if seq_id in self._on_host]
        assert not both, f"sequences on the device and on the host: {both}"

    def _grow(self, table: _Sequence, seq_len: int) -> list[BlockCopy]:
        must_copy = self._must_copy(table)
        num_new = cdiv(seq_len, self.block_size) - len(table.block_ids)
        taken = take(self.pool, num_new + must_copy)
        copies: list[BlockCopy] = []
        if must_copy:
            source, target = table.block_ids[-1], taken.pop(0)
            table.block_ids[-1] = target
            self.pool.free(source)
            copies.append(BlockCopy(source, target))
        table.block_ids += taken
        table.seq_len = seq_len
        table.in_place_until = len(table.block_ids) * self.block_size
        return copies

    def _must_copy(self, table: BlockTable) -> bool:
        partly_filled = table.seq_len % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1

    def _put(
        self, seq_id: SeqId, block_ids: list[int], seq_len: int, in_place_until: int
    ) -> None:
        self._table_by_seq[seq_id] = _Sequence(
            self.block_size, block_ids, seq_len, seq_id, in_place_until
        )

    def _live(self, seq_id: SeqId) -> _Sequence:
        _require_id(seq_id)
        if seq_id in self._table_by_seq:
            return self._table_by_seq[seq_id]
        self._on_host.refuse(seq_id)
        raise UnknownSequence(f"no sequence {seq_id!r}; add it first")

    def _require_new(self, seq_id: SeqId) -> None:
        _require_id(seq_id)
        if seq_id in self._table_by_seq or seq_id in self._on_host:
            raise DuplicateSequence(f"sequence {seq_id!r} is live; free it first")

    def _require_prefix(self, prefix: Sequence[int], num_tokens: int) -> None:
        num_held = len(prefix) * self.block_size
        if num_held > num_tokens:
            raise InvalidSize(
                f"a prefix of {len(prefix)} full blocks holds {num_held} tokens; "
                f"the sequence has {num_tokens}"
            )
        for block_id in prefix:
            if self.pool.ref_count(block_id) == 0:
                raise NotAllocated(f"prefix block {block_id} is free; reuse it first")
        if len(set(prefix)) < len(prefix):
            raise InvalidSize(f"a block is in the prefix twice: {list(prefix)}")


def _require_id(seq_id: object) -> None:
    if type(seq_id) is not int and type(seq_id) is not str:
        raise InvalidId(f"a sequence id is an int or a str, got {seq_id!r}")


def _copies(
    sources: Sequence[int], targets: Sequence[int], kind: CopyKind
) -> list[BlockCopy]:
    pairs = zip(sources, targets, strict=True)
    return [BlockCopy(source, target, kind) for source, target in pairs]
