"""What the prefix explorer draws after one event, and the cache that it watches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.viz.prefix_told import Ghost


class PrefixCacheLike(PoolLike, Protocol):
    """A pool whose blocks are found again by what they hold."""

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        """Return the blocks of the longest cached beginning; change nothing."""
        ...

    def reuse(self, block_ids: Sequence[int]) -> None:
        """Add one reference to each block, free ones included."""
        ...

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        """Make the full blocks of a sequence findable."""
        ...


MakeCache = Callable[[int, int], PrefixCacheLike]


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block as it is drawn."""

    block_id: int
    count: int
    owners: tuple[str, ...]
    state: (
        str  # "held", "cached" (free and findable), "lost" (known, not found), "free"
    )
    order: int | None  # 1: the first cached block that allocate would hand out


@dataclass(frozen=True, slots=True)
class NodeView:
    """A block's words in the tree of prompts; `gone` with this event."""

    node_id: int
    parent_id: int | None
    words: tuple[str, ...]
    block_id: int
    gone: bool = False


@dataclass(slots=True)
class Moment:
    """What is drawn after one event."""

    kind: str  # "lookup", "take", "register", "finish", "refuse"
    seq: str
    headline: str
    text: str
    num_hit: int = 0  # blocks of the prompt that were found
    path: list[int] = field(default_factory=list[int])  # nodes of the hit
    stop: Ghost | None = None  # where the lookup ended, and why
    touched: list[int] = field(default_factory=list[int])  # blocks
    forgotten: list[int] = field(
        default_factory=list[int]
    )  # blocks, with what they held
    blocks: list[BlockView] = field(default_factory=list[BlockView])
    nodes: list[NodeView] = field(default_factory=list[NodeView])
    live: list[str] = field(default_factory=list[str])
    damaged: list[str] = field(default_factory=list[str])  # who reads others' words
