"""What was seen of one call: the call itself, and every change after it."""

from dataclasses import dataclass

from pagedkv_edu.protocols import BlockCopy, SeqId


@dataclass(frozen=True, slots=True)
class PoolCall:
    """One call of the pool, made inside a call of the manager or by itself."""

    call: str  # "allocate", "share" or "free"
    block_id: int
    ref_count: int  # after the call


@dataclass(frozen=True, slots=True)
class TableState:
    """A sequence's table as it was seen."""

    block_ids: tuple[int, ...]
    seq_len: int


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a manager, or of a pool used by itself, and what it changed.

    An event holds observations, not conclusions, so it is as true of a wrong manager
    as of a right one. `tables` and `ref_counts` list only what differs from the event
    before; a table that is gone is None.
    """

    call: str  # "add", "append", "fork", "free", "swap_out", "swap_in" or a pool call
    arguments: tuple[SeqId | int, ...]
    num_blocks: int
    num_free: int
    block_size: int | None = None  # None: a pool by itself
    step: int = 0  # of the engine, counted by whoever drives it
    reason: str = ""  # why the driver made the call, as in "preempt"
    copies: tuple[BlockCopy, ...] = ()
    pool_calls: tuple[PoolCall, ...] = ()
    tables: tuple[tuple[SeqId, TableState | None], ...] = ()
    ref_counts: tuple[tuple[int, int], ...] = ()
    prefix: tuple[int, ...] = ()  # of an add: blocks it begins with
    error: str = ""  # "OutOfBlocks: need 2 blocks, 1 free"; "" if the call returned

    @property
    def seq_id(self) -> SeqId | None:
        """The sequence that acts: for a fork the child.

        None for a pool by itself, and where the caller named no int and no str.
        """
        return self._named(1 if self.call == "fork" else 0)

    @property
    def parent_id(self) -> SeqId | None:
        """The sequence that a fork begins from, None for any other call."""
        return self._named(0) if self.call == "fork" else None

    @property
    def blocks_taken(self) -> tuple[int, ...]:
        """Blocks that `allocate` handed out during this call, in that order."""
        return tuple(c.block_id for c in self.pool_calls if c.call == "allocate")

    @property
    def blocks_freed(self) -> tuple[int, ...]:
        """Blocks that lost their last reference during this call, in that order."""
        return tuple(
            c.block_id for c in self.pool_calls if c.call == "free" and c.ref_count == 0
        )

    def _named(self, place: int) -> SeqId | None:
        if self.block_size is None or place >= len(self.arguments):
            return None
        seq_id = self.arguments[place]
        return seq_id if type(seq_id) in (int, str) else None
