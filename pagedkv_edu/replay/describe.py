"""Say in plain sentences what a frame shows."""

from pagedkv_edu import errors
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.replay.telling import tell
from pagedkv_edu.replay.wording import amount as amount
from pagedkv_edu.replay.wording import blocks, table_text
from pagedkv_edu.replay.wording import call_text as call_text
from pagedkv_edu.replay.wording import event_tokens as event_tokens
from pagedkv_edu.replay.wording import listed as listed


def headline(frame: Frame) -> str:
    """Return what happened, in one short sentence."""
    event = frame.event
    if event.error:
        name = event.error.partition(":")[0]
        fails = "is refused" if _is_ours(event.error) else f"fails with {name}"
        return f"{call_text(event)} {fails}"
    if event.block_size is None:
        return f"{call_text(event)}: {_pool_call(frame)}"
    return tell(frame)[0]


def describe(frame: Frame) -> str:
    """Return what happened and what it changed, in one sentence or a few.

    Counts, blocks and slots are those that were seen, so the sentences are also true
    of a manager that did the wrong thing.
    """
    event = frame.event
    if event.error:
        fails = "was refused" if _is_ours(event.error) else "failed"
        told = f"{call_text(event)} {fails}. {event.error.rstrip('.')}."
        return told + _changed_all_the_same(frame)
    if event.block_size is None:
        free = f"{event.num_free} of {amount(event.num_blocks, 'block')}"
        are = "is" if 1 in (event.num_free, event.num_blocks) else "are"
        return f"{call_text(event)}: {_pool_call(frame)}; {free} {are} free."
    return tell(frame)[1] + _changed_too(frame)


def _is_ours(error: str) -> bool:
    """Tell whether an error was raised on purpose, not by a slip in the code."""
    kind = getattr(errors, error.partition(":")[0], None)
    return isinstance(kind, type) and issubclass(kind, errors.PagedKVError)


def _pool_call(frame: Frame) -> str:
    event = frame.event
    if not event.pool_calls:
        return "no block was named"
    block_id = event.pool_calls[0].block_id
    if event.call == "allocate":
        return f"block {block_id}"
    count = frame.ref_counts.get(block_id, 0)
    return f"ref_count {count}" if count else "free again"


def _changed_too(frame: Frame) -> str:
    """Tell of other sequences whose tables changed in a call that did not name them."""
    others = [item for item in _changes(frame) if item[0] != frame.event.seq_id]
    if len(others) > 2:
        names = listed([seq_id for seq_id, _ in others])
        return f" The tables of {names} changed too."
    return "".join(f" {_now(seq_id, after, 'too')}" for seq_id, after in others)


def _changed_all_the_same(frame: Frame) -> str:
    """Tell what changed in a call that should have changed nothing."""
    event = frame.event
    taken = [b for b in event.blocks_taken if b not in event.blocks_freed]
    freed = [b for b in event.blocks_freed if b not in event.blocks_taken]
    told = [f"It took {blocks(taken)} all the same."] if taken else []
    told += [f"It freed {blocks(freed)} all the same."] if freed else []
    told += [_now(*change, "all the same") for change in _changes(frame)]
    return "".join(f" {sentence}" for sentence in told)


def _changes(frame: Frame) -> list[tuple[SeqId, TableState | None]]:
    """Return the tables that differ from those seen before."""
    return [item for item in frame.event.tables if item[0] in frame.tables_before]


def _now(seq_id: SeqId, table: TableState | None, how: str) -> str:
    if table is None:
        return f"{seq_id}'s table is gone {how}."
    return f"{seq_id}'s table changed {how}: it is now {table_text(table)}."
