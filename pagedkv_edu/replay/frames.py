"""The state of pool and tables after each event, as plain data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.events import Event, TableState

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a film: an event and the state it left behind."""

    index: int
    event: Event
    ref_counts: Mapping[int, int]  # blocks in use only
    tables: Mapping[SeqId, TableState]
    parents: Mapping[SeqId, SeqId]  # of every live sequence that was forked

    @property
    def num_held(self) -> int:
        """Blocks with at least one reference."""
        return len(self.ref_counts)

    @property
    def num_tokens(self) -> int:
        """Slots that hold a token; a shared slot counts once."""
        return sum(self.filled_slots().values())

    def owners(self) -> dict[int, tuple[SeqId, ...]]:
        """Return, for each block in a table, the sequences that hold it."""
        owners: dict[int, tuple[SeqId, ...]] = {}
        for seq_id, table in self.tables.items():
            for block_id in dict.fromkeys(table.block_ids):
                owners[block_id] = (*owners.get(block_id, ()), seq_id)
        return owners

    def filled_slots(self) -> dict[int, int]:
        """Return, for each block in a table, how many of its slots hold a token."""
        block_size = self.event.block_size or 1
        filled: dict[int, int] = {}
        for table in self.tables.values():
            for logical_block, block_id in enumerate(table.block_ids):
                rest = table.seq_len - logical_block * block_size
                here = max(0, min(block_size, rest))
                filled[block_id] = max(here, filled.get(block_id, 0))
        return filled


def frames(events: Iterable[Event]) -> list[Frame]:
    """Return one frame for each event.

    >>> from pagedkv_edu import BlockManager, BlockPool
    >>> from pagedkv_edu.replay import RecordedManager, RecordedPool
    >>> pool = RecordedPool(BlockPool(4))
    >>> RecordedManager(BlockManager(pool, block_size=4), pool).add("A", 6)
    >>> frames(pool.events)[0].tables["A"].seq_len
    6
    """
    film: list[Frame] = []
    ref_counts: dict[int, int] = {}
    tables: dict[SeqId, TableState] = {}
    parents: dict[SeqId, SeqId] = {}
    for index, event in enumerate(events):
        ref_counts = _changed(ref_counts, event.ref_counts)
        tables = _changed(tables, event.tables)
        parents = _family(parents, event, tables)
        film.append(Frame(index, event, ref_counts, tables, parents))
    return film


def _changed(before: dict[K, V], changes: Iterable[tuple[K, V | None]]) -> dict[K, V]:
    """Return before with the changes made; a false value (None, 0) removes its key."""
    after = dict(before)
    for key, value in changes:
        if value:
            after[key] = value
        else:
            after.pop(key, None)
    return after


def _family(
    before: dict[SeqId, SeqId], event: Event, tables: Mapping[SeqId, TableState]
) -> dict[SeqId, SeqId]:
    parents = {child: before[child] for child in before if child in tables}
    if event.call == "fork" and not event.error:
        parent_id, child_id = event.arguments
        parents[child_id] = parent_id
    return parents
