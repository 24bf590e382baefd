"""The block tables of sequences whose keys and values are in host memory."""

from pagedkv_edu.errors import OutOfBlocks, SwappedOut, UnknownSequence
from pagedkv_edu.memory.references import check_references, drop, take
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import PoolLike, SeqId

_INSTEAD = "free the sequence and compute it again later"


class HostTables:
    """Where swapped-out sequences wait, each in host blocks of its own.

    >>> from pagedkv_edu import BlockPool
    >>> host = HostTables(BlockPool(2))
    >>> host.put("A", BlockTable(block_size=4, block_ids=[7, 3], seq_len=6))
    [0, 1]
    >>> "A" in host
    True
    """

    def __init__(self, pool: PoolLike | None) -> None:
        self.pool = pool
        self._table_by_seq: dict[SeqId, BlockTable] = {}

    def __contains__(self, seq_id: object) -> bool:
        return seq_id in self._table_by_seq

    def put(self, seq_id: SeqId, table: BlockTable) -> list[int]:
        """Take one host block for each block of a table; return them in its order.

        Raises `OutOfBlocks`, with nothing changed, if the host pool has too few.
        """
        if self.pool is None:
            raise OutOfBlocks(f"host pool: there is none; {_INSTEAD}")
        block_ids = take(
            self.pool, len(table.block_ids), where="host pool: ", advice=_INSTEAD
        )
        self._table_by_seq[seq_id] = BlockTable(
            table.block_size, block_ids, table.seq_len
        )
        return list(block_ids)

    def get(self, seq_id: SeqId) -> BlockTable:
        """Return the table of a sequence on the host."""
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"sequence {seq_id!r} is not on the host")
        return self._table_by_seq[seq_id]

    def drop(self, seq_id: SeqId) -> None:
        """Forget a sequence on the host and free its host blocks."""
        table = self.get(seq_id)
        assert self.pool is not None, "a sequence is on the host without a host pool"
        del self._table_by_seq[seq_id]
        drop(self.pool, table.block_ids)

    def refuse(self, seq_id: SeqId) -> None:
        """Raise `SwappedOut` if the sequence is on the host."""
        if seq_id in self._table_by_seq:
            raise SwappedOut(f"sequence {seq_id!r} is on the host; swap it in first")

    def check(self) -> None:
        """Assert that every reference to a host block is that of one table."""
        if self.pool is not None:
            check_references(self._table_by_seq, self.pool)
