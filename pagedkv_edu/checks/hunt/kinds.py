"""What there is to hunt: kinds of mistakes, and broken things of each kind."""

from dataclasses import dataclass
from random import Random

from pagedkv_edu.checks.histories import Argument, Call, History, Name
from pagedkv_edu.checks.hunt.under_test import Make

VARIANTS = 3  # unseen ones of a kind that is shown
OTHERS = 2  # of a kind that is not


@dataclass(frozen=True)
class Right:
    """A right implementation, and what it does in a way of its own."""

    name: str  # "the pool that hands out the block freed last"
    make: Make
    why: str  # a sentence: what it may do


@dataclass(frozen=True)
class Kind:
    """One mistake, with the shortest history that shows it."""

    title: str  # what goes wrong, as a clause: "a block is freed twice"
    why: str  # a sentence: the rule that is broken
    class_name: str
    make: Make  # as shown, where it is shown
    variants: tuple[Make, ...]  # the unseen ones, of which a check takes a few
    history: History
    hint: str  # the title of the hint that fits
    is_shown: bool = False

    def unseen(self, seed: int) -> list[Make]:
        """Return a few of the variants; the same ones for the same seed."""
        rng = Random(f"{self.class_name} {seed}")
        num = VARIANTS if self.is_shown else OTHERS
        return rng.sample(self.variants, min(num, len(self.variants)))


def history_of(
    num_blocks: int, block_size: int, *calls: tuple[str, *tuple[Argument, ...]]
) -> History:
    """Return a history from calls as tuples: ("add", "A", 6).

    A call "a = allocate" gives its block a name.
    """
    sizes = ("num_blocks", num_blocks), ("block_size", block_size)
    return History(sizes, tuple(_call(*call) for call in calls))


def _call(name: str, *arguments: Argument) -> Call:
    result, _, name = name.rpartition(" = ")
    return Call(name, tuple(arguments), result)


A = Name("a")
