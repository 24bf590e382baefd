"""Find the histories that an answer gets wrong, and the one that explains it best."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from time import perf_counter
from typing import Generic, TypeVar

from pagedkv_edu.checks.histories import Call, History, Name
from pagedkv_edu.checks.judging.limits import Complaint, Guard, OutOfTime, Unwritten
from pagedkv_edu.checks.judging.topics import PYTHON_ERROR, Difference, Run, Topic
from pagedkv_edu.errors import PagedKVError

A = TypeVar("A")

# A hanging call is not waited for at full length each time its history is shortened,
# and enough time is left for one more call at full length.
PATIENCE_WHILE_SHORTENING = 0.2
SECONDS_FOR_SHORTENING = 0.6  # by the clock, where a call hangs
SECONDS_FOR_THE_REPORT = 2.2
REPEATED = 3
SHORTENED = 4  # failing histories that are made shorter; the shortest result is


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one history; it ends with the call that went wrong, if one did."""

    history: History
    num_refused: int = 0
    difference: Difference | None = None
    unwritten: str = ""
    on_second_object: bool = False  # the first object passed the same calls


class Search(Generic[A]):
    """Tries histories on one answer."""

    def __init__(self, topic: Topic[A], answer: A, guard: Guard) -> None:
        self.topic = topic
        self.answer = answer
        self.guard = guard

    def attempt(self, history: History) -> Trial:
        """Run one history on a new object, up to the first difference."""
        done: tuple[Call, ...] = ()
        num_refused = 0
        try:
            run = self.start(history)
            for call in history.calls:
                done = (*done, call)
                difference = make(run, call)
                num_refused = run.num_refused
                if difference:
                    return Trial(history.with_calls(done), num_refused, difference)
        except Complaint as complaint:  # from the constructor
            difference = self._not_made(history, complaint)
            return Trial(history.with_calls(()), 0, difference)
        except Unwritten as stub:
            return Trial(history.with_calls(done), num_refused, unwritten=stub.part)
        return Trial(history, num_refused)

    def start(self, history: History, *, recorded: bool = False) -> Run:
        """Make a new object for a history; any refusal of it is a complaint."""
        try:
            return self.topic.start(self.answer, history, self.guard, recorded=recorded)
        except PagedKVError as error:
            name = type(error).__name__
            found = f"{name}: {error}."
            raise Complaint("", f"raised {name}", found, error=name) from None

    def attempt_all(self, histories: Iterable[History]) -> tuple[list[Trial], bool]:
        """Try histories until one hangs; tell whether the time was enough.

        The first ones are tried twice: two objects must have nothing in common.
        """
        trials: list[Trial] = []
        for index, history in enumerate(histories):
            try:
                trial = self.attempt(history)
                if index < REPEATED and not trial.difference:
                    trial = self._again(trial)
            except OutOfTime:
                return trials, False
            trials.append(trial)
            difference = trial.difference
            if difference and (difference.stopped or trial.on_second_object):
                break
            if difference and not trial.history.calls:  # it cannot even be made
                break
        return trials, True

    def _again(self, first: Trial) -> Trial:
        """Try a history once more, on a new object, and see whether that is new."""
        second = self.attempt(first.history)
        if first.unwritten or not second.difference:
            return first
        made = self.topic.construction(first.history)
        difference = replace(
            second.difference,
            title=f"a second {made} does not begin empty",
            expected=f"the same as from the first {made}: what an object knows is its "
            "own, set in __init__ as self.something.",
            found="the first one passed these calls. "
            f"The second: {second.difference.title}.",
            hint=PYTHON_ERROR,
            broken=True,
        )
        return replace(second, difference=difference, on_second_object=True)

    def shortest(self, failed: Sequence[Trial]) -> Trial:
        """Return the failing trial that explains best, shortened from those given."""
        best = sorted(failed, key=self.cost)[:SHORTENED]
        if failed[-1].difference and failed[-1].difference.stopped:
            deadline = perf_counter() + SECONDS_FOR_SHORTENING
            with self.guard.impatient(PATIENCE_WHILE_SHORTENING):
                return self._shorten(failed[-1], deadline)
        return min((self._shorten(trial) for trial in best), key=self.cost)

    def cost(self, trial: Trial) -> tuple[int, ...]:
        """Return how hard a trial is to explain: refusals, then calls, then sizes.

        A history in which nothing is refused comes before a shorter one in a full
        pool. An answer with several mistakes often fails there first, and what
        happens in a full pool says nothing about the mistakes that come before it.
        """
        history = trial.history
        return (
            self.topic.num_misused(history),
            trial.num_refused,
            len(history.calls),
            *self.topic.size(history),
        )

    def _shorten(self, trial: Trial, deadline: float = inf) -> Trial:
        if not trial.history.calls:
            return trial
        tried = {trial.history}
        candidates = self._candidates(trial.history)
        while self.guard.seconds_left > SECONDS_FOR_THE_REPORT:
            history = next(candidates, None)
            if history is None or perf_counter() > deadline:
                break
            if history in tried or len(history.calls) > len(trial.history.calls):
                continue
            tried.add(history)
            other = self.attempt(history)
            if other.difference and self.cost(other) < self.cost(trial):
                trial = other
                candidates = self._candidates(trial.history)
        return trial

    def _candidates(self, history: History) -> Iterator[History]:
        for shorter in _parts(history):
            yield self.topic.tidy(shorter)
        for smaller in self.topic.smaller(history):
            yield self.topic.tidy(smaller)
        for smaller in self.topic.smaller(history):
            for shorter in _parts(smaller, num_dropped=1):
                yield self.topic.tidy(shorter)

    def _not_made(self, history: History, complaint: Complaint) -> Difference:
        made = self.topic.construction(history)
        wrong_number = "positional argument" in complaint.found
        takes = ": __init__ takes self and what stands in the parentheses"
        takes = takes if wrong_number else ""
        return Difference(
            title=f"{made} {complaint.what}"
            + ("; expected no error" if complaint.error else ""),
            expected=f"a new object, ready for its first call{takes}.",
            found=complaint.found,
            hint=PYTHON_ERROR,
            reread="",  # how a class is made is in no lesson
            compared=made,
            found_value=complaint.what,
            expected_value="a new object",
            broken=True,
            stopped=complaint.stopped,
        )


def make(run: Run, call: Call) -> Difference | None:
    """Make one call in a run; turn a complaint about it into a difference."""
    try:
        return run.do(call)
    except Complaint as complaint:
        difference = run.complain(call, complaint)
        return replace(difference, broken=True, stopped=complaint.stopped)


def complained(
    call: Call,
    complaint: Complaint,
    *,
    wanted: str = "",
    expected: str,
    hint: str,
    reread: str,
) -> Difference:
    """Return the difference that a complaint makes, for a topic to use.

    `wanted` completes the title in a word or two: "OutOfBlocks", "a list".
    """
    if complaint.part == call.name:
        title = f"{call} {complaint.what}"
    else:
        title = f"after {call}, {complaint.part} {complaint.what}"
    if wanted and not complaint.stopped:
        title += f"; expected {wanted}"
    return Difference(
        title=title,
        expected=expected,
        found=complaint.found,
        hint=hint,
        reread=reread,
        compared=complaint.part if complaint.part != call.name else str(call),
        found_value=complaint.what,
        expected_value="an answer" if complaint.stopped else wanted,
    )


def _parts(history: History, num_dropped: int | None = None) -> Iterator[History]:
    """Yield what is left when some calls are dropped, the shortest first.

    The last call stays: it is the one that went wrong.
    """
    *before, last = history.calls
    kept = range(len(before)) if num_dropped is None else [len(before) - num_dropped]
    for num_kept in kept:
        for chosen in combinations(before, max(num_kept, 0)):
            calls = (*chosen, last)
            if _names_known(calls):
                yield history.with_calls(calls)


def _names_known(calls: Iterable[Call]) -> bool:
    known: set[str] = set()
    for call in calls:
        used = {value for value in call.arguments if isinstance(value, Name)}
        if not used <= known:
            return False
        known.add(call.result)
    return True
