"""Check exercise 9.3: a block size is chosen, and marked by what it costs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from pagedkv_edu.checks.hints import block_size as hint
from pagedkv_edu.checks.hints.block_size import HINTS
from pagedkv_edu.checks.judging.judge import SEEDS
from pagedkv_edu.checks.judging.limits import (
    Complaint,
    Guard,
    OutOfTime,
    Unwritten,
    shown,
)
from pagedkv_edu.checks.judging.reports import (
    hints_from,
    not_callable,
    too_slow,
    waiting,
)
from pagedkv_edu.checks.judging.wording import joined
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.serving.block_sizes import held
from pagedkv_edu.serving.break_even import Cost, Prices, cost_of
from pagedkv_edu.serving.workload import (
    ALPACA_OUTPUT,
    ALPACA_PROMPT,
    SHAREGPT_OUTPUT,
    SHAREGPT_PROMPT,
    Lognormal,
    Request,
    lognormal_workload,
)

MOST_OVER = 0.10  # of the best cost
LARGEST = 1024
SIZES = tuple(2**k for k in range(11))
DRAWN_PER_SEED = 8
NUM_REQUESTS = 300


@dataclass(frozen=True)
class Load:
    """A workload as the learner's function gets it, and as the check measures it."""

    name: str
    requests: tuple[Request, ...]
    branches: float
    price: float

    @property
    def arguments(self) -> tuple[float, float, float]:
        """Mean length, branches a step, price of a block."""
        mean_len = held(self.requests, 1).mean_len
        return round(mean_len, 1), self.branches, self.price

    def cost(self, block_size: int) -> Cost:
        """Return what a block size costs on every step of every request."""
        seen = held(self.requests, block_size)
        return cost_of(seen, Prices(block=self.price), self.branches)


NAMED = {
    "chat": (SHAREGPT_PROMPT, SHAREGPT_OUTPUT, 0.0),
    "commands": (ALPACA_PROMPT, ALPACA_OUTPUT, 0.0),
    "documents": (Lognormal(8000, 0.8, 32_000), SHAREGPT_OUTPUT, 0.0),
    "beam search": (SHAREGPT_PROMPT, SHAREGPT_OUTPUT, 0.5),
}


def load_named(name: str) -> Load:
    """Return one of the named workloads, or a drawn one: "drawn 7"."""
    if name in NAMED:
        prompt, output, branches = NAMED[name]
        return _load(name, prompt, output, branches, 0.25)
    number = int(name.removeprefix("drawn "))
    rng = Random(number)
    prompt = Lognormal(2 ** rng.uniform(5, 14), rng.uniform(0.3, 1.1), 32_000)
    output = Lognormal(2 ** rng.uniform(5, 9), 0.8, 2000)
    branches = rng.choice((0.0, 0.0, 0.125, 0.5))
    return _load(name, prompt, output, branches, rng.choice((0.125, 0.25, 0.5, 1.0)))


def _load(
    name: str, prompt: Lognormal, output: Lognormal, branches: float, price: float
) -> Load:
    requests = lognormal_workload(
        NUM_REQUESTS, prompt=prompt, output=output, rng=Random(name)
    )
    return Load(name, tuple(requests), branches, price)


@cache
def _loads(seed: int) -> tuple[tuple[Load, Cost], ...]:
    """Return the workloads of a check, each with its best cost."""
    first = SEEDS * DRAWN_PER_SEED * seed
    drawn = range(first, first + SEEDS * DRAWN_PER_SEED)
    loads = [load_named(n) for n in (*NAMED, *(f"drawn {n}" for n in drawn))]
    return tuple((load, best_cost(load)) for load in loads)


def best_cost(load: Load) -> Cost:
    """Return the least cost of all powers of two up to 1,024."""
    return min((load.cost(size) for size in SIZES), key=lambda cost: cost.total)


@dataclass(frozen=True)
class ChoiceTopic:
    """What a message needs to know of the exercise."""

    exercise_id: str = "9.3"
    answer_name: str = "my_choice"
    hints: tuple[Hint, ...] = HINTS["9.3"]
    reread: str = 'lesson 09, "The break-even"'


@dataclass(frozen=True)
class _Miss:
    load: Load
    best: Cost
    title: str  # what completes "my_choice(...) "
    value: str
    found: str
    hint: str


def check_choice(answer: object, *, seed: int = 0) -> Report:
    """Check `my_choice(mean_len, branches, price)` by the cost of what it chooses."""
    topic = ChoiceTopic()
    if not callable(answer):
        return not_callable(topic, answer, "function")
    loads = _loads(seed)
    misses: list[_Miss] = []
    tried: list[Load] = []
    with Guard() as guard:
        try:
            for load, best in loads:
                tried.append(load)
                miss, stopped = _judge(answer, load, best, guard)
                misses += [miss] if miss else []
                if stopped:
                    break
        except Unwritten:
            return waiting(topic, (topic.answer_name,), {topic.answer_name})
        except OutOfTime:
            if not misses:
                return too_slow(topic, (len(tried) - 1, len(loads)), "workloads")
    if misses:
        return _failed(topic, misses, tried)
    title = f"{len(tried)} workloads, each at most 10 % above the best of its sweep"
    return Report(
        topic.exercise_id, "passed", title, num_tried=len(tried), num_passed=len(tried)
    )


def _judge(
    answer: Callable[..., object], load: Load, best: Cost, guard: Guard
) -> tuple[_Miss | None, bool]:
    """Return what is wrong with one choice, if anything, and whether to stop."""
    try:
        chosen = guard.ask("my_choice", answer, *load.arguments)
    except Complaint as complaint:
        what, found = complaint.what, complaint.found
        return _Miss(load, best, what, what, found, hint.BEGIN), complaint.stopped
    if type(chosen) is not int or not 1 <= chosen <= LARGEST:
        value = shown(chosen)
        title = f"returned {value}; expected a whole number from 1 to 1,024"
        return _Miss(load, best, title, value, f"{value}.", hint.NO_SIZE), False
    cost = load.cost(chosen)
    if cost.total <= (1 + MOST_OVER) * best.total:
        return None, False
    ratio = cost.total / best.total
    over = f"{100 * (ratio - 1):.0f} % more than" if ratio < 2 else f"{ratio:.1f} times"
    title = f"chose {chosen} for {load.name}; that costs {over} the best"
    side = hint.TOO_SMALL if chosen < best.block_size else hint.TOO_LARGE
    return _Miss(load, best, title, str(chosen), f"{said(cost)}.", side), False


def said(cost: Cost) -> str:
    """Return a cost as a message says it."""
    return (
        f"with blocks of {cost.block_size} a step of a sequence of "
        f"{cost.mean_len:.0f} tokens costs {cost.total:.1f} token reads beside reading "
        f"it: {cost.empty:.1f} for empty slots, {cost.blocks:.1f} to start blocks, "
        f"{cost.copies:.1f} for copies"
    )


def _failed(topic: ChoiceTopic, misses: list[_Miss], tried: list[Load]) -> Report:
    miss = misses[0]
    arguments = ", ".join(map(repr, miss.load.arguments))
    call = f"my_choice({arguments})"
    only_branches = all(m.load.branches for m in misses) and len(tried) > len(NAMED)
    is_size = miss.hint in (hint.TOO_SMALL, hint.TOO_LARGE)
    first = hint.BRANCHES if only_branches and is_size else miss.hint
    size = miss.best.block_size
    return Report(
        topic.exercise_id,
        "failed",
        f"{call} {miss.title}",
        calls=(call,),
        wrong_call=0,
        compared=f"the cost of {call}",
        found_value=miss.value,
        expected_value=f"{size}, or what costs at most 10 % more",
        expected=f"{size}, or what costs at most 10 % more: {said(miss.best)}.",
        found=miss.found,
        nearby=_nearby(misses, tried),
        reread=topic.reread,
        hints=hints_from(topic.hints, first),
        num_tried=len(tried),
        num_passed=len(tried) - len(misses),
        as_test=_as_test(miss.load),
    )


def _nearby(misses: list[_Miss], tried: list[Load]) -> str:
    """Say for which of the named workloads the choice is right."""
    wrong = {miss.load.name for miss in misses}
    named = [load.name for load in tried if load.name in NAMED]
    fails = [name for name in named if name in wrong]
    passes = [name for name in named if name not in wrong]
    if not fails or len(named) < len(NAMED):
        return ""
    if not passes:
        return f"my_choice fails for {joined(fails)}."
    return f"my_choice passes for {joined(passes)} and fails for {joined(fails)}."


def _as_test(load: Load) -> str:
    return (
        "from pagedkv_edu.checks.questions.block_size_choice import (\n"
        "    best_cost,\n    load_named,\n)\n\n\n"
        "def test_my_choice() -> None:\n"
        f"    load = load_named({load.name!r})\n"
        "    cost = load.cost(my_choice(*load.arguments))\n"
        f"    assert cost.total <= {1 + MOST_OVER} * best_cost(load).total\n"
    )
