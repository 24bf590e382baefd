"""A contiguous and a paged cache, each serving a queue one step after another."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from pagedkv_edu.errors import NeverFits, OutOfBlocks, OutOfSlots
from pagedkv_edu.memory.extents import Extent, ExtentsLike
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.serving.race_steps import ContiguousStep, Held, HeldBlocks, PagedStep
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv


class RaceQueue:
    """Who has arrived and waits, with how many tokens, at the current step."""

    def __init__(self, requests: Sequence[Request], ends: Mapping[str, int]) -> None:
        self.step = 0
        self.waiting: deque[tuple[str, int]] = deque()
        self._arriving = deque(requests)
        self._num_tokens = {str(r.request_id): r.num_tokens for r in requests}
        self._ends = ends

    @property
    def is_empty(self) -> bool:
        """Whether nobody waits and nobody will arrive."""
        return not self.waiting and not self._arriving

    def names(self) -> tuple[str, ...]:
        """Return who waits, first come first."""
        return tuple(name for name, _ in self.waiting)

    def num_tokens(self, name: str) -> int:
        """Return the tokens of a request's prompt and answer together."""
        return self._num_tokens[name]

    def is_over(self, name: str, num_tokens: int) -> bool:
        """Return whether a request with this many tokens ends at this step."""
        told_to_end = name in self._ends and self.step >= self._ends[name]
        return told_to_end or num_tokens >= self._num_tokens[name]

    def arrive(self) -> None:
        """Let in who arrives at this step, and let go who stops waiting."""
        while self._arriving and self._arriving[0].arrival_s <= self.step:
            request = self._arriving.popleft()
            self.waiting.append((str(request.request_id), request.num_prompt_tokens))
        self.waiting = deque(who for who in self.waiting if not self.is_over(*who))


class ContiguousRun:
    """A contiguous cache that serves a queue in order, one step after another."""

    def __init__(
        self, queue: RaceQueue, extents: ExtentsLike, asked: Mapping[str, int]
    ) -> None:
        self._queue = queue
        self._extents = extents
        self._asked = asked
        self._running: dict[str, Held] = {}
        self._hole_if_ended: dict[str, int] = {}

    def steps(self) -> Iterator[ContiguousStep]:
        """Give every step until nobody runs, waits or will arrive."""
        while self._running or not self._queue.is_empty:
            yield self._step()
            self._queue.step += 1

    def _step(self) -> ContiguousStep:
        ended = self._write()
        self._queue.arrive()
        admitted, never = self._admit()
        if not self._queue.waiting:
            self._hole_if_ended = {}
        elif ended or admitted or not self._hole_if_ended:
            self._hole_if_ended = {
                name: self._hole_without(name) for name in self._running
            }
        return ContiguousStep(
            held=tuple(sorted(self._running.values(), key=lambda held: held.start)),
            holes=tuple(Extent(*hole) for hole in self._extents.holes),
            waiting=self._queue.names(),
            admitted=tuple(admitted),
            ended=tuple(ended),
            never=tuple(never),
            hole_if_ended=self._hole_if_ended,
        )

    def _write(self) -> list[Held]:
        """Give every running request a token; return those that end with it."""
        written = [
            replace(h, num_tokens=h.num_tokens + 1) for h in self._running.values()
        ]
        ended = [h for h in written if self._queue.is_over(h.name, h.num_tokens)]
        self._running = {h.name: h for h in written if h not in ended}
        for held in ended:
            self._extents.release(held.start)
        return ended

    def _admit(self) -> tuple[list[str], list[str]]:
        admitted: list[str] = []
        never: list[str] = []
        while self._queue.waiting:
            name, num_tokens = self._queue.waiting[0]
            try:
                self._running[name] = self._reserve(name, num_tokens)
            except OutOfSlots:
                if self._running:
                    break
                never.append(name)  # nothing is left to wait for
            except NeverFits:
                never.append(name)
            else:
                admitted.append(name)
            self._queue.waiting.popleft()
        return admitted, never

    def _reserve(self, name: str, num_tokens: int) -> Held:
        free_before = self._extents.num_free
        start = self._extents.reserve(self._asked[name])
        # a buddy allocator takes more than it is asked for
        taken = max(self._asked[name], free_before - self._extents.num_free)
        return Held(name, start, taken, num_tokens)

    def _hole_without(self, name: str) -> int:
        """Return the length of the hole that the end of a request would leave."""
        extents, start = deepcopy(self._extents), self._running[name].start
        extents.release(start)
        around = [n for first, n in extents.holes if first <= start < first + n]
        return max(around, default=0)


class PagedRun:
    """A paged cache that serves a queue in order, one step after another.

    An admission leaves a block free while others run. When no block is left for a
    token, the request admitted last is preempted: it gives its blocks back and waits
    at the front of the queue.
    """

    def __init__(
        self, queue: RaceQueue, manager: ManagerLike, pool: PoolLike, block_size: int
    ) -> None:
        self._queue = queue
        self._manager = manager
        self._pool = pool
        self._block_size = block_size
        self._running: dict[str, HeldBlocks] = {}

    def steps(self) -> Iterator[PagedStep]:
        """Give every step until nobody runs, waits or will arrive."""
        while self._running or not self._queue.is_empty:
            yield self._step()
            self._queue.step += 1

    def _step(self) -> PagedStep:
        grown, preempted = self._write()
        ended = [
            h
            for h in self._running.values()
            if self._queue.is_over(h.name, h.num_tokens)
        ]
        for held in ended:
            self._leave(held.name)
        self._queue.arrive()
        admitted, never = self._admit()
        return PagedStep(
            held=tuple(self._running.values()),
            num_free=self._pool.num_free,
            waiting=self._queue.names(),
            admitted=tuple(admitted),
            ended=tuple(ended),
            never=tuple(never),
            grown=tuple(pair for pair in grown if pair[0] in self._running),
            preempted=tuple(preempted),
        )

    def _write(self) -> tuple[list[tuple[str, int]], list[HeldBlocks]]:
        """Give every running request a token; return who took blocks and who left."""
        grown: list[tuple[str, int]] = []
        preempted: list[HeldBlocks] = []
        for name in list(self._running):
            while name in self._running:
                try:
                    self._manager.append(name)
                except OutOfBlocks:
                    preempted.append(self._preempt())
                    continue
                num_blocks = len(self._running[name].block_ids)
                self._running[name] = held = self._read(name)
                grown += [(name, block_id) for block_id in held.block_ids[num_blocks:]]
                break
        return grown, preempted

    def _preempt(self) -> HeldBlocks:
        victim = self._leave(next(reversed(self._running)))
        self._queue.waiting.appendleft((victim.name, victim.num_tokens))
        return victim

    def _leave(self, name: str) -> HeldBlocks:
        self._manager.free(name)
        return self._running.pop(name)

    def _read(self, name: str) -> HeldBlocks:
        table = self._manager.table(name)
        return HeldBlocks(name, tuple(table.block_ids), table.seq_len)

    def _admit(self) -> tuple[list[str], list[str]]:
        admitted: list[str] = []
        never: list[str] = []
        while self._queue.waiting:
            name, num_tokens = self._queue.waiting[0]
            in_the_end = cdiv(self._queue.num_tokens(name), self._block_size)
            needed = cdiv(num_tokens, self._block_size)
            if in_the_end > self._pool.num_blocks:
                never.append(name)
            elif self._pool.num_free < needed + bool(self._running):
                break
            else:
                self._manager.add(name, num_tokens)
                self._running[name] = self._read(name)
                admitted.append(name)
            self._queue.waiting.popleft()
        return admitted, never
