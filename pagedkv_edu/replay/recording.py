"""Watch any manager from outside, so that none of them has to log itself."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pagedkv_edu.errors import InvalidSize, WrongPool
from pagedkv_edu.protocols import (
    BlockCopy,
    ManagerLike,
    SeqId,
    SwappingManagerLike,
    TableLike,
)
from pagedkv_edu.replay.events import Event, TableState
from pagedkv_edu.replay.recorded_pool import RecordedPool as RecordedPool
from pagedkv_edu.replay.seeing import see_copies, see_error, see_ints, see_table
from pagedkv_edu.sizes import require_positive

T = TypeVar("T")


class RecordedManager:
    """Speaks the manager protocol, passes every call on, and keeps what it saw.

    Its events go into the recorded pool's list, one for each call of the manager;
    the pool calls made inside are part of that event. After each call the tables of
    all sequences are read, so that a manager which changes another sequence's table
    is shown doing so (above 1,024 blocks only those that the call names). A sequence
    is seen from the first call that names it.
    """

    def __init__(
        self, manager: ManagerLike, pool: RecordedPool, block_size: int | None = None
    ) -> None:
        _require_recorded(manager, pool)
        self._manager = manager
        self._pool = pool
        if block_size is None:
            block_size = getattr(manager, "block_size", None)
        if block_size is None:
            raise InvalidSize("the manager has no block_size to see; pass block_size=")
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
        before, self._pool.reason = self._pool.reason, reason
        try:
            yield
        finally:
            self._pool.reason = before

    def add(self, seq_id: SeqId, num_tokens: int, prefix: Sequence[int] = ()) -> None:
        """Add, and record it; only a manager that knows prefixes is given one."""
        add: Callable[..., None] = self._manager.add
        kept = {"prefix": prefix} if prefix else {}
        self._watch(
            "add", (seq_id, num_tokens), lambda: add(seq_id, num_tokens, **kept), prefix
        )

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Append, and record it."""
        append = self._manager.append
        return self._watch_copies(
            "append", (seq_id, num_tokens), lambda: append(seq_id, num_tokens)
        )

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Fork, and record it."""
        fork = self._manager.fork
        self._watch("fork", (parent_id, child_id), lambda: fork(parent_id, child_id))

    def free(self, seq_id: SeqId) -> None:
        """Free, and record it."""
        self._watch("free", (seq_id,), lambda: self._manager.free(seq_id))

    def table(self, seq_id: SeqId) -> TableLike:
        """Return the watched manager's table."""
        return self._manager.table(seq_id)

    def _watch(
        self,
        call: str,
        arguments: tuple[SeqId, ...],
        do: Callable[[], T],
        prefix: Sequence[int] = (),
        copies_in: Callable[[T], tuple[BlockCopy, ...]] = lambda _: (),
    ) -> T:
        copies: tuple[BlockCopy, ...] = ()
        error = ""
        try:
            with self._pool.manager_call():
                returned = do()
            copies = copies_in(returned)
            return returned
        except BaseException as caught:
            error = see_error(caught)
            raise
        finally:
            named = arguments if call == "fork" else arguments[:1]
            self._pool.record(
                call,
                arguments,
                block_size=self.block_size,
                copies=copies,
                tables=list(self._changed_tables(named)),
                prefix=see_ints(prefix),
                error=error,
            )

    def _watch_copies(
        self, call: str, arguments: tuple[SeqId, ...], do: Callable[[], list[BlockCopy]]
    ) -> list[BlockCopy]:
        return self._watch(call, arguments, do, copies_in=see_copies)

    def _changed_tables(
        self, named: Iterable[SeqId]
    ) -> Iterator[tuple[SeqId, TableState | None]]:
        # a caller may have named anything; only an int or a str can be a sequence
        names = [seq_id for seq_id in named if type(seq_id) in (int, str)]
        others = self._seen_tables if self._pool.reads_all else ()
        for seq_id in dict.fromkeys([*others, *names]):
            before = self._seen_tables.get(seq_id)
            after = see_table(self._manager, seq_id)
            if after == before:
                continue
            if after is None:
                del self._seen_tables[seq_id]
            else:
                self._seen_tables[seq_id] = after
            yield seq_id, after


class RecordedSwappingManager(RecordedManager):
    """A `RecordedManager` for a manager that can swap.

    A class of its own, so that a recorded manager can swap if, and only if, the one
    it watches can.
    """

    def __init__(
        self,
        manager: SwappingManagerLike,
        pool: RecordedPool,
        block_size: int | None = None,
    ) -> None:
        super().__init__(manager, pool, block_size)
        self._swapper = manager

    def swap_out(self, seq_id: SeqId) -> list[BlockCopy]:
        """Swap out, and record it."""
        swap_out = self._swapper.swap_out
        return self._watch_copies("swap_out", (seq_id,), lambda: swap_out(seq_id))

    def swap_in(self, seq_id: SeqId) -> list[BlockCopy]:
        """Swap in, and record it."""
        swap_in = self._swapper.swap_in
        return self._watch_copies("swap_in", (seq_id,), lambda: swap_in(seq_id))


def _require_recorded(manager: ManagerLike, pool: object) -> None:
    if not isinstance(pool, RecordedPool):
        raise WrongPool(
            f"a recording needs a RecordedPool, got {type(pool).__name__}: build "
            "pool = RecordedPool(...) first and give it to the manager too"
        )
    if pool.watches(getattr(manager, "pool", None)):
        raise WrongPool(
            "the manager calls the pool behind the recording, so nothing would be "
            "seen; build it with the RecordedPool"
        )
