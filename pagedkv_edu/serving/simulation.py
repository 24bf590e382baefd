"""Replay a workload through a scheduler, step by step and token by token."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from pagedkv_edu.errors import InvalidSize, NeverFits, WrongPlan
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.results import RequestOutcome, SimulationResult, StepColumns
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive


class SchedulerLike(Protocol):
    """Decides what each step does; a learner may write one."""

    @property
    def has_work(self) -> bool:
        """Whether a request is waiting or running."""
        ...

    def submit(self, request: Request) -> None:
        """Queue a request; raise `NeverFits` if waiting cannot help."""
        ...

    def step(self) -> StepPlan:
        """Decide one step and carry it out on the manager."""
        ...

    def finish(self, seq_id: SeqId) -> None:
        """Free a sequence whose answer is complete, between two steps."""
        ...


def simulate(
    requests: Iterable[Request],
    *,
    pool: PoolLike,
    block_size: int,
    manager: ManagerLike | None = None,
    scheduler: SchedulerLike | None = None,
    seconds_per_step: float = 0.05,
    max_steps: int | None = None,
    on_step: Callable[[int, StepPlan], None] | None = None,
) -> SimulationResult:
    """Serve the requests to the end, with one `append` for each decoded token.

    Time is counted in steps, and `seconds_per_step` places the arrivals on them. The
    default scheduler is `Scheduler(manager, pool, block_size)`, the default manager
    ours; either may be a learner's. `on_step(step, plan)` is called after each step,
    before finished sequences are freed.
    A scheduler that still has work after `max_steps` steps is stopped there, and what
    it did not finish stays "running".

    >>> from pagedkv_edu import BlockPool
    >>> requests = [Request("A", 34, 90), Request("B", 20, 40)]
    >>> result = simulate(requests, pool=BlockPool(16), block_size=16)
    >>> [r.finished_step for r in result.requests]
    [89, 39]
    """
    require_positive("block_size", block_size)
    if seconds_per_step <= 0:
        raise InvalidSize(f"seconds_per_step must be above 0, got {seconds_per_step}")
    if scheduler is None:
        manager = manager or BlockManager(pool, block_size)
        scheduler = Scheduler(manager, pool, block_size)
    run = _Run(scheduler, pool, block_size)
    arrivals = deque(sorted(requests, key=lambda request: request.arrival_s))
    step = 0
    while arrivals or scheduler.has_work:
        if max_steps is not None and step >= max_steps:
            break
        if not scheduler.has_work:  # nothing to do before the next arrival
            step = max(step, ceil(arrivals[0].arrival_s / seconds_per_step))
        while arrivals and ceil(arrivals[0].arrival_s / seconds_per_step) <= step:
            run.arrive(arrivals.popleft(), step)
        if scheduler.has_work:
            plan = scheduler.step()
            done = run.observe(step, plan)
            if on_step is not None:
                on_step(step, plan)
            run.finish(done)
        step += 1
    return SimulationResult(
        pool.num_blocks, block_size, seconds_per_step, run.steps, run.outcomes
    )


@dataclass(slots=True)
class _Progress:
    num_prompt: int
    num_final: int  # tokens with a slot when the last token of the answer is out
    outcome: RequestOutcome
    milestone: int  # num_prompt, then num_final
    num_computed: int = 0
    num_lost: int = 0  # computed before it was dropped


class _Run:
    """Follows the plans from outside, with a count of its own for each sequence."""

    def __init__(
        self, scheduler: SchedulerLike, pool: PoolLike, block_size: int
    ) -> None:
        self.scheduler = scheduler
        self.pool = pool
        self.block_size = block_size
        self.steps = StepColumns()
        self.outcomes: list[RequestOutcome] = []
        self._live: dict[SeqId, _Progress] = {}
        self._holding: set[SeqId] = set()  # have blocks on the device
        self._num_entries = 0  # of all block tables together
        self._num_tokens = 0  # in slots, shared ones counted for each owner

    def arrive(self, request: Request, step: int) -> None:
        """Submit a request; one that never fits ends here."""
        outcome = RequestOutcome(request.request_id, arrival_step=step)
        self.outcomes.append(outcome)
        try:
            self.scheduler.submit(request)
        except NeverFits:
            outcome.outcome = "never fits"
            return
        num_prompt = request.num_prompt_tokens
        self._live[request.request_id] = _Progress(
            num_prompt,
            num_prompt + request.num_output_tokens - 1,
            outcome,
            milestone=num_prompt,
        )

    def observe(self, step: int, plan: StepPlan) -> list[SeqId]:
        """Count what a plan did; return the sequences that are complete."""
        try:
            return self._observe(step, plan)
        except KeyError as error:
            raise WrongPlan(
                f"step {step}: the plan names {error}, which is not live; "
                "forget a sequence when it is finished or refused"
            ) from None

    def _observe(self, step: int, plan: StepPlan) -> list[SeqId]:
        swapped = sum(self._leave(seq_id) for seq_id in plan.swapped_out)
        for seq_id in plan.preempted:
            self._leave(seq_id)
            self._drop(self._live[seq_id])
        for seq_id in plan.refused:
            self._leave(seq_id)
            self._live.pop(seq_id).outcome.outcome = "outgrew the pool"
        swapped += sum(self._enter(seq_id) for seq_id in plan.swapped_in)
        for seq_id in plan.admitted:
            self._admit(seq_id, step, plan.hit_tokens.get(seq_id, 0))
        recomputed, done = self._advance(step, plan.scheduled)
        self._write_row(step, plan, swapped, recomputed)
        return done

    def finish(self, done: Iterable[SeqId]) -> None:
        """Free the sequences that are complete."""
        for seq_id in done:
            self._leave(seq_id)
            del self._live[seq_id]
            self.scheduler.finish(seq_id)

    def _advance(
        self, step: int, scheduled: dict[SeqId, int]
    ) -> tuple[int, list[SeqId]]:
        """Count the scheduled tokens; return how many were lost, and who is done."""
        block_size, live = self.block_size, self._live
        num_recomputed, num_entries, done = 0, 0, list[SeqId]()
        for seq_id, num_tokens in scheduled.items():
            progress = live[seq_id]
            before = progress.num_computed
            after = progress.num_computed = before + num_tokens
            if num_tokens == 1:
                if not before % block_size:
                    num_entries += 1
            else:
                num_entries += cdiv(after, block_size) - cdiv(before, block_size)
            if before < progress.num_lost:
                num_recomputed += min(after, progress.num_lost) - before
            if after >= progress.milestone and self._reach(progress, step):
                done.append(seq_id)
        self._num_entries += num_entries
        self._num_tokens += sum(scheduled.values())
        return num_recomputed, done

    def _reach(self, progress: _Progress, step: int) -> bool:
        """Note a first or last token; tell whether it was the last."""
        outcome = progress.outcome
        if outcome.first_token_step is None:
            outcome.first_token_step = step
            progress.milestone = progress.num_final
        if progress.num_computed < progress.num_final:
            return False
        outcome.finished_step, outcome.outcome = step, "finished"
        return True

    def _admit(self, seq_id: SeqId, step: int, num_hit: int) -> None:
        progress = self._live[seq_id]
        progress.num_computed = num_hit
        if progress.outcome.admitted_step is None:
            progress.outcome.admitted_step = step
        self._enter(seq_id)

    def _drop(self, progress: _Progress) -> None:
        progress.num_lost = max(progress.num_lost, progress.num_computed)
        progress.num_computed = 0

    def _enter(self, seq_id: SeqId) -> int:
        """Count a sequence's blocks as held; return its tokens."""
        num_tokens = self._live[seq_id].num_computed
        self._holding.add(seq_id)
        self._num_entries += cdiv(num_tokens, self.block_size)
        self._num_tokens += num_tokens
        return num_tokens

    def _leave(self, seq_id: SeqId) -> int:
        """Count a sequence's blocks as given back; return its tokens."""
        if seq_id not in self._holding:
            return 0
        num_tokens = self._live[seq_id].num_computed
        self._holding.remove(seq_id)
        self._num_entries -= cdiv(num_tokens, self.block_size)
        self._num_tokens -= num_tokens
        return num_tokens

    def _write_row(
        self, step: int, plan: StepPlan, swapped: int, recomputed: int
    ) -> None:
        for seq_id in (*plan.preempted, *plan.swapped_out):
            self._live[seq_id].outcome.num_preemptions += 1
        num_used = self.pool.num_blocks - self.pool.num_free
        steps = self.steps
        steps.step.append(step)
        steps.running.append(len(plan.scheduled))
        steps.waiting.append(len(self._live) - len(self._holding))
        steps.scheduled_tokens.append(sum(plan.scheduled.values()))
        steps.hit_tokens.append(sum(plan.hit_tokens.values()))
        steps.blocks_used.append(num_used)
        steps.shared_blocks.append(self._num_entries - num_used)
        steps.wasted_slots.append(
            self._num_entries * self.block_size - self._num_tokens
        )
        steps.copies.append(len(plan.copies))
        steps.preemptions.append(len(plan.preempted) + len(plan.swapped_out))
        steps.recomputed_tokens.append(recomputed)
        steps.swapped_tokens.append(swapped)
        steps.refusals.append(len(plan.refused))
