"""The broken caches of the hunt, and the moments in which they are broken."""

from functools import partial

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt import broken_managers as managers
from pagedkv_edu.checks.hunt import cache_moments as when
from pagedkv_edu.checks.hunt import steps
from pagedkv_edu.checks.hunt.engine import Engine
from pagedkv_edu.checks.hunt.kinds import Kind, Right, history_of
from pagedkv_edu.checks.hunt.managers import RightManager, Strikes, always
from pagedkv_edu.checks.hunt.pools import (
    RightPool,
    Take,
    first_freed,
    last_freed,
    lowest,
)
from pagedkv_edu.checks.hunt.steps import CarryOut, in_order
from pagedkv_edu.checks.hunt.under_test import Make
from pagedkv_edu.memory.manager import BlockManager

TAKES: tuple[Take, ...] = (last_freed, first_freed, lowest)
Call = tuple[str, *tuple[int | str, ...]]


def _make(
    kind: type[RightManager],
    strikes: Strikes,
    take: Take,
    carry_out: CarryOut,
    num_blocks: int,
    block_size: int,
) -> Engine:
    def manager(pool: RightPool, block_size: int) -> RightManager:
        return kind(pool, block_size, strikes)

    return Engine(num_blocks, block_size, manager, carry_out, take)


def _library(num_blocks: int, block_size: int) -> Engine:
    return Engine(num_blocks, block_size, BlockManager)


RIGHT = (
    Right(
        "the library's cache",
        _library,
        "It is the cache of lesson 05.",
    ),
    Right(
        "a cache that takes the block that is free for longest",
        partial(_make, RightManager, always, first_freed, in_order),
        "It takes the block that has been free for longest. Any free block will do.",
    ),
    Right(
        "a cache that takes the lowest block",
        partial(_make, RightManager, always, lowest, in_order),
        "It takes the free block with the lowest id. Any free block will do.",
    ),
)

_SIZES = (when.in_blocks_of_2, when.in_blocks_of_3, when.in_blocks_of_4_or_more)
_PLACES = (
    when.from_the_second_block,
    when.in_the_first_block,
    when.from_the_third_block,
)
_OWNERS = (when.with_3_owners, when.with_2_owners)
_SLOTS = (when.at_the_last_slot, when.before_the_last_slot)


def _kind(
    title: str,
    why: str,
    kind: type[RightManager],
    moments: tuple[Strikes, ...],
    calls: tuple[Call, ...],
    hint: str,
    *,
    is_shown: bool = False,
    num_blocks: int = 8,
) -> Kind:
    variants: list[Make] = [
        partial(_make, kind, moment, TAKES[i % 3], in_order)
        for i, moment in enumerate(moments)
    ]
    shown = partial(_make, kind, always, last_freed, in_order)
    history = history_of(num_blocks, 4, *calls)
    return Kind(
        title, why, kind.__name__, shown, tuple(variants), history, hint, is_shown
    )


def _engine_kind(
    title: str,
    why: str,
    carry_out: CarryOut,
    calls: tuple[Call, ...],
    *,
    is_shown: bool = False,
) -> Kind:
    makes: list[Make] = [
        partial(_make, RightManager, always, take, carry_out) for take in TAKES
    ]
    history = history_of(8, 4, *calls)
    return Kind(
        title,
        why,
        carry_out.__name__,
        makes[0],
        tuple(makes),
        history,
        hint.CACHE_STEPS,
        is_shown,
    )


_FORKED: tuple[Call, ...] = (("add", "A", 6), ("run",), ("fork", "A", "B"))

# C leaves the block that it shares with D, D ends, and A's copy lands in that block.
_COPY_INTO_A_SOURCE: tuple[Call, ...] = (
    ("add", "A", 2),
    ("add", "C", 2),
    ("run",),
    ("fork", "A", "B"),
    ("fork", "C", "D"),
    ("append", "C"),
    ("free", "D"),
    ("append", "A"),
    ("run",),
)

KINDS = (
    _kind(
        "a shared block is written",
        "a token that goes into a block that others read goes into a copy of it.",
        managers.WritesIntoSharedBlocks,
        (*_OWNERS, *_SLOTS, *_PLACES, when.in_blocks_of_3),
        (*_FORKED, ("append", "A"), ("append", "B"), ("run",)),
        hint.CACHE_WORDS,
        is_shown=True,
    ),
    _kind(
        "the last block is full and is taken for empty",
        "at a boundary the next token needs a new block.",
        managers.TakesAFullTailForEmpty,
        (*_PLACES, *_SIZES),
        (("add", "A", 4), ("run",), ("append", "A"), ("run",)),
        hint.CACHE_BOUNDARY,
        is_shown=True,
    ),
    _kind(
        "a fork counts a block twice",
        "a fork adds one reference to each block.",
        managers.ForkCountsTheTailTwice,
        (*_PLACES, *_SIZES, *_OWNERS[1:]),
        (*_FORKED, ("free", "A"), ("free", "B")),
        hint.CACHE_ENDS,
        is_shown=True,
    ),
    _kind(
        "a refused append has changed the length",
        "a call that is refused leaves everything as it was.",
        managers.FailsHalfway,
        (*_PLACES[:2], *_SIZES),
        (("add", "A", 4), ("run",), ("append", "A")),
        hint.CACHE_REFUSED,
        is_shown=True,
        num_blocks=1,
    ),
    _engine_kind(
        "the copies of a step are run as one batch",
        "copies are carried out one by one, in the order in which they were asked for.",
        steps.last_copy_first,
        _COPY_INTO_A_SOURCE,
        is_shown=True,
    ),
    _kind(
        "the copy is not asked for",
        "a token that goes into a block that others read goes into a copy of it.",
        managers.ForgetsTheCopy,
        (*_OWNERS, *_SLOTS, *_PLACES),
        (*_FORKED, ("append", "A"), ("run",)),
        hint.CACHE_WORDS,
    ),
    _kind(
        "the last owner copies its own block",
        "a block that one sequence holds is written in place.",
        managers.LastOwnerCopies,
        (*_SLOTS, *_PLACES[:2], when.in_blocks_of_3),
        (*_FORKED, ("append", "A"), ("append", "B")),
        hint.CACHE_COUNTS,
    ),
    _kind(
        "a full block is copied",
        "at a boundary nothing is copied: the next token goes into a new block.",
        managers.CopiesAFullBlock,
        (*_OWNERS, *_PLACES[:2], when.in_blocks_of_2),
        (("add", "A", 4), ("run",), ("fork", "A", "B"), ("append", "A")),
        hint.CACHE_BOUNDARY,
    ),
    _kind(
        "a block is taken one token early",
        "a block is taken with the first token that goes into it.",
        managers.GrowsOneTokenEarly,
        (*_PLACES, *_SIZES),
        (("add", "A", 3), ("run",), ("append", "A")),
        hint.CACHE_BOUNDARY,
    ),
    _kind(
        "a fork does not count the last block",
        "a fork adds one reference to each block, the partly filled one too.",
        managers.ForkSharesFullBlocksOnly,
        (*_PLACES[:2], *_SIZES, *_OWNERS[1:]),
        (*_FORKED, ("free", "A"), ("add", "C", 4)),
        hint.CACHE_WORDS,
    ),
    _kind(
        "a copied block is never given back",
        "a sequence that leaves a block drops its reference.",
        managers.KeepsTheCopiedBlock,
        (*_OWNERS, *_SLOTS, *_PLACES[:2]),
        (*_FORKED, ("append", "A"), ("free", "A"), ("free", "B")),
        hint.CACHE_ENDS,
    ),
    _kind(
        "the last block of a sequence never comes back",
        "a sequence that ends drops every reference.",
        managers.KeepsTheTailAtTheEnd,
        (*_PLACES, *_SLOTS[1:], when.in_blocks_of_3),
        (("add", "A", 6), ("run",), ("free", "A")),
        hint.CACHE_ENDS,
    ),
    _kind(
        "a child has its parent's list of blocks",
        "a fork gives the child a table of its own.",
        managers.ForkSharesTheList,
        (*_PLACES, *_SIZES),
        (
            ("add", "A", 4),
            ("run",),
            ("fork", "A", "B"),
            ("append", "A"),
            ("append", "B"),
        ),
        hint.CACHE_WORDS,
    ),
    _engine_kind(
        "one copy of a step is carried out, and the others are not",
        "every copy of a step is carried out.",
        steps.only_first_copy,
        (
            *_FORKED,
            ("fork", "A", "C"),
            ("append", "A"),
            ("append", "B"),
            ("run",),
        ),
    ),
    _engine_kind(
        "the new words are written before the copies",
        "the copies of a step come first, and then the writes.",
        steps.writes_first,
        (*_FORKED, ("append", "A"), ("append", "B"), ("run",)),
    ),
)
