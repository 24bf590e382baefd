"""A learner's step of beam search and ours, on two managers of ours."""

from collections.abc import Callable, Mapping, Sequence

from pagedkv_edu.checks.beams.findings import BeamStep, first_difference
from pagedkv_edu.checks.beams.watch import WatchedSearch, step_arguments
from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.guarded import as_copies
from pagedkv_edu.checks.judging.limits import Complaint, Guard
from pagedkv_edu.checks.judging.search import complained
from pagedkv_edu.checks.judging.topics import Advice, Difference, advised
from pagedkv_edu.protocols import BlockCopy, ManagerLike
from pagedkv_edu.report import Json

BeamFunction = Callable[..., object]  # a learner's: nothing is certain yet


def beam_step(
    manager: ManagerLike, beams: Sequence[str], parent_by_beam: Mapping[str, str]
) -> list[BlockCopy]:
    """Fork, free, append: our own step of beam search."""
    for beam, parent in parent_by_beam.items():
        if beam != parent:
            manager.fork(parent, beam)
    for beam in beams:
        if beam not in parent_by_beam:
            manager.free(beam)
    return [copy for beam in parent_by_beam for copy in manager.append(beam)]


class BeamRun:
    """One beam search, by the learner's function and by ours."""

    def __init__(
        self,
        answer: BeamFunction,
        history: History,
        guard: Guard,
        advice: Mapping[str, Advice],
    ) -> None:
        self.num_refused = 0
        self._answer = answer
        self._guard = guard
        self._advice = advice
        self._block_size = history.size("block_size")
        self._words: dict[str, list[str]] = {}
        self._mine = WatchedSearch(history)
        self._ours = WatchedSearch(history)

    def do(self, call: Call) -> Difference | None:
        """Make the step on both, and compare."""
        self._words = words_after(self._words, call)
        if call.name == "add":
            for side in (self._mine, self._ours):
                side.add(call)
            return None
        wanted = self._ours.make(call, beam_step)
        mine = self._mine.make(call, self._asked)
        self._mine.write_next(self._words, mine.copies)
        step = BeamStep(
            call,
            self._block_size,
            mine,
            wanted,
            {beam: self._mine.read(beam) for beam in self._words},
            {beam: " ".join(words) for beam, words in self._words.items()},
        )
        finding = first_difference(step)
        return advised(finding, self._advice) if finding else None

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Say what was expected of a step that gave no proper answer."""
        advice = self._advice["raised"]
        return complained(
            call,
            complaint,
            wanted="no error" if complaint.error else "a list of copies",
            expected="a list of every copy that append returned, [] if there is none.",
            hint=advice.hint,
            reread=advice.reread,
        )

    def harm(self, calls: tuple[Call, ...]) -> str:
        """Say nothing: the damage of a wrong step shows at once."""
        return ""

    def films(self) -> Json:
        """Return both films: one frame for a whole step."""
        return {"yours": self._mine.film(), "reference": self._ours.film()}

    def _asked(
        self, manager: ManagerLike, beams: Sequence[str], pairs: Mapping[str, str]
    ) -> list[BlockCopy]:
        given = list(beams), dict(pairs)
        copies = self._guard.ask("my_beam_step", self._answer, manager, *given)
        return as_copies(copies, "my_beam_step")


def words_after(words: Mapping[str, list[str]], call: Call) -> dict[str, list[str]]:
    """Return what each beam has written after a call."""
    if call.name == "add":
        beam, count = call.arguments
        assert isinstance(beam, str), call
        assert isinstance(count, int), call
        return {beam: [f"{beam}{position}" for position in range(count)]}
    return {
        beam: [*words[parent], f"{beam}{len(words[parent])}"]
        for beam, parent in step_arguments(call)[1].items()
    }
