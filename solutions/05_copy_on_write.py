# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e05-title"
# # Exercise 05: copy on write
#
# You let blocks be shared, decide when one must be copied, put both into a manager, and drive that manager through a step of beam search.
# The four do not depend on each other, but this is the order in which they get harder.
# Lesson: [05, copy on write](../notebooks/05_copy_on_write.ipynb).

# %% id="e05-imports"
from contextlib import suppress
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
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay import RecordedManager, RecordedPool, frames
from pagedkv_edu.viz import show

# %% id="e05-numbers"
block_size = 4
num_blocks = 8

# %% [markdown] id="e05-1-task"
# ## 5.1 Share and free by count
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# Write `share`, which adds one reference to a block in use.
# Write `free`, which drops one, so that the block is free when nobody holds it any more.
#
# ```python
# share(block_id: int) -> None
# free(block_id: int) -> None
# ```
#
# | before | call | after |
# |---|---|---|
# | `ref_count(a)` is 1, 3 of 4 blocks are free | `share(a)` | `ref_count(a)` 2, 3 free: no block is taken |
# | `ref_count(a)` is 2, 3 free | `free(a)` | `ref_count(a)` 1, 3 free: somebody holds it still |
# | `ref_count(a)` is 1, 3 free | `free(a)` | `ref_count(a)` 0, 4 free |
# | `a` is free | `share(a)` or `free(a)` | nothing has changed; raises `NotAllocated` |
# | a pool of 4 blocks | `free(-1)`, `share(4)` | nothing has changed; raises `NotAllocated` |
#
# The rest is the pool of exercise 4.1.
# `_require_in_use(block_id)`, at the end of the class, raises the `NotAllocated` of the last two rows.

# %% id="e05-1-picture" tags=["picture"]
wanted = RecordedPool(BlockPool(4))
block_id = wanted.allocate()
wanted.share(block_id)
wanted.free(block_id)
wanted.free(block_id)
show(frames(wanted.events))


# %% id="e05-1-answer" tags=["answer"] exercise="5.1"
class MySharedPool:
    """Hands out blocks, and counts who holds them."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self._free = list(range(num_blocks))
        self._ref_counts = [0] * num_blocks

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        return len(self._free)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free."""
        return self._ref_counts[block_id]

    def allocate(self) -> int:
        """Take a free block; its reference count becomes 1."""
        if not self._free:
            raise OutOfBlocks(f"all {self.num_blocks} blocks are in use")
        block_id = self._free.pop()
        self._ref_counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use.

        Raises `NotAllocated` for a block that is free, or that is not there.
        """
        # BEGIN SOLUTION
        self._require_in_use(block_id)
        self._ref_counts[block_id] += 1
        # END SOLUTION

    def free(self, block_id: int) -> None:
        """Drop one reference; the last one returns the block to the pool.

        Raises `NotAllocated` for a block that is free, or that is not there.
        """
        # BEGIN SOLUTION
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 0:
            self._free.append(block_id)
        # END SOLUTION

    def _require_in_use(self, block_id: int) -> None:
        in_pool = 0 <= block_id < self.num_blocks
        if not in_pool or self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is not in use")


# %% id="e05-1-check" tags=["check"] exercise="5.1"
check("5.1", MySharedPool)

# %% [markdown] id="e05-2-task"
# ## 5.2 When must a block be copied?
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# A sequence of `seq_len` tokens is about to append one token.
# Its last block has `ref_count` references.
# Write `my_must_copy`, which tells whether that block must be copied first.
#
# ```python
# my_must_copy(seq_len: int, block_size: int, ref_count: int) -> bool
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_must_copy(6, 4, 2)` | `True` | the token belongs in a block that another sequence reads |
# | `my_must_copy(6, 4, 1)` | `False` | nobody else reads the block |
# | `my_must_copy(8, 4, 2)` | `False` | the last block is full; the token goes into a new one |
# | `my_must_copy(7, 4, 3)` | `True` | the token fills the block, but it still goes into it |
#
# `seq_len` is the length before the append, and at least 1.

# %% id="e05-2-picture" tags=["picture"]
pool = RecordedPool(BlockPool(num_blocks))
wanted = RecordedManager(BlockManager(pool, block_size), pool)
wanted.add("A", 6)
wanted.fork("A", "B")
wanted.append("A")
wanted.append("B")
wanted.append("B")
wanted.fork("B", "C")
wanted.append("B")
show(frames(wanted.events), start_at=1)


# %% id="e05-2-answer" tags=["answer"] exercise="5.2"
def my_must_copy(seq_len: int, block_size: int, ref_count: int) -> bool:
    """Tell whether the last block must be copied before one token is appended."""
    # BEGIN SOLUTION
    return seq_len % block_size != 0 and ref_count > 1
    # END SOLUTION


# %% id="e05-2-check" tags=["check"] exercise="5.2"
check("5.2", my_must_copy)

# %% [markdown] id="e05-3-task"
# ## 5.3 Fork, and append with copy on write
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# Write `fork`, so that a child shares every block of its parent.
# Write `append`, so that no sequence ever writes into a block that another one holds.
#
# ```python
# fork(parent_id: str, child_id: str) -> None
# append(seq_id: str, num_tokens: int = 1) -> list[BlockCopy]
# ```
#
# | before | call | after | returns |
# |---|---|---|---|
# | A: `[0, 1]`, 6 tokens | `fork("A", "B")` | A: `[0, 1]`, B: `[0, 1]`; counts 2, 2 | |
# | A and B: `[0, 1]`, 6 tokens each | `append("A")` | A: `[0, 2]`, 7 tokens; B: `[0, 1]`; counts 2, 1, 1 | `[BlockCopy(1, 2)]` |
# | A: `[0, 2]`, B: `[0, 1]` | `append("B")` | B: `[0, 1]`, 7 tokens, in place | `[]` |
# | A and B: `[0, 1]`, 8 tokens each | `append("A")` | A: `[0, 1, 2]`, 9 tokens | `[]` |
# | too few free blocks | `append("A")` | nothing has changed | raises `OutOfBlocks` |
#
# Which free block `allocate` hands out is up to the pool; your code must not depend on it.
# `num_tokens` is at least 1; you need not check that. `add`, `table` and `free` are done.

# %% id="e05-3-picture" tags=["picture"]
pool = RecordedPool(BlockPool(num_blocks))
wanted = RecordedManager(BlockManager(pool, block_size), pool)
wanted.add("A", 6)
wanted.fork("A", "B")
wanted.append("A")
wanted.append("B")
show(frames(wanted.events))


# %% id="e05-3-answer" tags=["answer"] exercise="5.3"
class MyBlockManager:
    """Grow, fork and free sequences; copy a shared block before writing into it."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool = pool
        self.block_size = block_size
        self._table_by_seq: dict[str, BlockTable] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        """Take the blocks of a new sequence."""
        self._require_new(seq_id)
        needed = cdiv(num_tokens, self.block_size)
        if self.pool.num_free < needed:
            raise OutOfBlocks(f"need {needed} blocks, {self.pool.num_free} free")
        block_ids = [self.pool.allocate() for _ in range(needed)]
        self._table_by_seq[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def table(self, seq_id: str) -> BlockTable:
        """Return a snapshot of a sequence's table."""
        table = self._require(seq_id)
        return replace(table, block_ids=list(table.block_ids))

    def free(self, seq_id: str) -> None:
        """Drop the sequence's references, last block first."""
        table = self._require(seq_id)
        for block_id in reversed(table.block_ids):
            self.pool.free(block_id)
        del self._table_by_seq[seq_id]

    def fork(self, parent_id: str, child_id: str) -> None:
        """Start a child with the parent's blocks and length; take and copy nothing."""
        parent = self._require(parent_id)
        self._require_new(child_id)
        # BEGIN SOLUTION: share every block, and give the child a table of its own
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        self._table_by_seq[child_id] = replace(parent, block_ids=list(parent.block_ids))
        # END SOLUTION

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens; return the copy to be carried out, if any.

        Raises `OutOfBlocks`, with nothing changed, if too few blocks are free.
        """
        table = self._require(seq_id)
        # BEGIN SOLUTION: count the blocks, then copy if you must, then grow
        partly_filled = table.seq_len % self.block_size != 0
        must_copy = partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1
        seq_len = table.seq_len + num_tokens
        num_new = cdiv(seq_len, self.block_size) - len(table.block_ids)
        if self.pool.num_free < num_new + must_copy:
            raise OutOfBlocks(
                f"need {num_new + must_copy} blocks, {self.pool.num_free} free"
            )

        copies: list[BlockCopy] = []
        if must_copy:
            source, target = table.block_ids[-1], self.pool.allocate()
            table.block_ids[-1] = target
            self.pool.free(source)
            copies.append(BlockCopy(source, target))
        table.block_ids += [self.pool.allocate() for _ in range(num_new)]
        table.seq_len = seq_len
        return copies
        # END SOLUTION

    def _require(self, seq_id: str) -> BlockTable:
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"no sequence {seq_id!r}; add it first")
        return self._table_by_seq[seq_id]

    def _require_new(self, seq_id: str) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"sequence {seq_id!r} is live; free it first")


# %% id="e05-3-check" tags=["check"] exercise="5.3"
check("5.3", MyBlockManager)

# %% [markdown] id="e05-3-see"
# **See it.** When the check passes, put your class into the lesson: `Manager = mine("MyBlockManager")` in its second cell.

# %% [markdown] id="e05-4-task"
# ## 5.4 One step of beam search
#
# Difficulty: 3 of 5. Time: 20 minutes.
#
# Beam search has scored all continuations and kept the best.
# Write `my_beam_step`, which makes the manager's calls for one step: fork where a beam has several continuations, free the beams that have none, append one token to each beam that is kept.
#
# ```python
# my_beam_step(
#     manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
# ) -> list[BlockCopy]
# ```
#
# `beams` are the beams before the step.
# `parent_by_beam` has an entry for each beam after the step: which beam it continues.
# A beam that goes on under its own name is its own parent; every other name in it is new.
#
# | beams before | `parent_by_beam` | beams after | copies |
# |---|---|---|---|
# | A: 6 tokens | `{"A": "A", "B": "A"}` | A and B: 7 tokens each | 1: they shared a block with an empty slot |
# | A, B, C: 7 tokens each, in last blocks of their own | `{"A": "A", "D": "A", "B": "B"}` | A, D, B: 8 tokens each; C is gone | 1: A and D |
# | A: 6 tokens | `{"B": "A"}` | B: 7 tokens; A is gone | 0: B is the last owner and writes in place |
# | A: 8 tokens | `{"A": "A", "B": "A"}` | A and B: 9 tokens each | 0: the last block was full |
#
# Return every copy, in the order in which `append` returned them.
# Make no copy that is not needed: the order of your calls decides.
# Enough blocks are free.


# %% id="e05-4-beams"
def three_beams() -> RecordedManager:
    """Return a manager with beams A, B and C, each with a last block of its own."""
    pool = RecordedPool(BlockPool(num_blocks))
    manager = RecordedManager(BlockManager(pool, block_size), pool)
    manager.add("A", 6)
    for child_id in "BC":
        manager.fork("A", child_id)
    for seq_id in "ABC":
        manager.append(seq_id)
    return manager


# %% id="e05-4-picture" tags=["picture"]
show(frames(three_beams().events), start_at=5)


# %% id="e05-4-answer" tags=["answer"] exercise="5.4"
def my_beam_step(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    """Fork, free and append for one step; return the copies to be carried out."""
    # BEGIN SOLUTION: make the three kinds of calls in the right order
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)
    copies: list[BlockCopy] = []
    for beam in parent_by_beam:
        copies += manager.append(beam)
    return copies
    # END SOLUTION


# %% id="e05-4-check" tags=["check"] exercise="5.4"
check("5.4", my_beam_step)

# %% [markdown] id="e05-4-see-text"
# **See it.** The step of the second row of the table, made by your function.
# As long as that is not written, you see the beams before the step.

# %% id="e05-4-see" tags=["picture"]
manager = three_beams()
with suppress(NotImplementedError):
    my_beam_step(manager, ["A", "B", "C"], {"A": "A", "D": "A", "B": "B"})
show(frames(manager.events), start_at=-6)
