"""The broken servers of the hunt: which there are, and how they differ."""

from functools import partial

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt import broken_servers
from pagedkv_edu.checks.hunt.kinds import Kind, Right, history_of
from pagedkv_edu.checks.hunt.pools import Take, first_freed, last_freed, lowest
from pagedkv_edu.checks.hunt.servers import NeverHits, OneAtATime, RightServer
from pagedkv_edu.checks.hunt.under_test import Make

TAKES: tuple[Take, ...] = (last_freed, first_freed, lowest)
Call = tuple[str, *tuple[int | str | tuple[int, ...], ...]]


def _make(
    kind: type[RightServer], at: int, take: Take, num_blocks: int, block_size: int
) -> RightServer:
    return kind(num_blocks, block_size, at, take)


RIGHT = (
    Right(
        "a server that shares blocks and preempts whoever came last",
        partial(_make, RightServer, 1, last_freed),
        "It serves every request to its end, the oldest first.",
    ),
    Right(
        "a server that never finds a block again",
        partial(_make, NeverHits, 1, first_freed),
        "It computes every prompt whole. A cache saves time and changes no answer.",
    ),
    Right(
        "a server that serves one request at a time",
        partial(_make, OneAtATime, 1, lowest),
        "It lets a request in when nobody else runs. That is slow, and within the "
        "bound.",
    ),
)


def _kind(
    title: str,
    why: str,
    kind: type[RightServer],
    ats: tuple[int, ...],
    calls: tuple[Call, ...],
    hint: str,
    *,
    is_shown: bool = False,
    num_blocks: int = 4,
    block_size: int = 2,
) -> Kind:
    variants: list[Make] = [
        partial(_make, kind, at, TAKES[i % 3]) for i, at in enumerate(ats)
    ]
    return Kind(
        title,
        why,
        kind.__name__,
        partial(_make, kind, 1, last_freed),
        tuple(variants),
        history_of(num_blocks, block_size, *calls),
        hint,
        is_shown,
    )


def _ids(first: int, num: int) -> tuple[int, ...]:
    return tuple(range(first, first + num))


KINDS = (
    _kind(
        "two requests wait for each other's blocks",
        "every request that fits into the pool is served to its end.",
        broken_servers.WaitsWithItsBlocks,
        (1, 1, 1),
        (
            ("submit", "A", _ids(1, 3), 4),
            ("submit", "B", _ids(11, 3), 4),
            ("steps", 16),
        ),
        hint.SERVER_ENDS,
        is_shown=True,
    ),
    _kind(
        "a request that never fits waits, and everybody behind it",
        "submit raises NeverFits if prompt and answer need more blocks than there are.",
        broken_servers.QueuesWhatNeverFits,
        (1, 2, 3),
        (("submit", "A", _ids(1, 6), 3),),
        hint.SERVER_REFUSES,
        is_shown=True,
    ),
    _kind(
        "a block is found after it was given away",
        "a block that is given away is forgotten.",
        broken_servers.ServesAnEvictedBlock,
        (1, 2, 3),
        (
            ("submit", "A", _ids(1, 5), 1),
            ("steps", 4),
            ("submit", "B", _ids(11, 7), 1),
            ("steps", 4),
            ("submit", "C", _ids(1, 5), 1),
            ("steps", 4),
        ),
        hint.SERVER_ANSWERS,
        is_shown=True,
    ),
    _kind(
        "only the low byte of a token is hashed",
        "a block is found by its tokens, and 65 and 321 are two tokens.",
        broken_servers.HashesTheLowByte,
        (1, 4, 6),
        (
            ("submit", "A", (65, 65, 1), 1),
            ("steps", 3),
            ("submit", "B", (321, 321, 1), 1),
            ("steps", 3),
        ),
        hint.SERVER_ANSWERS,
        is_shown=True,
    ),
    _kind(
        "a request of exactly the pool is refused",
        "a request that needs every block of the pool fits.",
        broken_servers.RefusesTheWholePool,
        (1, 2, 2),
        (("submit", "A", _ids(1, 6), 2),),
        hint.SERVER_REFUSES,
    ),
    _kind(
        "two requests take blocks from each other for ever",
        "every request that fits into the pool is served to its end.",
        broken_servers.TakesFromAnybody,
        (1, 2, 1),
        (
            ("submit", "A", _ids(1, 2), 3),
            ("submit", "B", _ids(11, 2), 3),
            ("steps", 12),
        ),
        hint.SERVER_ENDS,
        num_blocks=3,
    ),
    _kind(
        "an old request waits as long as new ones come",
        "a request ends within as many steps as it and those before it have tokens.",
        broken_servers.NewestFirst,
        (1, 2, 3),
        (
            ("submit", "A", _ids(1, 5), 3),
            ("submit", "B", _ids(11, 5), 3),
            ("submit", "C", _ids(21, 5), 3),
            ("submit", "D", _ids(31, 5), 3),
            ("steps", 9),
        ),
        hint.SERVER_STARVES,
        num_blocks=2,
        block_size=4,
    ),
    _kind(
        "whoever needs a block gives up its own and goes to the end",
        "a request ends within as many steps as it and those before it have tokens.",
        broken_servers.GivesUpItself,
        (1, 1, 1),
        (("submit", "A", (1,), 3), ("submit", "B", (11,), 3), ("steps", 5)),
        hint.SERVER_STARVES,
        num_blocks=2,
    ),
    _kind(
        "equal tokens after another beginning are taken for the same",
        "a block is found by all tokens up to its end.",
        broken_servers.HashesTheBlockAlone,
        (1, 2, 1),
        (
            ("submit", "A", (1, 2, 3, 4, 5), 1),
            ("steps", 4),
            ("submit", "B", (3, 4, 5), 1),
            ("steps", 4),
        ),
        hint.SERVER_ANSWERS,
    ),
    _kind(
        "a block is found before it is written",
        "a block is found when it is full and written.",
        broken_servers.FindsWhatIsNotWritten,
        (1, 2, 1),
        (
            ("submit", "A", _ids(1, 5), 1),
            ("submit", "B", _ids(1, 5), 1),
            ("steps", 6),
        ),
        hint.SERVER_ANSWERS,
    ),
    _kind(
        "a prompt that is found whole gets no answer",
        "the last token of a prompt is computed, also where all of it is known.",
        broken_servers.LeavesNothingToCompute,
        (1, 2, 3),
        (
            ("submit", "A", (1, 2), 1),
            ("steps", 2),
            ("submit", "B", (1, 2), 1),
            ("steps", 4),
        ),
        hint.SERVER_AGAIN,
    ),
    _kind(
        "a finished request keeps a reference",
        "when nothing runs, every block is free or only the cache's.",
        broken_servers.KeepsBlocksAtTheEnd,
        (1, 2, 3),
        (("submit", "A", _ids(1, 3), 1), ("steps", 2)),
        hint.SERVER_FREE,
    ),
    _kind(
        "a block that only the cache holds is counted twice",
        "a block of a hit is used up by it, and is not free as well.",
        broken_servers.CountsIdleBlocksTwice,
        (1, 2, 1),
        (
            ("submit", "A", _ids(1, 5), 1),
            ("steps", 4),
            ("submit", "B", (11,), 3),
            ("submit", "C", _ids(1, 7), 1),
            ("steps", 1),
        ),
        hint.SERVER_AGAIN,
    ),
    _kind(
        "a preempted request comes back without a token",
        "preemption changes when an answer comes, and not the answer.",
        broken_servers.ComesBackOneShort,
        (1, 2, 1),
        (
            ("submit", "A", _ids(1, 3), 4),
            ("submit", "B", _ids(11, 3), 4),
            ("steps", 16),
        ),
        hint.SERVER_ANSWERS,
    ),
)
