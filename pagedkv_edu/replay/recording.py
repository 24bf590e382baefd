"""Watch any pool or manager from outside, so that none of them has to log itself."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pagedkv_edu.protocols import (
    BlockCopy,
    ManagerLike,
    PoolLike,
    SeqId,
    TableLike,
)
from pagedkv_edu.replay.events import Event, PoolCall, TableState
from pagedkv_edu.sizes import require_positive

# Beyond this size only the counts of blocks that a call names are read again: reading
# all of them after each call would make a recording of a large pool quadratic.
READ_ALL_COUNTS_UP_TO = 1024


class RecordedPool:
    """Speaks the pool protocol, passes every call on, and keeps what it saw.

    >>> from pagedkv_edu import BlockPool
    >>> pool = RecordedPool(BlockPool(4))
    >>> pool.free(pool.allocate())
    >>> [event.call for event in pool.events]
    ['allocate', 'free']
    """

    def __init__(self, pool: PoolLike) -> None:
        self._pool = pool
        self.events: list[Event] = []
        self.step = 0
        self.reason = ""
        self._pool_calls: list[PoolCall] = []
        self._inside_manager = False
        self._seen_counts: dict[int, int] = {}

    @property
    def num_blocks(self) -> int:
        """Blocks in the watched pool, free or not."""
        return self._pool.num_blocks

    @property
    def num_free(self) -> int:
        """Free blocks in the watched pool."""
        return self._pool.num_free

    def ref_count(self, block_id: int) -> int:
        """Return the watched pool's count of a block."""
        return self._pool.ref_count(block_id)

    def allocate(self) -> int:
        """Allocate, and record it."""
        with self._watch("allocate", ()):
            block_id = self._pool.allocate()
            self._note("allocate", block_id)
        return block_id

    def share(self, block_id: int) -> None:
        """Share, and record it."""
        with self._watch("share", (block_id,)):
            self._pool.share(block_id)
            self._note("share", block_id)

    def free(self, block_id: int) -> None:
        """Free, and record it."""
        with self._watch("free", (block_id,)):
            self._pool.free(block_id)
            self._note("free", block_id)

    @contextmanager
    def _watch(self, call: str, arguments: tuple[int, ...]) -> Generator[None]:
        if self._inside_manager:
            yield
            return
        error = ""
        try:
            yield
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
            raise
        finally:
            self.record(call, arguments, error=error)

    def _note(self, call: str, block_id: int) -> None:
        self._pool_calls.append(PoolCall(call, block_id, self._read_count(block_id)))

    def _read_count(self, block_id: int) -> int:
        try:
            return self._pool.ref_count(block_id)
        except Exception:  # noqa: BLE001  (a learner's pool may fail in any way)
            return 0

    @contextmanager
    def manager_call(self) -> Generator[None]:
        """Gather the pool calls made meanwhile for the manager's event."""
        self._inside_manager = True
        try:
            yield
        finally:
            self._inside_manager = False

    def record(
        self,
        call: str,
        arguments: tuple[SeqId | int, ...],
        *,
        block_size: int | None = None,
        copies: Sequence[BlockCopy] = (),
        tables: Iterable[tuple[SeqId, TableState | None]] = (),
        error: str = "",
    ) -> None:
        """Add one event for a finished call, with all that was seen since the last."""
        pool_calls, self._pool_calls = tuple(self._pool_calls), []
        self.events.append(
            Event(
                call,
                arguments,
                num_blocks=self._pool.num_blocks,
                num_free=self._pool.num_free,
                block_size=block_size,
                step=self.step,
                reason=self.reason,
                copies=tuple(copies),
                pool_calls=pool_calls,
                tables=tuple(tables),
                ref_counts=tuple(self._changed_counts(pool_calls)),
                error=error,
            )
        )

    def _changed_counts(
        self, pool_calls: tuple[PoolCall, ...]
    ) -> Iterator[tuple[int, int]]:
        if self._pool.num_blocks <= READ_ALL_COUNTS_UP_TO:
            looked_at: Iterable[int] = range(self._pool.num_blocks)
        else:
            looked_at = sorted({call.block_id for call in pool_calls})
        for block_id in looked_at:
            count = self._read_count(block_id)
            if count != self._seen_counts.get(block_id, 0):
                self._seen_counts[block_id] = count
                yield block_id, count


class RecordedManager:
    """Speaks the manager protocol, passes every call on, and keeps what it saw.

    Its events go into the recorded pool's list, one for each call of the manager;
    the pool calls made inside are part of that event. After each call the tables of
    all sequences are read, so that a manager which changes another sequence's table
    is shown doing so.
    """

    def __init__(
        self, manager: ManagerLike, pool: RecordedPool, block_size: int | None = None
    ) -> None:
        self._manager = manager
        self._pool = pool
        if block_size is None:
            block_size = getattr(manager, "block_size", None)
        self.block_size = require_positive("block_size", block_size)
        self._seen_tables: dict[SeqId, TableState] = {}

    @property
    def events(self) -> list[Event]:
        """All events of the manager and of its pool, oldest first."""
        return self._pool.events

    @property
    def step(self) -> int:
        """The engine's step, which the driver counts."""
        return self._pool.step

    @step.setter
    def step(self, step: int) -> None:
        self._pool.step = step

    @contextmanager
    def because(self, reason: str) -> Generator[None]:
        """Write a reason, such as "preempt", on the calls made meanwhile."""
        self._pool.reason = reason
        try:
            yield
        finally:
            self._pool.reason = ""

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        """Add, and record it."""
        with self._watch("add", (seq_id, num_tokens)):
            self._manager.add(seq_id, num_tokens)

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Append, and record it."""
        with self._watch("append", (seq_id, num_tokens)) as copies:
            copies.extend(self._manager.append(seq_id, num_tokens))
        return copies

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Fork, and record it."""
        with self._watch("fork", (parent_id, child_id)):
            self._manager.fork(parent_id, child_id)

    def free(self, seq_id: SeqId) -> None:
        """Free, and record it."""
        with self._watch("free", (seq_id,)):
            self._manager.free(seq_id)

    def table(self, seq_id: SeqId) -> TableLike:
        """Return the watched manager's table."""
        return self._manager.table(seq_id)

    @contextmanager
    def _watch(
        self, call: str, arguments: tuple[SeqId | int, ...]
    ) -> Generator[list[BlockCopy]]:
        copies: list[BlockCopy] = []
        error = ""
        try:
            with self._pool.manager_call():
                yield copies
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
            raise
        finally:
            named = arguments if call == "fork" else arguments[:1]
            self._pool.record(
                call,
                arguments,
                block_size=self.block_size,
                copies=copies,
                tables=list(self._changed_tables(named)),
                error=error,
            )

    def _changed_tables(
        self, named: Iterable[SeqId]
    ) -> Iterator[tuple[SeqId, TableState | None]]:
        for seq_id in {**self._seen_tables, **dict.fromkeys(named)}:
            before, after = self._seen_tables.get(seq_id), self._read(seq_id)
            if after == before:
                continue
            if after is None:
                del self._seen_tables[seq_id]
            else:
                self._seen_tables[seq_id] = after
            yield seq_id, after

    def _read(self, seq_id: SeqId) -> TableState | None:
        try:
            table = self._manager.table(seq_id)
            return TableState(tuple(table.block_ids), table.seq_len)
        except Exception:  # noqa: BLE001  (a learner's table may fail in any way)
            return None
