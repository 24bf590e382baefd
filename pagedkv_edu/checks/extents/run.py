"""A learner's first fit, led through one history, and ours beside it."""

from collections.abc import Callable, Mapping, Sequence

from pagedkv_edu.checks.extents.findings import (
    as_extents,
    free_runs,
    in_the_way,
    refusal_differs,
    refused_wrongly,
    slots_text,
    start_differs,
    state_differs,
    why_refused,
)
from pagedkv_edu.checks.extents.named import GuardedExtents, NamedExtents, Outcome
from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.limits import Complaint, Guard, OutOfTime
from pagedkv_edu.checks.judging.search import complained
from pagedkv_edu.checks.judging.topics import Advice, Difference, Finding, advised
from pagedkv_edu.checks.judging.wording import be, joined
from pagedkv_edu.errors import OutOfSlots, PagedKVError
from pagedkv_edu.memory.extents import Extent, ExtentAllocator, ExtentsLike
from pagedkv_edu.report import Json

MakeExtents = Callable[[int], ExtentsLike]

_LOUD = ("accepted reserve", "in use", "outside", "refused reserve")


class ExtentsRun:
    """One history on a new allocator of the learner's.

    First fit leaves no choice, so starts, holes and errors must be those of ours.
    """

    def __init__(
        self,
        make_extents: MakeExtents,
        history: History,
        guard: Guard,
        advice: Mapping[str, Advice],
        *,
        recorded: bool = False,
    ) -> None:
        self.num_refused = 0
        self._num_slots = history.size("num_slots")
        self._advice = advice
        made = guard.ask("__init__", make_extents, self._num_slots)
        self._mine = NamedExtents(GuardedExtents(made, guard))
        self._ours = NamedExtents(ExtentAllocator(self._num_slots))
        self._films = ExtentsFilms(self._num_slots) if recorded else None
        self._findings: list[Finding | None] = []
        self._mine_did: list[tuple[Outcome, Mapping[str, Extent]]] = []

    def do(self, call: Call) -> Difference | None:
        """Make the call on both, and compare."""
        holes = as_extents(self._ours.extents.holes)
        wanted = self._ours.make(call)
        self.num_refused += isinstance(wanted, OutOfSlots)
        before = dict(self._mine.live)
        try:
            outcome = self._mine.make(call)
        except Complaint as complaint:
            self._film(call, complaint, wanted)
            raise
        self._film(call, outcome, wanted)
        self._mine_did.append((outcome, before))
        finding = self._compare(call, outcome, wanted, holes, before)
        self._findings.append(finding)
        return advised(finding, self._advice) if finding else None

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Say what was expected of a call that gave no proper answer."""
        start, wanted = self._ours.start_by_name.get(call.result), ""
        if complaint.part != call.name:
            expected = f"an answer from {complaint.part} that can be compared."
        elif call.name == "release":
            expected = "no error, or NotAllocated if no extent starts there."
        elif start is not None:
            wanted = str(start)
            expected = f"{start}, where the first hole that is long enough begins."
        else:
            wanted = "OutOfSlots"
            expected = "OutOfSlots: no hole is long enough."
        advice = self._advice["raised"]
        return complained(
            call,
            complaint,
            wanted=wanted,
            expected=expected,
            hint=advice.hint,
            reread=advice.reread,
        )

    def harm(self, calls: tuple[Call, ...]) -> str:
        """Say what the last of these calls led to, on the learner's own slots."""
        wrong = self._findings[-len(calls) - 1]
        if wrong is None or wrong.kind in _LOUD or len(self._mine_did) < len(calls):
            return ""
        outcome, before = self._mine_did[-1]
        num_slots = calls[-1].arguments[0]
        if calls[-1].name == "release" or not isinstance(num_slots, int):
            return ""
        done = ", then ".join(map(str, calls))
        if isinstance(outcome, int):
            there = in_the_way(Extent(outcome, num_slots), before)
            if there:
                slots = slots_text(Extent(outcome, num_slots))
                return (
                    f"{done}: it gets {slots}, where {joined(there)} {be(len(there))}."
                )
            return ""
        longest = max(free_runs(before, self._num_slots), default=0)
        if longest < num_slots:
            return ""
        return f"{done}: refused, although {longest} slots side by side are free."

    def films(self) -> Json:
        """Return both films, one frame for each call."""
        return self._films.to_json() if self._films else {}

    def _film(self, call: Call, mine: Outcome | Complaint, wanted: Outcome) -> None:
        if self._films:
            self._films.add(call, mine, self._mine, "yours")
            self._films.add(call, wanted, self._ours, "reference")

    def _compare(
        self,
        call: Call,
        outcome: Outcome,
        wanted: Outcome,
        holes: Sequence[Extent],
        live: Mapping[str, Extent],
    ) -> Finding | None:
        state = state_differs(call, self._mine.extents, self._ours.extents)
        if isinstance(wanted, PagedKVError):
            reason = why_refused(holes)
            if call.name == "release":
                reason = f"no extent starts at {self._ours.start_of(call)}"
            return refusal_differs(call, outcome, wanted, reason, state)
        if isinstance(outcome, PagedKVError):
            return refused_wrongly(call, outcome, wanted, holes)
        if isinstance(outcome, int) and isinstance(wanted, int) and outcome != wanted:
            return start_differs(call, outcome, wanted, holes, live)
        return next(state, None)


class ExtentsFilms:
    """The same calls on two allocators as films of JSON."""

    def __init__(self, num_slots: int) -> None:
        self._num_slots = num_slots
        self._frames_by_side: dict[str, list[Json]] = {}

    def add(
        self, call: Call, outcome: Outcome | Complaint, named: NamedExtents, side: str
    ) -> None:
        """Add a frame after a call."""
        error = ""
        if isinstance(outcome, PagedKVError | Complaint):
            error = f"{type(outcome).__name__}: {outcome}"
        extents = [
            {"start": start, "length": length, "used": length, "seq": name}
            for name, (start, length) in named.live.items()
        ]
        state: Json = {"extents": extents}
        try:
            holes = named.extents.holes
            state["holes"] = [{"start": s, "length": n} for s, n in holes]
        except (Complaint, OutOfTime, PagedKVError):
            pass  # drawn from what is held instead
        frame: Json = {
            "call": str(call),
            "text": f"{call}: {error}" if error else f"{call}.",
            "headline": f"{call} is refused" if error else str(call),
            "error": error,
            "state": state,
        }
        self._frames_by_side.setdefault(side, []).append(frame)

    def to_json(self) -> Json:
        """Return the films by side."""
        return {
            side: {"memory": "extents", "num_slots": self._num_slots, "frames": frames}
            for side, frames in self._frames_by_side.items()
        }
