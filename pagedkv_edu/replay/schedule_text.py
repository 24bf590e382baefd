"""Say in plain sentences what a step of a schedule shows."""

from collections.abc import Sequence

from pagedkv_edu.replay.schedule import Leave, Moment, Schedule
from pagedkv_edu.replay.wording import amount, listed

# why a policy of ours chose its victim, when it chose one among others
REASONS = {
    "last_arrived": "which came last",
    "longest": "the longest of those that came after {oldest}",
    "fewest_computed": "with the fewest computed tokens of those that came after "
    "{oldest}",
}


class ScheduleTeller:
    """Tells what happened, step by step."""

    def __init__(self, schedule: Schedule, policy: str = "") -> None:
        self._schedule = schedule
        self._policy = policy
        self._spans = {track.name: track.spans for track in schedule.tracks}

    def moment(self, i: int) -> Moment | None:
        """Return step i, None after the last one."""
        moments = self._schedule.moments
        return moments[i] if i < len(moments) else None

    def headline(self, i: int) -> tuple[str, str]:
        """Return what matters most at step i: its kind, and one sentence."""
        moment = self.moment(i)
        if moment is None:
            return "finish", f"Step {i}: {self._over()}"
        return self._kind_and_text(moment, i)

    def text(self, i: int) -> str:
        """Return all that happened at step i."""
        moment = self.moment(i)
        if moment is None:
            last = len(self._schedule.moments) - 1
            return f"{self._over()} since step {last + 1}."
        told = [self._leaves(moment, leave, i) for leave in moment.leaving]
        told += [f"{name} is larger than the pool: refused." for name in moment.never]
        told += [_begins(moment, name) for name in moment.admitted]
        told += [
            f"{name}'s blocks come back from the host." for name in moment.swapped_in
        ]
        told += [f"{name} is done." for name in moment.finished]
        if moment.waiting and not moment.is_preemption:
            told.append(self._waits(moment))
        return " ".join(told) or self._computes(moment)

    def caption(self) -> str:
        """Return what becomes of those that are preempted, in a few words."""
        names = [t.name for t in self._schedule.tracks if t.outcome.num_preemptions]
        if not names:
            return "nobody is preempted"
        num = self._schedule.num_preemptions
        kinds = {s.kind for spans in self._spans.values() for s in spans}
        fate = {
            (True, False): "dropped and computed again",
            (False, True): "moved to the host and back",
        }.get(("dropped" in kinds, "kept" in kinds), "dropped, or moved to the host")
        cache = "cache is" if len(names) == 1 else "caches are"
        times = "" if num == len(names) else f", {amount(num, 'time')} in all"
        told = f"{listed(names)}'s {cache} {fate}{times}"
        if self._schedule.is_stopped:
            num_steps = len(self._schedule.moments)
            told += f"; stopped after {num_steps} steps, not done"
        return told

    def _kind_and_text(self, moment: Moment, i: int) -> tuple[str, str]:
        at = f"Step {i}:"
        if moment.is_preemption:
            return "preempt", f"{at} {self._preemption(moment)}"
        if moment.never:
            return (
                "refuse",
                f"{at} {listed(moment.never)} can never fit, and is refused",
            )
        if moment.leaving:
            name = moment.leaving[0].name
            return "refuse", f"{at} {name} has outgrown the pool, and ends"
        if moment.swapped_in:
            return "swap_in", f"{at} {_comes(moment.swapped_in)} back from the host"
        if moment.admitted:
            back = [n for n in moment.admitted if self._was_here(n, i)]
            if back:
                return "arrive", f"{at} {_comes(back)} back, to be computed again"
            starts = "starts" if len(moment.admitted) == 1 else "start"
            return "arrive", f"{at} {listed(moment.admitted)} {starts}"
        if moment.finished:
            free = self._num_free(i + 1)
            is_are = "is" if len(moment.finished) == 1 else "are"
            done = f"{listed(moment.finished)} {is_are} done"
            return "finish", f"{at} {done}, {amount(free, 'block')} free afterwards"
        if moment.arrived and set(moment.arrived) & set(moment.waiting):
            return "refuse", f"{at} {listed(moment.arrived)} arrives and has to wait"
        num = len(moment.scheduled)
        computes = "computes" if num == 1 else "compute"
        return "write", f"{at} {amount(num, 'sequence')} {computes} tokens"

    def _preemption(self, moment: Moment) -> str:
        out = [leave for leave in moment.leaving if leave.kind != "refused"]
        full = "the pool is full" if not moment.num_free_before else "blocks run out"
        if len(out) > 1:
            num = sum(leave.num_blocks for leave in out)
            names = listed([leave.name for leave in out])
            return f"{full}, {names} give up {amount(num, 'block')}"
        name, num = out[0].name, amount(out[0].num_blocks, "block")
        came = ""
        if self._policy == "last_arrived" and moment.running_before[-1:] == (name,):
            came = f" {name} came last,"
        return f"{full},{came} {name} gives up {num}"

    def _leaves(self, moment: Moment, leave: Leave, i: int) -> str:
        held = f"{amount(leave.num_tokens, 'token')} in "
        held += amount(leave.num_blocks, "block")
        if leave.kind == "refused":
            return f"{leave.name} has {held} and needs more than the pool has: it ends."
        what = "are dropped" if leave.kind == "dropped" else "move to the host"
        first = leave == moment.leaving[0]
        shortage = f"{self._shortage(moment)} " if first else ""
        reason = self._reason(moment, leave)
        others = [n for n in moment.running_before if n in moment.scheduled]
        go_on = ""
        if leave == moment.leaving[-1] and others:
            goes = "goes" if len(others) == 1 else "go"
            go_on = f" {listed(others)} {goes} on."
        back = self._comes_back(leave, i)
        return (
            f"{shortage}{leave.name}{reason} is preempted: its {held} {what}."
            f"{go_on}{back}"
        )

    def _shortage(self, moment: Moment) -> str:
        free, need = moment.num_free_before, moment.num_growing
        are = "is" if free == 1 else "are"
        if need > free:
            who = "One running sequence needs"
            if need > 1:
                who = f"{need} running sequences need"
            return f"{who} a block and {free or 'none'} {are if free else 'is'} free."
        return f"{amount(free, 'block').capitalize()} {are} free, and more are needed."

    def _reason(self, moment: Moment, leave: Leave) -> str:
        if len(moment.leaving) > 1 or self._policy not in REASONS:
            return ""
        reason = REASONS[self._policy].format(oldest=moment.running_before[0])
        return f", {reason},"

    def _comes_back(self, leave: Leave, i: int) -> str:
        gap = next((s for s in self._spans[leave.name] if s.start == i), None)
        if gap is None or self.moment(gap.stop) is None:
            return ""
        before = self.moment(gap.stop - 1)
        why = ""
        if before and before.finished:
            are = "is" if len(before.finished) == 1 else "are"
            why = f", when {listed(before.finished)} {are} done"
        return f" {leave.name} returns at step {gap.stop}{why}."

    def _waits(self, moment: Moment) -> str:
        name = moment.waiting[0]
        free = self._schedule.num_blocks - sum(moment.held.values())
        is_are = "is" if free == 1 else "are"
        behind = moment.waiting[1:]
        more = f" {listed(behind)} behind it." if behind else ""
        return f"{name} waits; {amount(free, 'block')} {is_are} free.{more}"

    def _computes(self, moment: Moment) -> str:
        if not moment.scheduled:
            return "Nothing is computed."
        num_tokens = sum(moment.scheduled.values())
        num = len(moment.scheduled)
        compute = "computes" if num == 1 else "compute"
        return (
            f"{amount(num, 'sequence').capitalize()} {compute} "
            f"{amount(num_tokens, 'token')}."
        )

    def _over(self) -> str:
        return "stopped, not done" if self._schedule.is_stopped else "all are done"

    def _was_here(self, name: str, i: int) -> bool:
        return any(s.kind == "dropped" and s.start < i for s in self._spans[name])

    def _num_free(self, i: int) -> int:
        moment = self.moment(i)
        if moment is None:
            return self._schedule.num_blocks
        return moment.num_free_before


def _begins(moment: Moment, name: str) -> str:
    num_tokens, num = moment.scheduled.get(name, 0), moment.held.get(name, 0)
    return (
        f"{name} is admitted: {amount(num_tokens, 'token')} in {amount(num, 'block')}."
    )


def _comes(names: Sequence[str]) -> str:
    return f"{listed(names)} {'comes' if len(names) == 1 else 'come'}"
