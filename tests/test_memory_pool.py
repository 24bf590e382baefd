from collections.abc import Callable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pagedkv_edu import BlockPool, OutOfBlocks
from pagedkv_edu.errors import InvalidSize, NotAllocated
from tests.wrong_calls import NO_INTS, refuses

# ids around a pool of at most 4 blocks, and what is no id at all
SOME_ID: st.SearchStrategy[object] = st.one_of(
    st.integers(-2, 5), st.sampled_from(NO_INTS)
)


class PoolMachine(RuleBasedStateMachine):
    """A pool against a dictionary of counts, with every wrong call mixed in."""

    @initialize(num_blocks=st.integers(1, 4))
    def start(self, num_blocks: int) -> None:
        self.pool = BlockPool(num_blocks)
        self.num_blocks = num_blocks
        self.count_by_block: dict[int, int] = {}

    @rule()
    def allocate(self) -> None:
        if len(self.count_by_block) == self.num_blocks:
            with pytest.raises(OutOfBlocks):
                self.pool.allocate()
            return
        block_id = self.pool.allocate()
        assert 0 <= block_id < self.num_blocks
        assert block_id not in self.count_by_block, "a block in use was handed out"
        self.count_by_block[block_id] = 1

    @rule(block_id=SOME_ID)
    def share(self, block_id: object) -> None:
        if self._accepts(self.pool.share, block_id):
            assert isinstance(block_id, int)
            self.count_by_block[block_id] += 1

    @rule(block_id=SOME_ID)
    def free(self, block_id: object) -> None:
        if self._accepts(self.pool.free, block_id):
            assert isinstance(block_id, int)
            self.count_by_block[block_id] -= 1
            if self.count_by_block[block_id] == 0:
                del self.count_by_block[block_id]

    @invariant()
    def counts_are_those_of_the_model(self) -> None:
        counts = {b: self.pool.ref_count(b) for b in range(self.num_blocks)}
        assert {b: count for b, count in counts.items() if count} == self.count_by_block
        assert self.pool.num_free == self.num_blocks - len(self.count_by_block)
        assert self.pool.num_blocks == self.num_blocks
        self.pool.check()

    def teardown(self) -> None:
        if not hasattr(self, "pool"):
            return
        num_free = self.pool.num_free
        served = {self.pool.allocate() for _ in range(num_free)}
        assert len(served) == num_free, "n free blocks did not serve n allocations"
        with pytest.raises(OutOfBlocks):
            self.pool.allocate()

    def _accepts(self, call: Callable[..., object], block_id: object) -> bool:
        """Make the call; tell whether it should succeed, and check that it does so."""
        if type(block_id) is int and block_id in self.count_by_block:
            call(block_id)
            return True
        refuses(call, block_id, error=NotAllocated)
        return False


TestPool = PoolMachine.TestCase


@pytest.mark.parametrize("num_blocks", [0, -1, *NO_INTS])
def test_a_pool_without_a_size_is_refused(num_blocks: object):
    refuses(BlockPool, num_blocks, error=InvalidSize, match="num_blocks")


def test_a_block_is_free_again_only_after_its_last_reference():
    pool = BlockPool(num_blocks=1)
    block_id = pool.allocate()
    pool.share(block_id)
    pool.free(block_id)
    still_held = pool.ref_count(block_id), pool.num_free
    pool.free(block_id)

    assert still_held == (1, 0)
    assert (pool.ref_count(block_id), pool.num_free) == (0, 1)


def test_an_error_says_which_block_and_what_to_do():
    pool = BlockPool(num_blocks=2)

    with pytest.raises(NotAllocated, match=r"^block 0 is free; it was freed once too"):
        pool.free(0)
    with pytest.raises(NotAllocated, match=r"^block 0 is free; allocate it before"):
        pool.share(0)
    with pytest.raises(NotAllocated, match=r"^no block 2: the pool has blocks 0 to 1$"):
        pool.ref_count(2)


def test_an_empty_pool_says_that_no_block_is_free():
    pool = BlockPool(num_blocks=1)
    pool.allocate()

    with pytest.raises(OutOfBlocks, match="0 of 1 block is free"):
        pool.allocate()


def test_a_pool_of_16384_blocks_hands_out_each_of_them_once():
    pool = BlockPool(num_blocks=16_384)
    served = {pool.allocate() for _ in range(16_384)}
    for block_id in served:
        pool.free(block_id)

    assert served == set(range(16_384))
    assert pool.num_free == 16_384
    pool.check()
