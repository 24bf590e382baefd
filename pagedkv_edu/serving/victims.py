"""Who gives up its blocks when the pool is full."""

from collections.abc import Callable, Sequence
from typing import Literal

from pagedkv_edu.serving.sequence import SequenceState

Victim = Literal["last_arrived", "requester", "longest", "fewest_computed"]
Policy = Callable[[SequenceState, Sequence[SequenceState]], SequenceState]


def last_arrived(
    requester: SequenceState, candidates: Sequence[SequenceState]
) -> SequenceState:
    """Choose the one that came last: first come, first served, also under pressure."""
    return max(candidates, key=lambda seq: seq.order)


def the_requester(
    requester: SequenceState, candidates: Sequence[SequenceState]
) -> SequenceState:
    """Choose the one that asked for a block and found none."""
    if requester in candidates:
        return requester
    return last_arrived(requester, candidates)


def longest(
    requester: SequenceState, candidates: Sequence[SequenceState]
) -> SequenceState:
    """Choose the one with most computed tokens: it gives back most blocks."""
    return max(candidates, key=lambda seq: (seq.num_computed, seq.order))


def fewest_computed(
    requester: SequenceState, candidates: Sequence[SequenceState]
) -> SequenceState:
    """Choose the one with fewest computed tokens: least work is lost."""
    return min(candidates, key=lambda seq: (seq.num_computed, -seq.order))


POLICIES: dict[Victim, Policy] = {
    "last_arrived": last_arrived,
    "requester": the_requester,
    "longest": longest,
    "fewest_computed": fewest_computed,
}
