"""A pool of equally sized physical blocks, shared by reference counting."""

from pagedkv_edu.errors import NotAllocated, OutOfBlocks
from pagedkv_edu.sizes import require_positive


class BlockPool:
    """Hands out physical block ids and takes them back.

    >>> pool = BlockPool(num_blocks=2)
    >>> block_id = pool.allocate()
    >>> pool.share(block_id)
    >>> pool.ref_count(block_id), pool.num_free
    (2, 1)
    """

    def __init__(self, num_blocks: int) -> None:
        num_blocks = require_positive("num_blocks", num_blocks)
        self._ref_counts = [0] * num_blocks
        # a stack: the block freed last is taken first, while it may still be in a cache
        self._free = list(range(num_blocks - 1, -1, -1))

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return len(self._ref_counts)

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        return len(self._free)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free.

        Raises `NotAllocated` for an id that is not in the pool.
        """
        if type(block_id) is int and 0 <= block_id < len(self._ref_counts):
            return self._ref_counts[block_id]
        raise NotAllocated(
            f"no block {block_id!r}: the pool has blocks 0 to {self.num_blocks - 1}"
        )

    def allocate(self) -> int:
        """Take a free block; its reference count becomes 1.

        Raises `OutOfBlocks` if no block is free.
        """
        if not self._free:
            raise OutOfBlocks(
                f"0 of {self.num_blocks} "
                f"{'block is' if self.num_blocks == 1 else 'blocks are'} free; "
                "free a sequence or make the pool larger"
            )
        block_id = self._free.pop()
        self._ref_counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use.

        Raises `NotAllocated` for a free block: nobody could say what is in it.
        """
        count = self.ref_count(block_id)
        if count == 0:
            raise NotAllocated(f"block {block_id} is free; allocate it before sharing")
        self._ref_counts[block_id] = count + 1

    def free(self, block_id: int) -> None:
        """Drop one reference; the last one returns the block to the pool.

        Raises `NotAllocated` for a free block, so a double free is noticed.
        """
        count = self.ref_count(block_id)
        if count == 0:
            raise NotAllocated(f"block {block_id} is free; it was freed once too often")
        self._ref_counts[block_id] = count - 1
        if count == 1:
            self._free.append(block_id)

    def check(self) -> None:
        """Assert that every block is either free or referenced, and free once."""
        free = set(self._free)
        assert len(free) == len(self._free), "a block is in the free list twice"
        unknown = free - set(range(self.num_blocks))
        assert not unknown, f"the free list holds ids that are no blocks: {unknown}"
        for block_id, count in enumerate(self._ref_counts):
            assert count >= 0, f"block {block_id} has ref_count {count}"
            assert (count == 0) == (block_id in free), (
                f"block {block_id}: ref_count {count}, but free is {block_id in free}"
            )
