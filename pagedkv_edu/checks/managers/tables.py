"""Compare tables, counts and words after one call of two managers."""

from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import amount, counted
from pagedkv_edu.checks.managers.steps import Step, tables_of


def no_such_block(step: Step) -> Finding | None:
    """Find an id in a table that is no block of the pool, or is there twice."""
    last = len(step.mine.after.counts) - 1
    for seq_id, table in step.mine.after.tables.items():
        ids = list(table.block_ids)
        for block_id in ids:
            if not 0 <= block_id <= last or ids.count(block_id) > 1:
                what = (
                    f"names block {block_id}; the pool has blocks 0 to {last}"
                    if not 0 <= block_id <= last
                    else f"holds block {block_id} twice"
                )
                return Finding(
                    "order",
                    f"after {step.call}, {seq_id}'s table {what}",
                    "different blocks of the pool, one for each part of the sequence.",
                    f"{seq_id}'s table is {ids}.",
                    f'manager.table("{seq_id}").block_ids',
                    str(ids),
                    "different blocks",
                )
    return None


def counts_differ(step: Step) -> Finding | None:
    """Count: as many references as tables. Without it, a shared list looks right."""
    after = step.mine.after
    owners_by_block = {b: after.owners(b) for b in range(len(after.counts))}
    # too few references first: such a block may be handed out while it is in use
    blocks = sorted(
        owners_by_block, key=lambda b: after.counts[b] - len(owners_by_block[b])
    )
    for block_id in blocks:
        owners, count = owners_by_block[block_id], after.counts[block_id]
        if len(owners) == count:
            continue
        title = (
            f"after {step.call}, block {block_id} is in "
            f"{counted(len(owners), 'table')} and has ref_count {count}"
        )
        other = other_table_differs(step)
        if other:
            verb = "holds" if len(owners) < 2 else "hold"
            hold = f"{counted(len(owners), 'table')} {verb} block {block_id}"
            return Finding(
                other.kind,
                title,
                other.expected,
                f"{other.found} {hold.capitalize()}; its ref_count is {count}.",
                other.compared,
                other.found_value,
                other.expected_value,
            )
        return Finding(
            "count too high" if count > len(owners) else "count too low",
            title,
            f"ref_count {len(owners)} for block {block_id}: "
            "as many references as tables that hold it.",
            f"block {block_id} is in {tables_of(owners)}; its ref_count is {count}.",
            f"pool.ref_count({block_id})",
            str(count),
            str(len(owners)),
        )
    return None


def other_table_differs(step: Step) -> Finding | None:
    """Find a sequence that changed although the call does not concern it."""
    before, after = step.mine.before.tables, step.mine.after.tables
    for seq_id, old in before.items():
        new = after.get(seq_id)
        if seq_id == step.seq_id or new is None or new == old:
            continue
        compared, found, expected = f'manager.table("{seq_id}")', "", ""
        if new.block_ids != old.block_ids:
            compared += ".block_ids"
            found, expected = str(list(new.block_ids)), str(list(old.block_ids))
        else:
            compared += ".seq_len"
            found, expected = str(new.seq_len), str(old.seq_len)
        return Finding(
            "other table",
            f"{step.call} changed {seq_id}'s table too",
            f"only {step.seq_id}'s table to change; {seq_id}'s stays {expected}.",
            f"{seq_id}'s table changed too, from {expected} to {found}.",
            compared,
            found,
            expected,
        )
    return None


def still_there(step: Step) -> Finding | None:
    """Find a sequence that has a table although it is gone, or was never made."""
    for seq_id in step.mine.after.tables.keys() - step.wanted.after.tables.keys():
        return Finding(
            "gone",
            f'after {step.call}, table("{seq_id}") still answers',
            f"UnknownSequence: no sequence is called {seq_id} now.",
            f"{seq_id}'s table is {list(step.mine.after.tables[seq_id].block_ids)}.",
            f'manager.table("{seq_id}")',
            "a table",
            "UnknownSequence",
        )
    return None


def length_differs(step: Step) -> Finding | None:
    """Compare the number of tokens of the sequence that acts."""
    found, wanted = step.after.seq_len, step.wanted_after.seq_len
    if found == wanted:
        return None
    ids = list(step.after.block_ids)
    return Finding(
        "length",
        f"after {step.call}, {step.seq_id}'s seq_len is {found}; expected {wanted}",
        f"seq_len {wanted}: {_why_length(step)}.",
        f"{step.seq_id}'s table is {ids}, with seq_len {found}.",
        f'manager.table("{step.seq_id}").seq_len',
        str(found),
        str(wanted),
    )


def num_blocks_differ(step: Step) -> Finding | None:
    """Compare the size of the table of the sequence that acts."""
    found, wanted = len(step.after.block_ids), len(step.wanted_after.block_ids)
    taken, wanted_taken = step.mine.num_taken, step.wanted.num_taken
    if found == wanted and taken == wanted_taken:
        return None
    if taken != wanted_taken and min(taken, wanted_taken) >= 0:
        title = (
            f"{step.call} took {counted(taken, 'block')}; "
            f"expected {counted(wanted_taken, 'block') if wanted_taken else 'none'}"
        )
    else:
        size = amount(found, "block")
        title = (
            f"after {step.call}, {step.seq_id}'s table has {size}; expected {wanted}"
        )
    ids = list(step.after.block_ids)
    early = wanted_taken < taken
    compared = f'len(manager.table("{step.seq_id}").block_ids)'
    values = str(found), str(wanted)
    if found == wanted:
        compared = "pool.num_free"
        values = str(step.mine.after.num_free), str(step.wanted.after.num_free)
    return Finding(
        "too many blocks" if early or found > wanted else "too few blocks",
        title,
        _why_num_blocks(step),
        f"{step.seq_id}'s table is {ids}, with seq_len {step.after.seq_len}.",
        compared,
        *values,
    )


def order_differs(step: Step) -> Finding | None:
    """Compare which blocks come first: those held before, and the parent's."""
    ids = list(step.after.block_ids)
    if step.call.name == "fork":
        parent_id = str(step.call.arguments[0])
        front = list(step.mine.before.tables[parent_id].block_ids)
        why = f"{step.seq_id} holds the blocks of {parent_id}, in the same order."
    elif step.call.name == "append":
        front = list(step.before.block_ids)
        front[-1:] = [c.target for c in step.mine.copies] or front[-1:]
        why = "the blocks stay in the order of their tokens; a new block comes last."
    else:
        return None
    if ids[: len(front)] == front:
        return None
    wanted = str([*front, *(b for b in ids if b not in front)][: len(ids)])
    return Finding(
        "order",
        f"after {step.call}, {step.seq_id}'s table is {ids}; expected {wanted}",
        f"{wanted}: {why}",
        f"{step.seq_id}'s table is {ids}.",
        f'manager.table("{step.seq_id}").block_ids',
        str(ids),
        wanted,
    )


def words_differ(step: Step) -> Finding | None:
    """Compare what attention would read."""
    for seq_id, wanted in step.wanted_words.items():
        found = step.words.get(seq_id, "")
        if found != wanted:
            return Finding(
                "words",
                f'after {step.call}, {seq_id} reads "{found}"; expected "{wanted}"',
                f'{seq_id} to read its own words: "{wanted}".',
                f'{seq_id} reads "{found}".',
                f"words of {seq_id}",
                found,
                wanted,
            )
    return None


def _why_length(step: Step) -> str:
    before = step.before.seq_len
    if step.call.name == "fork":
        return f"as many tokens as {step.call.arguments[0]}"
    if step.call.name == "append":
        more = step.wanted_after.seq_len - before
        return f"{amount(before, 'token')} before, and {more} more"
    return "the tokens that it was added with"


def _why_num_blocks(step: Step) -> str:
    seq_id, wanted = step.seq_id, step.wanted_after
    if step.call.name == "fork":
        return (
            f"no new block: {seq_id} shares every block of {step.call.arguments[0]}, "
            "a partly filled last one too."
        )
    taken = step.wanted.num_taken
    held = f", and it held {len(step.before.block_ids)}" if step.before.seq_len else ""
    return (
        f"{counted(taken, 'new block') if taken else 'no new block'}: "
        f"with {amount(wanted.seq_len, 'token')} {seq_id} needs "
        f"{amount(len(wanted.block_ids), 'block')} of {step.block_size} slots{held}."
    )
