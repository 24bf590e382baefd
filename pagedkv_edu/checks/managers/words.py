"""A manager as an engine sees it: tables, counts, and the words that it reads."""

from collections.abc import Iterable

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.managers.steps import Side, State
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.protocols import BlockCopy, ManagerLike, PoolLike
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.memory import WordMemory
from pagedkv_edu.sizes import cdiv


class Words:
    """What each sequence has written, kept without any table: the words to expect.

    The word that A writes at position 1 is A1. A child begins with its parent's words.
    """

    def __init__(self) -> None:
        self.by_seq: dict[str, list[str]] = {}

    def follow(self, call: Call) -> None:
        """Keep the words of a call that was done."""
        seq_id = str(call.arguments[0])
        if call.name == "fork":
            self.by_seq[str(call.arguments[1])] = list(self.by_seq[seq_id])
        elif call.name == "free":
            del self.by_seq[seq_id]
        else:
            words = self.by_seq.setdefault(seq_id, [])
            first = len(words)
            words += [f"{seq_id}{first + i}" for i in range(num_tokens(call))]


class Observed:
    """One manager, and the memory that an engine leads by its tables and copies."""

    def __init__(self, manager: ManagerLike, pool: PoolLike, block_size: int) -> None:
        self.manager = manager
        self.pool = pool
        self.block_size = block_size
        self.memory = WordMemory(block_size)
        self.state = self._look(())

    def make(self, call: Call, names: Iterable[str]) -> Side:
        """Make a call and look at everything."""
        before, error, copies = self.state, None, list[BlockCopy]()
        try:
            copies = make_call(self.manager, call)
        except PagedKVError as caught:
            error = caught
        self.state = self._look(names)
        return Side(before, self.state, tuple(copies), error)

    def write(self, call: Call, side: Side, words: Words) -> list[int]:
        """Carry out the copies, then write the new words; return their slots."""
        self.memory.copy(side.copies)
        seq_id = str(call.arguments[0])
        table = side.after.tables.get(seq_id)
        if call.name not in ("add", "append") or side.error or table is None:
            return []
        own = words.by_seq.get(seq_id, [])
        slots: list[int] = []
        for position in range(len(own) - num_tokens(call), len(own)):
            slot = slot_of(table, position, self.block_size)
            if slot is not None:
                self.memory.write(slot, own[position])
                slots.append(slot)
        return slots

    def read(self, seq_id: str) -> str:
        """Return what attention reads, as far as the table goes."""
        table = self.state.tables.get(seq_id, TableState((), 0))
        held = len(table.block_ids) * self.block_size
        return self.memory.read(TableState(table.block_ids, min(table.seq_len, held)))

    def _look(self, names: Iterable[str]) -> State:
        counts = tuple(map(self.pool.ref_count, range(self.pool.num_blocks)))
        tables: dict[str, TableState] = {}
        for seq_id in names:
            try:
                table = self.manager.table(seq_id)
            except PagedKVError:
                continue
            tables[seq_id] = TableState(tuple(table.block_ids), table.seq_len)
        return State(counts, self.pool.num_free, tables)


def slot_of(table: TableState, position: int, block_size: int) -> int | None:
    """Return the slot of a position, None where the table is too short."""
    logical_block, offset = divmod(position, block_size)
    if position < 0 or logical_block >= len(table.block_ids):
        return None
    return table.block_ids[logical_block] * block_size + offset


def named(call: Call) -> list[str]:
    """Return the sequences that a call names."""
    return [value for value in call.arguments if isinstance(value, str)]


def num_tokens(call: Call) -> int:
    """Return how many tokens an add or an append asks for."""
    number = call.arguments[1] if len(call.arguments) > 1 else 1
    assert isinstance(number, int), call
    return number


def blocks_needed(manager: BlockManager, call: Call) -> int:
    """Return the free blocks that a call needs now; 0 if it cannot be made anyway."""
    if call.name == "add":
        return cdiv(num_tokens(call), manager.block_size)
    if call.name != "append":
        return 0
    try:
        return manager.blocks_needed(named(call)[0], num_tokens(call))
    except PagedKVError:
        return 0


def make_call(manager: ManagerLike, call: Call) -> list[BlockCopy]:
    """Make a manager's call; return its copies."""
    match call.name, call.arguments:
        case "add", (str(seq_id), int(num_tokens)):
            manager.add(seq_id, num_tokens)
        case "append", (str(seq_id),):
            return manager.append(seq_id)
        case "append", (str(seq_id), int(num_tokens)):
            return manager.append(seq_id, num_tokens)
        case "fork", (str(parent_id), str(child_id)):
            manager.fork(parent_id, child_id)
        case "free", (str(seq_id),):
            manager.free(seq_id)
        case _:
            raise ValueError(f"not a manager's call: {call}")
    return []
