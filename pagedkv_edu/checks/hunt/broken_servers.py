"""Servers that are broken in one place each."""

from pagedkv_edu.checks.hunt.model import Served
from pagedkv_edu.checks.hunt.servers import Key, RightServer
from pagedkv_edu.errors import NeverFits


class WaitsWithItsBlocks(RightServer):
    """Who finds no block keeps its own and waits: two can wait for each other."""

    def serve(self, request: Served) -> None:
        """Compute, or stay as it is."""
        num_tokens = self.num_wanted(request)
        if self.num_missing(request, num_tokens) <= 0:
            self.compute(request, num_tokens)


class _BeginsAgain(RightServer):
    def preempt(self, victim: Served) -> None:
        """Drop the answer so far as well, and let others in at once."""
        super().preempt(victim)
        self.preempted = False
        victim.answer = []

    def lookup(self, tokens: list[int]) -> list[int]:
        """Find nothing."""
        return []


class TakesFromAnybody(_BeginsAgain):
    """Who needs a block takes those of any other request, older ones too."""

    def victim(self, request: Served) -> Served:
        """Choose the oldest of the others, the longest or the newest."""
        others = [other for other in self.running if other is not request]
        if self.at == 2 and others:
            return max(others, key=lambda other: other.num_computed)
        return others[0 if self.at == 1 else -1] if others else request


class GivesUpItself(_BeginsAgain):
    """Who needs a block gives up its own, however long it has been here."""

    def victim(self, request: Served) -> Served:
        """Choose the request itself."""
        return request

    def wait(self, victim: Served) -> None:
        """Put a preempted request behind all that wait."""
        self.waiting.append(victim)


class NewestFirst(RightServer):
    """Lets in whoever came last: an old request can wait for ever."""

    def next_waiting(self) -> Served:
        """Take from the end."""
        return self.waiting[-1] if len(self.waiting) >= self.at else self.waiting[0]


class QueuesWhatNeverFits(RightServer):
    """A request larger than the pool waits, and everybody behind it."""

    def require_possible(self, num_tokens: int) -> None:
        """Look at nothing, or at a part."""
        if self.at > 1:
            super().require_possible(num_tokens // self.at)


class RefusesTheWholePool(RightServer):
    """A request of exactly the pool is refused."""

    def require_possible(self, num_tokens: int) -> None:
        """Want one block, or one token, more than needed."""
        more = self.block_size if self.at == 1 else 1
        if self.blocks(num_tokens + more) > self.pool.num_blocks:
            raise NeverFits(f"{num_tokens} tokens do not fit into the pool")


class ServesAnEvictedBlock(RightServer):
    """A block keeps its name when it is given away, and is found by it."""

    def evict(self, key: Key) -> None:
        """Give the block back, and remember it all the same."""
        block_id = self.block_by_key[key]
        super().evict(key)
        if block_id % self.at == 0:
            self.stale = getattr(self, "stale", {}) | {key: block_id}

    def lookup(self, tokens: list[int]) -> list[int]:
        """Find what was given away, where somebody holds it."""
        hit: list[int] = []
        stale: dict[Key, int] = getattr(self, "stale", {})
        for index in range((len(tokens) - 1) // self.block_size):
            key = self.key(tokens, index)
            block_id = self.block_by_key.get(key, stale.get(key))
            if block_id is None or self.pool.counts[block_id] == 0:
                break
            hit.append(block_id)
        return hit


class HashesTheLowByte(RightServer):
    """Two tokens that differ in their high bits are one token to the hash."""

    def key(self, tokens: list[int], index: int) -> Key:
        """Keep a few bits of each token: 8, or what is asked for."""
        bits = 8 if self.at == 1 else self.at
        return tuple(token % 2**bits for token in super().key(tokens, index))


class HashesTheBlockAlone(RightServer):
    """Equal tokens after another beginning are one block to the hash."""

    def key(self, tokens: list[int], index: int) -> Key:
        """Look at the block's own tokens, perhaps at its place too."""
        start = index * self.block_size
        own = tuple(tokens[start : start + self.block_size])
        return own if self.at == 1 else (*own, index)


class FindsWhatIsNotWritten(RightServer):
    """A block is known before it is full, by the tokens that it will hold."""

    def num_full(self, request: Served) -> int:
        """Count the block that is being filled."""
        known = len(request.prompt) // self.block_size
        held = self.blocks(request.num_computed)
        more = held if held >= self.at else request.num_computed // self.block_size
        return min(more, known)


class LeavesNothingToCompute(RightServer):
    """A prompt that is found whole has no token left, and gets no answer."""

    def lookup(self, tokens: list[int]) -> list[int]:
        """Find the last block too."""
        if len(tokens) < self.at * self.block_size:
            return super().lookup(tokens)
        return super().lookup([*tokens, 0])


class KeepsBlocksAtTheEnd(RightServer):
    """A reference stays when a request ends."""

    def finish(self, request: Served) -> None:
        """Keep the last block of every request, or of every second one."""
        if request.order % self.at == 0:
            self.pool.share(self.manager.table(request.name).block_ids[-1])
        super().finish(request)


class CountsIdleBlocksTwice(RightServer):
    """A block of the hit that only the cache holds is counted as free as well."""

    def fits(self, num_tokens: int, hit: list[int]) -> bool:
        """Ask for the new blocks only."""
        num_new = self.blocks(num_tokens) - len(hit)
        if len(hit) < self.at:
            return super().fits(num_tokens, hit)
        return num_new <= self.num_free


class ComesBackOneShort(RightServer):
    """A preempted request comes back without the last token of its answer."""

    def preempt(self, victim: Served) -> None:
        """Drop one token too many, or the whole answer so far."""
        super().preempt(victim)
        if victim.answer and self.at == 1:
            victim.answer[-1:] = []
            victim.num_output -= 1
        elif victim.answer:
            victim.prompt += victim.answer
            victim.num_output -= len(victim.answer)
            victim.answer = []
