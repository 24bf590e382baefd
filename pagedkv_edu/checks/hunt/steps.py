"""How a step is carried out: in order, or in a way that is broken."""

from collections.abc import Callable, Sequence

from pagedkv_edu.protocols import BlockCopy
from pagedkv_edu.replay.memory import WordMemory

Write = tuple[int, str]  # slot, word
CarryOut = Callable[[WordMemory, Sequence[BlockCopy], Sequence[Write]], None]


def in_order(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Carry out a step as the contract says: copies one by one, then the writes."""
    memory.copy(copies)
    for slot, word in writes:
        memory.write(slot, word)


def last_copy_first(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Run the copy list as one batch, in which no copy waits for another."""
    in_order(memory, copies[::-1], writes)


def only_first_copy(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Carry out one copy in a step."""
    in_order(memory, copies[:1], writes)


def writes_first(
    memory: WordMemory, copies: Sequence[BlockCopy], writes: Sequence[Write]
) -> None:
    """Write the new keys and values, and then copy over them."""
    in_order(memory, (), writes)
    memory.copy(copies)
