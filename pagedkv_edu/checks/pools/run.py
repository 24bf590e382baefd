"""A learner's pool, led through one history, and ours beside it for the film."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.guarded import GuardedPool
from pagedkv_edu.checks.judging.limits import Complaint, Guard
from pagedkv_edu.checks.judging.search import complained
from pagedkv_edu.checks.judging.topics import Advice, Difference, Finding, advised
from pagedkv_edu.checks.judging.wording import out_of
from pagedkv_edu.checks.pools.findings import (
    block_differs,
    refusal_differs,
    refused_wrongly,
    state_differs,
)
from pagedkv_edu.checks.pools.model import Counts, NamedBlocks
from pagedkv_edu.errors import OutOfBlocks, PagedKVError
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import frames
from pagedkv_edu.replay.recording import RecordedPool
from pagedkv_edu.report import Json

MakePool = Callable[..., object]  # a learner's class: nothing is certain yet

_PROPERTIES = ("num_free", "num_blocks")
_HARM = ("in use", "refused allocate")


class PoolRun:
    """One history on a new pool of the learner's.

    Which block `allocate` hands out is up to the pool. So what is right follows from
    the ids that came out, not from our pool.
    """

    def __init__(
        self,
        make_pool: MakePool,
        history: History,
        guard: Guard,
        advice: Mapping[str, Advice],
        *,
        recorded: bool = False,
    ) -> None:
        self.num_refused = 0
        num_blocks = history.size("num_blocks")
        self._advice = advice
        self._counts = Counts(num_blocks)
        self._num_calls = 0
        self._findings: list[Finding | None] = []

        made = guard.ask("__init__", make_pool, num_blocks)
        pools: list[PoolLike] = [GuardedPool(made, guard), BlockPool(num_blocks)]
        self._films = [RecordedPool(pool) for pool in pools] if recorded else []
        mine, reference = [*self._films] or pools
        self._mine = NamedBlocks(mine)
        self._reference = NamedBlocks(reference)

    def do(self, call: Call) -> Difference | None:
        """Make the call on both; compare the learner's pool with the counts."""
        self._num_calls += 1
        self._reference.make(call)
        refusal = self._counts.refusal(call, self._block_of(call))
        self.num_refused += refusal is OutOfBlocks
        finding = self._compare(call, self._mine.make(call), refusal)
        self._findings.append(finding)
        return advised(finding, self._advice) if finding else None

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Say what was expected of a call that gave no proper answer."""
        counts, block_id = self._counts, self._block_of(call)
        refusal = counts.refusal(call, block_id)
        if refusal and complaint.part == call.name:
            wanted = refusal.__name__
            expected = f"{wanted}: {counts.why_refused(block_id)}."
            if complaint.what.startswith("returned"):
                found = f"no error; it {complaint.what}."
                complaint = Complaint(complaint.part, complaint.what, found)
        elif complaint.part == call.name == "allocate":
            wanted = "a block"
            expected = f"the id of a free block: {counts.in_use()}."
        else:
            wanted = "no error" if complaint.error else ""
            expected = f"an answer from {complaint.part} that can be compared."
            if complaint.part in _PROPERTIES:
                expected = f"{complaint.part} as a property: a number, read without ()."
        instead = refusal and complaint.part == call.name and not complaint.stopped
        kind = f"instead of {refusal.__name__}" if refusal and instead else "raised"
        advice = self._advice[kind]
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
        if wrong and wrong.kind in (*_HARM, "no block"):  # plain enough already
            return ""
        newest, done = calls[-1].result, ", then ".join(map(str, calls))
        if len(calls) > 2:
            done = f"allocate {len(calls)} more times"
        if last.kind == "in use":
            block_id = self._mine.id_by_name[newest]
            return (
                f"{done}: block {block_id} is handed out while it is in use. "
                "Two sequences would write into the same slots."
            )
        if last.kind == "refused allocate":
            num_free, num_blocks = self._counts.num_free, self._counts.num_blocks
            return (
                f"{done}: the last one is refused, although "
                f"{out_of(num_free, num_blocks)} not in use."
            )
        return ""

    def films(self) -> Json:
        """Return both films, if every call is one frame of each."""
        if [len(film.events) for film in self._films] != [self._num_calls] * 2:
            return {}
        yours, reference = (encode(frames(film.events)) for film in self._films)
        return {"yours": yours, "reference": reference}

    def _block_of(self, call: Call) -> int | None:
        return None if call.name == "allocate" else self._mine.id_of(call)

    def _compare(
        self,
        call: Call,
        outcome: int | PagedKVError | None,
        refusal: type[PagedKVError] | None,
    ) -> Finding | None:
        mine, counts = self._mine, self._counts
        if refusal:
            return refusal_differs(call, outcome, refusal, mine, counts)
        if isinstance(outcome, PagedKVError):
            return refused_wrongly(call, outcome, mine, counts)
        if outcome is not None:
            wrong = block_differs(call, outcome, mine, counts)
            if wrong:
                return wrong
        block_id = mine.id_of(call) if outcome is None else outcome
        counts.follow(call, block_id, self._num_calls)
        changes = list(state_differs(call, mine, counts))
        if not changes:
            return None
        # all that is wrong tells causes apart which begin alike
        found = "; ".join(finding.found.rstrip(".") for finding in changes)
        return replace(changes[0], found=f"{found}.")
