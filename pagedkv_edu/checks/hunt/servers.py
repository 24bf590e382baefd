"""A right server: requests in order of arrival, preemption, and blocks found again."""

from pagedkv_edu.checks.hunt.managers import RightManager
from pagedkv_edu.checks.hunt.model import Served, keys_and_values, next_token
from pagedkv_edu.checks.hunt.pools import RightPool, Take, last_freed
from pagedkv_edu.errors import NeverFits, PagedKVError
from pagedkv_edu.sizes import cdiv

Key = tuple[int, ...]


class RightServer:
    """Serves the oldest first; what a bug replaces is a method.

    A full block is found again by all the tokens up to its end. The cache holds a
    reference of its own to each block that it knows, and gives up the oldest ones that
    nobody else holds when blocks are needed.
    """

    max_running = 64

    def __init__(
        self, num_blocks: int, block_size: int, at: int = 1, take: Take = last_freed
    ) -> None:
        self.at = at  # where or when a bug shows
        self.pool = RightPool(num_blocks, take)
        self.manager = RightManager(self.pool, block_size)
        self.block_size = block_size
        self.held_by_slot: dict[int, int] = {}  # keys and values
        self.block_by_key: dict[Key, int] = {}  # the oldest first
        self.waiting: list[Served] = []
        self.running: list[Served] = []  # in order of arrival
        self.num_submitted = 0
        self.preempted = False  # in this step

    @property
    def num_blocks(self) -> int:
        """Blocks of the pool."""
        return self.pool.num_blocks

    @property
    def num_free(self) -> int:
        """Blocks that are free, or that only the cache holds."""
        return self.pool.num_free + len(self.evictable())

    @property
    def has_work(self) -> bool:
        """Whether a request waits or runs."""
        return bool(self.waiting or self.running)

    def submit(self, name: str, prompt: list[int], num_output: int) -> None:
        """Queue a request; raise `NeverFits` if the pool is too small for it."""
        if any(name == r.name for r in (*self.waiting, *self.running)):
            raise PagedKVError(f"request {name!r} is live")
        self.require_possible(len(prompt) + num_output)
        order = self.num_submitted = self.num_submitted + 1
        self.waiting.append(Served(name, list(prompt), num_output, order))

    def step(self) -> dict[str, list[int]]:
        """Serve one step; return the answers that it completed."""
        self.preempted = False
        for request in list(self.running):
            if request in self.running:
                self.serve(request)
        self.admit()
        live = (*self.running, *self.waiting)
        done = [r for r in live if len(r.answer) >= r.num_output]
        for request in done:
            if request in self.running:
                self.running.remove(request)
                self.finish(request)
            else:  # it was preempted in the step that completed its answer
                self.waiting.remove(request)
        return {request.name: request.answer for request in done}

    # --- what a bug replaces -------------------------------------------------------

    def require_possible(self, num_tokens: int) -> None:
        """Refuse what is larger than the whole pool."""
        if self.blocks(num_tokens) > self.pool.num_blocks:
            raise NeverFits(f"{num_tokens} tokens do not fit into the pool")

    def serve(self, request: Served) -> None:
        """Give a running request its next tokens, if need be at others' cost."""
        num_tokens = self.num_wanted(request)
        while self.num_missing(request, num_tokens) > 0:
            victim = self.victim(request)
            self.preempt(victim)
            if victim is request:
                return
        self.compute(request, num_tokens)

    def victim(self, request: Served) -> Served:
        """Choose who gives up all blocks: whoever came last."""
        return self.running[-1]

    def preempt(self, victim: Served) -> None:
        """Drop a running request; it waits in order of arrival."""
        self.preempted = True
        self.running.remove(victim)
        self.manager.free(victim.name)
        victim.num_computed = 0
        self.wait(victim)

    def wait(self, victim: Served) -> None:
        """Put a preempted request among the waiting."""
        self.waiting = sorted([*self.waiting, victim], key=lambda r: r.order)

    def next_waiting(self) -> Served:
        """Return who is admitted next."""
        return self.waiting[0]

    def admit(self) -> None:
        """Let in who fits, in order, unless somebody had to leave in this step."""
        while self.waiting and not self.preempted:
            if len(self.running) >= self.max_running:
                return
            request = self.next_waiting()
            hit = self.lookup(request.tokens)
            request.num_computed = len(hit) * self.block_size
            num_tokens = self.num_wanted(request)
            if not self.fits(request.num_computed + num_tokens, hit):
                request.num_computed = 0
                return
            self.waiting.remove(request)
            self.running.append(request)
            self.running.sort(key=lambda r: r.order)
            self.begin(request, hit, num_tokens)

    def fits(self, num_tokens: int, hit: list[int]) -> bool:
        """Tell whether a request can begin; a hit on an idle block uses it up."""
        num_revived = sum(self.pool.ref_count(block_id) == 1 for block_id in hit)
        num_new = self.blocks(num_tokens) - len(hit)
        return num_new + num_revived <= self.num_free

    def lookup(self, tokens: list[int]) -> list[int]:
        """Return the known blocks of a beginning; the last token is computed."""
        hit: list[int] = []
        for index in range((len(tokens) - 1) // self.block_size):
            key = self.key(tokens, index)
            if key not in self.block_by_key:
                break
            hit.append(self.block_by_key[key])
            self.block_by_key[key] = self.block_by_key.pop(key)  # the newest now
        return hit

    def key(self, tokens: list[int], index: int) -> Key:
        """Return what a block is found by: everything up to its end."""
        return tuple(tokens[: (index + 1) * self.block_size])

    def num_full(self, request: Served) -> int:
        """Return how many blocks of a request are written in full."""
        return request.num_computed // self.block_size

    def evict(self, key: Key) -> None:
        """Forget a block, and give it back."""
        self.pool.free(self.block_by_key.pop(key))

    def answer(self, request: Served, num_tokens: int) -> None:
        """Add a token to the answer when the last known token has been computed."""
        if num_tokens and request.num_computed == len(request.tokens):
            request.answer.append(next_token(self.read(request)))

    def finish(self, request: Served) -> None:
        """Give back the blocks of a request."""
        self.manager.free(request.name)

    # --- the parts that stay -------------------------------------------------------

    def blocks(self, num_tokens: int) -> int:
        """Return the blocks that so many tokens need."""
        return cdiv(num_tokens, self.block_size)

    def num_wanted(self, request: Served) -> int:
        """Return the tokens of the next step: a prompt is computed in chunks."""
        left = len(request.tokens) - request.num_computed
        return min(left, max(1, 2 * self.block_size - 1))

    def num_missing(self, request: Served, num_tokens: int) -> int:
        """Return how many blocks are missing for so many more tokens."""
        held = self.blocks(request.num_computed)
        needed = self.blocks(request.num_computed + num_tokens) - held
        return needed - self.num_free

    def evictable(self) -> list[Key]:
        """Return what the cache alone holds, the oldest first."""
        counts = self.pool.counts
        return [key for key, block in self.block_by_key.items() if counts[block] == 1]

    def begin(self, request: Served, hit: list[int], num_tokens: int) -> None:
        """Take over the blocks of a hit, and compute the first tokens."""
        for block_id in hit:
            self.pool.share(block_id)
        self.manager.adopt(request.name, hit)
        self.compute(request, num_tokens)

    def compute(self, request: Served, num_tokens: int) -> None:
        """Take blocks, write tokens, read all, and make the full blocks known."""
        start, stop = request.num_computed, request.num_computed + num_tokens
        num_new = self.blocks(stop) - self.blocks(start)
        while self.pool.num_free < num_new and self.evictable():
            self.evict(self.evictable()[0])
        if num_tokens:
            self.manager.append(request.name, num_tokens)
        slots = self.manager.table(request.name).slots(start, stop)
        held = keys_and_values(request.tokens[:stop], start)
        self.held_by_slot.update(zip(slots, held, strict=True))
        request.num_computed = stop
        tokens = request.tokens
        self.answer(request, num_tokens)
        self.register(request, tokens)

    def register(self, request: Served, tokens: list[int]) -> None:
        """Make the full blocks of a request known; the first of equals stays."""
        block_ids = self.manager.table(request.name).block_ids
        for index in range(self.num_full(request)):
            key = self.key(tokens, index)
            if key not in self.block_by_key:
                self.pool.share(block_ids[index])
                self.block_by_key[key] = block_ids[index]

    def read(self, request: Served) -> list[int]:
        """Return the keys and values that attention reads through the table."""
        table = self.manager.table(request.name)
        slots = table.slots(0, request.num_computed)
        return [self.held_by_slot.get(slot, 0) for slot in slots]


class NeverHits(RightServer):
    """Finds no block again, and computes every prompt whole."""

    def lookup(self, tokens: list[int]) -> list[int]:
        """Find nothing."""
        return []


class OneAtATime(RightServer):
    """Lets a request in when nobody else runs."""

    max_running = 1
