"""Judge an answer by histories, and write the report.

A topic (an exercise on something with state) brings two small classes and leaves the
rest to `judge`. Sketch, for a pool::

    class PoolRun:                       # a Run: yours and the reference, side by side
        def do(self, call):              # make the call on both and compare
            found = self.guard.ask(call.name, self.mine.allocate)  # never call it bare
            if found != expected:
                return Difference(title=..., expected=..., found=..., hint=...)
            return None

    @dataclass(frozen=True)              # equal topics share their drawn histories
    class PoolTopic:                     # a Topic: what may be done, and how it is said
        exercise_id, answer_name = "4.1", "MyBlockPool"
        def histories(self): ...         # a hypothesis strategy of History
        def start(self, answer, history, guard): return PoolRun(answer, history, guard)
        ...

    def check_block_pool(answer, *, seed=0) -> Report:
        return judge(PoolTopic(), answer, seed=seed)

`judge` runs hundreds of histories, makes the first wrong one as short as it can, goes
on from there, tries what is nearby, and writes the report. Nothing in a topic may look
at how an answer works: it sees calls, results, errors and states.
"""

from functools import cache
from typing import Generic, TypeVar

from pagedkv_edu.checks.histories import Call, History, drawn
from pagedkv_edu.checks.judging.limits import (
    Complaint,
    Guard,
    OutOfTime,
    Unwritten,
)
from pagedkv_edu.checks.judging.reports import (
    hints_from,
    not_callable,
    too_slow,
    waiting,
)
from pagedkv_edu.checks.judging.search import Search, Trial, make
from pagedkv_edu.checks.judging.topics import Difference, Topic
from pagedkv_edu.checks.judging.wording import which_pass
from pagedkv_edu.report import Json, Report

A = TypeVar("A")

SEEDS = 3
HISTORIES_PER_SEED = 100


def judge(topic: Topic[A], answer: A, *, seed: int = 0) -> Report:
    """Return the verdict on an answer; the same seed gives the same histories."""
    if not callable(answer):
        kind = "class" if topic.answer_name[0].isupper() else "function"
        return not_callable(topic, answer, kind)
    seeds = tuple(range(SEEDS * seed, SEEDS * (seed + 1)))
    histories = _histories(topic, seeds, HISTORIES_PER_SEED)
    with Guard() as guard:
        search = Search(topic, answer, guard)
        trials, in_time = search.attempt_all(histories)
        num_passed = sum(not (t.difference or t.unwritten) for t in trials)
        failed = [trial for trial in trials if trial.difference]
        if failed:
            last = failed[-1]
            trial = last if last.on_second_object else search.shortest(failed)
            return _Failed(search, trial).report(len(trials), num_passed)
    if not in_time:
        return too_slow(topic, (num_passed, len(histories)), "histories")
    unwritten = {trial.unwritten for trial in trials} - {""}
    if unwritten:
        return waiting(topic, topic.parts, unwritten)
    return Report(
        topic.exercise_id,
        "passed",
        f"{len(trials)} histories, {SEEDS} seeds",
        num_tried=len(trials),
        num_passed=num_passed,
    )


@cache
def _histories(topic: Topic[A], seeds: tuple[int, ...], num_each: int) -> list[History]:
    """Return histories from each seed, always the same ones, the shortest first."""
    found = [h for seed in seeds for h in drawn(topic.histories(), seed, num_each)]
    return sorted(
        found, key=lambda h: (topic.num_misused(h), len(h.calls), topic.size(h))
    )


class _Failed(Generic[A]):
    """Writes the report on one failing history."""

    def __init__(self, search: Search[A], trial: Trial) -> None:
        assert trial.difference
        self.search = search
        self.topic = search.topic
        self.history = trial.history
        self.difference = trial.difference
        # what takes seconds, or does not happen again, is not tried with other numbers
        self.one_time = trial.difference.stopped or trial.on_second_object

    def report(self, num_tried: int, num_passed: int) -> Report:
        """Go on, look nearby, replay, and put it all into words."""
        more, go_on = ((), "") if self.difference.broken else self._go_on()
        nearby = "" if self.one_time else self._nearby()
        films = self._replay(more)
        difference = self.difference
        return Report(
            self.topic.exercise_id,
            "failed",
            difference.title,
            setting=self.topic.setting(self.history),
            calls=tuple(map(str, (*self.history.calls, *more))),
            wrong_call=len(self.history.calls) - 1 if self.history.calls else None,
            compared=difference.compared,
            found_value=difference.found_value,
            expected_value=difference.expected_value,
            expected=difference.expected,
            found=difference.found,
            go_on=go_on,
            nearby=nearby,
            reread=difference.reread,
            hints=hints_from(self.topic.hints, difference.hint),
            num_tried=num_tried,
            num_passed=num_passed,
            films=films,
            as_test=self.topic.as_test(self.history, difference),
        )

    def _go_on(self) -> tuple[tuple[Call, ...], str]:
        """Return the first further calls that do visible harm, and the harm."""
        for more in self.topic.go_on(self.history):
            try:
                run = self.search.start(self.history)
                for call in (*self.history.calls, *more):
                    make(run, call)
                harm = run.harm(more)
            except (Complaint, Unwritten, OutOfTime):
                continue
            if harm:
                return more, harm
        return (), ""

    def _nearby(self) -> str:
        nearby = self.topic.nearby(self.history) if self.history.calls else None
        if nearby is None:
            return ""
        passing: dict[int, bool] = {}
        for n, history in nearby.history_by_n:
            try:
                passing[n] = self.search.attempt(history).difference is None
            except OutOfTime:
                return ""
        return which_pass(f"{nearby.text}, the same calls", passing)

    def _replay(self, more: tuple[Call, ...]) -> Json:
        # Once more at full length, with the learner's prints, and as a film.
        calls = (*self.history.calls, *more)
        with self.search.guard.aloud():
            try:
                run = self.search.start(self.history, recorded=True)
                for call in calls:
                    make(run, call)
                films = run.films() if calls else {}
            except (Complaint, Unwritten, OutOfTime):
                return {}
        if films and self.difference.broken:
            _tell(films["yours"]["frames"][-1], self.difference)
        return films


def _tell(frame: Json, difference: Difference) -> None:
    """Let a frame say in the report's words what is no proper answer."""
    if frame["error"].startswith(Complaint.__name__):
        raised = difference.found_value.startswith("raised")
        frame["error"] = (
            difference.found.rstrip(".") if raised else difference.found_value
        )
        frame["headline"] = difference.title.split("; expected")[0]
        frame["text"] = f"{frame['headline']}. Found: {difference.found}"
