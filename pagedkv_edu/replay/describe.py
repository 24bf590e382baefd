"""Say in plain sentences what a frame shows."""

from collections.abc import Callable, Sequence

from pagedkv_edu.replay.events import Event
from pagedkv_edu.replay.frames import Frame


def headline(frame: Frame) -> str:
    """Return what happened, in one short sentence."""
    event = frame.event
    if event.error:
        return f"{call_text(event)} is refused"
    if event.block_size is None:
        return f"{call_text(event)}: {_pool_short(frame)}"
    return _HEADLINES.get(event.call, call_text)(event) + _kept_by(frame)


def describe(frame: Frame) -> str:
    """Return what happened and what it changed, in one or two sentences.

    Counts, blocks and slots are those that were seen, so the sentence is also true of
    a manager that did the wrong thing.
    """
    event = frame.event
    if event.error:
        return f"{call_text(event)} was refused. {event.error}."
    if event.block_size is None:
        return f"{call_text(event)}: {_pool_long(frame)}"
    tell = _SENTENCES.get(event.call)
    return tell(frame) if tell else f"{call_text(event)}."


def call_text(event: Event) -> str:
    """Return the call as a learner would type it: append("A"), add("A", 6)."""
    arguments = list(event.arguments)
    if event.call == "append" and arguments[1:] == [1]:
        arguments = arguments[:1]
    return f"{event.call}({', '.join(map(_quoted, arguments))})"


def amount(count: int, noun: str) -> str:
    """Return "no blocks", "1 block" or "2 blocks"."""
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def listed(items: Sequence[object]) -> str:
    """Return "0", "0 and 1", "0, 1 and 2", or "0, 1, … and 7" for a long list."""
    texts = [str(item) for item in items]
    if len(texts) > 6:
        texts = [*texts[:3], "…", texts[-1]]
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _quoted(argument: object) -> str:
    return f'"{argument}"' if isinstance(argument, str) else str(argument)


# --- headlines ---------------------------------------------------------------------


def _append_short(event: Event) -> str:
    if event.copies:
        copy = event.copies[0]
        return f"Copy on write: {event.seq_id} leaves block {copy.source}"
    if event.blocks_taken:
        return f"{event.seq_id} takes {_blocks(event.blocks_taken)}"
    return f"{event.seq_id} writes in place"


def _free_short(event: Event) -> str:
    verb = "is preempted" if event.reason == "preempt" else "ends"
    return (
        f"{event.seq_id} {verb}: {amount(len(event.blocks_freed), 'block')} free again"
    )


_HEADLINES: dict[str, Callable[[Event], str]] = {
    "add": lambda e: f"{e.seq_id} arrives and takes {_blocks(e.blocks_taken)}",
    "append": _append_short,
    "fork": lambda e: f"{e.arguments[0]} is forked: {e.arguments[1]} begins like it",
    "free": _free_short,
}


def _kept_by(frame: Frame) -> str:
    """Name who still reads the source of a copy."""
    if not frame.event.copies:
        return ""
    readers = frame.owners().get(frame.event.copies[0].source, ())
    return f", {listed(readers)} still reads it" if readers else ""


def _pool_short(frame: Frame) -> str:
    event = frame.event
    if event.call == "allocate":
        return f"block {event.pool_calls[0].block_id}"
    block_id = event.arguments[0]
    count = dict(frame.ref_counts).get(int(block_id), 0)
    return "free again" if count == 0 else f"ref_count {count}"


# --- sentences ---------------------------------------------------------------------


def _add(frame: Frame) -> str:
    event = frame.event
    taken = event.blocks_taken
    return (
        f"{event.seq_id} arrives with {amount(_seq_len(frame), 'token')} "
        f"and takes {_blocks(taken)}."
    )


def _append(frame: Frame) -> str:
    event, num_tokens = frame.event, int(event_tokens(frame.event))
    table = frame.tables.get(event.seq_id or "")
    if table is None or not table.block_ids or not event.block_size:
        return f"{call_text(event)} returned, and {event.seq_id} has no table."
    token = table.seq_len
    first = token - num_tokens
    offset = first % event.block_size
    tokens = f"token {token}" if num_tokens == 1 else f"tokens {first + 1} to {token}"
    if event.copies:
        copy = event.copies[0]
        readers = frame.owners().get(copy.source, ())
        shared = f", which {listed(readers)} still reads" if readers else ""
        return (
            f"{event.seq_id} must write {tokens} into slot {offset} of block "
            f"{copy.source}{shared}. Its {amount(offset, 'filled slot')} "
            f"{'is' if offset == 1 else 'are'} copied to block {copy.target}; then the "
            f"table entry of {event.seq_id} changes from {copy.source} to {copy.target}."
        )
    if event.blocks_taken:
        taken = _blocks(event.blocks_taken)
        return f"{event.seq_id} needs room for {tokens}: it takes {taken}."
    place = "into slot" if num_tokens == 1 else "from slot"
    last = table.block_ids[-1]
    return f"{event.seq_id} writes {tokens} in place, {place} {offset} of block {last}."


def event_tokens(event: Event) -> int:
    """Return how many tokens an add or an append asked for, 0 for other calls."""
    if event.call not in ("add", "append") or len(event.arguments) < 2:
        return 0
    return int(event.arguments[1])


def _fork(frame: Frame) -> str:
    event = frame.event
    parent_id, child_id = event.arguments
    child = frame.tables.get(child_id)
    if child is None:
        return f"{call_text(event)} returned, and {child_id} has no table."
    copied = f"{len(event.copies)} are copied" if event.copies else "nothing is copied"
    return (
        f"{parent_id} is forked: {child_id} begins with the same "
        f"{amount(len(child.block_ids), 'block')} and {amount(child.seq_len, 'token')}. "
        f"It takes {amount(len(event.blocks_taken), 'block')}, and {copied}."
    )


def _free(frame: Frame) -> str:
    event = frame.event
    let_go = sum(call.call == "free" for call in event.pool_calls)
    num_freed = len(event.blocks_freed)
    verb = "is preempted" if event.reason == "preempt" else "ends"
    kept = let_go - num_freed
    rest = f"; {kept} still held by others" if kept else ""
    return (
        f"{event.seq_id} {verb} and lets go of {amount(let_go, 'block')}: "
        f"{num_freed} free again{rest}."
    )


def _pool_long(frame: Frame) -> str:
    event = frame.event
    return (
        f"{_pool_short(frame)}; {event.num_free} of {event.num_blocks} blocks are free."
    )


_SENTENCES: dict[str, Callable[[Frame], str]] = {
    "add": _add,
    "append": _append,
    "fork": _fork,
    "free": _free,
}


def _blocks(block_ids: Sequence[int]) -> str:
    if not block_ids:
        return "no block"
    if len(block_ids) == 1:
        return f"block {block_ids[0]}"
    return f"{len(block_ids)} blocks: {listed(block_ids)}"


def _seq_len(frame: Frame) -> int:
    table = frame.tables.get(frame.event.seq_id or "")
    return table.seq_len if table else 0
