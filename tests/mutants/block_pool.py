"""Wrong answers to exercise 04 that learners write, and right ones of another kind."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

from pagedkv_edu import BlockCopy, BlockTable, OutOfBlocks, cdiv
from pagedkv_edu.errors import DuplicateSequence, NotAllocated, UnknownSequence
from pagedkv_edu.protocols import PoolLike


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer, its message, the first wrong call, and the hint that it gets."""

    exercise_id: str
    answer: Callable[..., object]
    title: str
    calls: tuple[str, ...]  # up to the wrong one
    hint: str


# --- 4.1 MyBlockPool: two right ones --------------------------------------------------


class StackPool:
    """Last in, first out; everything is written down at once."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self._free = list(range(num_blocks))
        self._ref_counts = [0] * num_blocks

    @property
    def num_free(self) -> int:
        return len(self._free)

    def allocate(self) -> int:
        if not self._free:
            raise OutOfBlocks("no block is free")
        block_id = self._free.pop()
        self._ref_counts[block_id] = 1
        return block_id

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] = 0
        self._free.append(block_id)

    def ref_count(self, block_id: int) -> int:
        return self._ref_counts[block_id]

    def _require_in_use(self, block_id: int) -> None:
        in_pool = 0 <= block_id < self.num_blocks
        if not in_pool or self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is not in use")


class LazyQueuePool:
    """First in, first out; a block is nowhere until it is allocated once."""

    def __init__(self, num_blocks: int) -> None:
        self._num_blocks = num_blocks
        self._num_touched = 0
        self._returned: deque[int] = deque()
        self._used: set[int] = set()

    @property
    def num_blocks(self) -> int:
        return self._num_blocks

    @property
    def num_free(self) -> int:
        return self._num_blocks - len(self._used)

    def allocate(self) -> int:
        if self._num_touched < self._num_blocks:
            block_id = self._num_touched
            self._num_touched += 1
        elif self._returned:
            block_id = self._returned.popleft()
        else:
            raise OutOfBlocks("every block is in use")
        self._used.add(block_id)
        return block_id

    def free(self, block_id: int) -> None:
        if block_id not in self._used:
            raise NotAllocated(f"{block_id} is not held by anybody")
        self._used.remove(block_id)
        self._returned.append(block_id)

    def ref_count(self, block_id: int) -> int:
        return int(block_id in self._used)


# --- 4.1 MyBlockPool: wrong ones ------------------------------------------------------


class FreesTwice(StackPool):
    """Looks at nothing: the block enters the free list a second time."""

    def free(self, block_id: int) -> None:
        self._ref_counts[block_id] = 0
        self._free.append(block_id)


class TakesNegativeIds(StackPool):
    """Forgets that a list has an entry -1."""

    def free(self, block_id: int) -> None:
        if block_id >= self.num_blocks or self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is not in use")
        self._ref_counts[block_id] = 0
        self._free.append(block_id)


class OnlyLooks(StackPool):
    """Looks at the last free block and leaves it in the list."""

    def allocate(self) -> int:
        if not self._free:
            raise OutOfBlocks("no block is free")
        block_id = self._free[-1]
        self._ref_counts[block_id] = 1
        return block_id


class OnlyCountsUp(StackPool):
    """Hands out the next number, and never one that came back."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._next = 0

    def allocate(self) -> int:
        if self._next == self.num_blocks:
            raise OutOfBlocks("no block is left")
        block_id = self._next
        self._next += 1
        self._free.remove(block_id)
        self._ref_counts[block_id] = 1
        return block_id


class GivesBackTheLast(StackPool):
    """Takes it that blocks come back in the opposite order."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._taken: list[int] = []

    def allocate(self) -> int:
        self._taken.append(super().allocate())
        return self._taken[-1]

    def free(self, block_id: int) -> None:
        if not self._taken or block_id != self._taken[-1]:
            raise NotAllocated(f"block {block_id} was not allocated last")
        super().free(self._taken.pop())


class LetsPythonRaise(StackPool):
    """Leaves it to `pop` to find out that nothing is free."""

    def allocate(self) -> int:
        block_id = self._free.pop()
        self._ref_counts[block_id] = 1
        return block_id


class CountsFromOne(StackPool):
    """Ids from 1 to num_blocks."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._free = list(range(1, num_blocks + 1))
        self._ref_counts = [0] * (num_blocks + 1)


class ForgetsTheNumber(StackPool):
    """Keeps num_free beside the list, and forgets it in free."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._num_free = num_blocks

    @property
    def num_free(self) -> int:
        return self._num_free

    def allocate(self) -> int:
        self._num_free -= 1 if self._free else 0
        return super().allocate()


class ForgetsTheCount(StackPool):
    """The free list is right; the count stays 1."""

    def free(self, block_id: int) -> None:
        if block_id in self._free or not 0 <= block_id < self.num_blocks:
            raise NotAllocated(f"block {block_id} is not in use")
        self._free.append(block_id)


class RaisesForAFreeBlock(StackPool):
    """Takes the count of a free block for a mistake."""

    def ref_count(self, block_id: int) -> int:
        self._require_in_use(block_id)
        return 1


class RaisesAValueError(StackPool):
    """Refuses a second free, but with an error of Python's."""

    def free(self, block_id: int) -> None:
        if block_id in self._free:
            raise ValueError(f"block {block_id} is free already")
        super().free(block_id)


class ReturnsNoneWhenFull(StackPool):
    """Says "no" with None."""

    def allocate(self) -> int | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().allocate() if self._free else None


# --- 4.2 MyGrowingManager: two right ones ---------------------------------------------


class EagerManager:
    """Tables as they are, blocks as soon as they are counted."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool = pool
        self.block_size = block_size
        self._table_by_seq: dict[str, BlockTable] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"{seq_id} exists")
        block_ids = self._take(cdiv(num_tokens, self.block_size))
        self._table_by_seq[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        table.block_ids += self._take(self._num_new(table, num_tokens))
        table.seq_len += num_tokens
        return []

    def free(self, seq_id: str) -> None:
        for block_id in self._require(seq_id).block_ids:
            self.pool.free(block_id)
        del self._table_by_seq[seq_id]

    def table(self, seq_id: str) -> BlockTable:
        table = self._require(seq_id)
        return replace(table, block_ids=list(table.block_ids))

    def _num_new(self, table: BlockTable, num_tokens: int) -> int:
        needed = cdiv(table.seq_len + num_tokens, self.block_size)
        return needed - len(table.block_ids)

    def _take(self, count: int) -> list[int]:
        if self.pool.num_free < count:
            raise OutOfBlocks(f"need {count}, {self.pool.num_free} free")
        return [self.pool.allocate() for _ in range(count)]

    def _require(self, seq_id: str) -> BlockTable:
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"no sequence {seq_id}")
        return self._table_by_seq[seq_id]


class TryingManager:
    """Tuples and lengths; tries, and gives back what it got if that was too little."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool, self.block_size = pool, block_size
        self._ids: dict[str, tuple[int, ...]] = {}
        self._lens: dict[str, int] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        if seq_id in self._ids:
            raise DuplicateSequence(f"{seq_id} is live")
        self._set(seq_id, (), num_tokens)

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        ids = self.table(seq_id).block_ids
        self._set(seq_id, tuple(ids), self._lens[seq_id] + num_tokens)
        return []

    def table(self, seq_id: str) -> BlockTable:
        if seq_id not in self._ids:
            raise UnknownSequence(f"{seq_id} is not live")
        ids = list(self._ids[seq_id])
        return BlockTable(self.block_size, ids, self._lens[seq_id])

    def free(self, seq_id: str) -> None:
        for block_id in self.table(seq_id).block_ids[::-1]:
            self.pool.free(block_id)
        del self._ids[seq_id], self._lens[seq_id]

    def _set(self, seq_id: str, ids: tuple[int, ...], seq_len: int) -> None:
        got: list[int] = []
        try:
            while (len(ids) + len(got)) * self.block_size < seq_len:
                got.append(self.pool.allocate())
        except OutOfBlocks:
            for block_id in got:
                self.pool.free(block_id)
            raise
        self._ids[seq_id], self._lens[seq_id] = (*ids, *got), seq_len


# --- 4.2 MyGrowingManager: wrong ones -------------------------------------------------


class TakesEachTime(EagerManager):
    """A block for every append."""

    def _num_new(self, table: BlockTable, num_tokens: int) -> int:
        return cdiv(num_tokens, self.block_size)


class TakesEarly(EagerManager):
    """Takes the next block when the last slot is filled."""

    def _num_new(self, table: BlockTable, num_tokens: int) -> int:
        needed = (table.seq_len + num_tokens) // self.block_size + 1
        return needed - len(table.block_ids)


class TakesLate(EagerManager):
    """Looks at the length before the call."""

    def _num_new(self, table: BlockTable, num_tokens: int) -> int:
        return cdiv(table.seq_len, self.block_size) - len(table.block_ids)


class TakesOneAtMost(EagerManager):
    """Forgets that several tokens can need several blocks."""

    def _num_new(self, table: BlockTable, num_tokens: int) -> int:
        return min(1, super()._num_new(table, num_tokens))


class GrowsHalfway(EagerManager):
    """Lets `allocate` find out that the pool is empty."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        table.seq_len += num_tokens
        while len(table.block_ids) < table.num_blocks:
            table.block_ids.append(self.pool.allocate())
        return []


class AddsHalfway(EagerManager):
    """The same in add: the blocks taken before the error are lost."""

    def add(self, seq_id: str, num_tokens: int) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"{seq_id} exists")
        count = cdiv(num_tokens, self.block_size)
        block_ids = [self.pool.allocate() for _ in range(count)]
        self._table_by_seq[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)


class RefusesTheLastBlock(EagerManager):
    """Wants one block more than it needs."""

    def _take(self, count: int) -> list[int]:
        if self.pool.num_free <= count:
            raise OutOfBlocks(f"need {count}, {self.pool.num_free} free")
        return [self.pool.allocate() for _ in range(count)]


class KeepsTheBlocks(EagerManager):
    """Forgets the table, and does not tell the pool."""

    def free(self, seq_id: str) -> None:
        self._require(seq_id)
        del self._table_by_seq[seq_id]


class KeepsTheTable(EagerManager):
    """Gives the blocks back, and goes on to know the sequence."""

    def free(self, seq_id: str) -> None:
        for block_id in self._require(seq_id).block_ids:
            self.pool.free(block_id)


class ReturnsItsOwnList(EagerManager):
    """`table` hands out the list that it goes on changing."""

    def table(self, seq_id: str) -> BlockTable:
        return self._require(seq_id)


class PutsNewBlocksInFront(EagerManager):
    """The new block comes first."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        new = self._take(self._num_new(table, num_tokens))
        table.block_ids = new + table.block_ids
        table.seq_len += num_tokens
        return []


class ForgetsTheLength(EagerManager):
    """Takes the blocks and stays as long as before."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        table.block_ids += self._take(self._num_new(table, num_tokens))
        return []


class AppendsOneToken(EagerManager):
    """Ignores num_tokens."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        return super().append(seq_id, 1)


# --- 4.3 my_wasted_slots --------------------------------------------------------------


def wasted_by_rounding_up(seq_lens: list[int], block_size: int) -> int:
    return sum(ceil(n / block_size) * block_size - n for n in seq_lens)


def wasted_by_remainders(seq_lens: list[int], block_size: int) -> int:
    wasted = 0
    for seq_len in seq_lens:
        wasted += -seq_len % block_size
    return wasted


def wastes_a_whole_full_block(seq_lens: list[int], block_size: int) -> int:
    return sum(block_size - n % block_size for n in seq_lens)


def counts_the_tokens_of_the_last_block(seq_lens: list[int], block_size: int) -> int:
    return sum(n % block_size for n in seq_lens)


def adds_up_before_rounding(seq_lens: list[int], block_size: int) -> int:
    return -sum(seq_lens) % block_size


def empties_the_list(seq_lens: list[int], block_size: int) -> int:
    wasted = 0
    while seq_lens:
        wasted += -seq_lens.pop() % block_size
    return wasted


def expects_half_a_block(seq_lens: list[int], block_size: int) -> float:
    return len(seq_lens) * (block_size - 1) / 2


MUTANTS = (
    Mutant(
        "4.1",
        FreesTwice,
        "free(a) returned; expected NotAllocated",
        (
            "a = allocate()",
            "free(a)",
            "free(a)",
        ),
        "A call is accepted that should be refused",
    ),
    Mutant(
        "4.1",
        TakesNegativeIds,
        "free(-1) returned; expected NotAllocated",
        (
            "a = allocate()",
            "free(-1)",
        ),
        "A call is accepted that should be refused",
    ),
    Mutant(
        "4.1",
        OnlyLooks,
        "after a = allocate(), num_free is 4; expected 3",
        ("a = allocate()",),
        "num_free is wrong",
    ),
    Mutant(
        "4.1",
        OnlyCountsUp,
        "b = allocate() raised OutOfBlocks; expected no error",
        (
            "a = allocate()",
            "free(a)",
            "b = allocate()",
        ),
        "Blocks are free, but allocate refuses",
    ),
    Mutant(
        "4.1",
        GivesBackTheLast,
        "free(a) raised NotAllocated; expected no error",
        (
            "a = allocate()",
            "b = allocate()",
            "free(a)",
        ),
        "free refuses a block that is in use",
    ),
    Mutant(
        "4.1",
        LetsPythonRaise,
        "b = allocate() raised IndexError; expected OutOfBlocks",
        (
            "a = allocate()",
            "b = allocate()",
        ),
        "My code stops with an error, or returns something else",
    ),
    Mutant(
        "4.1",
        CountsFromOne,
        "a = allocate() returned 4; the pool has blocks 0 to 3",
        ("a = allocate()",),
        "The ids are not those of the pool",
    ),
    Mutant(
        "4.1",
        ForgetsTheNumber,
        "after free(a), num_free is 3; expected 4",
        (
            "a = allocate()",
            "free(a)",
        ),
        "num_free is wrong",
    ),
    Mutant(
        "4.1",
        ForgetsTheCount,
        "after free(a), ref_count(a) is 1; expected 0",
        (
            "a = allocate()",
            "free(a)",
        ),
        "ref_count is wrong",
    ),
    Mutant(
        "4.1",
        RaisesForAFreeBlock,
        "after a = allocate(), ref_count(0) raised NotAllocated; expected 0",
        ("a = allocate()",),
        "ref_count is wrong",
    ),
    Mutant(
        "4.1",
        RaisesAValueError,
        "free(a) raised ValueError; expected NotAllocated",
        (
            "a = allocate()",
            "free(a)",
            "free(a)",
        ),
        "It raises another error than NotAllocated",
    ),
    Mutant(
        "4.1",
        ReturnsNoneWhenFull,
        "b = allocate() returned None; expected OutOfBlocks",
        (
            "a = allocate()",
            "b = allocate()",
        ),
        "My code stops with an error, or returns something else",
    ),
    Mutant(
        "4.2",
        TakesEachTime,
        'append("A") took one block; expected none',
        (
            'add("A", 1)',
            'append("A")',
        ),
        "It takes a block too many, or too early",
    ),
    Mutant(
        "4.2",
        TakesEarly,
        'append("A") took one block; expected none',
        (
            'add("A", 3)',
            'append("A")',
        ),
        "It takes a block too many, or too early",
    ),
    Mutant(
        "4.2",
        TakesLate,
        'append("A") took no block; expected one block',
        (
            'add("A", 4)',
            'append("A")',
        ),
        "It takes a block too few, or too late",
    ),
    Mutant(
        "4.2",
        TakesOneAtMost,
        'append("A", 5) took one block; expected two blocks',
        (
            'add("A", 4)',
            'append("A", 5)',
        ),
        "It takes a block too few, or too late",
    ),
    Mutant(
        "4.2",
        GrowsHalfway,
        'append("A") was refused, but something changed first',
        (
            'add("A", 4)',
            'append("A")',
        ),
        "was refused, but something changed first",
    ),
    Mutant(
        "4.2",
        AddsHalfway,
        'add("A", 5) was refused, but something changed first',
        ('add("A", 5)',),
        "was refused, but something changed first",
    ),
    Mutant(
        "4.2",
        RefusesTheLastBlock,
        'add("A", 1) raised OutOfBlocks; expected no error',
        ('add("A", 1)',),
        "It is refused, although enough blocks are free",
    ),
    Mutant(
        "4.2",
        KeepsTheBlocks,
        'after free("A"), block 0 is in no table and has ref_count 1',
        (
            'add("A", 1)',
            'free("A")',
        ),
        "My free blocks run out",
    ),
    Mutant(
        "4.2",
        KeepsTheTable,
        'after free("A"), table("A") still answers',
        (
            'add("A", 1)',
            'free("A")',
        ),
        "A freed sequence is still there",
    ),
    Mutant(
        "4.2",
        ReturnsItsOwnList,
        'append("A") changed what table("A") had returned before it',
        (
            'add("A", 1)',
            'append("A")',
        ),
        "A table that I returned earlier has changed",
    ),
    Mutant(
        "4.2",
        PutsNewBlocksInFront,
        'after append("A"), A\'s table is [1, 0]; expected [0, 1]',
        (
            'add("A", 4)',
            'append("A")',
        ),
        "The blocks are in the wrong order",
    ),
    Mutant(
        "4.2",
        ForgetsTheLength,
        'after append("A"), A\'s seq_len is 1; expected 2',
        (
            'add("A", 1)',
            'append("A")',
        ),
        "seq_len is wrong",
    ),
    Mutant(
        "4.2",
        AppendsOneToken,
        'after append("A", 2), A\'s seq_len is 2; expected 3',
        (
            'add("A", 1)',
            'append("A", 2)',
        ),
        "seq_len is wrong",
    ),
    Mutant(
        "4.3",
        wastes_a_whole_full_block,
        "my_wasted_slots([4], 4) returned 4; expected 0",
        ("my_wasted_slots([4], 4)",),
        "A full block is said to waste a whole block",
    ),
    Mutant(
        "4.3",
        counts_the_tokens_of_the_last_block,
        "my_wasted_slots([1], 4) returned 1; expected 3",
        ("my_wasted_slots([1], 4)",),
        "It counts tokens, or blocks, instead of empty slots",
    ),
    Mutant(
        "4.3",
        adds_up_before_rounding,
        "my_wasted_slots([1, 1], 4) returned 2; expected 6",
        ("my_wasted_slots([1, 1], 4)",),
        "One sequence is right, several are not",
    ),
    Mutant(
        "4.3",
        expects_half_a_block,
        "my_wasted_slots([1], 4) returned 1.5; expected 3",
        ("my_wasted_slots([1], 4)",),
        "It is not an int",
    ),
    Mutant(
        "4.3",
        empties_the_list,
        "my_wasted_slots([1], 4) changed what it was given; "
        "expected its arguments as they were",
        ("my_wasted_slots([1], 4)",),
        "It changes the list that it was given",
    ),
)
VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "4.1": (StackPool, LazyQueuePool),
    "4.2": (EagerManager, TryingManager),
    "4.3": (wasted_by_rounding_up, wasted_by_remainders),
}
