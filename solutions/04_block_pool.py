# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e04-title"
# # Exercise 04: block pool
#
# You write the pool that hands out blocks, then the manager that asks it for them, and then you count what is empty.
# The three do not depend on each other.
# Lesson: [04, block pool](../notebooks/04_block_pool.ipynb).

# %% id="e04-imports"
from dataclasses import replace

from pagedkv_edu import (
    BlockCopy,
    BlockManager,
    BlockPool,
    BlockTable,
    OutOfBlocks,
    cdiv,
)
from pagedkv_edu.course import check
from pagedkv_edu.errors import DuplicateSequence, NotAllocated, UnknownSequence
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay import RecordedManager, RecordedPool, frames
from pagedkv_edu.viz import show

# %% id="e04-numbers"
block_size = 4
num_blocks = 8

# %% [markdown] id="e04-1-task"
# ## 4.1 A block pool
#
# Difficulty: 2 of 5. Time: 20 minutes.
#
# Write a pool of `num_blocks` blocks, with the ids 0 to `num_blocks - 1`.
# It hands out free blocks, takes them back in any order, and refuses what cannot be right.
#
# ```python
# num_free: int  # a property
# ref_count(block_id: int) -> int
# allocate() -> int
# free(block_id: int) -> None
# ```
#
# | before | call | after | returns |
# |---|---|---|---|
# | 4 blocks, all free | `a = allocate()` | `num_free` 3, `ref_count(a)` 1 | the id of any free block |
# | `a` is in use | `free(a)` | `num_free` 4, `ref_count(a)` 0 | |
# | `a` and `b` are in use | `free(a)` | `a` is free, `b` is not | |
# | all 4 are in use, then `free(a)` | `allocate()` | `num_free` 0 | `a` again: no other is free |
# | all 4 are in use | `allocate()` | nothing has changed | raises `OutOfBlocks` |
# | `a` is free | `free(a)` | nothing has changed | raises `NotAllocated` |
# | a pool of 4 blocks | `free(-1)`, `free(4)` | nothing has changed | raises `NotAllocated` |
#
# Which free block `allocate` hands out is up to you.
# A block in use counts 1 here; lesson 05 lets it count more.

# %% id="e04-1-picture" tags=["picture"]
wanted = RecordedPool(BlockPool(4))
blocks = [wanted.allocate() for _ in range(3)]
wanted.free(blocks[0])
wanted.allocate()
show(frames(wanted.events))


# %% id="e04-1-answer" tags=["answer"] exercise="4.1"
class MyBlockPool:
    """Hands out physical block ids and takes them back."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        # BEGIN SOLUTION: keep a list of the free blocks, and a count for each block
        self._free = list(range(num_blocks))
        self._ref_counts = [0] * num_blocks
        # END SOLUTION

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        # BEGIN SOLUTION: count the free blocks
        return len(self._free)
        # END SOLUTION

    def ref_count(self, block_id: int) -> int:
        """Return 1 for a block in use, 0 for a free one."""
        # BEGIN SOLUTION
        return self._ref_counts[block_id]
        # END SOLUTION

    def allocate(self) -> int:
        """Take a free block and return its id.

        Raises `OutOfBlocks` if no block is free.
        """
        # BEGIN SOLUTION
        if not self._free:
            raise OutOfBlocks(f"all {self.num_blocks} blocks are in use")
        block_id = self._free.pop()
        self._ref_counts[block_id] = 1
        return block_id
        # END SOLUTION

    def free(self, block_id: int) -> None:
        """Return a block in use to the pool.

        Raises `NotAllocated` for a block that is free, or that is not there.
        """
        # BEGIN SOLUTION
        in_pool = 0 <= block_id < self.num_blocks
        if not in_pool or self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is not in use")
        self._ref_counts[block_id] = 0
        self._free.append(block_id)
        # END SOLUTION


# %% id="e04-1-check" tags=["check"] exercise="4.1"
check("4.1", MyBlockPool)

# %% [markdown] id="e04-1-see"
# **See it.** When the check passes, run the lesson on your pool: `Pool = mine("MyBlockPool")` in its second cell.

# %% [markdown] id="e04-2-task"
# ## 4.2 Grow at the boundary
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# Write a manager that owns a block table for each sequence and takes a block when a token needs it, not earlier.
# A call that needs more blocks than are free is refused as a whole.
#
# ```python
# add(seq_id: str, num_tokens: int) -> None
# append(seq_id: str, num_tokens: int = 1) -> list[BlockCopy]
# free(seq_id: str) -> None
# ```
#
# | before (block_size 4) | call | after |
# |---|---|---|
# | | `add("A", 6)` | A: `[0, 1]`, 6 tokens |
# | A: `[0, 1]`, 6 tokens | `append("A")` | A: `[0, 1]`, 7 tokens: slot 3 of block 1 is still empty |
# | A: `[0, 1]`, 7 tokens | `append("A")` | A: `[0, 1]`, 8 tokens: no block is taken |
# | A: `[0, 1]`, 8 tokens | `append("A")` | A: `[0, 1, 2]`, 9 tokens |
# | A: `[0, 1]`, 7 tokens | `append("A", 6)` | A: `[0, 1, 2, 3]`, 13 tokens |
# | A: `[0, 1]`, 8 tokens; no block is free | `append("A")` | nothing has changed; raises `OutOfBlocks` |
# | exactly 2 blocks are free | `add("B", 8)` | B has both |
# | A: `[0, 1, 2]` | `free("A")` | the three blocks are free, and A is gone |
#
# Which free block `allocate` hands out is up to the pool; your code must not depend on it.
# `append` returns a list of copies. Nothing is copied before lesson 05, so it is empty; that line is done, and so is `table`.
# `num_tokens` is at least 1; you need not check that.

# %% id="e04-2-picture" tags=["picture"]
pool = RecordedPool(BlockPool(num_blocks))
wanted = RecordedManager(BlockManager(pool, block_size), pool)
wanted.add("A", 6)
for _ in range(3):
    wanted.append("A")
wanted.free("A")
show(frames(wanted.events))


# %% id="e04-2-answer" tags=["answer"] exercise="4.2"
class MyGrowingManager:
    """Owns one block table per sequence, and grows it at block boundaries."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool = pool
        self.block_size = block_size
        self._table_by_seq: dict[str, BlockTable] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        """Take the blocks of a new sequence.

        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        self._require_new(seq_id)
        # BEGIN SOLUTION: take the blocks that num_tokens need
        num_new = cdiv(num_tokens, self.block_size)
        if self.pool.num_free < num_new:
            raise OutOfBlocks(f"need {num_new} blocks, {self.pool.num_free} free")
        block_ids = [self.pool.allocate() for _ in range(num_new)]
        self._table_by_seq[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)
        # END SOLUTION

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens, in new blocks where they are needed.

        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        table = self._require(seq_id)
        # BEGIN SOLUTION: take the blocks that are missing, and count the tokens
        seq_len = table.seq_len + num_tokens
        num_new = cdiv(seq_len, self.block_size) - len(table.block_ids)
        if self.pool.num_free < num_new:
            raise OutOfBlocks(f"need {num_new} blocks, {self.pool.num_free} free")
        table.block_ids += [self.pool.allocate() for _ in range(num_new)]
        table.seq_len = seq_len
        # END SOLUTION
        return []  # copies: none before lesson 05

    def free(self, seq_id: str) -> None:
        """Return every block of a sequence to the pool, and forget the sequence."""
        table = self._require(seq_id)
        # BEGIN SOLUTION: free each block of the table, then forget the table
        for block_id in reversed(table.block_ids):
            self.pool.free(block_id)
        del self._table_by_seq[seq_id]
        # END SOLUTION

    def table(self, seq_id: str) -> BlockTable:
        """Return a snapshot of a sequence's table; its list is the caller's own."""
        table = self._require(seq_id)
        return replace(table, block_ids=list(table.block_ids))

    def _require(self, seq_id: str) -> BlockTable:
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"no sequence {seq_id!r}; add it first")
        return self._table_by_seq[seq_id]

    def _require_new(self, seq_id: str) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"sequence {seq_id!r} is live; free it first")


# %% id="e04-2-check" tags=["check"] exercise="4.2"
check("4.2", MyGrowingManager)

# %% [markdown] id="e04-2-see"
# **See it.** When the check passes, run the lesson on your manager: `Manager = mine("MyGrowingManager")` in its second cell.

# %% [markdown] id="e04-3-task"
# ## 4.3 Count the waste
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# Each sequence holds exactly the blocks that its tokens need.
# Write `my_wasted_slots`, which returns how many slots in the blocks of all sequences are empty.
#
# ```python
# my_wasted_slots(seq_lens: list[int], block_size: int) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_wasted_slots([6], 4)` | `2` | two blocks, 8 slots |
# | `my_wasted_slots([8], 4)` | `0` | the last block is full |
# | `my_wasted_slots([6, 5], 4)` | `5` | 2 and 3: no two sequences share a block here |
# | `my_wasted_slots([17], 1)` | `0` | blocks of one slot are always full |
# | `my_wasted_slots([], 4)` | `0` | nobody holds a block |

# %% id="e04-3-picture" tags=["picture"]
pool = RecordedPool(BlockPool(num_blocks))
wanted = RecordedManager(BlockManager(pool, block_size), pool)
wanted.add("A", 6)
wanted.add("B", 5)
show(frames(wanted.events), start_at=1)


# %% id="e04-3-answer" tags=["answer"] exercise="4.3"
def my_wasted_slots(seq_lens: list[int], block_size: int) -> int:
    """Return the empty slots in the blocks that these sequences hold."""
    # BEGIN SOLUTION
    return sum(cdiv(n, block_size) * block_size - n for n in seq_lens)
    # END SOLUTION


# %% id="e04-3-check" tags=["check"] exercise="4.3"
check("4.3", my_wasted_slots)
