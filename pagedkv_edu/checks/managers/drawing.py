"""Draw histories of a manager's calls."""

from collections.abc import Sequence
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.managers.words import make_call
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool

NAMES = "ABCD"
MIN_CALLS = 4
MAX_CALLS = 9


def manager_histories(*, with_fork: bool) -> SearchStrategy[History]:
    """Draw calls that are mostly possible, in pools that are sometimes full."""
    kinds = ("add", "append", "append", "append", "free") + ("fork", "fork") * with_fork
    # Three bytes a call: one draw for all of them takes a tenth of the time of many.
    return st.builds(
        partial(_history, kinds),
        st.sampled_from((8, 8, 3, 2, 1, 5)),
        st.sampled_from((4, 4, 4, 2, 3, 1)),
        st.binary(min_size=3 * MIN_CALLS, max_size=3 * MAX_CALLS),
    )


def _history(
    kinds: Sequence[str], num_blocks: int, block_size: int, choices: bytes
) -> History:
    history = History((("num_blocks", num_blocks), ("block_size", block_size)), ())
    manager = new_manager(history)
    calls: list[Call] = []
    for i in range(0, len(choices) - 2, 3):
        call = _call(kinds, manager, block_size, choices[i : i + 3])
        error_of(manager, call)
        calls.append(call)
    return history.with_calls(tuple(calls))


def _call(
    kinds: Sequence[str], manager: BlockManager, block_size: int, choices: bytes
) -> Call:
    live = [seq_id for seq_id in NAMES if is_live(manager, seq_id)]
    dead = [seq_id for seq_id in NAMES if seq_id not in live]
    kind = kinds[choices[0] % len(kinds)]
    if not live and choices[1] % 8:
        kind = "add"  # a call of an unknown sequence is worth a try, not many
    old_id = (live or dead)[choices[1] % len(live or dead)]
    new_id = dead[0] if dead else live[0]
    match kind:
        case "add":
            return Call("add", (new_id, 1 + choices[2] % (2 * block_size)))
        case "append":
            many = (1, 1, 1, 2, block_size, block_size + 1)
            return append_call(old_id, many[choices[2] % len(many)])
        case "fork":
            return Call("fork", (old_id, new_id))
        case _:
            return Call("free", (old_id,))


def append_call(seq_id: str, count: int) -> Call:
    """Return an append as a learner would type it."""
    return Call("append", (seq_id,) if count == 1 else (seq_id, count))


def new_manager(history: History) -> BlockManager:
    """Return our manager, of the sizes of a history."""
    pool = BlockPool(history.size("num_blocks"))
    return BlockManager(pool, history.size("block_size"))


def replayed(history: History) -> BlockManager:
    """Return our manager, led through a history."""
    manager = new_manager(history)
    for call in history.calls:
        error_of(manager, call)
    return manager


def error_of(manager: BlockManager, call: Call) -> PagedKVError | None:
    """Make a call; return the error that it was refused with."""
    try:
        make_call(manager, call)
    except PagedKVError as error:
        return error
    return None


def is_live(manager: BlockManager, seq_id: str) -> bool:
    """Tell whether a sequence has a table."""
    try:
        return manager.table(seq_id).seq_len > 0
    except PagedKVError:
        return False
