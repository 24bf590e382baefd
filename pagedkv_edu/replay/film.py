"""A film as JSON: what the player, a report and an offline page are all fed with."""

from collections.abc import Mapping, Sequence

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.describe import call_text, describe, event_tokens, headline
from pagedkv_edu.replay.events import Event, TableState
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.report import Json

KEYFRAME_EVERY = 64


def encode(film: Sequence[Frame]) -> Json:
    """Return a film as JSON: a keyframe every 64 frames, and changes in between.

    {"memory": "blocks", "num_blocks", "block_size", "frames"}; the block size is null
    if the film shows a pool by itself. Each frame has what its event shows, and either
    "state" (a keyframe) or "changes", both with four parts: "counts" by block and
    "tables" by sequence (in changes only what differs, null for what is gone), and
    "parents" by child and "host", the sequences swapped out (always all of them).
    Sequence ids become strings. The first frame of a slice is always a keyframe.
    """
    if not film:
        raise InvalidSize("an empty film: record at least one call first")
    names = _Names(film)
    sizes = [frame.block_size for frame in film if frame.block_size is not None]
    return {
        "memory": "blocks",
        "num_blocks": film[0].event.num_blocks,
        "block_size": sizes[0] if sizes else None,
        "frames": [_frame(i, frame, names) for i, frame in enumerate(film)],
    }


class _Names:
    """The sequence ids of a film as strings; 1 and "1" stay two sequences."""

    def __init__(self, film: Sequence[Frame]) -> None:
        seen = {seq_id for frame in film for seq_id in _seq_ids(frame)}
        self._numbers = {str(seq_id) for seq_id in seen if isinstance(seq_id, int)}

    def of(self, seq_id: SeqId) -> str:
        """Return the id as a string, in quotes if a number looks the same."""
        is_double = isinstance(seq_id, str) and seq_id in self._numbers
        return f'"{seq_id}"' if is_double else str(seq_id)

    def of_any(self, seq_id: SeqId | None) -> str | None:
        """Return the same, or None for None."""
        return None if seq_id is None else self.of(seq_id)


def _seq_ids(frame: Frame) -> list[SeqId]:
    named = (frame.event.seq_id, frame.event.parent_id, *frame.tables, *frame.on_host)
    return [seq_id for seq_id in named if seq_id is not None]


def kind(event: Event) -> str:
    """Return the kind of mark on the track: arrive, write, grow, copy, fork, finish."""
    if event.error:
        return "refuse"
    if event.block_size is None:
        return event.call
    if event.call == "append":
        return "copy" if event.copies else "grow" if event.blocks_taken else "write"
    if event.call == "free":
        return "preempt" if event.reason == "preempt" else "finish"
    return {"add": "arrive"}.get(event.call, event.call)


def _frame(position: int, frame: Frame, names: _Names) -> Json:
    if position % KEYFRAME_EVERY == 0:
        return _event(frame, names) | {"state": _state(frame, names)}
    return _event(frame, names) | {"changes": _changes(frame, names)}


def _event(frame: Frame, names: _Names) -> Json:
    event = frame.event
    return {
        "kind": kind(event),
        "call": call_text(event),
        "seq": names.of_any(event.seq_id),
        "parent": names.of_any(event.parent_id),
        "step": event.step,
        "headline": headline(frame),
        "text": describe(frame),
        "tokens": event_tokens(event),
        "taken": list(event.blocks_taken),
        "freed": list(event.blocks_freed),
        "copies": [[c.source, c.target, c.kind] for c in event.copies],
        "num_free": event.num_free,
        "error": event.error,
    }


def _state(frame: Frame, names: _Names) -> Json:
    return {
        "counts": {str(b): count for b, count in frame.ref_counts.items()},
        "tables": _tables(frame.tables, names),
    } | _relations(frame, names)


def _changes(frame: Frame, names: _Names) -> Json:
    return {
        "counts": {str(b): count or None for b, count in frame.event.ref_counts},
        "tables": {
            names.of(seq_id): None if table is None else _table(table)
            for seq_id, table in frame.event.tables
        },
    } | _relations(frame, names)


def _relations(frame: Frame, names: _Names) -> Json:
    return {
        "parents": {names.of(c): names.of(p) for c, p in frame.parents.items()},
        "host": _tables(frame.on_host, names),
    }


def _tables(tables: Mapping[SeqId, TableState], names: _Names) -> Json:
    return {names.of(seq_id): _table(table) for seq_id, table in tables.items()}


def _table(table: TableState) -> Json:
    return {"blocks": list(table.block_ids), "len": table.seq_len}
