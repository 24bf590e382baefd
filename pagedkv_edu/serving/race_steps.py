"""A contiguous and a paged cache at one step of a race, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagedkv_edu.memory.extents import Extent


@dataclass(frozen=True, slots=True)
class Held:
    """What one running request holds of a contiguous cache."""

    name: str
    start: int
    num_slots: int
    num_tokens: int


@dataclass(frozen=True, slots=True)
class HeldBlocks:
    """What one running request holds of a paged cache."""

    name: str
    block_ids: tuple[int, ...]
    num_tokens: int


@dataclass(frozen=True, slots=True)
class ContiguousStep:
    """A contiguous cache at one step, and what happened on the way to it."""

    held: tuple[Held, ...]  # in address order
    holes: tuple[Extent, ...]
    waiting: tuple[str, ...]  # the first of them does not fit
    admitted: tuple[str, ...]
    ended: tuple[Held, ...]
    never: tuple[str, ...]  # turned away: an empty cache could not hold them
    hole_if_ended: Mapping[str, int]  # while somebody waits, by running request


@dataclass(frozen=True, slots=True)
class PagedStep:
    """A paged cache at one step, and what happened on the way to it."""

    held: tuple[HeldBlocks, ...]  # in order of admission
    num_free: int  # blocks
    waiting: tuple[str, ...]  # the first of them does not fit
    admitted: tuple[str, ...]
    ended: tuple[HeldBlocks, ...]
    never: tuple[str, ...]  # turned away: an empty cache could not hold them
    grown: tuple[tuple[str, int], ...]  # who took which block for its next token
    preempted: tuple[HeldBlocks, ...]
