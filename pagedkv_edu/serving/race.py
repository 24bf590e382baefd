"""The same requests through three contiguous caches and a paged one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.extents import ExtentAllocator, ExtentsLike
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.serving.race_runs import ContiguousRun, PagedRun, RaceQueue
from pagedkv_edu.serving.race_steps import ContiguousStep, PagedStep
from pagedkv_edu.serving.reservation import POLICIES, reserved_slots
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import require_positive


@dataclass(frozen=True, slots=True)
class Race:
    """One workload, and both kinds of cache at every step of it.

    A step begins with a token for every running request. Then requests end, others
    arrive, and those that wait are admitted in order, each if it fits.
    """

    requests: tuple[Request, ...]  # in order of arrival; their ids are names
    asked_by_name: Mapping[str, int]  # slots that the contiguous caches reserve
    policy: str  # by which they reserve
    num_slots: int
    block_size: int
    contiguous: Mapping[str, Sequence[ContiguousStep]]  # by fit
    paged: Sequence[PagedStep]


def race(
    requests: Sequence[Request],
    *,
    num_slots: int = 640,
    block_size: int = 16,
    policy: str = "maximum",
    first_fit: Callable[[int], ExtentsLike] = ExtentAllocator,
    ends: Mapping[str, int] | None = None,
) -> Race:
    """Run a workload through contiguous caches of three fits, and a paged one.

    A step takes a second. A contiguous cache reserves at admission: the prompt and
    `max_tokens` ("maximum"), the prompt and a power of two, or what will be needed
    ("oracle"). `ends` names requests that end, running or waiting, at a given step.
    """
    require_positive("num_slots", num_slots)
    pool = BlockPool(num_slots // require_positive("block_size", block_size))
    named = _named(requests)
    if policy not in POLICIES:
        raise InvalidSize(f"policy is one of {', '.join(POLICIES)}, got {policy!r}")
    asked = {str(r.request_id): _asked(r, policy, num_slots) for r in named}
    caches: dict[str, ExtentsLike] = {
        "first": first_fit(num_slots),
        "best": ExtentAllocator(num_slots, "best"),
        "buddy": ExtentAllocator(num_slots, "buddy"),
    }
    queue = partial(RaceQueue, named, ends or {})
    paged = PagedRun(queue(), BlockManager(pool, block_size), pool, block_size)
    return Race(
        requests=named,
        asked_by_name=asked,
        policy=policy,
        num_slots=num_slots,
        block_size=block_size,
        contiguous={
            fit: list(ContiguousRun(queue(), cache, asked).steps())
            for fit, cache in caches.items()
        },
        paged=list(paged.steps()),
    )


def _named(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Name requests A to Z, then A2, B2 ..., in order of arrival; A comes at once."""
    in_order = sorted(requests, key=lambda request: request.arrival_s)
    first_s = in_order[0].arrival_s if in_order else 0.0
    return tuple(
        replace(
            request,
            request_id=chr(65 + i % 26) + (str(i // 26 + 1) if i > 25 else ""),
            arrival_s=request.arrival_s - first_s,
        )
        for i, request in enumerate(in_order)
    )


def _asked(request: Request, policy: str, num_slots: int) -> int:
    if policy != "maximum":
        # never less than it needs: a request longer than the cache is turned away
        return max(request.num_tokens, reserved_slots(policy, request, num_slots))
    if request.max_tokens is None:
        raise InvalidSize(
            f"request {request.request_id!r} has no max_tokens, so there is no maximum "
            "to reserve; give it one or choose another policy"
        )
    return request.num_prompt_tokens + request.max_tokens


@dataclass(frozen=True, slots=True)
class RaceSummary:
    """A whole run in five numbers; averages are over its steps."""

    name: str  # a fit, or "paged"
    num_steps: int  # until the last request ended
    utilisation: float  # mean share of slots that hold a token
    num_holes: float | None  # mean; a paged cache has blocks instead
    num_refused: int  # requests that had to wait for room
    num_steps_waited: int  # steps in which somebody waited


def summaries(ran: Race) -> list[RaceSummary]:
    """Return one summary for each contiguous cache, and one for the paged one."""
    rows = [
        _summary(fit, steps, ran.num_slots, mean(len(step.holes) for step in steps))
        for fit, steps in ran.contiguous.items()
    ]
    return [*rows, _summary("paged", ran.paged, ran.num_slots, None)]


def _summary(
    name: str,
    steps: Sequence[ContiguousStep] | Sequence[PagedStep],
    num_slots: int,
    num_holes: float | None,
) -> RaceSummary:
    tokens = [sum(held.num_tokens for held in step.held) for step in steps]
    return RaceSummary(
        name=name,
        num_steps=len(steps) - 1,
        utilisation=mean(tokens) / num_slots,
        num_holes=num_holes,
        num_refused=len({who for step in steps for who in step.waiting[:1]}),
        num_steps_waited=sum(bool(step.waiting) for step in steps),
    )
