"""What the prefix explorer says: where a lookup ends and why, and what a call did."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pagedkv_edu.replay.describe import amount, listed


@dataclass(frozen=True, slots=True)
class Ghost:
    """The part of a prompt at which a lookup ended."""

    words: tuple[str, ...]
    mark: int | None  # the first word that differs from the nearest block
    label: str  # under the part, in a word or two
    why: str  # a sentence


def ghost(
    words: tuple[str, ...],
    num_hit: int,
    block_size: int,
    chains: Iterable[tuple[str, ...]],
) -> Ghost:
    """Return where the lookup of a prompt ends, after some blocks were found."""
    start = num_hit * block_size
    rest = words[start : start + block_size]
    if len(rest) < block_size:
        return Ghost(
            rest,
            None,
            "not a full block",
            f"The rest is {amount(len(rest), 'token')}: less than a block, so it is "
            "not looked up.",
        )
    siblings = [
        chain[start:]
        for chain in chains
        if len(chain) == start + block_size and chain[:start] == words[:start]
    ]
    if rest in siblings:
        return Ghost(
            rest,
            None,
            "computed again",
            "The last block is cached, but the last token must be computed, and with "
            "it its block.",
        )
    alike = max((_num_alike(rest, other) for other in siblings), default=None)
    if alike is None:
        return Ghost(rest, None, "not cached", "Nothing cached goes on from there.")
    if alike == 0:
        why = f'No cached block goes on with "{rest[0]}".'
    else:
        why = (
            f'The next block begins alike and differs at "{rest[alike]}", so it does '
            "not hit: a block hits as a whole."
        )
    return Ghost(rest, alike, "differs here", why)


def told_lookup(
    name: str, hit: Sequence[int], num_tokens: int, block_size: int
) -> tuple[str, str]:
    """Return headline and text of a lookup."""
    num_rest = num_tokens - len(hit) * block_size
    headline = f"{name} finds {amount(len(hit), 'block')}"
    text = (
        f"{name} looks up its {amount(num_tokens, 'token')}: {blocks(hit)} "
        f"{'holds' if len(hit) == 1 else 'hold'} the first {len(hit) * block_size}, "
        f"and {num_rest} must be computed."
        if hit
        else f"{name} looks up its {amount(num_tokens, 'token')} and finds none. "
        "All must be computed."
    )
    return headline, text


def told_take(
    name: str,
    hit: Sequence[int],
    revived: Sequence[int],
    new: Sequence[int],
    forgotten: Sequence[int],
) -> tuple[str, str]:
    """Return headline and text of taking the blocks of a prompt."""
    headline = f"{name} takes {amount(len(new), 'new block')}"
    parts: list[str] = []
    if hit:
        shared = [b for b in hit if b not in revived]
        if revived:
            are = "was" if len(revived) == 1 else "were"
            parts.append(f"{cap(blocks(revived))} {are} free and {are} revived.")
        if shared:
            are = "is" if len(shared) == 1 else "are"
            parts.append(f"{cap(blocks(shared))} {are} shared.")
    if new:
        what = "the rest" if hit else "all of it"
        parts.append(f"For {what} {name} takes {blocks(new)}.")
    if forgotten:
        headline += f", {len(forgotten)} of them forgotten"
        it = "it held cannot" if len(forgotten) == 1 else "they held cannot"
        parts.append(
            f"{cap(blocks(forgotten))} had been free longest. What {it} be found now."
        )
    return headline, " ".join(parts)


def told_register(
    name: str, fresh: Sequence[int], copies: Mapping[int, int]
) -> tuple[str, str]:
    """Return headline and text of registering what was written."""
    headline = f"{name} registers {amount(len(fresh), 'block')}"
    parts = [f"{name} has computed the rest and written it."]
    if fresh:
        parts.append(f"{cap(blocks(fresh))} can be found from now on.")
    for copy, first in copies.items():
        parts.append(
            f"Block {copy} holds the same words as block {first}, which keeps the name."
        )
    if not fresh and not copies:
        parts.append("That filled no further block, so none is registered.")
    return headline, " ".join(parts)


def told_end(
    name: str, block_ids: Sequence[int], held: set[int], found: Sequence[int]
) -> tuple[str, str]:
    """Return headline and text of the end of a prompt."""
    freed = [b for b in block_ids if b not in held]
    kept = [b for b in freed if b in found]
    stay = "stays" if len(kept) == 1 else "stay"
    headline = f"{name} ends: {amount(len(kept), 'block')} {stay} findable"
    text = f"{name} drops its references, and {blocks(freed) if freed else 'no block'} "
    text += "becomes free." if len(freed) < 2 else "become free."
    if kept:
        text += f" {cap(blocks(kept))} can still be found, until handed out again."
    blank = [b for b in freed if b not in found]
    if blank:
        text += f" {cap(blocks(blank))} cannot."
    return headline, text


def blocks(block_ids: Sequence[int]) -> str:
    """Return "block 3", "blocks 3 and 1"."""
    return f"block{'' if len(block_ids) == 1 else 's'} {listed(block_ids)}"


def cap(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _num_alike(one: Sequence[str], other: Sequence[str]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
