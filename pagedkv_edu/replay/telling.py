"""Say what a call of a manager did, as a headline and a sentence.

Each teller first checks that what was seen is what its sentence says, and otherwise
gives up. Then the call is told as it was seen: copies, blocks taken, the table.
"""

from collections.abc import Callable, Sequence

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.appends import tell_append
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.replay.wording import (
    Told,
    amount,
    blocks,
    call_text,
    copies_text,
    event_tokens,
    listed,
    table_text,
)


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
        is_prefix = table.block_ids[:num_there] == frame.event.prefix
        there = "the prefix" if is_prefix else "what it did not take"
        begins = f"It begins with {there}, {blocks(table.block_ids[:num_there])}"
        return (
            f"{seq_id} arrives and {takes}",
            f"{arrives}. {begins}, and {takes}.",
        )
    return f"{seq_id} arrives and {takes}", f"{arrives} and {takes}."


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
    "append": tell_append,
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


def _host_blocks(block_ids: Sequence[int]) -> str:
    noun = "host block" if len(block_ids) == 1 else "host blocks"
    return f"{noun} {listed(block_ids)}"
