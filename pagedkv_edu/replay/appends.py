"""Say what an append did: a copy, new blocks, or a write in place."""

from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.replay.wording import Told, amount, blocks, event_tokens, still


def tell_append(frame: Frame, seq_id: SeqId) -> Told | None:
    """Return headline and sentence, or None if neither would be true."""
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
