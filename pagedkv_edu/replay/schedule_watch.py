"""Watch a simulation from outside, and keep what each step did as a schedule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import PoolLike, SeqId
from pagedkv_edu.replay.schedule import Leave, Moment, Schedule, Span, Track
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.results import RequestOutcome, SimulationResult
from pagedkv_edu.serving.simulation import SchedulerLike, simulate
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv

MakeScheduler = Callable[[BlockManager, PoolLike, int], SchedulerLike]

MAX_STEPS = 400


def watch_schedule(
    requests: Sequence[Request],
    make_scheduler: MakeScheduler,
    *,
    num_blocks: int,
    block_size: int,
    token_budget: int | None = None,
    max_steps: int = MAX_STEPS,
) -> Schedule:
    """Simulate requests on a scheduler, ours or a learner's, and keep every step.

    `make_scheduler(manager, pool, block_size)` makes it. The manager has a host pool
    of the same size, to swap to. A step takes a second of the requests' arrivals.
    `token_budget` is the scheduler's, if it has one: who waits for it is said to.
    """
    pool = BlockPool(num_blocks)
    manager = BlockManager(pool, block_size, BlockPool(num_blocks))
    plans: dict[int, StepPlan] = {}
    result = simulate(
        requests,
        pool=pool,
        block_size=block_size,
        scheduler=make_scheduler(manager, pool, block_size),
        seconds_per_step=1.0,
        max_steps=max_steps,
        on_step=plans.__setitem__,
    )
    watch = _Watch(requests, result, token_budget)
    num_steps = max(plans, default=-1) + 1
    moments = tuple(watch.step(i, plans.get(i, StepPlan({}))) for i in range(num_steps))
    tracks = tuple(state.track() for state in watch.states.values())
    return Schedule(block_size, num_blocks, result, tracks, moments)


@dataclass(slots=True)
class _State:
    """One request while it is followed."""

    outcome: RequestOutcome
    num_prompt: int
    phase: str = "absent"  # then waiting, running, dropped, kept, done
    num_computed: int = 0
    num_lost: int = 0  # computed before it was dropped
    num_moved: int = 0  # blocks that wait on the host
    spans: list[Span] = field(default_factory=list[Span])

    def track(self) -> Track:
        return Track(self.outcome, tuple(self.spans))

    def activity(self, *, swapped_in: bool) -> str:
        if swapped_in:
            return "swap_in"
        if self.num_computed < self.num_lost:
            return "recompute"
        return "prefill" if self.num_computed < self.num_prompt else "decode"

    def note(self, step: int, span: Span) -> None:
        """Add one step, to the last span if it goes on."""
        last = self.spans[-1] if self.spans else None
        if last and (last.kind, last.note, last.stop) == (span.kind, span.note, step):
            is_gap = span.kind in ("dropped", "kept")
            more = 0 if is_gap else span.num_tokens
            self.spans[-1] = Span(
                last.kind,
                last.start,
                step + 1,
                last.num_tokens + more,
                last.num_blocks,
                last.note,
            )
        else:
            self.spans.append(span)


class _Watch:
    """Follows the plans, and asks no scheduler anything."""

    def __init__(
        self,
        requests: Sequence[Request],
        result: SimulationResult,
        token_budget: int | None,
    ) -> None:
        self.token_budget = token_budget
        num_prompt = {r.request_id: r.num_prompt_tokens for r in requests}
        self.block_size = result.block_size
        self.num_blocks = result.num_blocks
        self.states: dict[SeqId, _State] = {  # in order of arrival
            o.request_id: _State(o, num_prompt[o.request_id]) for o in result.requests
        }

    def step(self, step: int, plan: StepPlan) -> Moment:
        arrived = self._arrivals(step)
        held = self._held()
        running = {str(i): s.num_computed for i, s in self._in("running").items()}
        growing = [n for n in running.values() if n % self.block_size == 0]
        leaving = self._leave(plan)
        for seq_id in (*plan.admitted, *plan.swapped_in):
            self.states[seq_id].phase = "running"
        for seq_id, num_tokens in plan.hit_tokens.items():
            self.states[seq_id].num_computed = num_tokens
        for seq_id, state in self.states.items():
            if state.phase == "running":
                self._run(step, state, plan, seq_id)
        held_after = self._held()
        waiting = self._wait(step, plan, sum(held_after.values()))
        finished = self._finish(step)
        return Moment(
            num_free_before=self.num_blocks - sum(held.values()),
            num_growing=len(growing),
            running_before=tuple(running),
            computed_before=running,
            held=held_after,
            scheduled={str(i): n for i, n in plan.scheduled.items()},
            arrived=arrived,
            never=self._never(step),
            leaving=leaving,
            admitted=tuple(map(str, plan.admitted)),
            swapped_in=tuple(map(str, plan.swapped_in)),
            finished=finished,
            waiting=waiting,
        )

    def _in(self, *phases: str) -> dict[SeqId, _State]:
        return {i: state for i, state in self.states.items() if state.phase in phases}

    def _blocks(self, state: _State) -> int:
        return cdiv(state.num_computed, self.block_size)

    def _held(self) -> dict[str, int]:
        return {str(i): self._blocks(s) for i, s in self._in("running").items()}

    def _arrivals(self, step: int) -> tuple[str, ...]:
        new = [
            state
            for state in self._in("absent").values()
            if state.outcome.arrival_step <= step
            and state.outcome.outcome != "never fits"
        ]
        for state in new:
            state.phase = "waiting"
        return tuple(str(state.outcome.request_id) for state in new)

    def _never(self, step: int) -> tuple[str, ...]:
        return tuple(
            str(state.outcome.request_id)
            for state in self._in("absent").values()
            if state.outcome.arrival_step == step
        )

    def _leave(self, plan: StepPlan) -> tuple[Leave, ...]:
        groups = {
            "dropped": plan.preempted,
            "kept": plan.swapped_out,
            "refused": plan.refused,
        }
        leaving: list[Leave] = []
        for kind, seq_ids in groups.items():
            for seq_id in seq_ids:
                state = self.states[seq_id]
                num_blocks = self._blocks(state)
                name = str(seq_id)
                leaving.append(Leave(name, kind, state.num_computed, num_blocks))
                state.phase = "done" if kind == "refused" else kind
                state.num_moved = num_blocks
                if kind == "dropped":
                    state.num_lost = max(state.num_lost, state.num_computed)
                    state.num_computed = 0
        return tuple(leaving)

    def _run(self, step: int, state: _State, plan: StepPlan, seq_id: SeqId) -> None:
        num_tokens = plan.scheduled.get(seq_id, 0)
        swapped_in = seq_id in plan.swapped_in
        kind = state.activity(swapped_in=swapped_in) if num_tokens else "idle"
        moved = state.num_moved if swapped_in else 0
        new = num_tokens
        if kind == "recompute":
            new = min(num_tokens, state.num_lost - state.num_computed)
        state.note(step, Span(kind, step, step + 1, new, moved))
        state.num_computed += num_tokens

    def _wait(self, step: int, plan: StepPlan, num_held: int) -> tuple[str, ...]:
        """Add a step to everybody who waits, with the reason."""
        first = ""
        waiting: list[str] = []
        for seq_id, state in self._in("waiting", "dropped", "kept").items():
            note = f"behind {first}" if first else self._why(state, plan, num_held)
            span = Span("waiting", step, step + 1, note=note)
            if state.phase != "waiting":
                kept = state.phase == "kept"
                num_tokens = state.num_computed if kept else state.num_lost
                span = Span(state.phase, step, step + 1, num_tokens, state.num_moved)
            state.note(step, span)
            waiting.append(str(seq_id))
            first = first or str(seq_id)
        return tuple(waiting)

    def _why(self, state: _State, plan: StepPlan, num_held: int) -> str:
        """Return what the first in the queue waits for, as far as it can be seen."""
        if cdiv(state.num_prompt, self.block_size) > self.num_blocks - num_held:
            return "no room in the pool"
        if sum(plan.scheduled.values()) == self.token_budget:
            return "the token budget is used up"
        return ""

    def _finish(self, step: int) -> tuple[str, ...]:
        done = [s for s in self.states.values() if s.outcome.finished_step == step]
        for state in done:
            state.phase = "done"
        return tuple(str(state.outcome.request_id) for state in done)
