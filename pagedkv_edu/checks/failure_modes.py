"""Check the three checks of exercise 12 by what they catch, and what they let go."""

from collections.abc import Callable
from dataclasses import replace

from pagedkv_edu.checks.hints.hunt import ENDLESS
from pagedkv_edu.checks.hints.hunt import HINTS as HINTS
from pagedkv_edu.checks.hunt import cache_kinds, pool_kinds, server_kinds
from pagedkv_edu.checks.hunt.hunting import Hunt, Outcome, Subject, hunt, question
from pagedkv_edu.checks.hunt.kinds import Kind, Right
from pagedkv_edu.checks.hunt.telling import told, told_of_one
from pagedkv_edu.checks.hunt.under_test import put_under_test
from pagedkv_edu.checks.judging.limits import Guard, OutOfTime, Unwritten
from pagedkv_edu.checks.judging.reports import (
    hints_from,
    not_callable,
    too_slow,
    waiting,
    wrong_parameters,
)
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report

Asked = tuple[Right | Kind, Outcome]

POOLS = Subject(
    "12.1", "my_pool_check", "pool", pool_kinds.RIGHT, pool_kinds.KINDS, HINTS["12.1"]
)
CACHES = Subject(
    "12.2",
    "my_cache_check",
    "cache",
    cache_kinds.RIGHT,
    cache_kinds.KINDS,
    HINTS["12.2"],
)
SERVERS = Subject(
    "12.3",
    "my_server_check",
    "server",
    server_kinds.RIGHT,
    server_kinds.KINDS,
    HINTS["12.3"],
)


def check_pool_check(answer: object, *, seed: int = 0) -> Report:
    """Check `my_pool_check(new_pool)`."""
    return _check(POOLS, answer, seed)


def check_cache_check(answer: object, *, seed: int = 0) -> Report:
    """Check `my_cache_check(new_cache)`."""
    return _check(CACHES, answer, seed)


def check_server_check(answer: object, *, seed: int = 0) -> Report:
    """Check `my_server_check(new_server)`."""
    return _check(SERVERS, answer, seed)


SUBJECTS = {subject.exercise_id: subject for subject in (POOLS, CACHES, SERVERS)}


def broken(exercise_id: str, name: str) -> Callable[..., object]:
    """Return the maker of a broken thing that is shown, as a check is given it."""
    make = shown_kind(SUBJECTS[exercise_id], name).make

    def new(num_blocks: int, block_size: int = 1) -> object:
        return put_under_test(make, num_blocks, block_size)[0]

    return new


def shown_kind(subject: Subject, name: str) -> Kind:
    """Return the kind whose broken class has this name, if it is shown."""
    shown = {kind.class_name: kind for kind in subject.kinds if kind.is_shown}
    if name not in shown:
        raise PagedKVError(f"nothing shown is called {name!r}; there are {[*shown]}")
    return shown[name]


def outcomes(exercise_id: str, answer: Callable[..., object]) -> list[Asked]:
    """Return what a check says of the right ones and of those that are shown."""
    subject = SUBJECTS[exercise_id]
    shown = [kind for kind in subject.kinds if kind.is_shown]
    with Guard() as guard:
        return [
            (what, question(answer, subject.answer_name, what.make, guard))
            for what in (*subject.right, *shown)
        ]


def report_on(exercise_id: str, answer: Callable[..., object], name: str) -> Report:
    """Return what a check does with one broken thing that is shown, with its film."""
    subject = SUBJECTS[exercise_id]
    kind = shown_kind(subject, name)
    with Guard() as guard, guard.aloud():
        outcome = question(answer, subject.answer_name, kind.make, guard)
    return told_of_one(subject, kind, outcome)


def _check(subject: Subject, answer: object, seed: int) -> Report:
    if not callable(answer):
        return not_callable(subject, answer, "function")
    wrong = wrong_parameters(subject, answer, (f"new_{subject.noun}",))
    if wrong:
        return wrong
    hunted = Hunt()
    with Guard() as guard:
        try:
            hunt(subject, answer, guard, seed, hunted)
        except Unwritten:
            name = subject.answer_name
            return waiting(subject, (name,), {name})
        except OutOfTime:
            counts = len(hunted.everything), hunted.num_tasks
            slow = too_slow(subject, counts, f"{subject.noun}s")
            return replace(slow, hints=hints_from(subject.hints, ENDLESS))
    return told(subject, hunted)
