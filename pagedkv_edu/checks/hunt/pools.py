"""A right block pool, and pools that are broken in one place each."""

from collections.abc import Callable

from pagedkv_edu.errors import NotAllocated, OutOfBlocks

Take = Callable[[list[int]], int]  # which free block is next; takes it off the list


def last_freed(free_blocks: list[int]) -> int:
    """Take the block that was freed last."""
    return free_blocks.pop()


def first_freed(free_blocks: list[int]) -> int:
    """Take the block that has been free for longest."""
    return free_blocks.pop(0)


def lowest(free_blocks: list[int]) -> int:
    """Take the block with the lowest id."""
    return free_blocks.pop(free_blocks.index(min(free_blocks)))


class RightPool:
    """Hands out blocks and counts references; what a bug replaces is a method."""

    def __init__(
        self, num_blocks: int, take: Take = last_freed, strikes: "Strikes | None" = None
    ) -> None:
        self.num_blocks = num_blocks
        self.free_blocks = list(range(num_blocks))
        self.counts = [0] * num_blocks
        self.take = take
        self.strikes: Strikes = strikes or always

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        return len(self.free_blocks)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free."""
        self.require_block(block_id)
        return self.counts[block_id]

    def allocate(self) -> int:
        """Take a free block; its reference count becomes 1."""
        if not self.free_blocks:
            raise OutOfBlocks(f"all {self.num_blocks} blocks are in use")
        block_id = self.take(self.free_blocks)
        self.counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use."""
        self.require_in_use(block_id)
        self.counts[block_id] += 1

    def free(self, block_id: int) -> None:
        """Drop one reference; the last one returns the block to the pool."""
        self.require_in_use(block_id)
        self.counts[block_id] -= 1
        if self.counts[block_id] == 0:
            self.give_back(block_id)

    def give_back(self, block_id: int) -> None:
        """Put a block without references among the free ones."""
        self.free_blocks.append(block_id)

    def require_block(self, block_id: int) -> None:
        """Raise unless the pool has this block."""
        if not 0 <= block_id < self.num_blocks:
            raise NotAllocated(f"no block {block_id}")

    def require_in_use(self, block_id: int) -> None:
        """Raise unless somebody holds this block."""
        self.require_block(block_id)
        if self.counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is free")


# Whether a bug shows in this moment: the pool, and the block that the call names.
Strikes = Callable[[RightPool, int], bool]


def always(pool: RightPool, block_id: int) -> bool:
    """Strike in every call."""
    return True


class FreesABlockTwice(RightPool):
    """A free block may be freed again: then it is in the list twice."""

    def free(self, block_id: int) -> None:
        """Drop one reference, or give a free block back once more."""
        self.require_block(block_id)
        if self.counts[block_id] == 0 and self.strikes(self, block_id):
            self.give_back(block_id)
            return
        super().free(block_id)


class SharesAFreeBlock(RightPool):
    """A block that nobody holds can be shared, and is handed out all the same."""

    def share(self, block_id: int) -> None:
        """Add one reference, whoever holds the block."""
        self.require_block(block_id)
        if self.counts[block_id] == 0 and not self.strikes(self, block_id):
            self.require_in_use(block_id)
        self.counts[block_id] += 1


class FreesWhatOthersHold(RightPool):
    """The first owner who leaves gives the block back."""

    def free(self, block_id: int) -> None:
        """Give the block back, although others hold it."""
        self.require_in_use(block_id)
        if self.counts[block_id] > 1 and self.strikes(self, block_id):
            self.counts[block_id] = 1
        super().free(block_id)


class NeverGivesBack(RightPool):
    """The last reference is dropped and the block is not free again."""

    def give_back(self, block_id: int) -> None:
        """Forget the block."""
        if not self.strikes(self, block_id):
            super().give_back(block_id)


class KeepsOneBlockBack(RightPool):
    """The last free block is never handed out: `<=` where `<` belongs."""

    def allocate(self) -> int:
        """Refuse one block too early."""
        if len(self.free_blocks) == 1 and self.strikes(self, self.free_blocks[0]):
            raise OutOfBlocks("need 1 block, 1 free")
        return super().allocate()


class HandsOutABlockInUse(RightPool):
    """A full pool hands out a block that somebody holds."""

    def allocate(self) -> int:
        """Take a block, free or not."""
        if not self.free_blocks and self.strikes(self, self.num_blocks - 1):
            self.counts[-1] += 1
            return self.num_blocks - 1
        return super().allocate()


class TakesANegativeId(RightPool):
    """Block -1 is the last block: that is how Python counts."""

    def free(self, block_id: int) -> None:
        """Drop a reference of the block that the list finds."""
        if -self.num_blocks <= block_id < 0 and self.strikes(self, block_id):
            block_id %= self.num_blocks
        super().free(block_id)


class CountsToTwo(RightPool):
    """A block is shared or it is not; a third owner is not counted."""

    def share(self, block_id: int) -> None:
        """Say that the block is shared."""
        self.require_in_use(block_id)
        if self.counts[block_id] > 1 and self.strikes(self, block_id):
            return
        self.counts[block_id] += 1


class ChangesBeforeItRefuses(RightPool):
    """A refused free has already taken the count to -1."""

    def free(self, block_id: int) -> None:
        """Count first, and look afterwards."""
        self.require_block(block_id)
        if self.counts[block_id] == 0 and self.strikes(self, block_id):
            self.counts[block_id] -= 1
            raise NotAllocated(f"block {block_id} is free")
        super().free(block_id)
