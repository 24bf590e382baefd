"""Judge a function: many cases, the smallest that it gets wrong, and the reason.

A topic says what is right and why; `judge_function` tries the edges, then cases drawn
by hypothesis. A case is the tuple of arguments. Sketch::

    @dataclass(frozen=True)
    class LocateTopic:                              # a FunctionTopic[tuple[int, int]]
        exercise_id, answer_name = "3.1", "my_locate"
        def edges(self): return [(p, b) for b in (1, 2, 4) for p in range(3 * b)]
        def cases(self): return st.tuples(st.integers(0, 999), st.integers(1, 64))
        def right(self, case):
            position, block_size = case
            return Right(divmod(position, block_size), "...the reason, with numbers.")
        ...

    def check_locate(answer, *, seed=0) -> Report:
        return judge_function(LocateTopic(), answer, seed=seed)
"""

from collections.abc import Callable
from copy import deepcopy
from functools import cache

from pagedkv_edu.checks.histories import drawn, is_list, is_tuple
from pagedkv_edu.checks.judging.arguments import changed_argument, test_of_arguments
from pagedkv_edu.checks.judging.cases import C, FunctionTopic
from pagedkv_edu.checks.judging.cases import NearbyCases as NearbyCases
from pagedkv_edu.checks.judging.cases import Right as Right
from pagedkv_edu.checks.judging.cases import Wrong as Wrong
from pagedkv_edu.checks.judging.judge import SEEDS
from pagedkv_edu.checks.judging.limits import (
    Complaint,
    Guard,
    OutOfTime,
    Unwritten,
    a_kind,
    shown,
)
from pagedkv_edu.checks.judging.reports import (
    hints_from,
    not_callable,
    too_slow,
    waiting,
    wrong_number,
)
from pagedkv_edu.checks.judging.wording import which_pass
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report

CASES_PER_SEED = 50


def judge_function(topic: FunctionTopic[C], answer: object, *, seed: int = 0) -> Report:
    """Return the verdict on a function; the same seed gives the same cases."""
    if not callable(answer):
        return not_callable(topic, answer, "function")
    cases = _cases(topic, seed)
    unlike = wrong_number(topic, answer, len(cases[0]))
    if unlike:
        return unlike
    wrongs: list[tuple[C, Wrong]] = []
    num_tried, in_time = 0, True
    with Guard() as guard:
        try:
            for case in cases:
                num_tried += 1
                wrong = _wrong(topic, answer, case, guard)
                if wrong:
                    wrongs.append((case, wrong))
                if wrong and wrong.stopped:
                    break
        except Unwritten:
            name = topic.answer_name
            return waiting(topic, (name,), {name})
        except OutOfTime:
            in_time = False
        if wrongs:
            case, wrong = min(wrongs, key=lambda pair: topic.size(pair[0]))
            nearby = "" if wrong.stopped else _nearby(topic, answer, case, guard)
            num_passed = num_tried - len(wrongs)
            return _failed(topic, case, wrong, nearby, (num_tried, num_passed))
    if not in_time:
        return too_slow(topic, (num_tried - 1, len(cases)), "cases")
    title = f"{num_tried} cases, {SEEDS} seeds"
    return Report(
        topic.exercise_id, "passed", title, num_tried=num_tried, num_passed=num_tried
    )


def call_text(name: str, case: tuple[object, ...]) -> str:
    """Return the call as typed: "my_must_copy(3, 4, 2)"."""
    return f"{name}({', '.join(shown(value) for value in case)})"


@cache
def _cases(topic: FunctionTopic[C], seed: int) -> tuple[C, ...]:
    cases = list(topic.edges())
    for number in range(SEEDS * seed, SEEDS * (seed + 1)):
        cases += drawn(topic.cases(), number, CASES_PER_SEED)
    return tuple({repr(case): case for case in cases}.values())  # may hold lists


def _wrong(
    topic: FunctionTopic[C], answer: Callable[..., object], case: C, guard: Guard
) -> Wrong | None:
    right = topic.right(case)
    wanted = _shown_right(right)
    given = deepcopy(case)
    try:
        found = guard.ask(topic.answer_name, answer, *given)
    except PagedKVError as error:
        name = type(error).__name__
        if isinstance(right.value, type) and isinstance(error, right.value):
            return None
        title = f"raised {name}; expected {wanted}"
        return Wrong(title, f"{name}: {error}.", name)
    except Complaint as complaint:
        title = f"{complaint.what}; expected {wanted}"
        return Wrong(title, complaint.found, complaint.what, stopped=complaint.stopped)
    if not _same(found, right.value):
        value = shown(found)
        kind = _kind(found, right.value)
        title = f"returned {value}{kind}; expected {wanted}"
        missing = '; is a "return" missing?' if found is None else "."
        return Wrong(title, f"{value}{kind}{missing}", value, found)
    return changed_argument(answer, case, given)


def _same(found: object, right: object) -> bool:
    """Compare values and types: 2.0 is not an int, and True is not 1."""
    if type(found) is not type(right):
        return False
    if (is_list(found) and is_list(right)) or (is_tuple(found) and is_tuple(right)):
        pairs = zip(found, right, strict=False)
        return len(found) == len(right) and all(_same(f, r) for f, r in pairs)
    return _equal(found, right)


def _equal(found: object, right: object) -> bool:
    try:
        return bool(found == right)
    except Exception:  # noqa: BLE001  (a learner's object may compare in any way)
        return False


def _shown_right(right: Right) -> str:
    value = right.value
    return value.__name__ if isinstance(value, type) else shown(value)


def _kind(found: object, right: object) -> str:
    """Name the type of a result that is wrong in its type alone, as 2.0 for 2."""
    if type(found) is type(right) or not _equal(found, right):
        return ""
    return f", {a_kind(found)}"


def _nearby(
    topic: FunctionTopic[C], answer: Callable[..., object], case: C, guard: Guard
) -> str:
    nearby = topic.nearby(case)
    if nearby is None:
        return ""
    passing: dict[int, bool] = {}
    for n, other in nearby.case_by_n:
        try:
            passing[n] = _wrong(topic, answer, other, guard) is None
        except OutOfTime:
            return ""
    return which_pass(nearby.text, passing, nearby.name, ("passes", "fails"))


def _failed(
    topic: FunctionTopic[C],
    case: C,
    wrong: Wrong,
    nearby: str,
    counts: tuple[int, int],
) -> Report:
    call = call_text(topic.answer_name, case)
    compared, expected_value, reason = _wanted(topic, case, wrong)
    num_tried, num_passed = counts
    return Report(
        topic.exercise_id,
        "failed",
        f"{call} {wrong.title}",
        calls=(call,),
        wrong_call=0,
        compared=compared,
        found_value=wrong.found_value,
        expected_value=expected_value,
        expected=f"{expected_value}: {reason}",
        found=wrong.found,
        nearby=nearby,
        reread=topic.reread,
        hints=hints_from(topic.hints, topic.hint(case, wrong)),
        num_tried=num_tried,
        num_passed=num_passed,
        as_test=_as_test(topic, case, wrong),
    )


def _wanted(topic: FunctionTopic[C], case: C, wrong: Wrong) -> tuple[str, str, str]:
    """Return what is compared, what it should be, and why."""
    if wrong.changed:
        name, before = wrong.changed.name, shown(wrong.changed.before)
        return name, before, f"{name} as it was. The caller goes on to use it."
    right = topic.right(case)
    return call_text(topic.answer_name, case), _shown_right(right), right.reason


def _as_test(topic: FunctionTopic[C], case: C, wrong: Wrong) -> str:
    name, right = topic.answer_name, topic.right(case)
    if wrong.changed:
        return test_of_arguments(name, case, wrong.changed)
    call = f"{name}({', '.join(map(repr, case))})"
    if isinstance(right.value, type):
        error = right.value.__name__
        return (
            f"import pytest\n\nfrom pagedkv_edu.errors import {error}\n\n\n"
            f"def test_{name}() -> None:\n"
            f"    with pytest.raises({error}):\n        {call}\n"
        )
    lines = [f"assert {call} == {right.value!r}"]
    if isinstance(right.value, bool):  # 1 == True
        lines = [f"assert {call} is {right.value}"]
    elif _equal(wrong.value, right.value):  # 2.0 == 2
        lines.append(f"assert type({call}) is {type(right.value).__name__}")
    body = "".join(f"    {line}\n" for line in lines)
    return f"def test_{name}() -> None:\n{body}"
