"""Compare how two managers refuse a call: with which error, and with what changed."""

from collections.abc import Iterator

from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import be, counted
from pagedkv_edu.checks.managers.steps import State, Step, now
from pagedkv_edu.errors import OutOfBlocks


def error_differs(step: Step) -> Finding | None:
    """Compare whether the call was refused, and with which error."""
    mine, wanted = step.mine.error, step.wanted.error
    if wanted is None:
        name = type(mine).__name__
        return Finding(
            "refused",
            f"{step.call} raised {name}; expected no error",
            f"no error: {_needs(step)}.",
            f"{name}: {mine}.",
            str(step.call),
            name,
            "no error",
        )
    # where a call is wrong in two ways, either error is right; lack of blocks is ours
    # only if nothing else is wrong with the call
    name = type(wanted).__name__
    why = f" {_needs(step).capitalize()}." if isinstance(wanted, OutOfBlocks) else ""
    expected = f"{name}, and everything as it was before.{why or f' {wanted}.'}"
    if mine is None:
        return Finding(
            "accepted",
            f"{step.call} returned; expected {name}",
            expected,
            f"no error. {now(step)}",
            str(step.call),
            "no error",
            name,
        )
    if isinstance(wanted, OutOfBlocks) and not isinstance(mine, OutOfBlocks):
        other = type(mine).__name__
        return Finding(
            "accepted",
            f"{step.call} raised {other}; expected {name}",
            expected,
            f"{other}: {mine}.",
            str(step.call),
            other,
            name,
        )
    return None


def changed_although_refused(step: Step) -> Finding | None:
    """Find what a refused call has changed."""
    changes = list(_changes(step.mine.before, step.mine.after))
    if not changes:
        return None
    name = type(step.mine.error).__name__
    why = (
        f" {_needs(step).capitalize()}."
        if isinstance(step.wanted.error, OutOfBlocks)
        else ""
    )
    compared, found_value, expected_value = changes[0][1:]
    return Finding(
        "changed",
        f"{step.call} was refused, but something changed first",
        f"{name}, and everything as it was before.{why}",
        f"{name}, but: {'; '.join(text for text, *_ in changes)}.",
        compared,
        found_value,
        expected_value,
    )


def _changes(before: State, after: State) -> Iterator[tuple[str, str, str, str]]:
    for seq_id in {**before.tables, **after.tables}:
        old, new = before.tables.get(seq_id), after.tables.get(seq_id)
        table = f'manager.table("{seq_id}")'
        if old is None or new is None:
            there, gone = ("there", "gone") if old is None else ("gone", "there")
            yield f"{seq_id} is {there}", table, there, gone
            continue
        old_ids, new_ids = list(old.block_ids), list(new.block_ids)
        if old.seq_len != new.seq_len:
            text = f"{seq_id}'s seq_len {old.seq_len} -> {new.seq_len}"
            yield text, f"{table}.seq_len", str(new.seq_len), str(old.seq_len)
            if old_ids == new_ids:
                still = counted(len(new_ids), "block")
                yield f"{seq_id}'s table still has {still}", "", "", ""
        if old_ids != new_ids:
            text = f"{seq_id}'s table {old_ids} -> {new_ids}"
            yield text, f"{table}.block_ids", str(new_ids), str(old_ids)
    if before.num_free != after.num_free:
        text = f"free blocks {before.num_free} -> {after.num_free}"
        yield text, "pool.num_free", str(after.num_free), str(before.num_free)
    for block_id, counts in enumerate(zip(before.counts, after.counts, strict=True)):
        if counts[0] != counts[1] and before.num_free == after.num_free:
            text = f"block {block_id}'s ref_count {counts[0]} -> {counts[1]}"
            compared = f"pool.ref_count({block_id})"
            yield text, compared, str(counts[1]), str(counts[0])


def _needs(step: Step) -> str:
    """Say how many blocks the call needs, and how many there are."""
    num_free = step.mine.before.num_free
    if not step.num_needed:
        return f"{step.call} needs no free block"
    needed = f"{step.num_needed} free {'block' if step.num_needed == 1 else 'blocks'}"
    return f"the call needs {needed}; there {be(num_free)} {num_free}"
