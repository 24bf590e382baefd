"""A sequence's map from logical to physical blocks."""

from dataclasses import dataclass, field

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import cdiv, locate


@dataclass(slots=True)
class BlockTable:
    """Which physical block holds which tokens of one sequence.

    >>> table = BlockTable(block_size=4, block_ids=[7, 1, 4], seq_len=10)
    >>> table.slots(2, 6)  # tokens 2, 3 are in block 7 and tokens 4, 5 in block 1
    [30, 31, 4, 5]
    """

    # logical 0 1 2  ->  physical 7 1 4   (slots 28..31, 4..7, 16..17)
    block_size: int
    block_ids: list[int] = field(default_factory=list[int])
    seq_len: int = 0

    @property
    def num_blocks(self) -> int:
        """Blocks that `seq_len` tokens need."""
        return cdiv(self.seq_len, self.block_size)

    def slot(self, position: int) -> int:
        """Return the physical slot of the token at this position.

        Raises `InvalidSize` where the sequence has no token.
        """
        logical_block, offset = locate(position, self.block_size)
        if position >= self.seq_len:
            raise InvalidSize(
                f"position {position} has no slot yet: seq_len is {self.seq_len}"
            )
        return self.block_ids[logical_block] * self.block_size + offset

    def slots(self, start: int, stop: int) -> list[int]:
        """Return the slots of the tokens start to stop - 1, in that order.

        This is the slot mapping of a step that writes those tokens.
        Raises `InvalidSize` unless 0 <= start <= stop <= seq_len.
        """
        if type(start) is not int or type(stop) is not int:
            raise InvalidSize(f"start and stop must be ints, got {start!r}, {stop!r}")
        if not 0 <= start <= stop <= self.seq_len:
            raise InvalidSize(
                f"no tokens {start} to {stop - 1}: seq_len is {self.seq_len}"
            )
        return [self.slot(position) for position in range(start, stop)]
