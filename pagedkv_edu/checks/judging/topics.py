"""What an exercise on something with state brings: a topic, and runs of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.limits import Complaint, Guard
from pagedkv_edu.report import Hint, Json

# Every topic has a hint of this title, for what is no proper answer at all.
PYTHON_ERROR = "My code stops with an error, or returns something else"

A_contra = TypeVar("A_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that the learner's object did otherwise than the reference."""

    title: str  # 'append("A") copied no block; expected one copy'
    expected: str  # a sentence, with the reason
    found: str
    hint: str  # the title of one of the topic's hints
    reread: str  # 'lesson 05, "The fix"'
    compared: str = ""  # as Python, from inside the test: 'pool.ref_count(0)'
    found_value: str = ""
    expected_value: str = ""
    prepared: str = ""  # a line of Python that a test needs before the wrong call
    broken: bool = False  # no answer came back at all, so there is no going on
    stopped: bool = False  # by the clock


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference, before a topic has said which hint and which heading fit."""

    kind: str  # the topic's word for it
    title: str
    expected: str
    found: str
    compared: str
    found_value: str
    expected_value: str
    prepared: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """Where to look after one kind of finding."""

    hint: str
    reread: str


def advised(finding: Finding, advice: Mapping[str, Advice]) -> Difference:
    """Return a finding with the advice for its kind."""
    return Difference(
        finding.title,
        finding.expected,
        finding.found,
        advice[finding.kind].hint,
        advice[finding.kind].reread,
        finding.compared,
        finding.found_value,
        finding.expected_value,
        finding.prepared,
    )


@dataclass(frozen=True, slots=True)
class Nearby:
    """The same calls with another number in one place."""

    text: str  # 'begun with add("A", n)'
    history_by_n: tuple[tuple[int, History], ...]


class Run(Protocol):
    """The learner's object and the reference, made afresh and led through one history.

    Every call of the learner's code goes through the guard; its `Complaint` and
    `Unwritten` may leave `do`.
    """

    def do(self, call: Call) -> Difference | None:
        """Make the call on both, compare everything, and return what differs first.

        After a difference more calls may follow, to see where they lead.
        """
        ...

    @property
    def num_refused(self) -> int:
        """Calls that the reference has refused so far."""
        ...

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Turn a complaint about this call into a difference: say what was expected."""
        ...

    def harm(self, calls: tuple[Call, ...]) -> str:
        """Say what these last calls have led to: "" if nothing is visibly wrong."""
        ...

    def films(self) -> Json:
        """Return {"yours": ..., "reference": ...}, one frame for each call."""
        ...


class Topic(Protocol[A_contra]):
    """What may be done in one exercise, and how it is said."""

    @property
    def exercise_id(self) -> str:
        """Return the id, such as "5.3"."""
        ...

    @property
    def answer_name(self) -> str:
        """Return the name that the learner writes, such as "MyBlockManager"."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Return what the learner writes, in the order of the exercise."""
        ...

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Return the hints; the first is for "I do not know where to begin"."""
        ...

    @property
    def reread(self) -> str:
        """Return the heading to reread when an answer fails in an unforeseen way."""
        ...

    def histories(self) -> SearchStrategy[History]:
        """Return the strategy that draws histories; it may track what is live."""
        ...

    def start(
        self,
        answer: A_contra,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> Run:
        """Construct the learner's object and the reference; films need `recorded`."""
        ...

    def num_misused(self, history: History) -> int:
        """Return how many calls should not have been made at all: a double free.

        Being refused for lack of room is not misuse.
        """
        ...

    def size(self, history: History) -> tuple[int, ...]:
        """Return how hard a history is to explain, beyond its number of calls.

        Compared in order. Less misuse, fewer refusals and fewer calls come before it:
        so begin with unusual sizes (a block_size that is not the lesson's), then
        tokens, then the lesson's pool.
        """
        ...

    def tidy(self, history: History) -> History:
        """Return the same history with its names given in order: A, B, C."""
        ...

    def smaller(self, history: History) -> Iterator[History]:
        """Yield histories with as many calls and other numbers or sizes."""
        ...

    def go_on(self, history: History) -> Iterator[tuple[Call, ...]]:
        """Yield calls that may show where a wrong call leads; the likeliest first."""
        ...

    def nearby(self, history: History) -> Nearby | None:
        """Return the same calls with other numbers in one place."""
        ...

    def setting(self, history: History) -> str:
        """Return the sizes in words: "pool of 8 blocks, block_size 4"."""
        ...

    def construction(self, history: History) -> str:
        """Return how the object is made, as Python: "MyBlockPool(8)"."""
        ...

    def as_test(self, history: History, difference: Difference) -> str:
        """Return the history as a test to paste: it fails now and passes when right."""
        ...
