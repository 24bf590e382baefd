"""A learner's prefix cache, led through one history, and ours for the film."""

from collections.abc import Callable, Iterator, Mapping

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.limits import Complaint, Guard
from pagedkv_edu.checks.judging.search import complained
from pagedkv_edu.checks.judging.topics import Advice, Difference, Finding, advised
from pagedkv_edu.checks.judging.wording import be
from pagedkv_edu.checks.prefixes.film import PrefixFilm
from pagedkv_edu.checks.prefixes.findings import PrefixFindings
from pagedkv_edu.checks.prefixes.guarded import GuardedCache, NamedCache
from pagedkv_edu.checks.prefixes.model import PrefixModel
from pagedkv_edu.errors import OutOfBlocks, PagedKVError
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.report import Json

MakeCache = Callable[..., object]  # a learner's class: nothing is certain yet

_HARM = ("in use", "refused allocate")


class PrefixRun:
    """One history on a new cache of the learner's."""

    def __init__(
        self,
        make_cache: MakeCache,
        history: History,
        guard: Guard,
        advice: Mapping[str, Advice],
        *,
        recorded: bool = False,
    ) -> None:
        self.num_refused = 0
        self._advice = advice
        sizes = history.size("num_blocks"), history.size("block_size")
        self._model = PrefixModel(*sizes)
        self._num_calls = 0
        self._findings: list[Finding | None] = []
        made = guard.ask("__init__", make_cache, *sizes)
        self._mine = NamedCache(GuardedCache(made, guard))
        self._reference = NamedCache(PrefixCache(*sizes))
        both = (self._mine, self._reference)
        self._films = [PrefixFilm(named) for named in both] if recorded else []
        self._look = PrefixFindings(self._model, self._mine)

    def do(self, call: Call) -> Difference | None:
        """Make the call on both; compare the learner's cache with the model."""
        self._num_calls += 1
        theirs = self._reference.make(call)
        refusal = self._model.refusal(call)
        self.num_refused += refusal is OutOfBlocks
        outcome = self._mine.make(call)
        try:
            finding = next(self._compare(call, outcome, refusal), None)
        finally:
            for film, result in zip(self._films, (outcome, theirs), strict=False):
                film.add(call, result, self._model)
        self._findings.append(finding)
        return advised(finding, self._advice) if finding else None

    def _compare(
        self,
        call: Call,
        outcome: int | PagedKVError | None,
        refusal: type[PagedKVError] | None,
    ) -> Iterator[Finding]:
        look = self._look
        if refusal:
            yield from look.refusal(call, outcome, refusal)
        elif isinstance(outcome, PagedKVError):
            yield look.refused_wrongly(call, outcome)
        else:
            # the model goes on also where the block is wrong: what follows is told
            wrong = list(look.block(call, outcome)) if isinstance(outcome, int) else []
            self._model.follow(call)
            look.after(call)
            yield from wrong
            yield from look.state(call)
            yield from look.lookups(call)

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Say what was expected of a call that gave no proper answer."""
        refusal = self._model.refusal(call)
        if refusal and complaint.part == call.name:
            wanted = refusal.__name__
            expected = f"{wanted}: {self._look.why_refused(call)}."
        elif complaint.part == call.name == "allocate":
            wanted = "a block"
            expected = f"the id of a free block: {self._look.in_use()}."
        else:
            wanted = "no error" if complaint.error else ""
            expected = f"an answer from {complaint.part} that can be compared."
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
        """Say what the last allocations led to."""
        wrong, *before, last = self._findings[-len(calls) - 1 :]
        if last is None or any(f and f.kind in _HARM for f in before):
            return ""
        if wrong and wrong.kind in _HARM:  # plain enough already
            return ""
        done = ", then ".join(map(str, calls))
        if last.kind == "in use":
            block_id = self._mine.id_by_name[calls[-1].result]
            return (
                f"{done}: block {block_id} is handed out while it is in use. "
                "Two sequences would write into the same slots."
            )
        if last.kind == "refused allocate":
            num_free, num_blocks = self._model.num_free, self._model.num_blocks
            return (
                f"{done}: the last one is refused, although {num_free} of {num_blocks} "
                f"blocks {be(num_free)} not in use."
            )
        return ""

    def films(self) -> Json:
        """Return both films, if every call is one frame of each."""
        if [len(film.events) for film in self._films] != [self._num_calls] * 2:
            return {}
        yours, reference = (film.encoded() for film in self._films)
        return {"yours": yours, "reference": reference}
