# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e11-title"
# # Exercise 11: the prefix cache
#
# Two functions, and then a block pool that remembers what its free blocks hold.
# Lesson: [11, the prefix cache](../notebooks/11_prefix_cache.ipynb).
#
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e11-imports"
from collections.abc import Callable, Sequence

from pagedkv_edu import OutOfBlocks
from pagedkv_edu.checks.prefix_cache import digits
from pagedkv_edu.course import check
from pagedkv_edu.errors import NotAllocated
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.viz.prefix_tree import prefix_tree

# %% [markdown] id="e11-1-task"
# ## 11.1 A name for each block
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# Each full block of a prompt gets a hash of its own tokens *and* of the hash of the block before it.
# Write `my_block_hashes`, which returns the hashes of all full blocks, in order.
#
# ```python
# my_block_hashes(tokens: list[int], block_size: int, hash_block) -> list[int]
# hash_block(parent_hash: int, tokens: tuple[int, ...]) -> int  # is given to you
# ```
#
# The parent hash of the first block is 0.
# The check gives you `digits` for `hash_block`: it writes the tokens behind the digits of the parent's hash, so you can read what went into a hash.
# A real hash has a fixed size, and nobody can read it.
#
# | call | returns | |
# |---|---|---|
# | `my_block_hashes([1, 2, 3, 4], 2, digits)` | `[12, 1234]` | the second hash stands for all four tokens |
# | `my_block_hashes([5, 6, 3, 4], 2, digits)` | `[56, 5634]` | the same second block after another first one |
# | `my_block_hashes([1, 2, 3], 2, digits)` | `[12]` | a block that is not full has no hash |
#
# ```
# tokens        1 2     3 4     5
# hash_block    0,(1,2) ──> 12 ──> 12,(3,4) ──> 1234       5: not full
# ```

# %% id="e11-1-digits"
digits(0, (1, 2)), digits(12, (3, 4))


# %% id="e11-1-answer" tags=["answer"] exercise="11.1"
def my_block_hashes(
    tokens: list[int],
    block_size: int,
    hash_block: Callable[[int, tuple[int, ...]], int],
) -> list[int]:
    """Return the hash of every full block; each contains its parent's."""
    # BEGIN SOLUTION
    hashes: list[int] = []
    parent_hash = 0
    for start in range(0, len(tokens) - block_size + 1, block_size):
        parent_hash = hash_block(parent_hash, tuple(tokens[start : start + block_size]))
        hashes.append(parent_hash)
    return hashes
    # END SOLUTION


# %% id="e11-1-check" tags=["check"] exercise="11.1"
check("11.1", my_block_hashes)

# %% [markdown] id="e11-2-task"
# ## 11.2 The longest run
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# `hashes` are those of a prompt of `num_tokens` tokens, and `block_by_hash` says which block holds what.
# Write `my_longest_run`, which returns the blocks that the prompt can begin with.
#
# ```python
# my_longest_run(hashes: list[int], block_by_hash: dict[int, int],
#                num_tokens: int, block_size: int) -> list[int]
# ```
#
# The run ends before the first hash that is missing.
# The last token must be computed in any case, so at most `(num_tokens - 1) // block_size` blocks may be found.
#
# | call | returns | |
# |---|---|---|
# | `my_longest_run([12, 1234], {12: 5, 1234: 0}, 5, 2)` | `[5, 0]` | a fifth token is left to compute |
# | `my_longest_run([12, 1234], {12: 5, 1234: 0}, 4, 2)` | `[5]` | the fourth token must be computed |
# | `my_longest_run([12, 1234], {1234: 0}, 5, 2)` | `[]` | without its beginning a block is of no use |
#
# ```
# hashes     12      1234    123456       num_tokens 7, block_size 2
# cached     yes     yes     no
# run        ■       ■       |            two blocks
# ```


# %% id="e11-2-answer" tags=["answer"] exercise="11.2"
def my_longest_run(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    """Return the blocks of the longest cached beginning."""
    # BEGIN SOLUTION
    run: list[int] = []
    for block_hash in hashes[: (num_tokens - 1) // block_size]:
        if block_hash not in block_by_hash:
            break
        run.append(block_by_hash[block_hash])
    return run
    # END SOLUTION


# %% id="e11-2-check" tags=["check"] exercise="11.2"
check("11.2", my_longest_run)

# %% [markdown] id="e11-3-task"
# ## 11.3 A pool that remembers
#
# Difficulty: 4 of 5. Time: 35 minutes.
#
# Write the block pool of the lesson: a free block is *blank*, or *cached*, which is free and findable at once.
# Two sequences of equal tokens must never be confused with two that are not.
#
# ```python
# register(tokens: Sequence[int], block_ids: Sequence[int]) -> None
# lookup(tokens: Sequence[int]) -> list[int]
# free(block_id: int) -> None
# allocate() -> int
# reuse(block_ids: Sequence[int]) -> None
# ```
#
# | call | what it does |
# |---|---|
# | `register([1, 2, 3], [4, 0])` | in blocks of 2, block 4 can be found as `[1, 2]`; block 0 is not full |
# | `lookup([1, 2, 9])` | `[4]`; changes nothing |
# | `free(4)` | drops a reference; at 0 the block is free, and can still be found |
# | `reuse([4])` | adds a reference to each block, free or not |
# | `allocate()` | hands out a blank block; if there is none, the cached block that was freed longest ago, and forgets what it held |
#
# Three rules more.
#
# - `lookup` returns at most `(len(tokens) - 1) // block_size` blocks.
# - Of two blocks that hold the same, the one registered first keeps the name; the other stays without one.
# - Refuse before you change: `allocate` without a free block raises `OutOfBlocks`.
#   `free` of a free block raises `NotAllocated`, and so does `reuse` of a block that is free and not cached.
#
# `register` is called with blocks in use, at least as many as the tokens need.
# You may name a block by its hash or by its tokens; if by a hash, compare the tokens too.
# `share`, `ref_count` and `num_blocks` are done.
#
# ```
#                 allocate                     register
#    blank  ───────────────────>  in use  ───────────────────>  in use, findable
#      ^                            │                             │          ^
#      └──────────── free ──────────┘                        free │          │ reuse
#                                                                 v          │
#    in use  <────────────── allocate, which forgets ───────────  cached, findable
# ```


# %% id="e11-3-answer" tags=["answer"] exercise="11.3"
class MyPrefixCache:
    """A block pool that remembers what free blocks hold, until it hands them out."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.block_size = block_size
        self._ref_counts = [0] * num_blocks
        self._blank = list(range(num_blocks))  # free, nothing known
        self._cached: list[int] = []  # free and findable, freed longest ago first
        self._block_by_name: dict[tuple[int, ...], int] = {}
        self._name_by_block: dict[int, tuple[int, ...]] = {}

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return len(self._ref_counts)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block."""
        return self._ref_counts[block_id]

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use."""
        self._require_in_use(block_id)
        self._ref_counts[block_id] += 1

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out; cached ones too."""
        # BEGIN SOLUTION
        return len(self._blank) + len(self._cached)
        # END SOLUTION

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        """Make the full blocks of a sequence findable."""
        # BEGIN SOLUTION
        for index in range(len(tokens) // self.block_size):
            name, block_id = self._name(tokens, index), block_ids[index]
            if name not in self._block_by_name and block_id not in self._name_by_block:
                self._block_by_name[name] = block_id
                self._name_by_block[block_id] = name
        # END SOLUTION

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        """Return the blocks of the longest cached beginning; change nothing."""
        # BEGIN SOLUTION
        found: list[int] = []
        for index in range((len(tokens) - 1) // self.block_size):
            name = self._name(tokens, index)
            if name not in self._block_by_name:
                break
            found.append(self._block_by_name[name])
        return found
        # END SOLUTION

    def free(self, block_id: int) -> None:
        """Drop one reference; after the last one a known block stays findable."""
        # BEGIN SOLUTION
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 0:
            known = block_id in self._name_by_block
            (self._cached if known else self._blank).append(block_id)
        # END SOLUTION

    def allocate(self) -> int:
        """Take a free block for new data; what it held is forgotten."""
        # BEGIN SOLUTION
        if self._blank:
            block_id = self._blank.pop()
        elif self._cached:
            block_id = self._cached.pop(0)
            del self._block_by_name[self._name_by_block.pop(block_id)]
        else:
            raise OutOfBlocks(f"all {self.num_blocks} blocks are in use")
        self._ref_counts[block_id] = 1
        return block_id
        # END SOLUTION

    def reuse(self, block_ids: Sequence[int]) -> None:
        """Add one reference to each block; revive the free ones."""
        # BEGIN SOLUTION
        for block_id in block_ids:
            if self._ref_counts[block_id] == 0 and block_id not in self._cached:
                raise NotAllocated(f"block {block_id} is free and not cached")
        for block_id in block_ids:
            if self._ref_counts[block_id] == 0:
                self._cached.remove(block_id)
            self._ref_counts[block_id] += 1
        # END SOLUTION

    def _name(self, tokens: Sequence[int], index: int) -> tuple[int, ...]:
        """Return the name of a block: all tokens from the beginning to its end."""
        # BEGIN SOLUTION
        return tuple(tokens[: (index + 1) * self.block_size])
        # END SOLUTION

    def _require_in_use(self, block_id: int) -> None:
        if self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is free")


# %% id="e11-3-check" tags=["check"] exercise="11.3"
check("11.3", MyPrefixCache)

# %% [markdown] id="e11-3-see-text"
# **See it.** The explorer of the lesson, on our cache.
# When your class passes, put it in: `prefix_tree(MyPrefixCache)`.

# %% id="e11-3-see" tags=["picture"]
prefix_tree(PrefixCache, play=["serve A", "end A"])

# %% [markdown] id="e11-3-more"
# **More, if you like.** In your cache each name is as long as the prompt up to there, so a long prompt costs the square of its length.
# Name a block by `hash((parent_hash, own_tokens))` instead, keep its own tokens and its parent beside it, and compare them on a hit.
# The check takes both.

# %% [markdown] id="e11-after"
# ## Back to the lesson
#
# Set `Cache = mine("MyPrefixCache")` in the second cell of [lesson 11](../notebooks/11_prefix_cache.ipynb), and run it on your own code.
# Lesson 12, not written yet, is about caches that are broken, and checks that find out.
