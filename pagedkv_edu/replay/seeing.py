"""Read what a watched object says of itself, in whatever way it may fail."""

from collections.abc import Callable, Iterable
from operator import index
from typing import SupportsIndex, TypeGuard, TypeVar, get_args

from pagedkv_edu.protocols import BlockCopy, CopyKind, ManagerLike, SeqId
from pagedkv_edu.replay.events import TableState

D = TypeVar("D")


def see_int(read: Callable[[], SupportsIndex], otherwise: D) -> int | D:
    """Return the int that read gives, or otherwise if it gives none or fails."""
    try:
        return int(index(read()))
    except Exception:  # noqa: BLE001  (a learner's class may fail in any way)
        return otherwise


def see_ints(read: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Return some block ids as plain ints, or none if one is no int."""
    try:
        return tuple(map(int, map(index, read)))
    except Exception:  # noqa: BLE001  (a learner may pass anything)
        return ()


def see_table(manager: ManagerLike, seq_id: SeqId) -> TableState | None:
    """Return a sequence's table, or None if it has none that can be read."""
    try:
        table = manager.table(seq_id)
        block_ids = tuple(map(int, map(index, table.block_ids)))
        return TableState(block_ids, int(index(table.seq_len)))
    except Exception:  # noqa: BLE001  (a learner's table may fail in any way)
        return None


def see_copies(returned: Iterable[object] | None) -> tuple[BlockCopy, ...]:
    """Return the copies in a list that a call returned; what is no copy is left out."""
    if not isinstance(returned, list | tuple):
        return ()
    return tuple(copy for copy in returned if _is_copy(copy))


def see_error(caught: BaseException) -> str:
    """Return an error's name and message on one line."""
    try:
        message = " ".join(str(caught).split())
    except Exception:  # noqa: BLE001  (even its text may fail)
        message = ""
    return f"{type(caught).__name__}: {message}" if message else type(caught).__name__


def _is_copy(copy: object) -> TypeGuard[BlockCopy]:
    return (
        isinstance(copy, BlockCopy)
        and type(copy.source) is int
        and type(copy.target) is int
        and copy.kind in get_args(CopyKind)
    )
