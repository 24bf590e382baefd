"""A film as JSON: what the player, a report and an offline page are all fed with."""

from collections.abc import Sequence

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.describe import call_text, describe, event_tokens, headline
from pagedkv_edu.replay.events import Event
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.report import Json

KEYFRAME_EVERY = 64


def encode(film: Sequence[Frame]) -> Json:
    """Return a film as JSON: a keyframe every 64 frames, and changes in between.

    {"memory": "blocks", "num_blocks", "block_size" (null for a pool by itself), "frames": [...]}; each
    frame has what its event shows, and either "state" (a keyframe: "counts" by block
    and "tables" by sequence) or "changes" (the same two, null for what is gone).
    Sequence ids become strings. The first frame of a slice is always a keyframe.
    """
    if not film:
        raise InvalidSize("an empty film: record at least one call first")
    first = film[0].event
    return {
        "memory": "blocks",
        "num_blocks": first.num_blocks,
        "block_size": first.block_size,
        "frames": [
            _event(frame)
            | (_state(frame) if i % KEYFRAME_EVERY == 0 else _changes(frame))
            for i, frame in enumerate(film)
        ],
    }


def _event(frame: Frame) -> Json:
    event = frame.event
    return {
        "kind": kind(event),
        "call": call_text(event),
        "seq": None if event.seq_id is None else str(event.seq_id),
        "parent": str(event.arguments[0]) if event.call == "fork" else None,
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


def _table(block_ids: Sequence[int], seq_len: int) -> Json:
    return {"blocks": list(block_ids), "len": seq_len}


def _state(frame: Frame) -> Json:
    return {
        "state": {
            "counts": {str(b): count for b, count in frame.ref_counts.items()},
            "tables": {
                str(s): _table(t.block_ids, t.seq_len) for s, t in frame.tables.items()
            },
            "parents": {str(c): str(p) for c, p in frame.parents.items()},
        }
    }


def _changes(frame: Frame) -> Json:
    event = frame.event
    return {
        "changes": {
            "counts": {str(b): count or None for b, count in event.ref_counts},
            "tables": {
                str(s): None if t is None else _table(t.block_ids, t.seq_len)
                for s, t in event.tables
            },
            "parents": {str(c): str(p) for c, p in frame.parents.items()},
        }
    }
