"""Watch any pool from outside, and gather what a manager does with it."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId
from pagedkv_edu.replay.events import Event, PoolCall, TableState
from pagedkv_edu.replay.seeing import see_error, see_int

# Beyond this size only what a call names is read again: reading all counts and tables
# after each call would make a recording of a large pool quadratic.
READ_ALL_UP_TO = 1024


class RecordedPool:
    """Speaks the pool protocol, passes every call on, and keeps what it saw.

    The pool may be a learner's and wrong: what cannot be read is worked out from the
    calls. Its first event also shows the references that were there before.

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
        self._counts_by_calls: dict[int, int] = {}
        self._is_new = True

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
            self._note("allocate", block_id, 1)
        return block_id

    def share(self, block_id: int) -> None:
        """Share, and record it."""
        with self._watch("share", (block_id,)):
            self._pool.share(block_id)
            self._note("share", block_id, 1)

    def free(self, block_id: int) -> None:
        """Free, and record it."""
        with self._watch("free", (block_id,)):
            self._pool.free(block_id)
            self._note("free", block_id, -1)

    @property
    def reads_all(self) -> bool:
        """Whether everything is read after each call, or only what the call names."""
        return see_int(lambda: self._pool.num_blocks, 0) <= READ_ALL_UP_TO

    def watches(self, pool: object) -> bool:
        """Tell whether this is the pool behind the recording."""
        return pool is self._pool

    @contextmanager
    def manager_call(self) -> Generator[None]:
        """Gather the pool calls made meanwhile for the manager's event."""
        was_inside, self._inside_manager = self._inside_manager, True
        try:
            yield
        finally:
            self._inside_manager = was_inside

    def record(
        self,
        call: str,
        arguments: tuple[SeqId | int, ...],
        *,
        block_size: int | None = None,
        copies: Sequence[BlockCopy] = (),
        tables: Iterable[tuple[SeqId, TableState | None]] = (),
        prefix: Sequence[int] = (),
        error: str = "",
    ) -> None:
        """Add one event for a finished call, with all that was seen since the last."""
        pool_calls, self._pool_calls = tuple(self._pool_calls), []
        num_blocks = see_int(lambda: self._pool.num_blocks, 0)
        ref_counts = tuple(self._changed_counts(num_blocks, pool_calls))
        num_held = sum(count != 0 for count in self._seen_counts.values())
        self.events.append(
            Event(
                call,
                arguments,
                num_blocks=num_blocks,
                num_free=see_int(lambda: self._pool.num_free, num_blocks - num_held),
                block_size=block_size,
                step=self.step,
                reason=self.reason,
                copies=tuple(copies),
                pool_calls=pool_calls,
                tables=tuple(tables),
                ref_counts=ref_counts,
                prefix=tuple(prefix),
                error=error,
            )
        )

    @contextmanager
    def _watch(self, call: str, arguments: tuple[int, ...]) -> Generator[None]:
        if self._inside_manager:
            yield
            return
        error = ""
        try:
            yield
        except BaseException as caught:
            error = see_error(caught)
            raise
        finally:
            self.record(call, arguments, error=error)

    def _note(self, call: str, named: int, change: int) -> None:
        block_id = see_int(lambda: named, None)
        if block_id is None:
            return  # no block was named, so there is nothing to show
        count = self._counts_by_calls.get(block_id, 0) + change
        self._counts_by_calls[block_id] = count
        self._pool_calls.append(PoolCall(call, block_id, self._read_count(block_id)))

    def _read_count(self, block_id: int) -> int:
        by_calls = self._counts_by_calls.get(block_id, 0)
        return see_int(lambda: self._pool.ref_count(block_id), by_calls)

    def _changed_counts(
        self, num_blocks: int, pool_calls: tuple[PoolCall, ...]
    ) -> Iterator[tuple[int, int]]:
        blocks = range(num_blocks)
        looked_at: Iterable[int] = blocks
        if not self.reads_all and not self._is_new:
            looked_at = sorted({c.block_id for c in pool_calls if c.block_id in blocks})
        self._is_new = False
        for block_id in looked_at:
            count = self._read_count(block_id)
            if count != self._seen_counts.get(block_id, 0):
                self._seen_counts[block_id] = count
                yield block_id, count
