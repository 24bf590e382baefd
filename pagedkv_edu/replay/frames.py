"""The state of pool and tables after each event, as plain data."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.counts import Counts
from pagedkv_edu.replay.events import Event, TableState


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a film: an event and the state it left behind.

    `tables` are those that could be read, also where a wrong manager filled them.
    `on_host` are the sequences swapped out, with their host blocks.
    """

    index: int
    event: Event
    ref_counts: Mapping[int, int]  # blocks in use only
    tables: Mapping[SeqId, TableState]
    parents: Mapping[SeqId, SeqId]  # of every live sequence that was forked
    on_host: Mapping[SeqId, TableState] = field(default_factory=dict[SeqId, TableState])
    block_size: int | None = None  # None: no manager has been seen yet
    tables_before: Mapping[SeqId, TableState] = field(
        default_factory=dict[SeqId, TableState]
    )
    on_host_before: Mapping[SeqId, TableState] = field(
        default_factory=dict[SeqId, TableState]
    )

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
        block_size = self.block_size or 1
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
    counts = Counts()
    now = Frame(-1, _NOTHING, counts, {}, {})
    for index, event in enumerate(events):
        if event.ref_counts:  # most frames change no count and share those before
            counts = counts.changed(event.ref_counts)
        tables = _changed(now.tables, event.tables)
        on_host = _on_host(now.on_host, event, now.tables, tables)
        now = Frame(
            index,
            event,
            counts,
            tables,
            _parents(now.parents, event, {*tables, *on_host}),
            on_host,
            event.block_size or now.block_size,
            tables_before=now.tables,
            on_host_before=now.on_host,
        )
        film.append(now)
    return film


_NOTHING = Event("", (), num_blocks=0, num_free=0)


def _changed(
    before: Mapping[SeqId, TableState],
    changes: Sequence[tuple[SeqId, TableState | None]],
) -> Mapping[SeqId, TableState]:
    after = dict(before)
    for seq_id, table in changes:
        if table is None:
            after.pop(seq_id, None)
        else:
            after[seq_id] = table
    return after


def _on_host(
    before: Mapping[SeqId, TableState],
    event: Event,
    tables_before: Mapping[SeqId, TableState],
    tables: Mapping[SeqId, TableState],
) -> Mapping[SeqId, TableState]:
    """Return who is on the host: swapped out, and without a device table since."""
    after = {seq_id: before[seq_id] for seq_id in before if seq_id not in tables}
    seq_id = event.seq_id
    if seq_id is None or event.error:
        return after
    if event.call == "free":
        after.pop(seq_id, None)
    if event.call == "swap_out" and seq_id in tables_before and seq_id not in tables:
        host_blocks = tuple(c.target for c in event.copies if c.kind == "out")
        after[seq_id] = TableState(host_blocks, tables_before[seq_id].seq_len)
    return after


def _parents(
    before: Mapping[SeqId, SeqId], event: Event, live: Set[SeqId]
) -> Mapping[SeqId, SeqId]:
    """Return the parent of each live child, by the name it had then."""
    begins = event.call in ("add", "fork") and not event.error
    renewed = event.seq_id if begins else None  # this id names another sequence now
    parents = {
        child_id: parent_id
        for child_id, parent_id in before.items()
        if child_id in live and renewed not in (child_id, parent_id)
    }
    child_id, parent_id = event.seq_id, event.parent_id
    if child_id is None or parent_id is None or event.error:
        return parents
    if child_id in live and child_id != parent_id:
        parents[child_id] = parent_id
    return parents
