"""Exercise 10.4: who gets its tokens in a step, and who is preempted."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeGuard

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import preemption as hint
from pagedkv_edu.checks.histories import is_list, is_tuple
from pagedkv_edu.checks.judging.cases import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.limits import Complaint, Guard, OutOfTime, Unwritten
from pagedkv_edu.checks.judging.wording import amount, be, joined
from pagedkv_edu.errors import OutOfBlocks, PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.serving.examples import two_prompts
from pagedkv_edu.serving.results import SimulationResult
from pagedkv_edu.serving.simulation import simulate
from pagedkv_edu.serving.small import PlanStep, SmallScheduler, plan_step
from pagedkv_edu.sizes import cdiv

PlanCase = tuple[list[int], list[int], int, int]  # lens, new, free, block_size

# what a wrong plan is run on: two prompts of eight chunks, and room for one and a half
MAX_STEPS = 200
TWO_PROMPTS = tuple(two_prompts())
NUM_BLOCKS, BLOCK_SIZE = 12, 16


@dataclass(frozen=True)
class PlanTopic:
    """What `my_plan_step` should return."""

    exercise_id: str = "10.4"
    answer_name: str = "my_plan_step"
    hints: tuple[Hint, ...] = hint.HINTS["10.4"]
    reread: str = 'lesson 10, "The cure"'

    def edges(self) -> Iterable[PlanCase]:
        """Return up to three sequences at and off the boundary, with few free."""
        for num in (1, 2, 3):
            for lens in product((4, 7, 8), repeat=num):
                for num_free in (0, 1, 2):
                    yield list(lens), [1] * num, num_free, 4
        for num_free in (0, 1, 3):
            yield [8, 8, 8], [4, 8, 4], num_free, 4

    def cases(self) -> SearchStrategy[PlanCase]:
        """Draw up to six sequences; most want one token, some a chunk."""
        sequence = st.tuples(
            st.integers(1, 24), st.sampled_from((1, 1, 1, 2, 4, 8, 13))
        )
        return st.builds(
            _case,
            st.lists(sequence, min_size=1, max_size=6),
            st.integers(0, 5),
            st.sampled_from((4, 4, 2, 1)),
        )

    def right(self, case: PlanCase) -> Right:
        """Return the plan, with what is needed and what is free."""
        seq_lens, new_tokens, num_free, block_size = case
        needed = [
            cdiv(n + new, block_size) - cdiv(n, block_size)
            for n, new in zip(seq_lens, new_tokens, strict=True)
        ]
        needs = f"sequences {joined(range(len(needed)))} need {joined(needed)} blocks"
        if len(needed) == 1:
            needs = f"the only sequence needs {amount(needed[0], 'block')}"
        facts = f"{needs}, and {amount(num_free, 'block')} {be(num_free)} free"
        try:
            plan = plan_step(list(seq_lens), list(new_tokens), num_free, block_size)
        except OutOfBlocks:
            held = sum(cdiv(n, block_size) for n in seq_lens[1:])
            others = f"; the others hold {held}" if len(needed) > 1 else ""
            return Right(OutOfBlocks, f"{facts}{others}: not enough for the oldest.")
        given = [cdiv(seq_lens[i], block_size) for i in plan[1]]
        if not given:
            return Right(plan, f"{facts}.")
        leave = "leaves and gives" if len(given) == 1 else "leave and give"
        noun = "sequence" if len(given) == 1 else "sequences"
        who = f"{noun} {joined(plan[1])}"
        return Right(plan, f"{facts}; {who} {leave} back {joined(given)}.")

    def size(self, case: PlanCase) -> tuple[int, ...]:
        """Prefer two decoding sequences in blocks of four, then short ones."""
        seq_lens, new_tokens, num_free, block_size = case
        chunks = sum(new != 1 for new in new_tokens)
        return (
            block_size != 4,
            chunks,
            abs(len(seq_lens) - 2),
            sum(seq_lens),
            num_free,
        )

    def hint(self, case: PlanCase, wrong: Wrong) -> str:
        """Choose by what is wrong with the plan that came back."""
        if wrong.title.startswith("changed"):
            return hint.CHANGES
        right = self.right(case).value
        if right is OutOfBlocks:
            return hint.PLAN_ALONE
        if not _is_plan(wrong.value):
            return hint.BEGIN
        served, preempted = wrong.value
        if not _is_plan(right):
            return hint.BEGIN
        return _fault(case, served, preempted, len(right[1]))

    def nearby(self, case: PlanCase) -> NearbyCases[PlanCase]:
        """Vary the free blocks."""
        seq_lens, new_tokens, _, block_size = case
        most = sum(cdiv(new, block_size) + 1 for new in new_tokens)
        cases = tuple(
            (n, (list(seq_lens), list(new_tokens), n, block_size))
            for n in range(min(most, 8) + 1)
        )
        text = f"my_plan_step({seq_lens}, {new_tokens}, n, {block_size})"
        return NearbyCases(text, cases)


def _case(running: list[tuple[int, int]], num_free: int, block_size: int) -> PlanCase:
    seq_lens, new_tokens = zip(*running, strict=True)
    return list(seq_lens), list(new_tokens), num_free, block_size


def _is_plan(value: object) -> TypeGuard[tuple[list[int], list[int]]]:
    if not is_tuple(value) or len(value) != 2:
        return False
    return all(is_list(part) and all(type(i) is int for i in part) for part in value)


def _fault(
    case: PlanCase, served: list[int], preempted: list[int], num_victims: int
) -> str:
    """Return the title of the hint on the first thing that is wrong with a plan."""
    seq_lens, new_tokens, num_free, block_size = case
    everybody = list(range(len(seq_lens)))
    if 0 in preempted:
        return hint.PLAN_OLDEST
    if sorted({*served, *preempted}) != everybody:
        return hint.PLAN_LEFT_OUT
    if len(preempted) > num_victims:
        return hint.PLAN_MANY
    room = num_free + sum(cdiv(seq_lens[i], block_size) for i in preempted)
    needed = sum(
        cdiv(seq_lens[i] + new_tokens[i], block_size) - cdiv(seq_lens[i], block_size)
        for i in served
    )
    if needed > room or len(served) + len(preempted) > len(everybody):
        return hint.PLAN_NO_ROOM
    last = everybody[len(everybody) - num_victims :]
    if sorted(preempted) == last:
        return hint.PLAN_ORDER
    return hint.PLAN_WRONG_VICTIM


# --- what it leads to --------------------------------------------------------------


def with_what_it_leads_to(report: Report, answer: object) -> Report:
    """Return a failed report with what the plan does to two long prompts."""
    if report.status != "failed" or not report.calls or not callable(answer):
        return report
    with Guard() as guard:

        def plan(
            seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
        ) -> tuple[list[int], list[int]]:
            given = (seq_lens, new_tokens, num_free, block_size)
            value: object = guard.ask("my_plan_step", answer, *given)
            return value if _is_plan(value) else ([], [])

        return replace(report, go_on=_harm(plan))


def _harm(plan: PlanStep) -> str:
    try:
        result, ours = _serve(plan), _serve(plan_step)
    except (PagedKVError, Complaint, Unwritten, OutOfTime):
        return ""  # there is no plan to go on with; the report says so already
    done = [o for o in result.requests if o.outcome == "finished"]
    steps_of_ours = ours.num_steps
    if len(done) == len(TWO_PROMPTS):
        return ""
    setting = (
        f"Two prompts of {TWO_PROMPTS[0].num_prompt_tokens} tokens in chunks, in a "
        f"pool of {NUM_BLOCKS} blocks of {BLOCK_SIZE} slots"
    )
    who = "neither is" if not done else "one is not"
    if all(o.outcome != "running" for o in result.requests):
        return f"{setting}: {who} served to its end. Ours serves both."
    num = sum(result.steps.preemptions)
    return (
        f"{setting}: after {MAX_STEPS} steps and {amount(num, 'preemption')}, {who} "
        f"done. Ours needs {steps_of_ours} steps for both."
    )


def _serve(plan: PlanStep) -> SimulationResult:
    pool = BlockPool(NUM_BLOCKS)
    manager = BlockManager(pool, BLOCK_SIZE)
    return simulate(
        TWO_PROMPTS,
        pool=pool,
        block_size=BLOCK_SIZE,
        scheduler=SmallScheduler(manager, pool, BLOCK_SIZE, plan, chunk=16),
        max_steps=MAX_STEPS,
    )
