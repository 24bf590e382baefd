"""Say what a call of a manager did, as a headline and a sentence.

Each teller first checks that what was seen is what its sentence says, and otherwise
gives up. Then the call is told as it was seen: copies, blocks taken, the table.
"""

from collections.abc import Callable, Sequence

from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.replay.wording import (
    amount,
    blocks,
    call_text,
    copies_text,
    event_tokens,
    listed,
    still,
    table_text,
)

Told = tuple[str, str]  # headline, sentence


def tell(frame: Frame) -> Told:
    """Return the headline and the sentence of a manager's call that returned."""
    seq_id, teller = frame.event.seq_id, _TELLERS.get(frame.event.call)
    told = teller(frame, seq_id) if teller and seq_id is not None else None
    return told or _as_seen(frame, seq_id)


def _add(frame: Frame, seq_id: SeqId) -> Told | None:
    table, taken = frame.tables.get(seq_id), frame.event.blocks_taken
    if table is None or table.seq_len != event_tokens(frame.event):
        return None
    num_there = max(0, len(table.block_ids) - len(taken))
    if table.block_ids[num_there:] != taken:
        return None
    takes = f"takes {blocks(taken)}"
    arrives = f"{seq_id} arrives with {amount(table.seq_len, 'token')}"
    if num_there:
        there = amount(num_there, "block")
        return (
            f"{seq_id} arrives and {takes}",
            f"{arrives}. It begins with {there} that it did not take, and {takes}.",
        )
    return f"{seq_id} arrives and {takes}", f"{arrives} and {takes}."


def _append(frame: Frame, seq_id: SeqId) -> Told | None:
    event, num_tokens = frame.event, event_tokens(frame.event)
    before, after = frame.tables_before.get(seq_id), frame.tables.get(seq_id)
    if before is None or after is None or before.seq_len < 0 or num_tokens < 1:
        return None
    if after.seq_len != before.seq_len + num_tokens:
        return None
    if event.copies:
        return _copied(frame, seq_id, before, after)
    if after.block_ids != before.block_ids + event.blocks_taken:
        return None
    if after.seq_len > _num_slots(frame, after):
        return _without_slot(frame, seq_id, before, after)
    if event.blocks_taken:
        takes = f"takes {blocks(event.blocks_taken)}"
        needs = f"{seq_id} needs room for {_tokens(before, after)}: it {takes}."
        return f"{seq_id} {takes}", needs
    return _in_place(frame, seq_id, before, after)


def _copied(
    frame: Frame, seq_id: SeqId, before: TableState, after: TableState
) -> Told | None:
    logical_block, offset = divmod(before.seq_len, frame.block_size or 1)
    copy, taken = frame.event.copies[0], frame.event.blocks_taken
    added = tuple(block_id for block_id in taken if block_id != copy.target)
    others = _others(frame, seq_id, copy.source)
    is_right = (
        offset > 0
        and logical_block == len(before.block_ids) - 1
        and frame.event.copies == (BlockCopy(before.block_ids[-1], copy.target),)
        and after.block_ids == (*before.block_ids[:-1], copy.target, *added)
        and after.seq_len <= _num_slots(frame, after)
    )
    if not is_right or not others:
        return None
    first = " into" if after.seq_len == before.seq_len + 1 else ", the first into"
    filled = f"{amount(offset, 'filled slot')} {'is' if offset == 1 else 'are'}"
    also = f" It also takes {blocks(added)}." if added else ""
    return (
        f"Copy on write: {seq_id} leaves block {copy.source}, "
        f"{still(others, 'read')} it",
        f"{seq_id} must write {_tokens(before, after)}{first} slot {offset} of block "
        f"{copy.source}, which {still(others, 'read')}. Its {filled} copied to block "
        f"{copy.target}; then the table entry of {seq_id} changes from {copy.source} "
        f"to {copy.target}.{also}",
    )


def _without_slot(
    frame: Frame, seq_id: SeqId, before: TableState, after: TableState
) -> Told:
    num_slots = _num_slots(frame, after)
    missing = f"no slot for token {max(num_slots, before.seq_len) + 1}"
    held = f"{amount(len(after.block_ids), 'block')} of {frame.block_size} slots"
    return f"{seq_id} has {missing}", f"{seq_id} has {missing}: its table is {held}."


def _in_place(
    frame: Frame, seq_id: SeqId, before: TableState, after: TableState
) -> Told:
    logical_block, offset = divmod(before.seq_len, frame.block_size or 1)
    block_id = after.block_ids[logical_block]
    slot = f"slot {offset} of block {block_id}"
    is_one = after.seq_len == before.seq_len + 1
    place = f"into {slot}" if is_one else f"from {slot} on"
    others = _others(frame, seq_id, block_id)
    reads = f", which {still(others, 'read')}" if others else ""
    where = f" in block {block_id}{reads}" if others else ""
    return (
        f"{seq_id} writes in place{where}",
        f"{seq_id} writes {_tokens(before, after)} in place, {place}{reads}.",
    )


def _fork(frame: Frame, child_id: SeqId) -> Told | None:
    event, parent_id = frame.event, frame.event.parent_id
    child = frame.tables.get(child_id)
    if parent_id is None or child is None or child != frame.tables.get(parent_id):
        return None
    if event.copies:
        return None
    return (
        f"{parent_id} is forked: {child_id} begins like it",
        f"{parent_id} is forked: {child_id} begins with the same "
        f"{amount(len(child.block_ids), 'block')} and {amount(child.seq_len, 'token')}."
        f" It takes {amount(len(event.blocks_taken), 'block')}, and nothing is copied.",
    )


def _free(frame: Frame, seq_id: SeqId) -> Told | None:
    event = frame.event
    if seq_id in frame.tables or event.copies or event.blocks_taken:
        return None
    ends = f"{seq_id} {'is preempted' if event.reason == 'preempt' else 'ends'}"
    if seq_id in frame.on_host_before and not event.pool_calls:
        return f"{ends} on the host", f"{ends} on the host; no device block changes."
    let_go = sum(call.call == "free" for call in event.pool_calls)
    before = frame.tables_before.get(seq_id)
    part = amount(let_go, "block")
    if before is not None and len(before.block_ids) != let_go:
        part = f"{let_go} of its {amount(len(before.block_ids), 'block')}"
    return (
        f"{ends}: {amount(len(event.blocks_freed), 'block')} free again",
        f"{ends} and lets go of {part}: {_freed(frame)}.",
    )


def _swap_out(frame: Frame, seq_id: SeqId) -> Told | None:
    event, before = frame.event, frame.tables_before.get(seq_id)
    host = frame.on_host.get(seq_id)
    if before is None or host is None or event.blocks_taken:
        return None
    if [c.source for c in event.copies if c.kind == "out"] != list(before.block_ids):
        return None
    held = "its block is" if len(before.block_ids) == 1 else "its blocks are"
    return (
        f"{seq_id} moves to the host: "
        f"{amount(len(event.blocks_freed), 'block')} free again",
        f"{seq_id} moves to the host: {held} copied to {_host_blocks(host.block_ids)}. "
        f"On the device: {_freed(frame)}.",
    )


def _swap_in(frame: Frame, seq_id: SeqId) -> Told | None:
    event, table = frame.event, frame.tables.get(seq_id)
    if table is None or seq_id in frame.tables_before:
        return None
    if table.block_ids != event.blocks_taken or any(
        c.kind != "in" for c in event.copies
    ):
        return None
    if [copy.target for copy in event.copies] != list(table.block_ids):
        return None
    sources = _host_blocks([copy.source for copy in event.copies])
    takes = f"takes {blocks(table.block_ids)}"
    return (
        f"{seq_id} comes back from the host and {takes}",
        f"{seq_id} comes back from the host: it {takes}, copied from {sources}.",
    )


_TELLERS: dict[str, Callable[[Frame, SeqId], Told | None]] = {
    "add": _add,
    "append": _append,
    "fork": _fork,
    "free": _free,
    "swap_out": _swap_out,
    "swap_in": _swap_in,
}


def _as_seen(frame: Frame, seq_id: SeqId | None) -> Told:
    """Tell a call by its traces alone."""
    event = frame.event
    returned = f"{call_text(event)} returned"
    if event.copies:
        returned += f" {copies_text(event.copies)}"
    seen = [f"It took {blocks(event.blocks_taken)}."] if event.blocks_taken else []
    if seq_id is not None and seq_id in frame.tables:
        table = frame.tables[seq_id]
        is_now = (
            "is as before" if frame.tables_before.get(seq_id) == table else "is now"
        )
        seen.append(f"{seq_id}'s table {is_now}: {table_text(table)}.")
    elif seq_id is not None:
        seen.append(f"{seq_id} has no table that can be read.")
    return returned, " ".join([f"{returned}.", *seen])


def _freed(frame: Frame) -> str:
    """Return "1 free again; 1 still held by others"."""
    event, owners = frame.event, frame.owners()
    kept = [c.block_id for c in event.pool_calls if c.call == "free" and c.ref_count]
    num_held = sum(block_id in owners for block_id in kept)
    parts = [f"{len(event.blocks_freed)} free again"]
    parts += [f"{num_held} still held by others"] if num_held else []
    num_lost = len(kept) - num_held
    parts += [f"{num_lost} not free, though in no table"] if num_lost else []
    return "; ".join(parts)


def _others(frame: Frame, seq_id: SeqId, block_id: int) -> list[SeqId]:
    return [other for other in frame.owners().get(block_id, ()) if other != seq_id]


def _num_slots(frame: Frame, table: TableState) -> int:
    return len(table.block_ids) * (frame.block_size or 1)


def _tokens(before: TableState, after: TableState) -> str:
    first = before.seq_len + 1
    if after.seq_len == first:
        return f"token {first}"
    to = "and" if after.seq_len == first + 1 else "to"
    return f"tokens {first} {to} {after.seq_len}"


def _host_blocks(block_ids: Sequence[int]) -> str:
    noun = "host block" if len(block_ids) == 1 else "host blocks"
    return f"{noun} {listed(block_ids)}"
