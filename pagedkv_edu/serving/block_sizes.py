"""What a block size costs: table, empty slots, copies, and pieces to gather."""

from collections.abc import Iterable
from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_at_least, require_positive

TABLE_ENTRY_BYTES = 4  # a block id as a 32-bit number


def table_bytes(seq_len: int, block_size: int) -> int:
    """Return the bytes of the entries that a sequence fills in its block table.

    >>> table_bytes(200, block_size=16)
    52
    """
    return TABLE_ENTRY_BYTES * cdiv(require_positive("seq_len", seq_len), block_size)


def empty_slots(seq_len: int, block_size: int) -> int:
    """Return how many slots of the last block hold no token.

    >>> empty_slots(200, block_size=16)
    8
    """
    blocks = cdiv(require_positive("seq_len", seq_len), block_size)
    return blocks * block_size - seq_len


def mean_empty_slots(block_size: int) -> float:
    """Return the empty slots of a sequence if all endings are equally frequent."""
    return (require_positive("block_size", block_size) - 1) / 2


def fork_copy_bytes(seq_len: int, block_size: int, bytes_per_token: int) -> int:
    """Return the bytes that copy on write copies for one branch at this length.

    The whole last block is copied if it is partly filled, and nothing if it is full.

    >>> fork_copy_bytes(200, 16, 131_072) // 2**20, fork_copy_bytes(208, 16, 131_072)
    (2, 0)
    """
    require_positive("bytes_per_token", bytes_per_token)
    is_partly_filled = empty_slots(seq_len, block_size) > 0
    return block_size * bytes_per_token if is_partly_filled else 0


def contiguous_bytes(seq_len: int, block_size: int, row_bytes: int) -> int:
    """Return the longest run of bytes that a gather of one layer's keys can read.

    `row_bytes` are the keys of one token in one layer, all KV heads together. They lie
    beside those of the next token of the block, as in a pool of shape [num_blocks,
    block_size, num_kv_heads, head_dim].

    >>> contiguous_bytes(200, 16, row_bytes=8 * 128 * 2)
    32768
    """
    require_positive("seq_len", seq_len)
    require_positive("block_size", block_size)
    return min(seq_len, block_size) * require_positive("row_bytes", row_bytes)


def blocks_ahead(seq_len: int, num_tokens: int, block_size: int) -> int:
    """Return the blocks that must be taken before a step that writes num_tokens.

    >>> [blocks_ahead(seq_len, 5, block_size=4) for seq_len in (7, 8, 9)]
    [1, 2, 1]
    """
    require_at_least(0, "num_tokens", num_tokens)
    before = cdiv(require_positive("seq_len", seq_len), block_size)
    return cdiv(seq_len + num_tokens, block_size) - before


@dataclass(frozen=True, slots=True)
class Held:
    """What a set of sequences holds, summed over each decode step of each sequence."""

    block_size: int
    num_steps: int  # of one sequence each
    num_tokens: int
    num_blocks: int
    num_inside: int  # steps at which the last block is partly filled
    num_taken: int  # blocks taken from the pool, once each
    num_written: int  # tokens written, once each

    @property
    def mean_len(self) -> float:
        """Tokens of a sequence, on average over its steps."""
        return self.num_tokens / self.num_steps

    @property
    def num_empty(self) -> int:
        """Empty slots, summed as blocks and tokens are."""
        return self.num_blocks * self.block_size - self.num_tokens

    @property
    def waste_share(self) -> float:
        """Empty slots as a share of all held slots."""
        return self.num_empty / (self.num_blocks * self.block_size)

    @property
    def taken_per_1000(self) -> float:
        """Allocation decisions for 1,000 tokens: blocks that had to be taken."""
        return 1000 * self.num_taken / self.num_written

    @property
    def reads_per_block(self) -> float:
        """Steps that read a block, on average over the blocks taken."""
        return self.num_blocks / self.num_taken


def held(requests: Iterable[Request], block_size: int) -> Held:
    """Sum up what requests hold, each by itself, without walking through the steps.

    A request has its whole prompt in slots when its first token comes out, and the last
    token of the answer needs no slot: the same steps that `simulate` counts.

    >>> held([Request("A", num_prompt_tokens=16, num_output_tokens=4)], 16).num_blocks
    7
    """
    require_positive("block_size", block_size)
    sums = [0] * 6
    for request in requests:
        first = request.num_prompt_tokens
        last = first + request.num_output_tokens - 1
        num_steps = request.num_output_tokens
        num_full = last // block_size - (first - 1) // block_size
        row = (
            num_steps,
            (first + last) * num_steps // 2,
            _blocks_up_to(last, block_size) - _blocks_up_to(first - 1, block_size),
            num_steps - num_full,
            cdiv(last, block_size),
            last,
        )
        sums = [total + value for total, value in zip(sums, row, strict=True)]
    if not sums[0]:
        raise InvalidSize("no requests: give at least one")
    return Held(block_size, *sums)


def _blocks_up_to(seq_len: int, block_size: int) -> int:
    """Return the blocks held at every length from 1 to seq_len, added up."""
    full, rest = divmod(seq_len, block_size)
    return block_size * full * (full + 1) // 2 + rest * (full + 1)
