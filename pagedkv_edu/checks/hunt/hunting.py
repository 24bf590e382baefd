"""Give a learner's check right and broken things, and note what it says of each."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pagedkv_edu.checks.hunt.kinds import Kind, Right
from pagedkv_edu.checks.hunt.under_test import Budget, Make, Notes, put_under_test
from pagedkv_edu.checks.judging.limits import Complaint, Guard, shown
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Hint

RIGHT_AGAIN = 1  # times that each right one comes back among the broken ones

# What a check did: it returned None, returned a sentence, let an error of the object
# out, raised something else, made too many calls, ran out of its time for one call,
# or returned what is neither None nor a sentence.
How = Literal["let go", "said", "error", "crash", "endless", "stopped", "no answer"]
ACCUSED = ("said", "error", "crash")


@dataclass(frozen=True)
class Subject:
    """What one exercise hunts."""

    exercise_id: str
    answer_name: str
    noun: str  # "pool"
    right: tuple[Right, ...]
    kinds: tuple[Kind, ...]
    hints: tuple[Hint, ...]
    reread: str = 'lesson 12, "The hunt"'


@dataclass(frozen=True)
class Outcome:
    """What a check said of one object, and the calls that the last one got."""

    how: How
    words: str = ""
    notes: Notes | None = None
    error: str = ""  # the name of what was raised

    @property
    def accuses(self) -> bool:
        """Whether a test that does this would be red."""
        return self.how in ACCUSED


@dataclass
class Hunt:
    """What came out of one check."""

    right: list[tuple[Right, Outcome]] = field(
        default_factory=list[tuple[Right, Outcome]]
    )
    shown: list[tuple[Kind, Outcome]] = field(
        default_factory=list[tuple[Kind, Outcome]]
    )
    unseen: list[tuple[Kind, Outcome]] = field(
        default_factory=list[tuple[Kind, Outcome]]
    )

    num_tasks: int = 0

    @property
    def everything(self) -> list[tuple[Right | Kind, Outcome]]:
        """Return all outcomes."""
        return [*self.right, *self.shown, *self.unseen]


def question(
    answer: Callable[..., object], name: str, make: Make, guard: Guard
) -> Outcome:
    """Call the check once, with a function that makes the thing under test."""
    last: list[Notes] = []
    budget = Budget()

    def new(num_blocks: int, block_size: int = 1) -> object:
        thing, notes = put_under_test(make, num_blocks, block_size, budget)
        last[:] = [notes]
        return thing

    state = random.getstate()
    random.seed(0)  # a check that draws at random says the same every time
    try:
        said = guard.ask(name, answer, new)
    except PagedKVError as error:
        kind = type(error).__name__
        return _outcome("error", f"{kind}: {error}".rstrip("."), last, kind)
    except Complaint as complaint:
        how: How = "stopped" if complaint.stopped else "crash"
        if complaint.error == "TooManyCalls":
            how = "endless"
        return _outcome(how, complaint.found, last, complaint.error)
    finally:
        random.setstate(state)
    if said is None:
        return _outcome("let go", "", last)
    if isinstance(said, str) and said.strip():
        return _outcome("said", " ".join(said.split()), last)
    return _outcome("no answer", shown(said), last)


def hunt(
    subject: Subject,
    answer: Callable[..., object],
    guard: Guard,
    seed: int,
    found: Hunt,
) -> None:
    """Try the right ones, then the broken ones with right ones among them.

    What comes out goes into `found`, so that it is there if the time runs out.
    """
    tasks = _tasks(subject, seed)
    found.num_tasks = len(tasks)
    for what, make, outcomes in tasks:
        is_first_round = len(found.right) < len(subject.right)
        outcome = question(answer, subject.answer_name, make, guard)
        if isinstance(what, Right):
            found.right.append((what, outcome))
        else:
            getattr(found, outcomes).append((what, outcome))
        is_over = outcome.how in ("stopped", "no answer")
        is_accused = any(outcome.how != "let go" for _, outcome in found.right)
        # of the three right ones a report says how many are accused
        is_known = not is_first_round or len(found.right) == len(subject.right)
        if is_over or (is_accused and is_known):
            return


def _tasks(subject: Subject, seed: int) -> list[tuple[Right | Kind, Make, str]]:
    """Return what to try, in order, and where it belongs."""
    first: list[tuple[Right | Kind, Make, str]] = [
        (right, right.make, "right") for right in subject.right
    ]
    others = first * RIGHT_AGAIN
    for kind in subject.kinds:
        others += [(kind, kind.make, "shown")] if kind.is_shown else []
        others += [(kind, make, "unseen") for make in kind.unseen(seed)]
    # a check that counts how often it was called must not gain by it
    random.Random(f"{subject.exercise_id} {seed}").shuffle(others)
    return first + others


def _outcome(how: How, words: str, last: Sequence[Notes], error: str = "") -> Outcome:
    return Outcome(how, words, last[0] if last else None, error)
