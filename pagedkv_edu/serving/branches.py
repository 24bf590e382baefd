"""Sequences that began as forks: who shares a partly filled block, and who is held."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId
from pagedkv_edu.serving.plan import Draft
from pagedkv_edu.serving.sequence import SequenceState


@runtime_checkable
class ForkingScheduler(Protocol):
    """A scheduler under which one sequence can become several."""

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with all that its parent knows, between two steps."""
        ...

    def hold(self, seq_id: SeqId) -> None:
        """Give a sequence no tokens until it is resumed."""
        ...

    def resume(self, seq_id: SeqId) -> None:
        """Go on with a sequence that was held."""
        ...


class Branches:
    """What a scheduler must know of forks, and nothing else.

    A sequence that shares its partly filled last block copies it before it grows,
    unless it is the last one that holds it. A held sequence waits for a decision on
    its next token: it gets none, and may give up its blocks meanwhile.
    """

    def __init__(self, manager: ManagerLike, pool: PoolLike, block_size: int) -> None:
        self._manager = manager
        self._pool = pool
        self._block_size = block_size
        self.held: set[SeqId] = set()
        self._sharing_tail: set[SeqId] = set()

    @property
    def are_all_plain(self) -> bool:
        """Whether every sequence may take its token as if there were no forks."""
        return not self.held and not self._sharing_tail

    def fork(self, parent: SequenceState, child_id: SeqId) -> SequenceState:
        """Return the child of a running parent; it shares the parent's blocks."""
        child = _child(parent, child_id)
        self._manager.fork(parent.seq_id, child_id)
        if parent.num_computed % self._block_size:
            self._sharing_tail |= {parent.seq_id, child_id}
        return child

    def fork_waiting(self, parent: SequenceState, child_id: SeqId) -> SequenceState:
        """Return the child of a parent without blocks; it computes everything."""
        child = _child(parent, child_id)
        child.num_left, child.num_computed = parent.num_known, 0
        child.num_registered = 0
        return child

    def is_copied(self, seq: SequenceState, draft: Draft) -> bool:
        """Tell whether growing copies the last block, after those that grow before."""
        if seq.seq_id not in self._sharing_tail:
            return False
        block_id = self._tail(seq.seq_id)
        num_before = sum(
            other in self._sharing_tail and self._tail(other) == block_id
            for other in draft.appending
        )
        return num_before + 1 < self._pool.ref_count(block_id)

    def runnable(self, seqs: Iterable[SequenceState]) -> SequenceState | None:
        """Return the first sequence that is not held."""
        return next((seq for seq in seqs if seq.seq_id not in self.held), None)

    def grew(self, seq_ids: Iterable[SeqId]) -> None:
        """Note that sequences have their last blocks to themselves."""
        if self._sharing_tail:
            self._sharing_tail.difference_update(seq_ids)

    def left(self, seq_id: SeqId) -> None:
        """Note that a sequence holds no blocks any more."""
        self._sharing_tail.discard(seq_id)

    def _tail(self, seq_id: SeqId) -> int:
        return self._manager.table(seq_id).block_ids[-1]


def _child(parent: SequenceState, child_id: SeqId) -> SequenceState:
    request = replace(parent.request, request_id=child_id)
    return SequenceState(
        request,
        parent.order,
        parent.num_left,
        parent.num_computed,
        items=parent.items,
        num_registered=parent.num_registered,
    )
