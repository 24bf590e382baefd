"""A manager with the memory that it manages: what a check of a cache is given."""

from collections.abc import Callable

from pagedkv_edu.checks.hunt.managers import RightManager
from pagedkv_edu.checks.hunt.pools import RightPool, Take, last_freed
from pagedkv_edu.checks.hunt.steps import CarryOut, Write, in_order
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import BlockCopy, ManagerLike, TableLike
from pagedkv_edu.replay.memory import WordMemory

MakeManager = Callable[[RightPool, int], ManagerLike]


class Engine:
    """Carries out steps: copies in their order, and then a word for each new token."""

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        make_manager: MakeManager = RightManager,
        carry_out: CarryOut = in_order,
        take: Take = last_freed,
    ) -> None:
        self.pool = RightPool(num_blocks, take)
        self.manager = make_manager(self.pool, block_size)
        self.block_size = block_size
        self.memory = WordMemory(block_size)
        self.carry_out = carry_out
        self.num_copies = 0
        self._copies: list[BlockCopy] = []  # of this step
        self._written: dict[str, int] = {}  # tokens of each live sequence

    @property
    def num_blocks(self) -> int:
        """Blocks of the pool."""
        return self.pool.num_blocks

    @property
    def num_free(self) -> int:
        """Free blocks of the pool."""
        return self.pool.num_free

    @property
    def names(self) -> list[str]:
        """Return the live sequences."""
        return list(self._written)

    def add(self, name: str, num_tokens: int) -> None:
        """Add a sequence; its tokens are written at the end of the step."""
        self.manager.add(name, num_tokens)
        self._written[name] = 0

    def append(self, name: str, num_tokens: int = 1) -> None:
        """Append tokens; copies and writes come at the end of the step."""
        copies = self.manager.append(name, num_tokens)
        self.num_copies += len(copies)
        self._copies += copies

    def fork(self, parent: str, child: str) -> None:
        """Fork a sequence of which every token is written."""
        num_left = self._num_unwritten(parent)
        if num_left:
            raise PagedKVError(
                f"{parent} has {num_left} tokens that are not written; "
                "call run() before fork"
            )
        self.manager.fork(parent, child)
        self._written[child] = self._written[parent]

    def free(self, name: str) -> None:
        """End a sequence."""
        self.manager.free(name)
        del self._written[name]

    def run(self) -> None:
        """End the step: carry out its copies, and write its new tokens."""
        writes = [write for name in self._written for write in self._new(name)]
        copies, self._copies = self._copies, []
        self.carry_out(self.memory, copies, writes)
        for name in self._written:
            self._written[name] = self.manager.table(name).seq_len

    def table(self, name: str) -> TableLike:
        """Return a sequence's table."""
        return self.manager.table(name)

    def read(self, name: str) -> list[str]:
        """Return the words that attention reads for a sequence."""
        return self.memory.words(self.manager.table(name))

    def _num_unwritten(self, name: str) -> int:
        written = self._written.get(name)
        return 0 if written is None else self.table(name).seq_len - written

    def _new(self, name: str) -> list[Write]:
        table, writes = self.table(name), list[Write]()
        for position in range(self._written[name], table.seq_len):
            logical_block, offset = divmod(position, self.block_size)
            # where the table is too short, the last block is written once more
            block_id = table.block_ids[min(logical_block, len(table.block_ids) - 1)]
            slot = block_id * self.block_size + offset
            writes.append((slot, f"{name}{position}"))
        return writes
