"""The growth explorer: what is promised to a sequence, and what it holds."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import cdiv, require_positive
from pagedkv_edu.viz import assets

MakePool = Callable[[int], PoolLike]
MakeManager = Callable[[PoolLike, int], ManagerLike]

SCRIPTS = ("buttons.js", "growth_strips.js", "growth_lens.js", "growth.js")
BLOCK_SIZES = (4, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Change:
    """What is held from this length on."""

    seq_len: int
    num_held: int  # blocks that the pool misses
    block_ids: tuple[int, ...]  # the whole table


@dataclass(frozen=True, slots=True)
class Growth:
    """What was seen of one sequence that grew token by token."""

    block_size: int
    max_len: int
    seq_len: int  # the length that was reached
    changes: tuple[Change, ...]
    error: str = ""  # why it stopped before max_len

    def num_held(self, seq_len: int) -> int:
        """Return the blocks held at a length."""
        held = [change.num_held for change in self.changes if change.seq_len <= seq_len]
        return held[-1] if held else 0


def watch_growth(
    manager: ManagerLike, pool: PoolLike, *, block_size: int, max_len: int
) -> Growth:
    """Grow one sequence from 1 token to max_len, and keep what was seen.

    Only observations are kept, so a wrong manager is shown as it is; an error that it
    raises ends the growth and is kept too.

    >>> pool = BlockPool(4)
    >>> seen = watch_growth(BlockManager(pool, 4), pool, block_size=4, max_len=16)
    >>> [seen.num_held(seq_len) for seq_len in (3, 4, 5)]
    [1, 1, 2]
    """
    changes: list[Change] = []
    seq_len, error = 0, ""
    try:
        manager.add("A", 1)
        for seq_len in range(1, max_len + 1):
            if seq_len > 1:
                manager.append("A")
            block_ids = tuple(manager.table("A").block_ids)
            num_held = pool.num_blocks - pool.num_free
            if not changes or (num_held, block_ids) != _held(changes[-1]):
                changes.append(Change(seq_len, num_held, block_ids))
    except Exception as caught:  # noqa: BLE001  (a learner's code may fail in any way)
        error = f"{type(caught).__name__}: {caught}"
        seq_len = max(seq_len - 1, 0)
    return Growth(block_size, max_len, seq_len, tuple(changes), error)


def _held(change: Change) -> tuple[int, tuple[int, ...]]:
    return change.num_held, change.block_ids


def growth(
    make_manager: MakeManager = BlockManager,
    make_pool: MakePool = BlockPool,
    *,
    max_len: int = 4096,
    block_size: int = 16,
    start_at: int = 1,
) -> "GrowthExplorer":
    """Return the explorer: one sequence, promised max_len slots, grows into blocks.

    It opens at `start_at` tokens. The blocks are those that `make_manager` takes from
    `make_pool`, so a class of your own is shown doing what it does.
    """
    require_positive("max_len", max_len)
    require_positive("block_size", block_size)
    if not 1 <= require_positive("start_at", start_at) <= max_len:
        raise InvalidSize(f"start_at must be 1 to {max_len}, got {start_at}")
    sizes = sorted({*(size for size in BLOCK_SIZES if size <= max_len), block_size})
    seen = [_grown(make_manager, make_pool, size, max_len) for size in sizes]
    return GrowthExplorer(
        runs=picture(seen),
        max_len=max_len,
        block_size=block_size,
        seq_len=start_at,
    )


def _grown(
    make_manager: MakeManager, make_pool: MakePool, block_size: int, max_len: int
) -> Growth:
    try:
        pool = make_pool(cdiv(max_len, block_size))
        manager = make_manager(pool, block_size)
    except Exception as caught:  # noqa: BLE001  (a learner's code may fail in any way)
        return Growth(block_size, max_len, 0, (), f"{type(caught).__name__}: {caught}")
    return watch_growth(manager, pool, block_size=block_size, max_len=max_len)


def picture(seen: Iterable[Growth]) -> list[Json]:
    """Return growths as JSON; of each table only the entries that are new."""
    return [asdict(growth) | {"changes": _new_entries(growth)} for growth in seen]


def _new_entries(growth: Growth) -> list[Json]:
    """Return the changes, each with how many entries it keeps and those it adds."""
    rows: list[Json] = []
    before: tuple[int, ...] = ()
    for change in growth.changes:
        kept = _common(before, change.block_ids)
        rows.append(
            {
                "seq_len": change.seq_len,
                "num_held": change.num_held,
                "kept": kept,
                "added": list(change.block_ids[kept:]),
            }
        )
        before = change.block_ids
    return rows


def _common(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    if after[: len(before)] == before:
        return len(before)
    pairs = zip(before, after, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(after))


class GrowthExplorer(anywidget.AnyWidget):
    """The widget: it holds what was seen, and its JavaScript does the rest."""

    _esm = assets.script(*SCRIPTS, render="renderGrowth")
    _css = assets.style("growth.css")
    runs = traitlets.List(traitlets.Dict()).tag(sync=True)
    max_len = traitlets.Int().tag(sync=True)
    block_size = traitlets.Int().tag(sync=True)
    seq_len = traitlets.Int().tag(sync=True)
