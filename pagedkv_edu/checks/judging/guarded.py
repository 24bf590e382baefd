"""A learner's pool or manager behind a guard: typed answers, or a complaint."""

from dataclasses import dataclass
from operator import attrgetter

from pagedkv_edu.checks.histories import is_list, is_tuple
from pagedkv_edu.checks.judging.limits import Complaint, Guard, a_kind, shown
from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.replay.events import TableState

_BLOCK_IDS, _SEQ_LEN = attrgetter("block_ids"), attrgetter("seq_len")


class GuardedPool:
    """Speaks the pool protocol; what comes out has the type that it should have."""

    def __init__(self, pool: object, guard: Guard) -> None:
        self._pool = pool
        self._guard = guard

    @property
    def num_blocks(self) -> int:
        """Blocks of the learner's pool, free or not."""
        return as_int("num_blocks", self._read("num_blocks"))

    @property
    def num_free(self) -> int:
        """Blocks that the learner's pool says are free."""
        return as_int("num_free", self._read("num_free"))

    def allocate(self) -> int:
        """Let the learner's pool hand out a block."""
        return as_int("allocate", ask(self._guard, self._pool, "allocate"))

    def share(self, block_id: int) -> None:
        """Let the learner's pool add a reference."""
        ask(self._guard, self._pool, "share", block_id)

    def free(self, block_id: int) -> None:
        """Let the learner's pool drop a reference."""
        ask(self._guard, self._pool, "free", block_id)

    def ref_count(self, block_id: int) -> int:
        """Return the learner's count of a block."""
        count = ask(self._guard, self._pool, "ref_count", block_id)
        return as_int(f"ref_count({block_id})", count)

    def _read(self, name: str) -> object:
        require(self._pool, name)
        value: object = self._guard.ask(name, getattr, self._pool, name)
        if callable(value):
            found = f'a method. Write "@property" on the line above "def {name}".'
            raise Complaint(name, "is a method, not a property", found)
        return value


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table that was returned, as it was then and as it is now."""

    seq_id: SeqId
    before: TableState
    after: TableState


class GuardedManager:
    """Speaks the manager protocol; what comes out has the type that it should have."""

    def __init__(self, manager: object, guard: Guard) -> None:
        self._manager = manager
        self._guard = guard
        self._returned: dict[SeqId, tuple[object, TableState]] = {}
        # what table returned before the last call, where that call has changed it
        self.changed_snapshot: Snapshot | None = None

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        """Let the learner's manager add."""
        self._do("add", seq_id, num_tokens)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Let the learner's manager append."""
        arguments = (seq_id,) if num_tokens == 1 else (seq_id, num_tokens)
        return as_copies(self._do("append", *arguments))

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Let the learner's manager fork."""
        self._do("fork", parent_id, child_id)

    def free(self, seq_id: SeqId) -> None:
        """Let the learner's manager free."""
        self._do("free", seq_id)

    def table(self, seq_id: SeqId) -> TableState:
        """Return what the learner's table says now."""
        table = ask(self._guard, self._manager, "table", seq_id)
        state = self._state(table)
        self._returned[seq_id] = table, state
        return state

    def _do(self, name: str, *arguments: object) -> object:
        result = ask(self._guard, self._manager, name, *arguments)
        returned = self._returned.items()
        self.changed_snapshot = next(
            (
                Snapshot(seq_id, before, after)
                for seq_id, (table, before) in returned
                if (after := self._state(table)) != before
            ),
            None,
        )
        return result

    def _state(self, table: object) -> TableState:
        block_ids: object = self._guard.ask("table", _BLOCK_IDS, table)
        seq_len: object = self._guard.ask("table", _SEQ_LEN, table)
        ids = block_ids if is_list(block_ids) or is_tuple(block_ids) else None
        if ids is None:
            raise Complaint(
                "table",
                f"returned block_ids {shown(block_ids)}",
                f"block_ids is {shown(block_ids)}, not a list of block ids.",
            )
        return TableState(
            tuple(as_int("table", block_id) for block_id in ids),
            as_int("table", seq_len),
        )


def ask(guard: Guard, target: object, name: str, *arguments: object) -> object:
    """Call a method of the learner's object."""
    require(target, name)
    return guard.ask(name, lambda: getattr(target, name)(*arguments))


def require(target: object, name: str) -> None:
    """Complain if the learner's object has no such method or property."""
    kind = type(target)
    if not hasattr(kind, name) and name not in getattr(target, "__dict__", {}):
        found = f"{kind.__name__} has nothing called {name}."
        raise Complaint(name, "is missing", found)


def as_int(part: str, value: object) -> int:
    """Return value if it is an int; complain otherwise, about True and 1.0 too."""
    if type(value) is not int:
        found = f"{_kind(value)}; it must be an int.{_forgot(value)}"
        raise Complaint(part, f"returned {shown(value)}", found)
    return value


def as_copies(value: object, part: str = "append") -> list[BlockCopy]:
    """Return value if it is a list of copies; complain otherwise."""
    if is_list(value) or is_tuple(value):
        copies = [copy for copy in value if isinstance(copy, BlockCopy)]
        if len(copies) == len(value):
            return copies
    raise Complaint(
        part,
        f"returned {shown(value)}",
        f"{_kind(value)}; it must be a list of BlockCopy, "
        f"[] if nothing is copied.{_forgot(value)}",
    )


def _kind(value: object) -> str:
    return "None" if value is None else f"{shown(value)}, {a_kind(value)}"


def _forgot(value: object) -> str:
    return ' Is a "return" missing?' if value is None else ""
