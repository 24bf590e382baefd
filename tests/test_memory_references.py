"""All references or none, also where a pool hands out fewer blocks than it promised."""

import pytest

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks
from pagedkv_edu.errors import UnknownSequence
from tests.wrong_calls import refuses


class BreaksItsPromise(BlockPool):
    """Says that all its blocks are free, and refuses the third call."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.num_calls = 0

    def allocate(self) -> int:
        self._count()
        return super().allocate()

    def share(self, block_id: int) -> None:
        self._count()
        super().share(block_id)

    def _count(self) -> None:
        self.num_calls += 1
        if self.num_calls == 3:
            raise OutOfBlocks("the third call")


def test_a_pool_that_runs_out_in_the_middle_gets_back_what_it_gave():
    pool = BreaksItsPromise(num_blocks=8)
    manager = BlockManager(pool, block_size=4)

    with pytest.raises(OutOfBlocks, match="the third call"):
        manager.add("A", 12)
    assert pool.num_free == 8
    refuses(manager.append, "A", error=UnknownSequence)


def test_an_append_whose_blocks_run_out_in_the_middle_changes_nothing():
    pool = BreaksItsPromise(num_blocks=8)
    manager = BlockManager(pool, block_size=4)
    manager.add("A", 4)

    with pytest.raises(OutOfBlocks, match="the third call"):
        manager.append("A", 8)
    assert manager.table("A").seq_len == 4
    manager.check()


def test_a_fork_that_cannot_share_every_block_shares_none():
    pool = BreaksItsPromise(num_blocks=8)
    manager = BlockManager(pool, block_size=4)
    manager.add("A", 8)
    pool.num_calls = 1

    with pytest.raises(OutOfBlocks, match="the third call"):
        manager.fork("A", "B")
    refuses(manager.table, "B", error=UnknownSequence)
    manager.check()
