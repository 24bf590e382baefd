"""Take, share and drop many references to blocks: all of them, or none."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pagedkv_edu.errors import OutOfBlocks
from pagedkv_edu.memory.table import BlockTable
from pagedkv_edu.protocols import PoolLike, SeqId


def take(
    pool: PoolLike,
    num_blocks: int,
    *,
    where: str = "",
    advice: str = "preempt a sequence or make the pool larger",
) -> list[int]:
    """Allocate num_blocks blocks.

    Raises `OutOfBlocks`, with nothing taken, if too few are free. A pool that promises
    more in `num_free` than it hands out gets back what it gave.
    """
    num_free = pool.num_free
    if num_free < num_blocks:
        noun = "block" if num_blocks == 1 else "blocks"
        raise OutOfBlocks(f"{where}need {num_blocks} {noun}, {num_free} free; {advice}")
    taken: list[int] = []
    try:
        for _ in range(num_blocks):
            taken.append(pool.allocate())
    except Exception:
        drop(pool, taken)
        raise
    return taken


def share(pool: PoolLike, block_ids: Iterable[int]) -> None:
    """Add one reference to each block; if one cannot be shared, to none."""
    shared: list[int] = []
    try:
        for block_id in block_ids:
            pool.share(block_id)
            shared.append(block_id)
    except Exception:
        drop(pool, shared)
        raise


def drop(pool: PoolLike, block_ids: Sequence[int]) -> None:
    """Drop one reference to each block, the last block first.

    A prefix cache forgets the block that was freed first, and the beginning of a
    sequence is of more use to others than its end.
    """
    for block_id in reversed(block_ids):
        pool.free(block_id)


def check_references(table_by_seq: Mapping[SeqId, BlockTable], pool: PoolLike) -> None:
    """Assert that tables have the right size and every reference is one of theirs."""
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
        count = pool.ref_count(block_id)
        assert count == held[block_id], (
            f"block {block_id}: ref_count {count}, but {held[block_id]} tables hold it"
        )
