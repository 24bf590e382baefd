"""Share the beginnings of prompts through a prefix cache."""

from collections.abc import Sequence

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.serving.sequence import SequenceState
from pagedkv_edu.serving.workload import Request


def items_per_block(unit: int, block_size: int) -> int:
    """Return how many items of `block_items` stand for one block.

    This is the `block_size` of a `PrefixCache` for content of that unit.
    """
    return max(1, block_size // unit)


def block_items(request: Request, block_size: int) -> Sequence[int]:
    """Return what the full blocks of a prompt hold, as ints to look them up by.

    An id of the content that stands for several blocks becomes one int for each of
    them. The tokens of a partial last id are in no full block, because nothing says
    how they go on. Raises `InvalidSize` if neither of unit and block_size divides the
    other.
    """
    if block_size % request.unit and request.unit % block_size:
        raise InvalidSize(
            f"block_size {block_size} neither divides nor is a multiple of the "
            f"{request.unit} tokens of a content id"
        )
    ids = request.content[: request.num_prompt_tokens // request.unit]
    blocks_per_id = max(1, request.unit // block_size)
    if blocks_per_id == 1:
        return ids
    return [i * blocks_per_id + part for i in ids for part in range(blocks_per_id)]


class PromptSharing:
    """Finds the cached beginning of a prompt, and registers what was written."""

    def __init__(self, cache: PrefixCache, block_size: int) -> None:
        self.cache = cache
        self.block_size = block_size  # tokens; the cache counts items

    def items(self, request: Request) -> Sequence[int]:
        """Return what the request's full blocks hold; nothing if it has no content."""
        if not request.content:
            return ()
        per_block = items_per_block(request.unit, self.block_size)
        if per_block != self.cache.block_size:
            raise InvalidSize(
                f"{per_block} content items make a block of {self.block_size} tokens, "
                f"but the cache's block_size is {self.cache.block_size}"
            )
        return block_items(request, self.block_size)

    def lookup(self, seq: SequenceState) -> list[int]:
        """Return the cached blocks that the sequence can begin with."""
        items = list(seq.items)
        num_full = len(items) // self.cache.block_size
        if seq.num_known > num_full * self.block_size:
            items.append(0)  # a token after the last full block: all of them may hit
        return self.cache.lookup(items)

    def num_full_blocks(self, seq: SequenceState) -> int:
        """Return how many blocks are written in full and have a known content."""
        written = seq.num_computed // self.block_size
        return min(written, len(seq.items) // self.cache.block_size)

    def is_complete(self, seq: SequenceState) -> bool:
        """Tell whether every full block of the prompt is registered."""
        return seq.num_registered == len(seq.items) // self.cache.block_size

    def register(self, seq: SequenceState, block_ids: Sequence[int]) -> None:
        """Make the written full blocks of a prompt findable."""
        num_full = self.num_full_blocks(seq)
        self.cache.register(seq.items[: num_full * self.cache.block_size], block_ids)
        seq.num_registered = num_full
