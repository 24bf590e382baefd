"""Say in plain sentences what a step of a race shows."""

from collections.abc import Sequence

from pagedkv_edu.memory.extents import Extent
from pagedkv_edu.replay.describe import amount, listed
from pagedkv_edu.serving.race import Race
from pagedkv_edu.serving.race_steps import ContiguousStep, Held, HeldBlocks, PagedStep

PROMISES = {  # beside the prompt
    "maximum": "max_tokens",
    "power of two": "for the answer, rounded up",
    "oracle": "for the answer",
}
RESERVATIONS = {
    "maximum": "prompt + max_tokens",
    "power of two": "prompt + answer, rounded up to a power of two",
    "oracle": "exactly what the request will use",
}

Wait = tuple[str, int, int]  # who, the first step, the step after the last


def waits(steps: Sequence[ContiguousStep] | Sequence[PagedStep]) -> list[Wait]:
    """Return who was first in the queue, and when."""
    spans: list[Wait] = []
    for i, step in enumerate(steps):
        if not step.waiting:
            continue
        name = step.waiting[0]
        if spans and spans[-1][0] == name and spans[-1][2] == i:
            spans[-1] = (name, spans[-1][1], i + 1)
        else:
            spans.append((name, i, i + 1))
    return spans


class ContiguousTeller:
    """Tells what happened in the contiguous cache of one fit, step by step."""

    def __init__(self, race: Race, fit: str) -> None:
        self._race = race
        self._steps = race.contiguous[fit]
        self._prompt = {str(r.request_id): r.num_prompt_tokens for r in race.requests}
        spans = waits(self._steps)
        self._stop_by_start = {start: stop for _, start, stop in spans}
        self._waited = {(name, stop): stop - start for name, start, stop in spans}

    def step(self, i: int) -> ContiguousStep:
        """Return step i, an empty cache after the last one."""
        if i < len(self._steps):
            return self._steps[i]
        return ContiguousStep(
            (), (Extent(0, self._race.num_slots),), (), (), (), (), {}
        )

    def begins_to_wait(self, i: int) -> bool:
        """Return whether somebody is refused at step i who was not before."""
        return i in self._stop_by_start

    def refusal(self, i: int) -> str:
        """Return the headline of a refusal."""
        step = self.step(i)
        asked = self._asked(step.waiting[0])
        num_free = _num_free(step)
        but = ", and it does not fit" if num_free >= asked else ""
        return f"{step.waiting[0]} asks for {asked} slots. {num_free} are free{but}."

    def text(self, i: int) -> str:
        """Return what happened at step i."""
        if i >= len(self._steps):
            return f"done since step {len(self._steps) - 1}."
        step = self.step(i)
        sentences = [self._ends(held) for held in step.ended]
        sentences += [self._starts(h, i) for h in step.held if h.name in step.admitted]
        sentences += [f"{name} is turned away." for name in step.never]
        if step.waiting:
            sentences.append(self._waits(i))
        return " ".join(sentences) or _writes(len(step.held))

    def _ends(self, held: Held) -> str:
        unused = held.num_slots - held.num_tokens
        never = f"; {unused} of them never held a token" if unused else ""
        return f"{held.name} ends and gives back {held.num_slots} slots{never}."

    def _starts(self, held: Held, i: int) -> str:
        asked = self._asked(held.name)
        waited = self._waited.get((held.name, i))
        after = f", after {amount(waited, 'step')} of waiting," if waited else ""
        gets = f" and gets {held.num_slots}" if held.num_slots > asked else ""
        parts = self._parts(held.name)
        return f"{held.name}{after} reserves {asked} slots{gets} ({parts})."

    def _waits(self, i: int) -> str:
        step = self.step(i)
        name, num_free = step.waiting[0], _num_free(step)
        asked = self._asked(name)
        largest = max((hole.num_slots for hole in step.holes), default=0)
        why = f"it needs {asked} slots and {num_free} are free"
        if num_free >= asked:
            why = (
                f"the largest hole is {largest} slots and it needs {asked} in one piece"
            )
        if not self.begins_to_wait(i):
            return f"{name} still waits: {why}."
        wait = f"It waits {amount(self._stop_by_start[i] - i, 'step')}."
        return f"{name} is refused; {why} ({self._parts(name)}). {wait}"

    def _parts(self, name: str) -> str:
        prompt, promise = self._prompt[name], PROMISES[self._race.policy]
        return f"{prompt} prompt + {self._asked(name) - prompt} {promise}"

    def _asked(self, name: str) -> int:
        return self._race.asked_by_name[name]


class PagedTeller:
    """Tells what happened in the paged cache, step by step."""

    def __init__(self, race: Race) -> None:
        self._steps = race.paged
        self._num_blocks = race.num_slots // race.block_size
        self._block_size = race.block_size
        self._starts_of_waits = {start for _, start, _ in waits(self._steps)}

    def step(self, i: int) -> PagedStep:
        """Return step i, an empty cache after the last one."""
        if i < len(self._steps):
            return self._steps[i]
        return PagedStep((), self._num_blocks, (), (), (), (), (), ())

    def begins_to_wait(self, i: int) -> bool:
        """Return whether somebody is refused at step i who was not before."""
        return i in self._starts_of_waits

    def text(self, i: int) -> str:
        """Return what happened at step i."""
        if i >= len(self._steps):
            return f"done since step {len(self._steps) - 1}."
        step = self.step(i)
        sentences = [self._preempted(held) for held in step.preempted]
        sentences += [
            f"{held.name} ends and gives back {_blocks(held)}." for held in step.ended
        ]
        sentences += [self._starts(h) for h in step.held if h.name in step.admitted]
        sentences += [f"{name} is turned away." for name in step.never]
        if step.grown:
            sentences.append(_grows(step))
        if step.waiting:
            sentences.append(f"{self.shortage(i)}.")
        return " ".join(sentences) or _writes(len(step.held))

    def caption(self, i: int) -> str:
        """Return what the blocks that step i rings were taken for."""
        step = self.step(i)
        starts = [held for held in step.held if held.name in step.admitted]
        if len(starts) == 1:
            (held,) = starts
            num = len(held.block_ids)
            return (
                f"{held.name} needs {amount(num, 'block')} for its {held.num_tokens} "
                f"tokens, any {num if num > 1 else 'one'} will do (ringed)"
            )
        if starts or step.grown:
            return "a block when one is needed, any free one will do (ringed)"
        return "a block when one is needed, any free one will do"

    def shortage(self, i: int) -> str:
        """Return who waits for blocks, and for how many."""
        step = self.step(i)
        free = amount(step.num_free, "block")
        verb = "is" if step.num_free == 1 else "are"
        return f"{step.waiting[0]} waits for blocks; {free} {verb} free"

    def _preempted(self, held: HeldBlocks) -> str:
        return (
            f"no block is free for the next token, so {held.name} gives back "
            f"{_blocks(held)} and waits to be computed again."
        )

    def _starts(self, held: HeldBlocks) -> str:
        return (
            f"{held.name} starts with {_blocks(held)} for {held.num_tokens} tokens "
            f"and takes another one every {self._block_size} tokens."
        )


def headline(
    contiguous: ContiguousTeller, paged: PagedTeller, i: int
) -> tuple[str, str]:
    """Return what matters most at step i: its kind, and one sentence."""
    step, paged_step = contiguous.step(i), paged.step(i)
    if contiguous.begins_to_wait(i):
        return "refuse", contiguous.refusal(i)
    if paged_step.preempted:
        names = listed([held.name for held in paged_step.preempted])
        return "preempt", f"Paged: no block is free for a token, and {names} must leave"
    if never := sorted({*step.never, *paged_step.never}):
        return "refuse", f"{listed(never)} would not fit into an empty cache"
    if step.admitted or paged_step.admitted:
        return "arrive", _both("start", step.admitted, paged_step.admitted)
    if paged.begins_to_wait(i):
        return "refuse", f"Paged: {paged.shortage(i)}"
    if step.ended or paged_step.ended:
        ended = [
            [held.name for held in ended] for ended in (step.ended, paged_step.ended)
        ]
        return "finish", _both("end", *ended)
    if step.waiting:
        return "write", f"{step.waiting[0]} still waits in the contiguous cache's queue"
    if step.held or paged_step.held:
        return "write", "Every running request writes a token"
    return "finish", "Both caches are empty"


def _both(verb: str, contiguous: Sequence[str], paged: Sequence[str]) -> str:
    """Say who starts or ends where: "D starts in both", "B ends in the paged cache"."""
    same = [name for name in contiguous if name in paged]
    groups = {
        "both caches": same,
        "the contiguous cache": [name for name in contiguous if name not in same],
        "the paged cache": [name for name in paged if name not in same],
    }
    return ", ".join(
        f"{listed(names)} {verb}{'s' if len(names) == 1 else ''} in {where}"
        for where, names in groups.items()
        if names
    )


def _num_free(step: ContiguousStep) -> int:
    return sum(hole.num_slots for hole in step.holes)


def _blocks(held: HeldBlocks) -> str:
    return amount(len(held.block_ids), "block")


def _writes(num_running: int) -> str:
    if num_running == 0:
        return "it is empty."
    verb = "writes" if num_running == 1 else "write"
    return f"{amount(num_running, 'running request')} {verb} a token."


def _grows(step: PagedStep) -> str:
    if len(step.grown) == 1:
        ((name, block_id),) = step.grown
        return f"{name} takes block {block_id} for its next token."
    return f"{listed([name for name, _ in step.grown])} take a block each."
