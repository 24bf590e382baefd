"""A sequence's map from logical to physical blocks."""

from dataclasses import dataclass, field

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import cdiv, locate, require_at_least, require_positive


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

    def __post_init__(self) -> None:
        require_positive("block_size", self.block_size)
        require_at_least(0, "seq_len", self.seq_len)

    @property
    def num_blocks(self) -> int:
        """Blocks that `seq_len` tokens need."""
        return cdiv(self.seq_len, self.block_size)

    def slot(self, position: int) -> int:
        """Return the physical slot of the token at this position.

        Raises `InvalidSize` where the sequence has no token.
        """
        logical_block, offset = locate(position, self.block_size)
        self._require_slots(position + 1, f"position {position}")
        return self.block_ids[logical_block] * self.block_size + offset

    def slots(self, start: int, stop: int) -> list[int]:
        """Return the slots of the tokens start to stop - 1, in that order.

        This is the slot mapping of a step that writes those tokens.
        Raises `InvalidSize` unless 0 <= start <= stop <= seq_len.
        """
        require_at_least(0, "start", start)
        require_at_least(start, "stop", stop)
        self._require_slots(stop, f"position {stop - 1}")
        slots: list[int] = []
        for position in range(start, stop):
            logical_block, offset = divmod(position, self.block_size)
            slots.append(self.block_ids[logical_block] * self.block_size + offset)
        return slots

    def _require_slots(self, num_tokens: int, what: str) -> None:
        if num_tokens > self.seq_len:
            raise InvalidSize(f"{what} has no slot yet: seq_len is {self.seq_len}")
        # a table is built by hand in the lessons, so it may lack a block
        num_held = len(self.block_ids) * self.block_size
        if num_tokens > num_held:
            raise InvalidSize(
                f"{what} has no block: the table's blocks hold {num_held}"
            )
