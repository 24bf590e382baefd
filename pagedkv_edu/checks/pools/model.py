"""What is right for a pool: a count for each block, whatever blocks are handed out."""

from collections import Counter

from pagedkv_edu.checks.histories import Call, Name
from pagedkv_edu.checks.judging.wording import be
from pagedkv_edu.errors import NotAllocated, OutOfBlocks, PagedKVError
from pagedkv_edu.protocols import PoolLike


class NamedBlocks:
    """A pool whose blocks are called by the names of a history."""

    def __init__(self, pool: PoolLike) -> None:
        self.pool = pool
        self.id_by_name: dict[str, int] = {}

    def make(self, call: Call) -> int | PagedKVError | None:
        """Make a call; return a block id, our error, or nothing."""
        try:
            if call.name == "allocate":
                block_id = self.pool.allocate()
                self.id_by_name[call.result] = block_id
                return block_id
            change = self.pool.share if call.name == "share" else self.pool.free
            change(self.id_of(call))
        except PagedKVError as error:
            return error
        return None

    def id_of(self, call: Call) -> int:
        """Return the block that a call of free or share is about."""
        block = call.arguments[0]
        if isinstance(block, Name):
            return self.id_by_name[block]
        assert isinstance(block, int), call
        return block

    def names_of(self, block_id: int) -> list[str]:
        """Return what a block was called, the newest name last."""
        return [name for name, known in self.id_by_name.items() if known == block_id]


class Counts:
    """The count of each block. It follows the ids that the learner's pool hands out."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self.by_block: Counter[int] = Counter()
        self._freed_by: dict[int, int] = {}  # block: number of the call

    @property
    def num_used(self) -> int:
        """Blocks with at least one reference."""
        return sum(count > 0 for count in self.by_block.values())

    @property
    def num_free(self) -> int:
        """Blocks without."""
        return self.num_blocks - self.num_used

    def has(self, block_id: int) -> bool:
        """Tell whether the pool has such a block."""
        return 0 <= block_id < self.num_blocks

    def refusal(self, call: Call, block_id: int | None) -> type[PagedKVError] | None:
        """Return the error that a call must raise; None if it must not."""
        if block_id is None:
            return None if self.num_free else OutOfBlocks
        return None if self.by_block[block_id] else NotAllocated

    def why_refused(self, block_id: int | None) -> str:
        """Say why a call must be refused."""
        if block_id is None:
            return self.in_use()
        if not self.has(block_id):
            return f"the pool has blocks 0 to {self.num_blocks - 1}"
        since = self._freed_by.get(block_id)
        why = f"call {since} freed it" if since else "nobody has allocated it"
        return f"block {block_id} is free, {why}"

    def in_use(self) -> str:
        """Say how many blocks are in use."""
        if self.num_blocks == 1:
            return f"the only block is {'in use' if self.num_used else 'free'}"
        used = self.num_used or "none"
        if self.num_used == self.num_blocks:
            used = "all"
        return f"{used} of {self.num_blocks} blocks {be(max(1, self.num_used))} in use"

    def follow(self, call: Call, block_id: int, number: int) -> None:
        """Count a call that was done; number is its place in the history, from 1."""
        self.by_block[block_id] += -1 if call.name == "free" else 1
        if not self.by_block[block_id]:
            self._freed_by[block_id] = number
