"""What the slots of a cache are used for while more requests wait than fit."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Protocol

from pagedkv_edu.errors import NeverFits, OutOfBlocks, OutOfSlots
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.workload import Request


@dataclass(frozen=True, slots=True)
class SlotShares:
    """Where the slots were, as shares of all of them, averaged over steps.

    The four shares add up to 1.
    """

    token: float  # hold a token
    reserved: float  # held by a request that will write a token there later
    internal: float  # held by a request that never will
    external: float  # held by no request: holes, and what an allocator rounds up
    num_steps: int
    mean_running: float  # requests in the cache at once
    num_preempted: int
    num_refused: int  # requests that would not fit into an empty cache


class SlotMemory(Protocol):
    """A cache, contiguous or paged, as the simulation sees it."""

    num_slots: int

    def admit(self, request: Request, seq_len: int) -> int:
        """Take room for a request of seq_len tokens; return the slots it holds."""
        ...

    def grow(self, request: Request) -> int:
        """Take room for a request's next token; return how many slots it got."""
        ...

    def release(self, request: Request) -> None:
        """Give back all that a request holds."""
        ...


def slot_shares(
    requests: Iterable[Request],
    memory: SlotMemory,
    on_finish: Callable[[int], None] | None = None,
) -> SlotShares:
    """Serve requests from a full queue, and say what the slots were used for.

    All requests wait from the start, whatever their arrival, and are admitted in
    order, each as soon as it fits. In a step every running request writes one token.
    A request that cannot grow preempts the one admitted last, which goes back to the
    front of the queue with all its tokens. Steps count while somebody waits.
    `on_finish` is told how many requests are done.
    """
    return _FullQueue(requests, memory).run(on_finish)


@dataclass(slots=True)
class _Running:
    request: Request
    seq_len: int  # when it was admitted
    since: int  # the step of its admission
    order: int  # of admission
    held: int

    @property
    def used_in_the_end(self) -> int:
        """Slots held that hold a token now or later."""
        return min(self.held, self.request.num_tokens)


class _FullQueue:
    # Between an admission, a growth and a finish nothing changes except that every
    # running request writes one token a step, so that time is added up at once.

    def __init__(self, requests: Iterable[Request], memory: SlotMemory) -> None:
        self._waiting = deque((r, r.num_prompt_tokens) for r in requests)
        self._memory = memory
        self._running: dict[SeqId, _Running] = {}  # in order of admission
        self._due: list[tuple[int, bool, int, SeqId]] = []  # step, grows, order, id
        self._step = 0
        self._num_admitted = self._num_preempted = self._num_refused = 0
        # of all running requests: now, and added up over the steps
        self._tokens = self._used_in_the_end = self._held = 0
        self._token_steps = self._used_steps = self._held_steps = 0
        self._request_steps = 0

    def run(self, on_finish: Callable[[int], None] | None) -> SlotShares:
        num_requests = len(self._waiting)
        self._admit()
        while self._waiting:
            self._pass_time(self._due[0][0] - self._step)
            while self._due and self._due[0][0] == self._step:
                _, grows, order, request_id = heappop(self._due)
                running = self._running.get(request_id)
                if running is None or running.order != order:
                    continue  # it was preempted meanwhile
                (self._grow if grows else self._leave)(running)
            self._admit()
            if on_finish is not None:
                on_finish(num_requests - len(self._waiting) - len(self._running))
        return self._shares()

    def _admit(self) -> None:
        while self._waiting:
            request, seq_len = self._waiting[0]
            try:
                held = self._memory.admit(request, seq_len)
            except NeverFits:
                self._num_refused += 1
                self._waiting.popleft()
                continue
            except (OutOfBlocks, OutOfSlots):
                return
            self._waiting.popleft()
            self._num_admitted += 1
            running = _Running(request, seq_len, self._step, self._num_admitted, held)
            self._running[request.request_id] = running
            self._tokens += seq_len
            self._held += held
            self._used_in_the_end += running.used_in_the_end
            self._plan(running)

    def _plan(self, running: _Running) -> None:
        """Note when a running request ends, or has filled all that it holds."""
        when = running.since + running.used_in_the_end - running.seq_len
        grows = running.held < running.request.num_tokens
        heappush(self._due, (when, grows, running.order, running.request.request_id))

    def _pass_time(self, num_steps: int) -> None:
        num_running = len(self._running)
        written_meanwhile = num_running * num_steps * (num_steps - 1) // 2
        self._token_steps += self._tokens * num_steps + written_meanwhile
        self._used_steps += self._used_in_the_end * num_steps
        self._held_steps += self._held * num_steps
        self._request_steps += num_running * num_steps
        self._tokens += num_running * num_steps
        self._step += num_steps

    def _grow(self, running: _Running) -> None:
        while running.request.request_id in self._running:
            try:
                more = self._memory.grow(running.request)
            except OutOfBlocks:
                self._preempt()
                continue
            used_before = running.used_in_the_end
            running.held += more
            self._held += more
            self._used_in_the_end += running.used_in_the_end - used_before
            self._plan(running)
            return

    def _preempt(self) -> None:
        victim = next(reversed(self._running.values()))
        self._waiting.appendleft((victim.request, self._leave(victim)))
        self._num_preempted += 1

    def _leave(self, running: _Running) -> int:
        """Take a request out of the cache; return how many tokens it had."""
        seq_len = running.seq_len + self._step - running.since
        self._memory.release(running.request)
        del self._running[running.request.request_id]
        self._tokens -= seq_len
        self._used_in_the_end -= running.used_in_the_end
        self._held -= running.held
        return seq_len

    def _shares(self) -> SlotShares:
        num_steps = max(1, self._step)
        slot_steps = num_steps * self._memory.num_slots
        return SlotShares(
            token=self._token_steps / slot_steps,
            reserved=(self._used_steps - self._token_steps) / slot_steps,
            internal=(self._held_steps - self._used_steps) / slot_steps,
            external=1 - self._held_steps / slot_steps,
            num_steps=self._step,
            mean_running=self._request_steps / num_steps,
            num_preempted=self._num_preempted,
            num_refused=self._num_refused,
        )
