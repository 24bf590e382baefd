"""Whole steps of an engine, with a word for every token.

A step is any number of manager calls, then the copies in the order they were returned,
then the writes. What is not right by the contract is left out of a step: `fork` and
`swap_out` need every token of their sequence written.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from pagedkv_edu import BlockCopy, BlockPool, OutOfBlocks, WordMemory
from pagedkv_edu.protocols import (
    ManagerLike,
    PoolLike,
    SeqId,
    SwappingManagerLike,
    TableLike,
)

Write = tuple[int, str]  # slot, word
CarryOut = Callable[[WordMemory, Sequence[BlockCopy], Sequence[Write]], None]
Build = Callable[[PoolLike, int, PoolLike], ManagerLike]
IDS: list[SeqId] = ["A", "B", "C", "D", 0]


@dataclass(frozen=True)
class Call:
    """A call whose sequence is found when its turn comes."""

    name: str
    which: int = 0  # of the sequences that the call may name
    num_tokens: int = 1


@dataclass(frozen=True)
class History:
    """Steps, each a list of calls, over pools of these sizes."""

    steps: tuple[tuple[Call, ...], ...]
    num_blocks: int = 4
    num_host_blocks: int = 4
    block_size: int = 2


def random_history(random: Random, *, swapping: bool = False) -> History:
    """Make up a history over pools that are small enough to be reused at once."""
    names = ["add", "fork", "append", "append", "free"]
    names += ["swap_out", "swap_in"] if swapping else []

    def call() -> Call:
        return Call(
            random.choice(names), random.randrange(4), random.choice([1, 1, 1, 2, 3])
        )

    return History(
        tuple(
            tuple(call() for _ in range(random.randint(1, 10)))
            for _ in range(random.randint(1, 8))
        ),
        num_blocks=random.randint(2, 6),
        num_host_blocks=random.randint(1, 4),
        block_size=random.choice([1, 2, 2, 3]),
    )


def in_order(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Carry out a step as the contract says."""
    memory.copy(copies)
    for slot, word in writes:
        memory.write(slot, word)


class LostError(AssertionError):
    """A sequence does not read the words that it wrote."""


class WrongCopiesError(AssertionError):
    """An append returned other copies than the rule of copy on write asks for."""


class WrongCountsError(AssertionError):
    """A block's ref_count is not the number of tables that hold it."""


class Engine:
    """Runs steps on a manager, and knows what each sequence must read."""

    def __init__(
        self,
        history: History,
        build: Build,
        carry_out: CarryOut = in_order,
        make_pool: Callable[[int], PoolLike] = BlockPool,
    ) -> None:
        self.pool = make_pool(history.num_blocks)
        self.manager = build(
            self.pool, history.block_size, BlockPool(history.num_host_blocks)
        )
        self.memory = WordMemory(history.block_size)
        self.block_size = history.block_size
        self.carry_out = carry_out
        self.words_by_seq: dict[SeqId, list[str]] = {}  # the written ones
        self.on_host: set[SeqId] = set()
        self.copies: list[BlockCopy] = []  # of the newest step
        self.wrong_copies: list[str] = []  # of all steps, told in words
        self._unwritten: dict[SeqId, int] = {}
        self._num_words = 0

    def step(self, calls: Iterable[Call]) -> None:
        """Make the calls, carry out the copies, write the words of the new tokens."""
        self.copies = []
        for call in calls:
            try:
                self.copies += self._call(call)
            except OutOfBlocks:
                continue  # nothing may have changed, and the next checks look
        writes = [write for seq_id in self._unwritten for write in self._new(seq_id)]
        self._unwritten = {}
        self.carry_out(self.memory, self.copies, writes)

    def table(self, seq_id: SeqId) -> TableLike:
        """Return the manager's table of a sequence."""
        return self.manager.table(seq_id)

    def require_words(self) -> None:
        """Raise `LostError` if a sequence on the device reads something else."""
        for seq_id in self._on_device():
            expected = " ".join(self.words_by_seq[seq_id])
            found = self.memory.read(self.table(seq_id))
            if found != expected:
                raise LostError(f"{seq_id} reads {found!r}, expected {expected!r}")

    def require_copies(self) -> None:
        """Raise `WrongCopiesError` if an append did not copy by the rule."""
        if self.wrong_copies:
            raise WrongCopiesError(self.wrong_copies[0])

    def require_counts(self) -> None:
        """Raise `WrongCountsError` unless the counts follow from the tables."""
        held = Counter(b for s in self._on_device() for b in self.table(s).block_ids)
        for block_id in range(self.pool.num_blocks):
            if self.pool.ref_count(block_id) != held[block_id]:
                raise WrongCountsError(f"block {block_id}")
        if self.pool.num_free != self.pool.num_blocks - len(held):
            raise WrongCountsError("num_free")

    def _call(self, call: Call) -> list[BlockCopy]:
        unused = [seq_id for seq_id in IDS if seq_id not in self.words_by_seq]
        device = self._on_device()
        written = [seq_id for seq_id in device if seq_id not in self._unwritten]
        match call.name:
            case "add" if unused:
                self.manager.add(unused[0], call.num_tokens)
                self.words_by_seq[unused[0]] = []
                self._unwritten[unused[0]] = call.num_tokens
            case "append" if device:
                return self._append(device[call.which % len(device)], call.num_tokens)
            case "fork" if written and unused:
                parent_id = written[call.which % len(written)]
                self.manager.fork(parent_id, unused[0])
                self.words_by_seq[unused[0]] = list(self.words_by_seq[parent_id])
            case "free" if self.words_by_seq:
                seq_id = list(self.words_by_seq)[call.which % len(self.words_by_seq)]
                self.manager.free(seq_id)
                del self.words_by_seq[seq_id]
                self._unwritten.pop(seq_id, None)
                self.on_host.discard(seq_id)
            case "swap_out" if written:
                return self._swap_out(written[call.which % len(written)])
            case "swap_in" if self.on_host:
                return self._swap_in(sorted(self.on_host, key=str)[0])
            case _:
                pass
        return []

    def _append(self, seq_id: SeqId, num_tokens: int) -> list[BlockCopy]:
        before = self.table(seq_id)
        last, num_before = before.block_ids[-1], len(before.block_ids)
        must_copy = before.seq_len % self.block_size and self.pool.ref_count(last) > 1
        copies = self.manager.append(seq_id, num_tokens)
        self._unwritten[seq_id] = self._unwritten.get(seq_id, 0) + num_tokens
        target = self.table(seq_id).block_ids[num_before - 1]
        expected = [BlockCopy(last, target)] if must_copy else []
        if copies != expected:
            self.wrong_copies.append(f"{seq_id}: {copies}, expected {expected}")
        return copies

    def _swap_out(self, seq_id: SeqId) -> list[BlockCopy]:
        assert isinstance(self.manager, SwappingManagerLike)
        copies = self.manager.swap_out(seq_id)
        self.on_host.add(seq_id)
        return copies

    def _swap_in(self, seq_id: SeqId) -> list[BlockCopy]:
        assert isinstance(self.manager, SwappingManagerLike)
        copies = self.manager.swap_in(seq_id)
        self.on_host.discard(seq_id)
        return copies

    def _on_device(self) -> list[SeqId]:
        return [seq_id for seq_id in self.words_by_seq if seq_id not in self.on_host]

    def _new(self, seq_id: SeqId) -> list[Write]:
        """Make up a word for each unwritten token of a sequence, and find its slot."""
        table, words = self.table(seq_id), self.words_by_seq[seq_id]
        writes: list[Write] = []
        for _ in range(self._unwritten[seq_id]):
            block_id = table.block_ids[len(words) // self.block_size]
            slot = block_id * self.block_size + len(words) % self.block_size
            self._num_words += 1
            words.append(f"{seq_id}{self._num_words}")
            writes.append((slot, words[-1]))
        return writes


def run(
    history: History,
    build: Build,
    carry_out: CarryOut = in_order,
    make_pool: Callable[[int], PoolLike] = BlockPool,
) -> Engine:
    """Run a history, and raise at the first step after which something is wrong."""
    engine = Engine(history, build, carry_out, make_pool)
    for calls in history.steps:
        engine.step(calls)
        engine.require_words()
        engine.require_counts()
        engine.require_copies()
    return engine
