"""A small scheduler with one decision left open: what a step gives to whom."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagedkv_edu.errors import (
    DuplicateSequence,
    NeverFits,
    OutOfBlocks,
    PagedKVError,
    UnknownSequence,
    WrongPlan,
)
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive

# seq_lens, new_tokens, num_free, block_size -> who gets its tokens, who is preempted
PlanStep = Callable[[list[int], list[int], int, int], tuple[list[int], list[int]]]


def plan_step(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> tuple[list[int], list[int]]:
    """Return who gets its tokens and who is preempted, as indices of the running.

    The running sequences stand in order of arrival. The oldest is served first; who
    finds too few blocks takes those of whoever came last, in the end its own. Raises
    `OutOfBlocks` if the oldest is alone and still finds too few.

    >>> plan_step([8, 8, 3], [1, 1, 1], num_free=1, block_size=4)
    ([0, 1], [2])
    """
    running = list(range(len(seq_lens)))
    served: list[int] = []
    preempted: list[int] = []
    for i in list(running):
        held = cdiv(seq_lens[i], block_size)
        needed = cdiv(seq_lens[i] + new_tokens[i], block_size) - held
        while i in running and needed > num_free:
            if len(running) == 1:
                raise OutOfBlocks(f"need {needed} blocks, {num_free} free; none to win")
            victim = running.pop()
            preempted.append(victim)
            num_free += cdiv(seq_lens[victim], block_size)
        if i in running:
            num_free -= needed
            served.append(i)
    return served, preempted


@dataclass(slots=True)
class _Sequence:
    request: Request
    order: int
    num_known: int  # tokens of the prompt, and of the answer so far
    num_computed: int = 0


class SmallScheduler:
    """Serves in order of arrival; `plan_step` decides about the running.

    Every running sequence wants its next token, or up to `chunk` tokens of what is
    known of it already. A preempted one is dropped and computed again. A waiting one
    is admitted when its first chunk finds blocks, in a step that preempts nobody.

    >>> from pagedkv_edu import BlockManager, BlockPool
    >>> pool = BlockPool(4)
    >>> scheduler = SmallScheduler(BlockManager(pool, 4), pool, 4)
    >>> scheduler.submit(Request("A", 6, 3))
    >>> scheduler.step().scheduled
    {'A': 6}
    """

    def __init__(
        self,
        manager: ManagerLike,
        pool: PoolLike,
        block_size: int,
        plan_step: PlanStep = plan_step,
        *,
        chunk: int = 16,
    ) -> None:
        self.manager = manager
        self.pool = pool
        self.block_size = require_positive("block_size", block_size)
        self.chunk = require_positive("chunk", chunk)
        self._plan_step = plan_step
        self._waiting: list[_Sequence] = []  # in order of arrival
        self._running: list[_Sequence] = []  # in order of arrival
        self._num_submitted = 0

    @property
    def has_work(self) -> bool:
        """Whether a request is waiting or running."""
        return bool(self._waiting or self._running)

    def submit(self, request: Request) -> None:
        """Queue a request; raise `NeverFits` if its prompt is larger than the pool."""
        if any(s.request.request_id == request.request_id for s in self._live):
            raise DuplicateSequence(f"request {request.request_id!r} is live already")
        needed = cdiv(request.num_prompt_tokens, self.block_size)
        if needed > self.pool.num_blocks:
            raise NeverFits(
                f"request {request.request_id!r} needs {needed} blocks, the pool has "
                f"{self.pool.num_blocks}; shorten it or make the pool larger"
            )
        num_known = request.num_prompt_tokens
        self._waiting.append(_Sequence(request, self._num_submitted, num_known))
        self._num_submitted += 1

    def step(self) -> StepPlan:
        """Ask for a plan, check it, carry it out, and admit who fits."""
        refused: list[SeqId] = []
        while True:
            try:
                served, victims = self._ask()
                break
            except OutOfBlocks:  # the oldest has outgrown what it can get
                if not self._running:
                    raise
                refused.append(self._drop(self._running[0]))
        for victim in victims:
            self._drop(victim)
            self._waiting = sorted([*self._waiting, victim], key=lambda s: s.order)
            victim.num_computed = 0
        scheduled: dict[SeqId, int] = {}
        for seq in served:
            num_tokens = self._num_wanted(seq)
            self.manager.append(seq.request.request_id, num_tokens)
            scheduled[seq.request.request_id] = self._count(seq, num_tokens)
        admitted: Sequence[_Sequence] = ()
        if not (victims or refused):
            admitted = self._admit()
        scheduled |= {s.request.request_id: s.num_computed for s in admitted}
        for seq in admitted:
            self._count(seq, 0)
        return StepPlan(
            scheduled,
            tuple(s.request.request_id for s in admitted),
            tuple(s.request.request_id for s in victims),
            refused=tuple(refused),
        )

    def finish(self, seq_id: SeqId) -> None:
        """Free a sequence whose answer is complete, or which was cancelled."""
        for seq in self._live:
            if seq.request.request_id == seq_id:
                if seq in self._running:
                    self._drop(seq)
                else:
                    self._waiting.remove(seq)
                return
        raise UnknownSequence(f"no live request {seq_id!r}; submit it first")

    @property
    def _live(self) -> list[_Sequence]:
        return self._waiting + self._running

    def _num_wanted(self, seq: _Sequence) -> int:
        return min(self.chunk, seq.num_known - seq.num_computed)

    def _count(self, seq: _Sequence, num_tokens: int) -> int:
        seq.num_computed += num_tokens
        # when its last known token is computed, one more is known
        seq.num_known = max(seq.num_known, seq.num_computed + 1)
        return num_tokens

    def _ask(self) -> tuple[list[_Sequence], list[_Sequence]]:
        seq_lens = [seq.num_computed for seq in self._running]
        wanted = [self._num_wanted(seq) for seq in self._running]
        given = (list(seq_lens), list(wanted), self.pool.num_free, self.block_size)
        try:
            plan = self._plan_step(*given)
            served, preempted = (list(indices) for indices in plan)
            groups = [
                [self._running[i] for i in group] for group in (served, preempted)
            ]
        except PagedKVError:
            raise
        except Exception as error:
            raise WrongPlan(
                f"plan_step{given} gave no plan: {type(error).__name__}: {error}"
            ) from error
        indices = [*served, *preempted]
        if len(set(indices)) != len(indices) or any(i < 0 for i in indices):
            raise WrongPlan(f"plan_step{given} names a sequence twice: {plan}")
        return groups[0], groups[1]

    def _admit(self) -> Sequence[_Sequence]:
        admitted: list[_Sequence] = []
        while self._waiting:
            seq = self._waiting[0]
            num_tokens = self._num_wanted(seq)
            if cdiv(num_tokens, self.block_size) > self.pool.num_free:
                break
            self.manager.add(seq.request.request_id, num_tokens)
            self._waiting.pop(0)
            seq.num_computed = num_tokens
            admitted.append(seq)
        self._running = sorted([*self._running, *admitted], key=lambda s: s.order)
        return admitted

    def _drop(self, seq: _Sequence) -> SeqId:
        self._running.remove(seq)
        self.manager.free(seq.request.request_id)
        return seq.request.request_id
