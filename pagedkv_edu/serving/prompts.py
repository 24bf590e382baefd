"""Replay only the prompts of a workload, to see what a prefix cache would find."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.serving.prefixes import block_items, items_per_block
from pagedkv_edu.serving.workload import Request


@dataclass(frozen=True, slots=True)
class PromptHits:
    """How many of all prompt tokens were found, with one request at a time."""

    num_blocks: int | None  # None: an endless cache
    num_requests: int
    total_tokens: int
    hit_tokens: int
    num_too_long: int = 0  # prompts larger than the whole cache, served without it

    @property
    def hit_ratio(self) -> float:
        """Found tokens as a share of all prompt tokens."""
        return self.hit_tokens / self.total_tokens if self.total_tokens else 0.0


def replay_prompts(
    requests: Iterable[Request],
    num_blocks: int,
    block_size: int,
    on_request: Callable[[int], None] | None = None,
) -> PromptHits:
    """Serve prompts one after another from a `PrefixCache` of num_blocks blocks.

    Each prompt is looked up, takes new blocks for what was not found, is registered
    and freed, its last block first: least recently used goes first, the end of a chain
    before its beginning. Nothing else competes for blocks. All requests must have the
    same `unit`.
    """
    cache: PrefixCache | None = None
    num_requests = total = hits = too_long = 0
    for request in requests:
        if cache is None:
            cache = PrefixCache(num_blocks, items_per_block(request.unit, block_size))
        num_requests += 1
        total += request.num_prompt_tokens
        num_needed = -(-request.num_prompt_tokens // block_size)
        if num_needed > num_blocks:
            too_long += 1
        else:
            items = block_items(request, block_size)
            covered = len(items) // cache.block_size * block_size
            has_rest = request.num_prompt_tokens > covered
            hits += serve_prompt(cache, items, num_needed, has_rest=has_rest)
        if on_request is not None:
            on_request(num_requests)
    return PromptHits(num_blocks, num_requests, total, hits * block_size, too_long)


def serve_prompt(
    cache: PrefixCache, items: Sequence[int], num_needed: int, *, has_rest: bool
) -> int:
    """Look a prompt up, compute the rest, and let it go; return the blocks found.

    With `has_rest` tokens follow the full blocks, so all of these may hit.
    """
    hit = cache.lookup([*items, 0] if has_rest else items)
    cache.reuse(hit)
    block_ids = hit + [cache.allocate() for _ in range(num_needed - len(hit))]
    cache.register(items, block_ids)
    for block_id in reversed(block_ids):
        cache.free(block_id)
    return len(hit)


def endless_hits(requests: Iterable[Request], block_size: int) -> PromptHits:
    """Count what a cache would find that never has to forget anything."""
    seen: set[int] = set()  # of chains; a chain is numbered when it is first seen
    number_by_step: dict[tuple[int, Sequence[int]], int] = {}
    num_requests = total = hits = 0
    for request in requests:
        num_requests += 1
        total += request.num_prompt_tokens
        num_offered = (request.num_prompt_tokens - 1) // block_size
        chain, found = 0, True
        for index, content in enumerate(_blocks(request, block_size)):
            step = (chain, content)
            chain = number_by_step.setdefault(step, len(number_by_step) + 1)
            found = found and chain in seen and index < num_offered
            hits += found
            seen.add(chain)
    return PromptHits(None, num_requests, total, hits * block_size)


def _blocks(request: Request, block_size: int) -> Iterable[Sequence[int]]:
    items = block_items(request, block_size)
    size = items_per_block(request.unit, block_size)
    for start in range(0, len(items) - size + 1, size):
        yield tuple(items[start : start + size])
