"""What an exercise on a function brings: cases, what is right for each, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from hypothesis.strategies import SearchStrategy

from pagedkv_edu.report import Hint

C = TypeVar("C", bound=tuple[object, ...])


@dataclass(frozen=True, slots=True)
class Right:
    """What the function should return, or the class of our error, and the reason."""

    value: object
    reason: str  # a sentence with its numbers: "position 9 is in block 2 (9 // 4)."


@dataclass(frozen=True, slots=True)
class Changed:
    """An argument that is not as it was before the call."""

    name: str  # as the learner calls it
    index: int
    before: object


@dataclass(frozen=True, slots=True)
class Wrong:
    """What came back instead; `value` is None if nothing did."""

    title: str  # "returned False; expected True"
    found: str
    found_value: str
    value: object = None
    stopped: bool = False
    changed: Changed | None = None


@dataclass(frozen=True, slots=True)
class NearbyCases(Generic[C]):
    """The same call with another number in one place."""

    text: str  # "my_must_copy(n, 4, 2)"
    case_by_n: tuple[tuple[int, C], ...]
    name: str = "n"


class FunctionTopic(Protocol[C]):
    """What is right for one function, and how it is said."""

    @property
    def exercise_id(self) -> str:
        """Return the id, such as "3.1"."""
        ...

    @property
    def answer_name(self) -> str:
        """Return the name that the learner writes, such as "my_locate"."""
        ...

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Return the hints; the first is for "I do not know where to begin"."""
        ...

    @property
    def reread(self) -> str:
        """Return the heading to reread: 'lesson 03, "The table"'."""
        ...

    def edges(self) -> Iterable[C]:
        """Return cases that are always tried: all small ones, and the edges."""
        ...

    def cases(self) -> SearchStrategy[C]:
        """Return the strategy that draws more of them."""
        ...

    def right(self, case: C) -> Right:
        """Return what the function should return, and why."""
        ...

    def size(self, case: C) -> tuple[int, ...]:
        """Return how hard a case is to explain; compared in order."""
        ...

    def hint(self, case: C, wrong: Wrong) -> str:
        """Return the title of the hint that fits what came back."""
        ...

    def nearby(self, case: C) -> NearbyCases[C] | None:
        """Return the same call with other numbers in one place."""
        ...
