"""Decide, step by step, which sequences get tokens and who gives up blocks."""

from collections import deque
from collections.abc import Callable
from typing import Literal

from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidSize,
    OutOfBlocks,
    UnknownSequence,
    WrongPlan,
)
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.protocols import (
    ManagerLike,
    PoolLike,
    SeqId,
    SwappingManagerLike,
)
from pagedkv_edu.serving.admission import Admission, Reserve
from pagedkv_edu.serving.branches import Branches
from pagedkv_edu.serving.plan import Draft, StepPlan
from pagedkv_edu.serving.prefixes import PromptSharing
from pagedkv_edu.serving.sequence import SequenceState
from pagedkv_edu.serving.victims import POLICIES, Policy, Victim
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive

PreemptBy = Literal["recompute", "swap"]


class Scheduler:
    """First come, first served, in steps of at most `token_budget` tokens.

    Admission has three answers. *Never*: `submit` raises `NeverFits`. *Later*: the
    request waits, and those behind it too. *Now*: it gets its first tokens in this
    step. A long prompt is computed in chunks of what is left of the budget.
    `reserve` and `watermark` are explained in `Admission`.

    When a running sequence needs a block and none is free, `victim` says who is
    preempted: the name of a policy, or a function of who needs the block and who may
    give some up. The victim waits in order of arrival and gets no token in that step.
    The oldest running sequence is never a victim. It gets tokens in every step until
    it finishes, so every request does in the end, whatever the policy. If it outgrows
    the whole pool, it ends there: its blocks are free again and it is in the plan's
    `refused`.

    A sequence can `fork` between two steps. The child shares its blocks, counts as
    having arrived with it, and is preempted by itself. A sequence on `hold` gets no
    tokens and may be preempted, until its next token is decided; see `Branches`.

    With a `cache`, which is then the manager's pool too, prompts with content share
    their full blocks; see `items_per_block` for the cache's block_size.
    """

    def __init__(
        self,
        manager: ManagerLike,
        pool: PoolLike,
        block_size: int,
        *,
        token_budget: int = 2048,
        max_running: int = 256,
        watermark: int = 0,
        reserve: Reserve = "nothing",
        victim: Victim | Policy = "last_arrived",
        preempt_by: PreemptBy = "recompute",
        cache: PrefixCache | None = None,
    ) -> None:
        self.manager = manager
        self.pool = pool
        self.block_size = require_positive("block_size", block_size)
        self.token_budget = require_positive("token_budget", token_budget)
        self.max_running = require_positive("max_running", max_running)
        if not callable(victim) and victim not in POLICIES:
            raise InvalidSize(f"victim must be one of {list(POLICIES)}, got {victim!r}")
        self._choose_victim = victim if callable(victim) else POLICIES[victim]
        self._swapper = manager if isinstance(manager, SwappingManagerLike) else None
        self._swaps = preempt_by == "swap"
        if self._swaps and self._swapper is None:
            raise InvalidSize("preempt_by swap needs a manager with swap_out, swap_in")
        self._admission = Admission(pool, block_size, reserve, watermark)
        self._sharing = PromptSharing(cache, block_size) if cache else None
        self._branches = Branches(manager, pool, block_size)
        self._live: dict[SeqId, SequenceState] = {}
        self._waiting: deque[SequenceState] = deque()  # in order of arrival
        self._running: dict[SeqId, SequenceState] = {}  # in order of arrival
        self._prefilling: set[SeqId] = set()  # running, with more than 1 token left
        self._unregistered: set[SeqId] = set()  # running, with prompt blocks to share
        self._num_submitted = 0

    @property
    def has_work(self) -> bool:
        """Whether a request is waiting or running."""
        return bool(self._live)

    @property
    def num_running(self) -> int:
        """Sequences that hold blocks of the device pool."""
        return len(self._running)

    @property
    def num_waiting(self) -> int:
        """Sequences that wait for their first step, or to come back."""
        return len(self._waiting)

    def submit(self, request: Request) -> None:
        """Queue a request.

        Raises `NeverFits` if its prompt, or what `reserve` counts on, is larger than
        the whole pool, and `DuplicateSequence` if its id is live.
        """
        if request.request_id in self._live:
            raise DuplicateSequence(f"request {request.request_id!r} is live already")
        self._admission.require_possible(request)
        seq = SequenceState(request, self._num_submitted, request.num_prompt_tokens)
        if self._sharing is not None:
            seq.items = self._sharing.items(request)
        self._num_submitted += 1
        self._live[seq.seq_id] = seq
        self._waiting.append(seq)

    def step(self) -> StepPlan:
        """Decide one step, carry it out on the manager, and return the decisions."""
        # what the last step wrote can be shared from now on
        for seq_id in list(self._unregistered):
            self._register(self._running[seq_id])
        draft = Draft(self.token_budget)
        if not self._decode_all(draft):
            self._schedule_running(draft)
        if not (draft.preempted or draft.swapped_out):
            self._admit_waiting(draft)
        if not (draft.appending or draft.added):
            self._make_way(draft)
        self._append(draft)
        return draft.final()

    def finish(self, seq_id: SeqId) -> None:
        """Free a sequence whose answer is complete, or which was cancelled."""
        seq = self._require_live(seq_id)
        if seq_id in self._running:
            self._register(seq)
        self.cancel(seq_id)

    def cancel(self, seq_id: SeqId) -> None:
        """Free a sequence whose last step may not have been written.

        Nothing that this step computed can be found in the cache.
        """
        seq = self._require_live(seq_id)
        del self._live[seq_id]
        self._branches.held.discard(seq_id)
        if seq_id in self._running:
            self._leave(seq)
            self.manager.free(seq_id)
            return
        self._waiting.remove(seq)
        if seq.on_host:
            self.manager.free(seq_id)

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with all that its parent knows, between two steps.

        The child of a running parent shares its blocks; that of a parent which was
        preempted waits beside it.
        """
        parent = self._require_live(parent_id)
        if child_id in self._live:
            raise DuplicateSequence(f"request {child_id!r} is live already")
        if parent_id in self._running:
            child = self._branches.fork(parent, child_id)
            self._enter(child)
        else:
            child = self._branches.fork_waiting(parent, child_id)
            self._waiting.insert(self._waiting.index(parent) + 1, child)
        self._live[child_id] = child

    def hold(self, seq_id: SeqId) -> None:
        """Give a sequence no tokens until it is resumed."""
        self._branches.held.add(self._require_live(seq_id).seq_id)

    def resume(self, seq_id: SeqId) -> None:
        """Go on with a sequence that was held."""
        self._branches.held.discard(self._require_live(seq_id).seq_id)

    def check(self) -> None:
        """Assert that every live request is in one queue, in order of arrival."""
        waiting = {seq.seq_id for seq in self._waiting}
        assert not waiting & self._running.keys(), "a request waits and runs at once"
        assert waiting | self._running.keys() == self._live.keys(), "a request is lost"
        assert self._branches.held <= self._live.keys(), "a request is held and gone"
        for queue in (self._waiting, self._running.values()):
            orders = [seq.order for seq in queue]
            assert orders == sorted(orders), f"not in order of arrival: {orders}"
        for seq in self._running.values():
            assert seq.num_left >= 1, f"{seq.seq_id!r} runs with nothing to compute"
            assert (seq.num_left == 1) or seq.seq_id in self._prefilling, (
                f"{seq.seq_id!r} has {seq.num_left} tokens left and is not prefilling"
            )

    # --- deciding ------------------------------------------------------------------

    def _decode_all(self, draft: Draft) -> bool:
        """Give every running sequence its one token, if all decode and all fit."""
        running = self._running
        if self._prefilling or len(running) > draft.budget:
            return False
        if not self._branches.are_all_plain:
            return False
        size = self.block_size
        growth = len([seq for seq in running.values() if not seq.num_computed % size])
        if growth > self.pool.num_free:
            return False
        draft.appending = dict.fromkeys(running, 1)
        draft.num_promised = growth
        draft.budget -= len(running)
        return True

    def _schedule_running(self, draft: Draft) -> None:
        for seq in list(self._running.values()):
            if seq.seq_id not in self._running or seq.seq_id in self._branches.held:
                continue  # a victim of this step, or it waits for a decision
            num_tokens = min(seq.num_left, draft.budget)
            if num_tokens == 0:
                return
            num_blocks = self._blocks(seq.num_computed + num_tokens)
            if num_blocks > self.pool.num_blocks:
                self._leave(seq)
                self._refuse(seq, draft)
            else:
                num_new = num_blocks - self._blocks(seq.num_computed)
                growth = self._make_room(seq, num_new, draft)
                if growth is not None:
                    draft.append(seq.seq_id, num_tokens, growth)

    def _make_room(self, seq: SequenceState, num_new: int, draft: Draft) -> int | None:
        """Preempt until seq's new blocks, and a copy it makes, have free ones.

        Returns how many it takes now; None if seq itself was preempted or refused.
        """
        while (growth := num_new + self._branches.is_copied(seq, draft)) > (
            self.pool.num_free - draft.num_promised
        ):
            oldest = self._branches.runnable(self._running.values()) or seq
            others = [other for other in self._running.values() if other is not oldest]
            if not others:
                # the blocks in the way belong to nobody who could be preempted
                self._leave(oldest)
                self._refuse(oldest, draft)
                return None
            victim = self._choose_victim(seq, others)
            if victim not in others:
                raise WrongPlan(f"the victim {victim!r} is not one of the candidates")
            self._preempt(victim, draft)
            if victim is seq:
                return None
        return growth

    def _make_way(self, draft: Draft) -> None:
        """Preempt a held sequence if that is what the first one waiting waits for."""
        held = [s for s in self._running.values() if s.seq_id in self._branches.held]
        if held and self._branches.runnable(self._waiting):
            self._preempt(held[-1], draft)

    def _admit_waiting(self, draft: Draft) -> None:
        while self._waiting and draft.budget and len(self._running) < self.max_running:
            seq = self._branches.runnable(self._waiting)
            if seq is None:
                return
            if self._blocks(seq.num_known) > self.pool.num_blocks:
                self._waiting.remove(seq)
                self._refuse(seq, draft)
                continue
            admit = self._swap_in if seq.on_host else self._add
            if not admit(seq, draft):
                return
            self._waiting.remove(seq)
            self._enter(seq)

    def _fits(
        self, seq: SequenceState, num_now: int, num_shared: int, draft: Draft
    ) -> bool:
        return self._admission.fits(
            seq,
            num_now,
            num_shared,
            num_promised=draft.num_promised,
            running=self._running,
            appending=draft.appending,
        )

    # --- carrying out --------------------------------------------------------------

    def _add(self, seq: SequenceState, draft: Draft) -> bool:
        hit = self._sharing.lookup(seq) if self._sharing and seq.items else []
        num_hit_tokens = len(hit) * self.block_size
        num_tokens = min(seq.num_left - num_hit_tokens, draft.budget)
        num_new = self._blocks(num_hit_tokens + num_tokens) - len(hit)
        # a block that is cached and free is used up by a hit like any other
        num_revived = sum(self.pool.ref_count(block_id) == 0 for block_id in hit)
        num_shared = len(hit) - num_revived
        if not self._fits(seq, num_new + num_revived, num_shared, draft):
            return False
        seq.num_computed = num_hit_tokens + num_tokens
        seq.num_left -= seq.num_computed
        seq.num_registered = len(hit)
        add: Callable[..., None] = self.manager.add
        if hit and self._sharing:
            self._sharing.cache.reuse(hit)
            add(seq.seq_id, seq.num_computed, prefix=hit)
        else:  # a learner's manager may know no prefix
            add(seq.seq_id, seq.num_computed)
        draft.added[seq.seq_id] = num_tokens
        draft.budget -= num_tokens
        if hit:
            draft.hit_tokens[seq.seq_id] = num_hit_tokens
        return True

    def _swap_in(self, seq: SequenceState, draft: Draft) -> bool:
        num_tokens = min(seq.num_left, draft.budget)
        num_blocks = self._blocks(seq.num_computed + num_tokens)
        if self._swapper is None or not self._fits(seq, num_blocks, 0, draft):
            return False
        draft.copies += self._swapper.swap_in(seq.seq_id)
        seq.on_host = False
        growth = num_blocks - self._blocks(seq.num_computed)
        draft.append(seq.seq_id, num_tokens, growth)
        draft.swapped_in.append(seq.seq_id)
        return True

    def _preempt(self, victim: SequenceState, draft: Draft) -> None:
        draft.take_back(victim.seq_id)
        self._leave(victim)
        if self._swaps and self._swap_out(victim, draft):
            draft.swapped_out.append(victim.seq_id)
        else:
            self.manager.free(victim.seq_id)
            victim.num_left, victim.num_computed = victim.num_known, 0
            draft.preempted.append(victim.seq_id)
        num_before = sum(seq.order < victim.order for seq in self._waiting)
        self._waiting.insert(num_before, victim)

    def _swap_out(self, victim: SequenceState, draft: Draft) -> bool:
        if self._swapper is None:
            return False
        try:
            draft.copies += self._swapper.swap_out(victim.seq_id)
        except OutOfBlocks:  # the host is full too
            return False
        victim.on_host = True
        return True

    def _refuse(self, seq: SequenceState, draft: Draft) -> None:
        del self._live[seq.seq_id]
        self._branches.held.discard(seq.seq_id)
        if seq.num_computed:
            self.manager.free(seq.seq_id)
        draft.refused.append(seq.seq_id)

    def _append(self, draft: Draft) -> None:
        """Take the promised blocks, and count the tokens that the step computes."""
        append, running = self.manager.append, self._running
        for seq_id, num_tokens in draft.appending.items():
            if copies := append(seq_id, num_tokens):
                draft.copies += copies
            running[seq_id].num_computed += num_tokens
        self._branches.grew(draft.appending)
        for seq_id in list(self._prefilling):
            seq = running[seq_id]
            seq.num_left -= draft.appending.get(seq_id, 0)
            if seq.num_left <= 1:
                seq.num_left = 1  # its last known token is computed: one more is known
                self._prefilling.remove(seq_id)

    def _enter(self, seq: SequenceState) -> None:
        """Put a sequence among the running, which stay in order of arrival."""
        newest = next(reversed(self._running.values()), seq)
        self._running[seq.seq_id] = seq
        self._prefilling.add(seq.seq_id)
        if seq.items:
            self._unregistered.add(seq.seq_id)
        if newest.order > seq.order:
            in_order = sorted(self._running.values(), key=lambda other: other.order)
            self._running = {other.seq_id: other for other in in_order}

    def _leave(self, seq: SequenceState) -> None:
        del self._running[seq.seq_id]
        self._prefilling.discard(seq.seq_id)
        self._unregistered.discard(seq.seq_id)
        self._branches.left(seq.seq_id)

    def _register(self, seq: SequenceState) -> None:
        """Let others share what is written of this prompt."""
        if self._sharing is None or not seq.items:
            return
        if self._sharing.num_full_blocks(seq) > seq.num_registered:
            block_ids = self.manager.table(seq.seq_id).block_ids
            self._sharing.register(seq, block_ids)
        if self._sharing.is_complete(seq):
            self._unregistered.discard(seq.seq_id)

    def _require_live(self, seq_id: SeqId) -> SequenceState:
        if seq_id not in self._live:
            raise UnknownSequence(f"no live request {seq_id!r}; submit it first")
        return self._live[seq_id]

    def _blocks(self, num_tokens: int) -> int:
        return cdiv(num_tokens, self.block_size)
