"""The same sequences at several block sizes, step by step, at one scale."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive
from pagedkv_edu.viz import assets

MakePool = Callable[[int], PoolLike]
MakeManager = Callable[[PoolLike, int], ManagerLike]

SCRIPTS = ("buttons.js", "small_multiples_panels.js", "small_multiples.js")
BLOCK_SIZES = (1, 4, 16, 64)
MOST_SEQUENCES = 5  # one for each hue
MOST_STEPS = 500


@dataclass(frozen=True, slots=True)
class Panel:
    """What was seen at one block size: one entry for each step in every list."""

    block_size: int
    blocks: tuple[tuple[int, ...], ...]  # of each sequence; 0 once it has ended
    taken: tuple[int, ...]  # blocks taken from the pool up to and with this step
    error: str = ""  # why it stopped before the last step


def lengths(requests: Sequence[Request]) -> list[list[int]]:
    """Return the tokens of each sequence at each decode step; 0 once it has ended.

    >>> lengths([Request("A", 6, 3), Request("B", 2, 1)])
    [[6, 2], [7, 0], [8, 0]]
    """
    steps = max(request.num_output_tokens for request in requests)
    return [
        [
            request.num_prompt_tokens + step if step < request.num_output_tokens else 0
            for request in requests
        ]
        for step in range(steps)
    ]


def watch_block_size(
    requests: Sequence[Request],
    block_size: int,
    make_manager: MakeManager = BlockManager,
    make_pool: MakePool = BlockPool,
) -> Panel:
    """Run the requests side by side on one manager, and keep what was seen.

    Only observations are kept, so a wrong manager is shown as it is; an error that it
    raises ends the panel and is kept too.
    """
    blocks: list[tuple[int, ...]] = []
    taken: list[int] = []
    try:
        pool = make_pool(sum(cdiv(r.num_tokens, block_size) for r in requests))
        manager = make_manager(pool, block_size)
        before = [0] * len(requests)
        for now in lengths(requests):
            free = pool.num_free
            freed = _step(manager, before, now)
            blocks.append(
                tuple(_held(manager, i) if n else 0 for i, n in enumerate(now))
            )
            so_far = taken[-1] if taken else 0
            taken.append(so_far + free - pool.num_free + freed)
            before = now
    except Exception as caught:  # noqa: BLE001  (a learner's code may fail in any way)
        error = f"{type(caught).__name__}: {caught}"
        num_seen = min(len(blocks), len(taken))
        return Panel(
            block_size, tuple(blocks[:num_seen]), tuple(taken[:num_seen]), error
        )
    return Panel(block_size, tuple(blocks), tuple(taken))


def _step(manager: ManagerLike, before: Sequence[int], now: Sequence[int]) -> int:
    """Let sequences arrive, grow or end; return the blocks of those that end."""
    num_freed = 0
    for seq_id, (old, new) in enumerate(zip(before, now, strict=True)):
        if not old:
            if new:
                manager.add(seq_id, new)
        elif new:
            manager.append(seq_id)
        else:
            num_freed += _held(manager, seq_id)
            manager.free(seq_id)
    return num_freed


def _held(manager: ManagerLike, seq_id: int) -> int:
    return len(manager.table(seq_id).block_ids)


def small_multiples(
    requests: Sequence[Request],
    make_manager: MakeManager = BlockManager,
    make_pool: MakePool = BlockPool,
    *,
    block_sizes: Sequence[int] = BLOCK_SIZES,
    start_at: int = 0,
) -> "SmallMultiples":
    """Return the widget: a panel for each block size, all at the same step and scale.

    The blocks are those that `make_manager` takes from `make_pool`, so a class of your
    own is shown doing what it does.
    """
    if not 1 <= len(requests) <= MOST_SEQUENCES:
        raise InvalidSize(
            f"give 1 to {MOST_SEQUENCES} requests, got {len(requests)}: "
            "each has a hue of its own"
        )
    if not block_sizes:
        raise InvalidSize("give at least one block size")
    for size in block_sizes:
        require_positive("block_size", size)
    now = lengths(requests)
    if len(now) > MOST_STEPS:
        raise InvalidSize(f"answers of at most {MOST_STEPS} tokens, got {len(now)}")
    if not 0 <= start_at < len(now):
        raise InvalidSize(f"start_at must be 0 to {len(now) - 1}, got {start_at}")
    panels = [
        watch_block_size(requests, size, make_manager, make_pool)
        for size in block_sizes
    ]
    return SmallMultiples(
        names=[str(request.request_id) for request in requests],
        lengths=now,
        panels=[asdict(panel) for panel in panels],
        texts=[describe_step(now, panels, step) for step in range(len(now))],
        step=start_at,
    )


def describe_step(
    now: Sequence[Sequence[int]], panels: Sequence[Panel], step: int
) -> str:
    """Say what all panels hold at a step.

    >>> requests = [Request("A", 6, 3)]
    >>> describe_step(lengths(requests), [watch_block_size(requests, 4)], 2)
    '1 sequence, 8 tokens. Blocks of 4: 2 held, 0 slots empty.'
    """
    live, tokens = sum(n > 0 for n in now[step]), sum(now[step])
    parts = [f"{_amount(live, 'sequence')}, {_amount(tokens, 'token')}."]
    for panel in panels:
        name = f"Blocks of {panel.block_size}"
        if step >= len(panel.blocks):
            parts.append(f"{name}: stopped by {panel.error}")
            continue
        num_held = sum(panel.blocks[step])
        empty = num_held * panel.block_size - tokens
        parts.append(f"{name}: {num_held} held, {_amount(empty, 'slot')} empty.")
    return " ".join(parts)


def steps_that_take(panel: Panel) -> list[int]:
    """Return the steps at which this block size took a block.

    >>> steps_that_take(watch_block_size([Request("A", 7, 4)], 4))
    [0, 2]
    """
    pairs = pairwise((0, *panel.taken))
    return [step for step, (before, after) in enumerate(pairs) if after > before]


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class SmallMultiples(anywidget.AnyWidget):
    """The widget: it holds what was seen, and its JavaScript does the rest."""

    _esm = assets.script(*SCRIPTS, render="renderSmallMultiples")
    _css = assets.style("small_multiples.css")
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lengths = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    panels = traitlets.List(traitlets.Dict()).tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = traitlets.Int().tag(sync=True)
