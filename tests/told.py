"""A few calls on a recorded manager, and how the last of them is told."""

from collections.abc import Callable

from pagedkv_edu import BlockPool
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay import (
    RecordedManager,
    RecordedPool,
    describe,
    frames,
    headline,
)
from tests.plain_manager import PlainManager

Do = Callable[[RecordedManager], object]


def told(*calls: Do, build: type[PlainManager] = PlainManager) -> tuple[str, str]:
    """Return headline and sentence of the last of some calls; 4 blocks of 4 slots."""
    pool = RecordedPool(BlockPool(4))
    manager = RecordedManager(build(pool, 4), pool)
    for call in calls:
        try:
            call(manager)
        except (PagedKVError, ValueError):
            continue
    last = frames(pool.events)[-1]
    return headline(last), describe(last)


def add(seq_id: SeqId, num_tokens: int) -> Do:
    return lambda manager: manager.add(seq_id, num_tokens)


def append(seq_id: SeqId, num_tokens: int = 1) -> Do:
    return lambda manager: manager.append(seq_id, num_tokens)


def fork(parent_id: SeqId, child_id: SeqId) -> Do:
    return lambda manager: manager.fork(parent_id, child_id)


def free(seq_id: SeqId) -> Do:
    return lambda manager: manager.free(seq_id)


def preempt(seq_id: SeqId) -> Do:
    def call(manager: RecordedManager) -> None:
        with manager.because("preempt"):
            manager.free(seq_id)

    return call
