"""Compare a learner's pool with the counts, after one call."""

from collections.abc import Iterator

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.pools.model import Counts, NamedBlocks
from pagedkv_edu.errors import PagedKVError


def refusal_differs(
    call: Call,
    outcome: int | PagedKVError | None,
    refusal: type[PagedKVError],
    mine: NamedBlocks,
    counts: Counts,
) -> Finding | None:
    """Compare a call that must be refused, with nothing changed."""
    name = refusal.__name__
    block_id = None if call.name == "allocate" else mine.id_of(call)
    reason = counts.why_refused(block_id)
    expected = f"{name}, and everything as it was before: {reason}."
    if isinstance(outcome, refusal):
        changes = list(state_differs(call, mine, counts))
        if not changes:
            return None
        found = "; ".join(finding.found.rstrip(".") for finding in changes)
        return Finding(
            "changed",
            f"{call} was refused, but something changed first",
            expected,
            f"{name}, but {found}.",
            changes[0].compared,
            changes[0].found_value,
            changes[0].expected_value,
        )
    if isinstance(outcome, PagedKVError):
        value = type(outcome).__name__
        did, found = f"raised {value}", f"{value}: {outcome}."
    elif outcome is None:
        value, did = "no error", "returned"
        found = f"no error, and num_free is {mine.pool.num_free} now."
    else:
        value, did, found = str(outcome), f"returned block {outcome}", f"{outcome}."
    kind = f"accepted {call.name}"
    if block_id is not None and not counts.has(block_id):
        kind = "accepted id"
    title = f"{call} {did}; expected {name}"
    return Finding(kind, title, expected, found, str(call), value, name)


def refused_wrongly(
    call: Call, error: PagedKVError, mine: NamedBlocks, counts: Counts
) -> Finding:
    """Tell of an error that must not be."""
    name = type(error).__name__
    why = counts.in_use()
    if call.name != "allocate":
        block_id = mine.id_of(call)
        references = amount(counts.by_block[block_id], "reference")
        why = f"block {block_id} is in use and has {references}"
    return Finding(
        f"refused {call.name}",
        f"{call} raised {name}; expected no error",
        f"no error: {why}.",
        f"{name}: {error}.",
        str(call),
        name,
        "no error",
    )


def block_differs(
    call: Call, block_id: int, mine: NamedBlocks, counts: Counts
) -> Finding | None:
    """Look at a block that was handed out: does it exist, and is it free?"""
    last = counts.num_blocks - 1
    if not counts.has(block_id):
        return Finding(
            "no block",
            f"{call} returned {block_id}; the pool has blocks 0 to {last}",
            f"a block from 0 to {last}.",
            f"{block_id}.",
            f"0 <= {call.result} <= {last}",
            "False",
            "True",
        )
    if not counts.by_block[block_id]:
        return None
    owner = next(n for n in mine.names_of(block_id) if n != call.result)
    references = amount(counts.by_block[block_id], "reference")
    return Finding(
        "in use",
        f"{call} returned block {block_id}, which is in use",
        f"a block that nobody holds. Block {block_id} is {owner}, with {references}.",
        f"block {block_id} a second time.",
        f"{call.result} == {owner}",
        "True",
        "False",
    )


def state_differs(call: Call, mine: NamedBlocks, counts: Counts) -> Iterator[Finding]:
    """Compare num_free, every ref_count, and num_blocks."""
    num_blocks, num_free = counts.num_blocks, counts.num_free
    found = mine.pool.num_free
    if found != num_free:
        used = counts.num_used or "none"
        why = f"{amount(num_blocks, 'block')}, {used} of them in use"
        yield _value_differs(call, "num_free", found, num_free, why)
    for block_id in range(num_blocks):
        yield from _count_differs(call, block_id, mine, counts)
    found = mine.pool.num_blocks
    if found != num_blocks:
        why = "it never changes"
        yield _value_differs(call, "num_blocks", found, num_blocks, why)


def _count_differs(
    call: Call, block_id: int, mine: NamedBlocks, counts: Counts
) -> Iterator[Finding]:
    wanted = counts.by_block[block_id]
    what = f"ref_count({[str(block_id), *mine.names_of(block_id)][-1]})"
    if wanted:
        why = "1 for allocate, 1 more for each share, 1 less for each free"
    else:
        why = f"block {block_id} is free"
    try:
        found = mine.pool.ref_count(block_id)
    except PagedKVError as error:
        name = type(error).__name__
        yield Finding(
            "ref_count raised",
            f"after {call}, {what} raised {name}; expected {wanted}",
            f"{what} is {wanted}: {why}.",
            f"{name}: {error}.",
            f"pool.{what}",
            name,
            str(wanted),
        )
        return
    if found != wanted:
        yield _value_differs(call, what, found, wanted, why)


def _value_differs(call: Call, what: str, found: int, wanted: int, why: str) -> Finding:
    name = what.split("(")[0]
    kind = f"{name} too {'high' if found > wanted else 'low'}"
    if (call.name, name) == ("share", "num_free"):
        kind = "num_free after share"
    return Finding(
        kind,
        f"after {call}, {what} is {found}; expected {wanted}",
        f"{what} is {wanted}: {why}.",
        f"{what} is {found}.",
        f"pool.{what}",
        str(found),
        str(wanted),
    )
