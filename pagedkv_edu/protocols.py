"""The small interfaces that learners implement, and the record they return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

SeqId = int | str
CopyKind = Literal["copy", "out", "in"]


@dataclass(frozen=True, slots=True)
class BlockCopy:
    """An order to copy one block; nothing has been moved yet.

    A "copy" stays inside the device pool. An "out" goes from the device pool to the
    host pool and an "in" comes back; without the kind an id would not say which pool.
    """

    source: int
    target: int
    kind: CopyKind = "copy"


class PoolLike(Protocol):
    """A fixed set of physical blocks, each with a reference count."""

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        ...

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        ...

    def allocate(self) -> int:
        """Take a free block; its reference count becomes 1."""
        ...

    def share(self, block_id: int) -> None:
        """Add one reference to a block in use."""
        ...

    def free(self, block_id: int) -> None:
        """Drop one reference; the last one returns the block to the pool."""
        ...

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free."""
        ...


class TableLike(Protocol):
    """A sequence's map from logical to physical blocks, and its length."""

    @property
    def block_ids(self) -> Sequence[int]:
        """Physical block ids in logical order."""
        ...

    @property
    def seq_len(self) -> int:
        """Tokens that have a slot."""
        ...


class ManagerLike(Protocol):
    """Grows, forks and frees sequences on top of a pool."""

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        """Take the blocks of a new sequence."""
        ...

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        """Make room for more tokens; return the copies to be carried out first."""
        ...

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        """Start a child with the parent's blocks and length."""
        ...

    def free(self, seq_id: SeqId) -> None:
        """Drop every reference of a sequence and forget it."""
        ...

    def table(self, seq_id: SeqId) -> TableLike:
        """Return a snapshot of a sequence's block table."""
        ...


@runtime_checkable
class SwappingManagerLike(ManagerLike, Protocol):
    """A manager that can also move a sequence to the host and back."""

    def swap_out(self, seq_id: SeqId) -> list[BlockCopy]:
        """Move a sequence to the host pool; return the copies to be carried out."""
        ...

    def swap_in(self, seq_id: SeqId) -> list[BlockCopy]:
        """Bring a sequence back; return the copies to be carried out."""
        ...
