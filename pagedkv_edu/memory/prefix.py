"""A pool whose full blocks can be found again by the tokens they hold."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize, NotAllocated, OutOfBlocks
from pagedkv_edu.sizes import require_positive

Salt = int | str | None
HashBlock = Callable[[int, tuple[int, ...], Salt], int]


def hash_block(parent_hash: int, tokens: tuple[int, ...], salt: Salt) -> int:
    """Return the hash of a full block: of its parent's hash, its tokens and a salt.

    The parent's hash stands for everything before the block, so equal tokens after
    different beginnings get different hashes.
    """
    return hash((parent_hash, tokens, salt))


@dataclass(slots=True, eq=False)
class _Identity:
    """What a block is known to hold: its tokens, after all those of its parent."""

    hash: int
    tokens: tuple[int, ...]
    salt: Salt
    parent: "_Identity | None"

    def holds(
        self, tokens: tuple[int, ...], salt: Salt, parent: "_Identity | None"
    ) -> bool:
        """Tell whether this is the block of these tokens after that parent."""
        if self.tokens != tokens or self.salt != salt:
            return False
        mine = self.parent
        while mine is not parent:  # a parent may have come back as another object
            if mine is None or parent is None:
                return False
            if mine.tokens != parent.tokens or mine.salt != parent.salt:
                return False
            mine, parent = mine.parent, parent.parent
        return True


# what every first block comes after
_ROOT = _Identity(hash=0, tokens=(), salt=None, parent=None)


class PrefixCache:
    """A block pool that remembers what free blocks hold, until it hands them out.

    A block may be free and findable at once. `allocate` takes blank blocks first, then
    the cached block that was freed longest ago, and forgets what that one held. A
    manager frees a sequence's last block first, so the end of a chain goes before its
    beginning, without which it could not be found.

    On a hit the tokens are compared, so an unlucky hash costs time and never serves
    another prompt's cache. vLLM 0.33.0 and transformers 5.24.0 rely on the hash alone
    (sha256 by default, 8-byte blake2b); nano-vllm and TensorRT-LLM compare, and SGLang
    0.5.23 keeps a tree of tokens and has no hash (checked 29 November 2026).

    >>> cache = PrefixCache(num_blocks=4, block_size=2)
    >>> block_ids = [cache.allocate(), cache.allocate()]
    >>> cache.register([1, 2, 3, 4], block_ids)
    >>> cache.lookup([1, 2, 3, 4]) == block_ids[:1]  # the last token is computed again
    True
    """

    def __init__(
        self, num_blocks: int, block_size: int, hash_block: HashBlock = hash_block
    ) -> None:
        self.block_size = require_positive("block_size", block_size)
        self._hash_block = hash_block
        self._ref_counts = [0] * require_positive("num_blocks", num_blocks)
        self._blank = list(range(num_blocks - 1, -1, -1))  # free, nothing known
        self._evictable: OrderedDict[int, None] = OrderedDict()  # free, oldest first
        self._identity_by_block: dict[int, _Identity] = {}
        self._blocks_by_hash: dict[int, list[int]] = {}

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return len(self._ref_counts)

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out, cached ones included."""
        return len(self._blank) + len(self._evictable)

    @property
    def num_cached(self) -> int:
        """Blocks that `lookup` can find, free or not."""
        return len(self._identity_by_block)

    def eviction_order(self) -> list[int]:
        """Return the free cached blocks, the next to be forgotten first."""
        return list(self._evictable)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free."""
        if type(block_id) is int and 0 <= block_id < len(self._ref_counts):
            return self._ref_counts[block_id]
        raise NotAllocated(
            f"no block {block_id!r}: the pool has blocks 0 to {self.num_blocks - 1}"
        )

    def allocate(self) -> int:
        """Take a free block for new data; what it held is forgotten.

        Raises `OutOfBlocks` if no block is free.
        """
        if self._blank:
            block_id = self._blank.pop()
        elif self._evictable:
            block_id, _ = self._evictable.popitem(last=False)
            self._forget(block_id)
        else:
            raise OutOfBlocks(
                f"all {self.num_blocks} blocks are in use; "
                "free a sequence or make the pool larger"
            )
        self._ref_counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use; `reuse` is for cached free ones."""
        if self.ref_count(block_id) == 0:
            raise NotAllocated(f"block {block_id} is free; allocate or reuse it first")
        self._ref_counts[block_id] += 1

    def free(self, block_id: int) -> None:
        """Drop one reference; after the last one a known block stays findable."""
        count = self.ref_count(block_id)
        if count == 0:
            raise NotAllocated(f"block {block_id} is free; it was freed once too often")
        self._ref_counts[block_id] = count - 1
        if count > 1:
            return
        if block_id in self._identity_by_block:
            self._evictable[block_id] = None
        else:
            self._blank.append(block_id)

    def lookup(self, tokens: Sequence[int], salt: Salt = None) -> list[int]:
        """Return the blocks of the longest cached beginning of tokens; change nothing.

        At most `(len(tokens) - 1) // block_size` blocks are offered: the last token
        must be computed, because its output is what the caller is after, and a block
        that is offered is never written again.
        """
        hit: list[int] = []
        size, parent = self.block_size, _ROOT
        for start in range(0, (len(tokens) - 1) // size * size, size):
            content = tuple(tokens[start : start + size])
            key = self._hash_block(parent.hash, content, salt)
            found = self._find(key, content, salt, parent)
            if found is None:
                break
            hit.append(found)
            parent = self._identity_by_block[found]
        return hit

    def reuse(self, block_ids: Sequence[int]) -> None:
        """Add one reference to each block, reviving the free ones.

        Raises `NotAllocated`, with nothing changed, if a block is free and unknown.
        """
        for block_id in block_ids:
            if self.ref_count(block_id) == 0 and block_id not in self._evictable:
                raise NotAllocated(
                    f"block {block_id} is free and holds nothing known; look up again"
                )
        for block_id in block_ids:
            self._evictable.pop(block_id, None)
            self._ref_counts[block_id] += 1

    def register(
        self, tokens: Sequence[int], block_ids: Sequence[int], salt: Salt = None
    ) -> None:
        """Make the full blocks of a sequence findable.

        `tokens` are those already written, `block_ids` the sequence's table. Of equal
        blocks the first keeps the identity; the other stays an unknown copy.
        """
        num_full = len(tokens) // self.block_size
        if len(block_ids) < num_full:
            raise InvalidSize(
                f"{len(tokens)} tokens fill {num_full} blocks; {len(block_ids)} given"
            )
        if not all(map(self.ref_count, block_ids[:num_full])):
            raise NotAllocated("a block that is free cannot be registered")
        size, parent = self.block_size, _ROOT
        starts = range(0, num_full * size, size)
        for start, block_id in zip(starts, block_ids, strict=False):
            known = self._identity_by_block.get(block_id)
            if known is None:
                content = tuple(tokens[start : start + size])
                key = self._hash_block(parent.hash, content, salt)
                first = self._find(key, content, salt, parent)
                if first is None:
                    known = _Identity(key, content, salt, parent)
                    self._identity_by_block[block_id] = known
                    self._blocks_by_hash.setdefault(key, []).append(block_id)
                else:
                    known = self._identity_by_block[first]
            parent = known

    def check(self) -> None:
        """Assert that free, cached and referenced blocks add up."""
        free = [*self._blank, *self._evictable]
        assert len(set(free)) == len(free), "a block is free twice"
        for block_id, count in enumerate(self._ref_counts):
            assert count >= 0, f"block {block_id} has ref_count {count}"
            assert (count == 0) == (block_id in free), (
                f"block {block_id}: ref_count {count}, but free is {block_id in free}"
            )
        for block_id in self._blank:
            assert block_id not in self._identity_by_block, f"blank {block_id} is known"
        for block_id in self._evictable:
            assert block_id in self._identity_by_block, f"cached {block_id} is unknown"
        by_hash = [b for blocks in self._blocks_by_hash.values() for b in blocks]
        assert sorted(by_hash) == sorted(self._identity_by_block), (
            "the blocks found by hash are not the blocks with an identity"
        )

    def _find(
        self,
        key: int,
        content: tuple[int, ...],
        salt: Salt,
        parent: _Identity,
    ) -> int | None:
        for block_id in self._blocks_by_hash.get(key, ()):
            if self._identity_by_block[block_id].holds(content, salt, parent):
                return block_id
        return None

    def _forget(self, block_id: int) -> None:
        known = self._identity_by_block.pop(block_id)
        blocks = self._blocks_by_hash[known.hash]
        blocks.remove(block_id)
        if not blocks:
            del self._blocks_by_hash[known.hash]
