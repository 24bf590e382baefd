"""The broken pools of the hunt, and the moments in which they are broken."""

from functools import partial

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt import pools
from pagedkv_edu.checks.hunt.kinds import A, Kind, Right, history_of
from pagedkv_edu.checks.hunt.pools import RightPool, Strikes, Take, always
from pagedkv_edu.checks.hunt.under_test import Make

TAKES: tuple[Take, ...] = (pools.last_freed, pools.first_freed, pools.lowest)


def _make(
    kind: type[RightPool], take: Take, strikes: Strikes, num_blocks: int, _: int
) -> RightPool:
    return kind(num_blocks, take, strikes)


RIGHT = (
    Right(
        "a pool that hands out the block freed last",
        partial(_make, RightPool, pools.last_freed, always),
        "It hands out the block that was freed last. Any free block will do.",
    ),
    Right(
        "a pool that hands out the block that is free for longest",
        partial(_make, RightPool, pools.first_freed, always),
        "It hands out the block that has been free for longest. Any free block will "
        "do.",
    ),
    Right(
        "a pool that hands out the lowest block",
        partial(_make, RightPool, pools.lowest, always),
        "It hands out the free block with the lowest id. Any free block will do.",
    ),
)

# --- moments -------------------------------------------------------------------------


def _in_block_0(pool: RightPool, block_id: int) -> bool:
    return block_id == 0


def _in_the_last_block(pool: RightPool, block_id: int) -> bool:
    return block_id == pool.num_blocks - 1


def _in_odd_blocks(pool: RightPool, block_id: int) -> bool:
    return block_id % 2 == 1


def _while_others_are_in_use(pool: RightPool, block_id: int) -> bool:
    others = sum(
        count > 0 for other, count in enumerate(pool.counts) if other != block_id
    )
    return others > 0


def _while_nothing_else_is_in_use(pool: RightPool, block_id: int) -> bool:
    return not _while_others_are_in_use(pool, block_id)


def _with_3_owners(pool: RightPool, block_id: int) -> bool:
    return pool.counts[block_id] >= 3


def _in_pools_of_3_or_more(pool: RightPool, block_id: int) -> bool:
    return pool.num_blocks >= 3


def _in_pools_of_1_or_2(pool: RightPool, block_id: int) -> bool:
    return pool.num_blocks <= 2


_ANYWHERE = (_in_block_0, _in_the_last_block, _in_odd_blocks)
_BUSY = (_while_others_are_in_use, _while_nothing_else_is_in_use)
_SIZES = (_in_pools_of_3_or_more, _in_pools_of_1_or_2)


def _kind(
    title: str,
    why: str,
    kind: type[RightPool],
    moments: tuple[Strikes, ...],
    calls: tuple[tuple[str, *tuple[int | str, ...]], ...],
    hint: str,
    *,
    is_shown: bool = False,
    num_blocks: int = 2,
) -> Kind:
    variants: list[Make] = [
        partial(_make, kind, TAKES[i % 3], moment) for i, moment in enumerate(moments)
    ]
    return Kind(
        title,
        why,
        kind.__name__,
        partial(_make, kind, pools.last_freed, always),
        tuple(variants),
        history_of(num_blocks, 1, *calls),
        hint,
        is_shown,
    )


KINDS = (
    _kind(
        "a block is freed twice",
        "free of a block that nobody holds is refused with NotAllocated.",
        pools.FreesABlockTwice,
        (*_ANYWHERE, *_BUSY),
        (("a = allocate",), ("free", A), ("free", A)),
        hint.POOL_MISUSE,
        is_shown=True,
    ),
    _kind(
        "a block is free while somebody holds it",
        "free drops one reference; the block is free when the last one is dropped.",
        pools.FreesWhatOthersHold,
        (*_ANYWHERE, *_BUSY, _with_3_owners),
        (("a = allocate",), ("share", A), ("free", A)),
        hint.POOL_COUNTS,
        is_shown=True,
    ),
    _kind(
        "a block never comes back",
        "when its last reference is dropped, a block is free again.",
        pools.NeverGivesBack,
        (*_ANYWHERE, *_BUSY),
        (("a = allocate",), ("free", A)),
        hint.POOL_COUNTS,
        is_shown=True,
    ),
    _kind(
        "the last free block is refused",
        "a pool of 2 blocks hands out 2 blocks.",
        pools.KeepsOneBlockBack,
        (*_ANYWHERE, *_SIZES),
        (("a = allocate",), ("b = allocate",)),
        hint.POOL_EDGES,
        is_shown=True,
    ),
    _kind(
        "a block that nobody holds is shared",
        "share of a block that nobody holds is refused with NotAllocated.",
        pools.SharesAFreeBlock,
        (*_ANYWHERE, *_BUSY),
        (("a = allocate",), ("free", A), ("share", A)),
        hint.POOL_MISUSE,
    ),
    _kind(
        "a full pool hands out a block in use",
        "allocate raises OutOfBlocks when no block is free.",
        pools.HandsOutABlockInUse,
        (_in_odd_blocks, *_SIZES),
        (("a = allocate",), ("b = allocate",), ("c = allocate",)),
        hint.POOL_EDGES,
    ),
    _kind(
        "a negative id frees the block that a list finds",
        "an id that is not in the pool is refused with NotAllocated.",
        pools.TakesANegativeId,
        (
            lambda pool, block_id: block_id == -1,
            lambda pool, block_id: block_id == -pool.num_blocks,
            _in_pools_of_3_or_more,
        ),
        (("a = allocate",), ("b = allocate",), ("free", -1)),
        hint.POOL_MISUSE,
    ),
    _kind(
        "a third owner is not counted",
        "share adds one reference, however many there are.",
        pools.CountsToTwo,
        (*_ANYWHERE, *_BUSY),
        (("a = allocate",), ("share", A), ("share", A)),
        hint.POOL_COUNTS,
    ),
    _kind(
        "a refused call has changed something",
        "a call that is refused leaves everything as it was.",
        pools.ChangesBeforeItRefuses,
        (*_ANYWHERE, *_BUSY),
        (("a = allocate",), ("free", A), ("free", A)),
        hint.POOL_REFUSED,
    ),
)
