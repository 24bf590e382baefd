"""The words of a scene, in the slots that a manager under study names."""

from collections.abc import Iterable, Sequence

from pagedkv_edu.protocols import BlockCopy, ManagerLike, SeqId
from pagedkv_edu.replay import WordMemory
from pagedkv_edu.sizes import locate


class SceneMemory:
    """Writes and reads words through block tables, whatever is in the tables."""

    def __init__(self, manager: ManagerLike, block_size: int) -> None:
        self._manager = manager
        self._block_size = block_size
        self._memory = WordMemory(block_size)
        # a token that was appended in this step has a slot and no word yet
        self._num_written: dict[str, int] = {}

    def write(self, seq_id: str, position: int, words: Sequence[str]) -> None:
        """Write a sequence's words from a position on; a wrong table may raise."""
        block_ids = self._manager.table(seq_id).block_ids
        for place, word in enumerate(words, position):
            logical_block, offset = locate(place, self._block_size)
            slot = block_ids[logical_block] * self._block_size + offset
            self._memory.write(slot, word)
            self._num_written[seq_id] = place + 1

    def share(self, parent_id: str, child_id: str) -> None:
        """Note that a child begins with all that its parent has written."""
        self._num_written[child_id] = self._num_written.get(parent_id, 0)

    def copy(self, copies: Iterable[BlockCopy]) -> None:
        """Carry out copies, in the order given."""
        self._memory.copy(copies)

    def read(self, seq_id: str) -> list[str]:
        """Return what attention would read; nothing where the table is wrong."""
        try:
            return self._memory.words(self._manager.table(seq_id))
        except Exception:  # noqa: BLE001  (a learner's table may fail in any way)
            return []

    def words_by_block(self, seq_ids: Iterable[str]) -> dict[int, list[str]]:
        """Return, for each block of these sequences, the words in its slots."""
        words: dict[int, list[str]] = {}
        for seq_id in seq_ids:
            block_ids = self._block_ids(seq_id)
            read = self.read(seq_id)[: self._num_written.get(seq_id, 0)]
            for position, word in enumerate(read):
                logical_block, offset = locate(position, self._block_size)
                in_block = words.setdefault(block_ids[logical_block], [])
                in_block[offset : offset + 1] = [word]
        return words

    def _block_ids(self, seq_id: SeqId) -> Sequence[int]:
        try:
            return self._manager.table(seq_id).block_ids
        except Exception:  # noqa: BLE001  (a learner's table may fail in any way)
            return ()
