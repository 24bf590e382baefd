"""Wrong answers to exercise 05 that learners write, and right ones of another kind."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace

from pagedkv_edu import BlockCopy, BlockManager, BlockTable, OutOfBlocks, cdiv
from pagedkv_edu.errors import DuplicateSequence, NotAllocated, UnknownSequence
from pagedkv_edu.protocols import ManagerLike, PoolLike
from tests.mutants.block_pool import Mutant, StackPool

# --- 5.1 MySharedPool: two right ones -------------------------------------------------


class SharedStack(StackPool):
    """Last in, first out."""

    def share(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] += 1

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 0:
            self._free.append(block_id)


class LazySharedQueue:
    """First in, first out; only references are counted, and free is what has none."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self._references: Counter[int] = Counter()
        self._queue = deque(range(num_blocks))

    @property
    def num_free(self) -> int:
        return self.num_blocks - len(+self._references)

    def ref_count(self, block_id: int) -> int:
        return self._references[block_id]

    def allocate(self) -> int:
        if not self.num_free:
            raise OutOfBlocks("nothing is free")
        block_id = self._queue.popleft()
        self._references[block_id] += 1
        return block_id

    def share(self, block_id: int) -> None:
        self._change(block_id, 1)

    def free(self, block_id: int) -> None:
        self._change(block_id, -1)
        if self._references[block_id] == 0:
            self._queue.append(block_id)

    def _change(self, block_id: int, by: int) -> None:
        if self._references[block_id] < 1:
            raise NotAllocated(f"nobody holds {block_id}")
        self._references[block_id] += by


# --- 5.1 MySharedPool: wrong ones -----------------------------------------------------


class FreesAtOnce(SharedStack):
    """`free` is still the one of lesson 04."""

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] = 0
        self._free.append(block_id)


class EntersTheListEachTime(SharedStack):
    """Counts down, and gives the block back with every reference."""

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        self._free.append(block_id)


class StopsAtOne(SharedStack):
    """Tests the count before it goes down, and tests it for 0."""

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        if self._ref_counts[block_id] == 0:
            self._free.append(block_id)
        self._ref_counts[block_id] -= 1


class FreesAtOne(SharedStack):
    """Gives the block back while one owner is left."""

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 1:
            self._free.append(block_id)


class SharesAFreeBlock(SharedStack):
    """Shares whatever it is told."""

    def share(self, block_id: int) -> None:
        self._ref_counts[block_id] += 1


class SharesOnce(SharedStack):
    """Knows "shared" and "not shared", but does not count."""

    def share(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] = 2


class ShareTakesABlock(SharedStack):
    """Takes a block for the new owner."""

    def share(self, block_id: int) -> None:
        super().share(block_id)
        if self._free:
            self._free.pop(0)


class GoesBelowZero(SharedStack):
    """Frees whatever it is told."""

    def free(self, block_id: int) -> None:
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 0:
            self._free.append(block_id)


class CountsBeforeItLooks(SharedStack):
    """Refuses a free block, but has counted it already."""

    def free(self, block_id: int) -> None:
        if not 0 <= block_id < self.num_blocks:
            raise NotAllocated(f"no block {block_id}")
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] < 0:
            raise NotAllocated(f"block {block_id} is free")
        if self._ref_counts[block_id] == 0:
            self._free.append(block_id)


class RemembersTheCount(SharedStack):
    """`allocate` adds one to what the last owners left."""

    def allocate(self) -> int:
        if not self._free:
            raise OutOfBlocks("no block is free")
        block_id = self._free.pop()
        self._ref_counts[block_id] += 1
        return block_id

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        if self._ref_counts[block_id] == 1:
            self._free.append(block_id)
        else:
            self._ref_counts[block_id] -= 1


# --- 5.2 my_must_copy -----------------------------------------------------------------


def must_copy_by_rest(seq_len: int, block_size: int, ref_count: int) -> bool:
    return seq_len % block_size != 0 and ref_count > 1


def must_copy_by_slots(seq_len: int, block_size: int, ref_count: int) -> bool:
    num_slots = cdiv(seq_len, block_size) * block_size
    has_an_empty_slot = num_slots > seq_len
    return has_an_empty_slot and not ref_count <= 1


def copies_whatever_is_shared(seq_len: int, block_size: int, ref_count: int) -> bool:
    return ref_count > 1


def copies_whatever_is_partly_filled(
    seq_len: int, block_size: int, ref_count: int
) -> bool:
    return seq_len % block_size != 0


def waits_for_a_third_owner(seq_len: int, block_size: int, ref_count: int) -> bool:
    return seq_len % block_size != 0 and ref_count > 2


def measures_the_new_length(seq_len: int, block_size: int, ref_count: int) -> bool:
    return (seq_len + 1) % block_size != 0 and ref_count > 1


def returns_the_rest(seq_len: int, block_size: int, ref_count: int) -> int:
    return ref_count > 1 and seq_len % block_size


# --- 5.3 MyBlockManager: two right ones -----------------------------------------------


class EagerManager:
    """Tables as they are; counts first, then takes."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool = pool
        self.block_size = block_size
        self._table_by_seq: dict[str, BlockTable] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        self._require_new(seq_id)
        needed = cdiv(num_tokens, self.block_size)
        if self.pool.num_free < needed:
            raise OutOfBlocks(f"need {needed} blocks, {self.pool.num_free} free")
        block_ids = [self.pool.allocate() for _ in range(needed)]
        self._table_by_seq[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def table(self, seq_id: str) -> BlockTable:
        table = self._require(seq_id)
        return replace(table, block_ids=list(table.block_ids))

    def free(self, seq_id: str) -> None:
        for block_id in reversed(self._require(seq_id).block_ids):
            self.pool.free(block_id)
        del self._table_by_seq[seq_id]

    def fork(self, parent_id: str, child_id: str) -> None:
        parent = self._require(parent_id)
        self._require_new(child_id)
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        self._table_by_seq[child_id] = replace(parent, block_ids=list(parent.block_ids))

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        must_copy = self._must_copy(table, num_tokens)
        seq_len = table.seq_len + num_tokens
        num_new = cdiv(seq_len, self.block_size) - len(table.block_ids)
        if self.pool.num_free < num_new + must_copy:
            raise OutOfBlocks(
                f"need {num_new + must_copy} blocks, {self.pool.num_free} free"
            )
        copies = [self._copy(table)] if must_copy else []
        table.block_ids += [self.pool.allocate() for _ in range(num_new)]
        table.seq_len = seq_len
        return self._returned(copies)

    def _must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        partly_filled = table.seq_len % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1

    def _copy(self, table: BlockTable) -> BlockCopy:
        source, target = table.block_ids[-1], self.pool.allocate()
        table.block_ids[-1] = target
        self._leave(source)
        return BlockCopy(source, target, "copy")

    def _leave(self, block_id: int) -> None:
        self.pool.free(block_id)

    def _returned(self, copies: list[BlockCopy]) -> list[BlockCopy]:
        return copies

    def _require(self, seq_id: str) -> BlockTable:
        if seq_id not in self._table_by_seq:
            raise UnknownSequence(f"no sequence {seq_id}")
        return self._table_by_seq[seq_id]

    def _require_new(self, seq_id: str) -> None:
        if seq_id in self._table_by_seq:
            raise DuplicateSequence(f"{seq_id} exists already")


class TryingManager:
    """Tuples; builds the new table from what it gets, and gives it all back if not."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool, self.block_size = pool, block_size
        self._held: dict[str, tuple[tuple[int, ...], int]] = {}

    def add(self, seq_id: str, num_tokens: int) -> None:
        self._new(seq_id)
        taken = self._take(cdiv(num_tokens, self.block_size))
        self._held[seq_id] = taken, num_tokens

    def fork(self, parent_id: str, child_id: str) -> None:
        self._new(child_id)
        ids, seq_len = self._get(parent_id)
        self._held[child_id] = ids, seq_len
        for block_id in ids[::-1]:
            self.pool.share(block_id)

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        ids, seq_len = self._get(seq_id)
        keep = ids
        if seq_len < len(ids) * self.block_size and self.pool.ref_count(ids[-1]) > 1:
            keep = ids[:-1]
        size = cdiv(seq_len + num_tokens, self.block_size)
        taken = self._take(size - len(keep))
        self._held[seq_id] = keep + taken, seq_len + num_tokens
        if keep == ids:
            return []
        self.pool.free(ids[-1])
        return [BlockCopy(ids[-1], taken[0])]

    def free(self, seq_id: str) -> None:
        for block_id in self._get(seq_id)[0]:
            self.pool.free(block_id)
        del self._held[seq_id]

    def table(self, seq_id: str) -> BlockTable:
        ids, seq_len = self._get(seq_id)
        return BlockTable(self.block_size, list(ids), seq_len)

    def _take(self, count: int) -> tuple[int, ...]:
        taken: list[int] = []
        try:
            for _ in range(count):
                taken.append(self.pool.allocate())
        except OutOfBlocks:
            for block_id in taken:
                self.pool.free(block_id)
            raise
        return tuple(taken)

    def _get(self, seq_id: str) -> tuple[tuple[int, ...], int]:
        if seq_id not in self._held:
            raise UnknownSequence(f"{seq_id} is not live")
        return self._held[seq_id]

    def _new(self, seq_id: str) -> None:
        if seq_id in self._held:
            raise DuplicateSequence(f"{seq_id} is live")


# --- 5.3 MyBlockManager: wrong ones ---------------------------------------------------


class WritesInPlace(EagerManager):
    """`append` is still the one of lesson 04."""

    def _must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        return False


class SharesTheList(EagerManager):
    """Parent and child get the same list object."""

    def fork(self, parent_id: str, child_id: str) -> None:
        parent = self._require(parent_id)
        self._require_new(child_id)
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        self._table_by_seq[child_id] = BlockTable(
            self.block_size, parent.block_ids, parent.seq_len
        )


class CopiesAFullBlock(EagerManager):
    """Half of the condition: shared, but not partly filled."""

    def _must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        return self.pool.ref_count(table.block_ids[-1]) > 1


class KeepsTheOldReference(EagerManager):
    """The table lets go of the source, and the pool is not told."""

    def _leave(self, block_id: int) -> None:
        pass


class MeasuresAfterGrowing(EagerManager):
    """Reads seq_len after it was changed."""

    def _must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        partly_filled = (table.seq_len + num_tokens) % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1


class FailsHalfway(EagerManager):
    """Lets `allocate` find out that the pool is empty."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        must_copy = self._must_copy(table, num_tokens)
        copies = [self._copy(table)] if must_copy else []
        table.seq_len += num_tokens
        while len(table.block_ids) < table.num_blocks:
            table.block_ids.append(self.pool.allocate())
        return copies


class ForgetsToShare(EagerManager):
    """Copies the table, and adds no reference."""

    def fork(self, parent_id: str, child_id: str) -> None:
        parent = self._require(parent_id)
        self._require_new(child_id)
        self._table_by_seq[child_id] = replace(parent, block_ids=list(parent.block_ids))


class CopiesAtFork(EagerManager):
    """Gives the child a last block of its own at once: another contract."""

    def fork(self, parent_id: str, child_id: str) -> None:
        super().fork(parent_id, child_id)
        child = self._require(child_id)
        if child.seq_len % self.block_size and self.pool.num_free:
            self._copy(child)


class ForgetsTheRecord(EagerManager):
    """Copies in the table, and tells nobody."""

    def _returned(self, copies: list[BlockCopy]) -> list[BlockCopy]:
        return []


class LooksAtAnyBlock(EagerManager):
    """Copies if any block of the table is shared."""

    def _must_copy(self, table: BlockTable, num_tokens: int) -> bool:
        partly_filled = table.seq_len % self.block_size != 0
        counts = [self.pool.ref_count(block_id) for block_id in table.block_ids]
        return partly_filled and max(counts) > 1


class SwapsSourceAndTarget(EagerManager):
    """The right blocks, in the wrong order."""

    def _returned(self, copies: list[BlockCopy]) -> list[BlockCopy]:
        return [BlockCopy(copy.target, copy.source, "copy") for copy in copies]


class ForgetsTheTarget(EagerManager):
    """Counts the new blocks, and not the one of the copy."""

    def append(self, seq_id: str, num_tokens: int = 1) -> list[BlockCopy]:
        table = self._require(seq_id)
        seq_len = table.seq_len + num_tokens
        num_new = cdiv(seq_len, self.block_size) - len(table.block_ids)
        if self.pool.num_free < num_new:
            raise OutOfBlocks(f"need {num_new}, {self.pool.num_free} free")
        must_copy = self._must_copy(table, num_tokens)
        if must_copy and not self.pool.num_free:
            must_copy = False
        copies = [self._copy(table)] if must_copy else []
        table.block_ids += [self.pool.allocate() for _ in range(num_new)]
        table.seq_len = seq_len
        return copies


# --- 5.3 MyBlockManager: two mistakes at once -----------------------------------------


class SharesTheListAndFailsHalfway(SharesTheList, FailsHalfway):
    pass


class KeepsTheReferenceAndFailsHalfway(KeepsTheOldReference, FailsHalfway):
    pass


class CopiesAFullBlockAndFailsHalfway(CopiesAFullBlock, FailsHalfway):
    pass


class ForgetsToShareAndFailsHalfway(ForgetsToShare, FailsHalfway):
    pass


# --- 5.4 my_beam_step -----------------------------------------------------------------


def beam_step_in_loops(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
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


def beam_step_backwards(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    """Another order inside each of the three parts."""
    for beam in reversed(parent_by_beam):
        if beam not in beams:
            manager.fork(parent_by_beam[beam], beam)
    for beam in sorted(set(beams) - set(parent_by_beam), reverse=True):
        manager.free(beam)
    return [copy for b in sorted(parent_by_beam)[::-1] for copy in manager.append(b)]


def frees_first(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    return [copy for beam in parent_by_beam for copy in manager.append(beam)]


def frees_last(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    copies = [copy for beam in parent_by_beam for copy in manager.append(beam)]
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)
    return copies


def appends_before_it_forks(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    copies: list[BlockCopy] = []
    for beam in parent_by_beam:
        if beam in beams:
            copies += manager.append(beam)
    beam_step_forks_and_frees(manager, beams, parent_by_beam)
    for beam in parent_by_beam:
        if beam not in beams:
            copies += manager.append(beam)
    return copies


def never_frees(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    return [copy for beam in parent_by_beam for copy in manager.append(beam)]


def returns_the_last_copies(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    beam_step_forks_and_frees(manager, beams, parent_by_beam)
    copies: list[BlockCopy] = []
    for beam in parent_by_beam:
        copies = manager.append(beam)
    return copies


def frees_every_old_beam(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    for beam in beams:
        manager.free(beam)
    return [copy for beam in parent_by_beam for copy in manager.append(beam)]


def adds_instead_of_forking(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.add(beam, manager.table(parent).seq_len)
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)
    return [copy for beam in parent_by_beam for copy in manager.append(beam)]


def appends_to_new_beams_only(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> list[BlockCopy]:
    beam_step_forks_and_frees(manager, beams, parent_by_beam)
    new = [beam for beam in parent_by_beam if beam not in beams]
    return [copy for beam in new for copy in manager.append(beam)]


def beam_step_forks_and_frees(
    manager: ManagerLike, beams: list[str], parent_by_beam: dict[str, str]
) -> None:
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)


MUTANTS = (
    Mutant(
        "5.1",
        FreesAtOnce,
        "after free(a), num_free is 4; expected 3",
        (
            "a = allocate()",
            "share(a)",
            "free(a)",
        ),
        "A block is free again while somebody holds it",
    ),
    Mutant(
        "5.1",
        EntersTheListEachTime,
        "after free(a), num_free is 4; expected 3",
        (
            "a = allocate()",
            "share(a)",
            "free(a)",
        ),
        "A block is free again while somebody holds it",
    ),
    Mutant(
        "5.1",
        StopsAtOne,
        "after free(a), num_free is 3; expected 4",
        (
            "a = allocate()",
            "free(a)",
        ),
        "A block never comes back",
    ),
    Mutant(
        "5.1",
        FreesAtOne,
        "after free(a), num_free is 3; expected 4",
        (
            "a = allocate()",
            "free(a)",
        ),
        "A block never comes back",
    ),
    Mutant(
        "5.1",
        SharesAFreeBlock,
        "share(a) returned; expected NotAllocated",
        (
            "a = allocate()",
            "free(a)",
            "share(a)",
        ),
        "A call is accepted that should be refused",
    ),
    Mutant(
        "5.1",
        SharesOnce,
        "after share(a), ref_count(a) is 2; expected 3",
        (
            "a = allocate()",
            "share(a)",
            "share(a)",
        ),
        "ref_count is wrong",
    ),
    Mutant(
        "5.1",
        ShareTakesABlock,
        "after share(a), num_free is 2; expected 3",
        (
            "a = allocate()",
            "share(a)",
        ),
        "num_free is wrong",
    ),
    Mutant(
        "5.1",
        GoesBelowZero,
        "free(a) returned; expected NotAllocated",
        (
            "a = allocate()",
            "free(a)",
            "free(a)",
        ),
        "A call is accepted that should be refused",
    ),
    Mutant(
        "5.1",
        CountsBeforeItLooks,
        "free(a) was refused, but something changed first",
        (
            "a = allocate()",
            "free(a)",
            "free(a)",
        ),
        "was refused, but something changed first",
    ),
    Mutant(
        "5.1",
        RemembersTheCount,
        "after free(a), ref_count(a) is 1; expected 0",
        (
            "a = allocate()",
            "free(a)",
        ),
        "ref_count is wrong",
    ),
    Mutant(
        "5.2",
        copies_whatever_is_shared,
        "my_must_copy(4, 4, 2) returned True; expected False",
        ("my_must_copy(4, 4, 2)",),
        "A copy too many",
    ),
    Mutant(
        "5.2",
        copies_whatever_is_partly_filled,
        "my_must_copy(1, 4, 1) returned True; expected False",
        ("my_must_copy(1, 4, 1)",),
        "The last owner copies",
    ),
    Mutant(
        "5.2",
        waits_for_a_third_owner,
        "my_must_copy(1, 4, 2) returned False; expected True",
        ("my_must_copy(1, 4, 2)",),
        "A copy is missing",
    ),
    Mutant(
        "5.2",
        measures_the_new_length,
        "my_must_copy(3, 4, 2) returned False; expected True",
        ("my_must_copy(3, 4, 2)",),
        "A copy is missing",
    ),
    Mutant(
        "5.2",
        returns_the_rest,
        "my_must_copy(1, 4, 2) returned 1, an int; expected True",
        ("my_must_copy(1, 4, 2)",),
        "It is neither True nor False",
    ),
    Mutant(
        "5.3",
        WritesInPlace,
        'append("A") copied no block; expected one copy',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "A copy is missing",
    ),
    Mutant(
        "5.3",
        SharesTheList,
        'after append("A"), block 1 is in two tables and has ref_count 1',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "One sequence changes and another changes with it",
    ),
    Mutant(
        "5.3",
        CopiesAFullBlock,
        'append("A") copied one block; expected no copy',
        (
            'add("A", 4)',
            'fork("A", "B")',
            'append("A")',
        ),
        "A copy too many",
    ),
    Mutant(
        "5.3",
        KeepsTheOldReference,
        'after append("A"), block 0 is in one table and has ref_count 2',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "My free blocks run out after a fork",
    ),
    Mutant(
        "5.3",
        MeasuresAfterGrowing,
        'append("A") copied no block; expected one copy',
        (
            'add("A", 3)',
            'fork("A", "B")',
            'append("A")',
        ),
        "A copy is missing",
    ),
    Mutant(
        "5.3",
        FailsHalfway,
        'append("A") was refused, but something changed first',
        (
            'add("A", 4)',
            'append("A")',
        ),
        "was refused, but something changed first",
    ),
    Mutant(
        "5.3",
        ForgetsToShare,
        'after fork("A", "B"), block 0 is in two tables and has ref_count 1',
        (
            'add("A", 1)',
            'fork("A", "B")',
        ),
        "A block is in two tables and has ref_count 1",
    ),
    Mutant(
        "5.3",
        CopiesAtFork,
        'fork("A", "B") took one block; expected none',
        (
            'add("A", 1)',
            'fork("A", "B")',
        ),
        "The table has the wrong length, or the wrong blocks",
    ),
    Mutant(
        "5.3",
        ForgetsTheRecord,
        'append("A") copied no block; expected one copy',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "A copy is missing",
    ),
    Mutant(
        "5.3",
        LooksAtAnyBlock,
        'append("A") copied one block; expected no copy',
        (
            'add("A", 4)',
            'fork("A", "B")',
            'append("A")',
            'append("A")',
        ),
        "A copy too many",
    ),
    Mutant(
        "5.3",
        SwapsSourceAndTarget,
        'append("A") returned BlockCopy(1, 0); expected BlockCopy(0, 1)',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "My copy is not the one that is needed",
    ),
    Mutant(
        "5.3",
        ForgetsTheTarget,
        'append("A") returned; expected OutOfBlocks',
        (
            'add("A", 1)',
            'fork("A", "B")',
            'append("A")',
        ),
        "It is accepted, although too few blocks are free",
    ),
    Mutant(
        "5.4",
        frees_first,
        'my_beam_step(manager, ["A"], {"B": "A"}) raised '
        "UnknownSequence; expected no error",
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"B": "A"})',
        ),
        "A beam is gone before it is needed",
    ),
    Mutant(
        "5.4",
        frees_last,
        'my_beam_step(manager, ["A"], {"B": "A"}) copied one block; expected no copy',
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"B": "A"})',
        ),
        "It copies a block too many",
    ),
    Mutant(
        "5.4",
        appends_before_it_forks,
        'after my_beam_step(manager, ["A"], {"A": "A", "B": "A"}), B\'s '
        "seq_len is 3; expected 2",
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"A": "A", "B": "A"})',
        ),
        "A beam is longer than it should be",
    ),
    Mutant(
        "5.4",
        never_frees,
        'after my_beam_step(manager, ["A"], {"B": "A"}), A is still there',
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"B": "A"})',
        ),
        "A beam is still there",
    ),
    Mutant(
        "5.4",
        returns_the_last_copies,
        'my_beam_step(manager, ["A"], {"A": "A", "B": "A"}) returned no '
        "copy; append returned one copy",
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"A": "A", "B": "A"})',
        ),
        "A copy is made, and nobody carries it out",
    ),
    Mutant(
        "5.4",
        frees_every_old_beam,
        'my_beam_step(manager, ["A"], {"A": "A"}) raised '
        "UnknownSequence; expected no error",
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"A": "A"})',
        ),
        "A beam is gone before it is needed",
    ),
    Mutant(
        "5.4",
        adds_instead_of_forking,
        'after my_beam_step(manager, ["A"], {"B": "A"}), B reads "· '
        'B1"; expected "A0 B1"',
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"B": "A"})',
        ),
        "A beam does not read its parent's words",
    ),
    Mutant(
        "5.4",
        appends_to_new_beams_only,
        'after my_beam_step(manager, ["A"], {"A": "A"}), A\'s seq_len is 1; expected 2',
        (
            'add("A", 1)',
            'my_beam_step(manager, ["A"], {"A": "A"})',
        ),
        "A beam is shorter than it should be",
    ),
)
# Each is wrong in a full pool too; its first mistake is the one to talk about.
WITH_TWO_MISTAKES: tuple[Callable[..., object], ...] = (
    SharesTheListAndFailsHalfway,
    KeepsTheReferenceAndFailsHalfway,
    CopiesAFullBlockAndFailsHalfway,
    ForgetsToShareAndFailsHalfway,
)
VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "5.1": (SharedStack, LazySharedQueue),
    "5.2": (must_copy_by_rest, must_copy_by_slots),
    "5.3": (BlockManager, EagerManager, TryingManager),
    "5.4": (beam_step_in_loops, beam_step_backwards),
}
