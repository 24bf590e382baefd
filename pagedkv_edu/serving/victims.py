"""Who gives up its blocks when the pool is full."""

from collections.abc import Callable, Sequence
from typing import Literal

from pagedkv_edu.errors import PagedKVError, WrongPlan
from pagedkv_edu.serving.sequence import SequenceState

Victim = Literal["last_arrived", "requester", "longest", "fewest_computed"]
Policy = Callable[[SequenceState, Sequence[SequenceState]], SequenceState]


def last_arrived(
    requester: SequenceState, candidates: Sequence[SequenceState]
) -> SequenceState:
    """Choose the one that came last: first come, first served, also under pressure."""
    # of those that arrived together, forks of one request, the youngest
    return max(reversed(candidates), key=lambda seq: seq.order)


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


def by_length(choose: Callable[[list[int]], int]) -> Policy:
    """Return the policy of a function that sees lengths and names a place.

    `choose` is given the computed tokens of the candidates, in order of arrival, and
    returns the index of the victim.
    """

    def policy(
        requester: SequenceState, candidates: Sequence[SequenceState]
    ) -> SequenceState:
        lengths = [seq.num_computed for seq in candidates]
        try:
            place = choose(list(lengths))
        except (PagedKVError, NotImplementedError):
            raise
        except Exception as error:
            name = type(error).__name__
            raise WrongPlan(f"no victim of {lengths}: {name}: {error}") from error
        if type(place) is not int or not 0 <= place < len(candidates):
            raise WrongPlan(
                f"of the lengths {lengths} the victim is {place!r}; "
                f"it must be a place, 0 to {len(lengths) - 1}"
            )
        return candidates[place]

    return policy
