"""Judge an answer: every case, the first that goes wrong, and what is like it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pagedkv_edu.report import Hint, Report
from pagedkv_kernels.checking.calling import Caller, Complaint, OutOfTime, Unwritten
from pagedkv_kernels.checking.wording import joined, shown

BEGIN = "I do not know where to begin"
RAISED = "It raised an error"
SLOW = "It does not return"

C = TypeVar("C", bound="Case")
Call = Callable[..., object]


class Case(Protocol):
    """One input, of a kind that can be named."""

    @property
    def kind(self) -> str:
        """Return what is special: "two full blocks"."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong in one case."""

    title: str  # "sequence 0, head 1: token 4 (logical block 1) has weight 0; ..."
    hint: str  # the title of the hint that fits
    compared: str = ""
    found_value: str = ""
    expected_value: str = ""
    expected: str = ""
    found: str = ""
    wrong_call: int = 0  # which of the calls that were typed


@dataclass(frozen=True, slots=True)
class Typed:
    """A case as a learner would type it."""

    setting: str
    calls: tuple[str, ...]
    as_test: str = ""


class Topic(Protocol, Generic[C]):
    """What is right for one exercise, and how it is said."""

    @property
    def exercise_id(self) -> str:
        """Return the id, such as "6.2"."""
        ...

    @property
    def answer_name(self) -> str:
        """Return the name that the learner writes."""
        ...

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Return the hints; the first is for "I do not know where to begin"."""
        ...

    @property
    def reread(self) -> str:
        """Return the heading to reread: 'lesson 06, "The tail"'."""
        ...

    @property
    def ran(self) -> str:
        """Return where the answer ran: " under Triton's interpreter", or nothing."""
        ...

    def cases(self, seed: int) -> Sequence[C]:
        """Return the cases, the easiest to explain first."""
        ...

    def passes(self, case: C, call: Call) -> bool:
        """Say whether the answer is right in one case."""
        ...

    def finding(self, case: C, call: Call) -> Finding:
        """Return what is wrong in a case that does not pass; may call again."""
        ...

    def typed(self, case: C) -> Typed:
        """Return the case in words."""
        ...


def judge(topic: Topic[C], answer: object, *, seed: int = 0) -> Report:
    """Return the verdict; the same seed gives the same cases."""
    if not callable(answer):
        return _not_callable(topic, answer)
    caller = Caller(answer)
    cases = topic.cases(seed)
    wrong: list[tuple[C, Complaint | None]] = []
    right: list[C] = []
    in_time = True
    try:
        for case in cases:
            passed, complaint = _passes(topic, case, caller)
            if passed:
                right.append(case)
            else:
                wrong.append((case, complaint))
            if complaint and complaint.stopped:
                break
    except Unwritten:
        return _waiting(topic)
    except OutOfTime:
        in_time = False
    if wrong:
        return _failed(topic, caller, wrong, right)
    if not in_time:
        return _too_slow(topic, len(right), len(cases))
    return Report(
        topic.exercise_id,
        "passed",
        f"{len(cases)} cases{topic.ran}",
        num_tried=len(cases),
        num_passed=len(cases),
    )


def _passes(topic: Topic[C], case: C, caller: Caller) -> tuple[bool, Complaint | None]:
    try:
        return topic.passes(case, caller), None
    except Complaint as complaint:
        return False, complaint


def _finding(
    topic: Topic[C], case: C, complaint: Complaint | None, caller: Caller
) -> Finding:
    """Run the reported case once more, with the learner's prints, and explain it."""
    if complaint and complaint.stopped:
        return _told(topic, complaint)
    try:
        caller.aloud = True
        topic.passes(case, caller)
        caller.aloud = False
        return topic.finding(case, caller)
    except Complaint as again:
        return _told(topic, again)
    except OutOfTime:
        return Finding(
            f"{topic.answer_name} is wrong, and too slow to say more",
            SLOW,
            expected="an answer in well under a second.",
            found="a wrong one, after which the time was used up.",
        )


def _told(topic: Topic[C], complaint: Complaint) -> Finding:
    return Finding(
        f"{topic.answer_name} {complaint.what}",
        complaint.hint or (SLOW if complaint.stopped else RAISED),
        expected=complaint.expected,
        found=complaint.found,
    )


def _failed(
    topic: Topic[C],
    caller: Caller,
    wrong: Sequence[tuple[C, Complaint | None]],
    right: Sequence[C],
) -> Report:
    case, complaint = wrong[0]
    typed = topic.typed(case)
    finding = _finding(topic, case, complaint, caller)
    return Report(
        topic.exercise_id,
        "failed",
        finding.title,
        setting=typed.setting,
        calls=typed.calls,
        wrong_call=finding.wrong_call,
        compared=finding.compared,
        found_value=finding.found_value,
        expected_value=finding.expected_value,
        expected=finding.expected,
        found=finding.found,
        nearby=_nearby([case.kind for case, _ in wrong], [case.kind for case in right]),
        reread=topic.reread,
        hints=tuple(sorted(topic.hints, key=lambda hint: hint.title != finding.hint)),
        num_tried=len(wrong) + len(right),
        num_passed=len(right),
        as_test=typed.as_test,
    )


def _nearby(wrong: Sequence[str], right: Sequence[str]) -> str:
    """Name the kinds of input that pass and fail: the contrast points at the cause."""
    right = [kind for kind in right if kind not in wrong]
    if not right:
        return "" if len(wrong) < 2 else "every other kind of input fails too."
    return f"passes with {_few(right)}; fails with {_few(wrong)}."


def _few(kinds: Sequence[str]) -> str:
    kinds = list(dict.fromkeys(kinds))
    return joined(kinds if len(kinds) < 5 else [*kinds[:3], f"{len(kinds) - 3} more"])


def _not_callable(topic: Topic[C], answer: object) -> Report:
    return Report(
        topic.exercise_id,
        "failed",
        f"the answer is {shown(answer)}, which is not a function",
        expected=f'the function: check("{topic.exercise_id}", {topic.answer_name}).',
        found=f"{shown(answer)}, of type {type(answer).__name__}.",
        hints=topic.hints,
    )


def _waiting(topic: Topic[C]) -> Report:
    name = topic.answer_name
    return Report(
        topic.exercise_id,
        "waiting",
        f"{name} is not written yet",
        go_on=f'Write the part below "your turn" in {name}, then run this cell again.',
        hints=topic.hints,
    )


def _too_slow(topic: Topic[C], num_passed: int, num_all: int) -> Report:
    return Report(
        topic.exercise_id,
        "failed",
        f"too slow: {num_passed} of {num_all} cases in 20 s",
        expected=f"a right answer passes all {num_all} cases in a few seconds.",
        found="nothing wrong so far, and no time left.",
        reread=topic.reread,
        hints=topic.hints,
        num_tried=num_all,
        num_passed=num_passed,
    )
