"""The engine's memory in lessons: one word where a cache has keys and values."""

from collections.abc import Iterable

from pagedkv_edu.protocols import BlockCopy, TableLike
from pagedkv_edu.sizes import locate, require_at_least, require_positive


class WordMemory:
    """Holds one word per slot. Reading an unwritten slot gives "·".

    Beside the device's slots it has those of the host, which only copies of the kinds
    "out" and "in" reach.

    >>> memory = WordMemory(block_size=4)
    >>> memory.write(5, "red")
    >>> memory.block(1)
    '· red · ·'
    """

    UNWRITTEN = "·"

    def __init__(self, block_size: int) -> None:
        self.block_size = require_positive("block_size", block_size)
        self._word_by_slot: dict[int, str] = {}
        self._word_by_host_slot: dict[int, str] = {}

    def write(self, slot: int, word: str) -> None:
        """Put a word into a slot; what was there is gone."""
        self._word_by_slot[require_at_least(0, "slot", slot)] = word

    def copy(self, copies: Iterable[BlockCopy]) -> None:
        """Carry out copies one by one, in the order given."""
        device, host = self._word_by_slot, self._word_by_host_slot
        for copy in copies:
            read = host if copy.kind == "in" else device
            written = host if copy.kind == "out" else device
            for offset in range(self.block_size):
                source = copy.source * self.block_size + offset
                target = copy.target * self.block_size + offset
                if source in read:
                    written[target] = read[source]
                else:
                    written.pop(target, None)

    def words(self, table: TableLike) -> list[str]:
        """Return the words that attention would read through a table.

        A token whose block is missing from the table reads as unwritten.
        """
        block_ids, words = table.block_ids, list[str]()
        for position in range(table.seq_len):
            logical_block, offset = locate(position, self.block_size)
            if logical_block < len(block_ids):
                slot = block_ids[logical_block] * self.block_size + offset
                words.append(self._word_by_slot.get(slot, self.UNWRITTEN))
            else:
                words.append(self.UNWRITTEN)
        return words

    def read(self, table: TableLike) -> str:
        """Return the same words as one text."""
        return " ".join(self.words(table))

    def block(self, block_id: int) -> str:
        """Return the words of one block's slots, in order."""
        first = block_id * self.block_size
        slots = range(first, first + self.block_size)
        return " ".join(self._word_by_slot.get(slot, self.UNWRITTEN) for slot in slots)
