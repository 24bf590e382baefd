"""A simulation step by step: who runs, who waits, and whose blocks fill the pool."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagedkv_edu.serving.results import RequestOutcome, SimulationResult


@dataclass(frozen=True, slots=True)
class Span:
    """What one request did for some steps in a row.

    The kinds are "waiting", "prefill", "decode", "recompute" (tokens that were computed
    before), "swap_in" (the step in which its blocks come back), "idle" (it holds blocks
    and gets no token), "dropped" and "kept" (preempted).
    """

    kind: str
    start: int
    stop: int  # the step after the last
    num_tokens: int = 0  # computed in these steps; of a gap: dropped, or kept
    num_blocks: int = 0  # of a gap and a swap: dropped, kept, or brought back
    note: str = ""  # why it waits


@dataclass(frozen=True, slots=True)
class Track:
    """One request from its arrival to its end."""

    outcome: RequestOutcome
    spans: tuple[Span, ...]

    @property
    def name(self) -> str:
        """The request's id as text."""
        return str(self.outcome.request_id)


@dataclass(frozen=True, slots=True)
class Leave:
    """A request that gives up its blocks in a step."""

    name: str
    kind: str  # "dropped", "kept" or "refused"
    num_tokens: int
    num_blocks: int


@dataclass(frozen=True, slots=True)
class Moment:
    """What happened in one step, and what is held after it."""

    num_free_before: int
    num_growing: int  # running sequences whose next token needs a block
    running_before: tuple[str, ...]  # in order of arrival
    computed_before: Mapping[str, int]  # tokens of the running
    held: Mapping[str, int]  # blocks by request, in order of arrival
    scheduled: Mapping[str, int]
    arrived: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    leaving: tuple[Leave, ...] = ()
    admitted: tuple[str, ...] = ()
    swapped_in: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def is_preemption(self) -> bool:
        """Whether somebody had to leave and may come back."""
        return any(leave.kind != "refused" for leave in self.leaving)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole simulation, ready to be told and drawn."""

    block_size: int
    num_blocks: int
    result: SimulationResult
    tracks: tuple[Track, ...]
    moments: tuple[Moment, ...]

    @property
    def is_stopped(self) -> bool:
        """Whether requests were still running when the simulation was stopped."""
        return any(o.outcome == "running" for o in self.result.requests)

    @property
    def num_preemptions(self) -> int:
        """Preemptions of all requests."""
        return sum(self.result.steps.preemptions)
