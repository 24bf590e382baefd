"""Compare the copies that two managers return for one call."""

from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import amount, counted, joined
from pagedkv_edu.checks.managers.steps import Step, now, tables_of
from pagedkv_edu.protocols import BlockCopy


def num_copies_differ(step: Step) -> Finding | None:
    """Compare how many copies came back."""
    num_found, num_wanted = len(step.mine.copies), len(step.wanted.copies)
    if num_found == num_wanted:
        return None
    return Finding(
        "too few copies" if num_found < num_wanted else "too many copies",
        f"{step.call} copied {counted(num_found, 'block')}; "
        f"expected {counted(num_wanted, 'copy')}",
        _why_copy(step) if num_wanted else _why_no_copy(step),
        _found_copies(step) if num_found else _found_no_copy(step),
        "len(copies)",
        str(num_found),
        str(num_wanted),
    )


def _why_copy(step: Step) -> str:
    last = step.before.block_ids[-1]
    filled = step.before.seq_len % step.block_size
    references = amount(step.mine.before.counts[last], "reference")
    return (
        f"one copy: the last block, {last}, is partly filled "
        f"({filled} of {step.block_size} slots) and has {references}."
    )


def _why_no_copy(step: Step) -> str:
    if step.call.name != "append":
        return f"no copy: {step.call.name} copies nothing."
    last, size = step.before.block_ids[-1], step.block_size
    if step.before.seq_len % size:
        return (
            f"no copy: the last block, {last}, has one reference, "
            f"so {step.seq_id} may write into it."
        )
    one = step.after.seq_len - step.before.seq_len == 1
    new = "token goes into a new block" if one else "tokens go into new blocks"
    return (
        f"no copy: the last block, {last}, is full ({size} of {size} slots). "
        f"The new {new}, so nothing is written into block {last}."
    )


def _found_copies(step: Step) -> str:
    made = joined([f"block {c.source} to block {c.target}" for c in step.mine.copies])
    ids = list(step.after.block_ids)
    return f"a copy of {made}, and {step.seq_id}'s table is now {ids}."


def _found_no_copy(step: Step) -> str:
    seq_id, position = step.seq_id, step.before.seq_len
    logical_block, offset = divmod(position, step.block_size)
    if len(step.after.block_ids) <= logical_block:
        return f"no copy. {now(step)}"
    last, block_id = step.before.block_ids[-1], step.after.block_ids[logical_block]
    others = [s for s in step.mine.after.owners(block_id) if s != seq_id]
    if block_id != last:
        return (
            f"no copy, but {seq_id}'s last block has changed from {last} to "
            f"{block_id}: block {block_id} never gets what block {last} holds."
        )
    where = f"slot {offset} of block {block_id}"
    if not others:
        return f"no copy. {seq_id}'s new token is in {where}."
    return (
        f"no copy. {seq_id}'s new token is in {where}; "
        f"block {block_id} is also in {tables_of(others)}."
    )


def copy_differs(step: Step) -> Finding | None:
    """Compare a copy with what became of the table."""
    if not step.mine.copies:
        return None
    copy, last = step.mine.copies[0], step.before.block_ids[-1]
    index = len(step.before.block_ids) - 1
    ids = list(step.after.block_ids)
    target = ids[index] if len(ids) > index else last
    wanted = BlockCopy(last, target)
    if copy == wanted and target != last:
        return None
    if target == last:
        return Finding(
            "wrong copy",
            f"{step.call} returned a copy, but {step.seq_id}'s table is still {ids}",
            f"block {copy.target}, the copy, in place of block {last}.",
            f"{_short(copy)}, and {step.seq_id}'s table is {ids}.",
            f'manager.table("{step.seq_id}").block_ids',
            str(ids),
            str([*ids[:index], copy.target]),
        )
    return Finding(
        "wrong copy",
        f"{step.call} returned {_short(copy)}; expected {_short(wanted)}",
        f"a copy from block {last}, which {step.seq_id} leaves, "
        f"to block {target}, which takes its place in the table.",
        f"{_short(copy)}, and {step.seq_id}'s table is now {ids}.",
        "copies",
        str([copy]),
        str([wanted]),
    )


def _short(copy: BlockCopy) -> str:
    kind = "" if copy.kind == "copy" else f', "{copy.kind}"'
    return f"BlockCopy({copy.source}, {copy.target}{kind})"
