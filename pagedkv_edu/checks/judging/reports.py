"""The reports that every kind of check may have to write."""

from collections.abc import Sequence
from inspect import signature
from typing import Protocol

from pagedkv_edu.checks.judging.limits import a_kind, shown
from pagedkv_edu.checks.judging.wording import amount, joined
from pagedkv_edu.report import Hint, Report


class Named(Protocol):
    """What every topic has."""

    @property
    def exercise_id(self) -> str:
        """Return the id, such as "5.3"."""
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
        """Return the heading to reread: 'lesson 03, "The table"'."""
        ...


def waiting(topic: Named, parts: Sequence[str], unwritten: set[str]) -> Report:
    """Return the report on an answer that still has a stub where it was needed."""
    part = min(unwritten, key=lambda p: parts.index(p) if p in parts else len(parts))
    later = parts[parts.index(part) + 1 :] if part in parts else ()
    text = f'Write the part below "your turn" in {part}, then run this cell again.'
    if later:
        order = "comes second" if len(later) == 1 else "come after it"
        text += (
            f"\n{joined(later)} {order}; "
            "the check stops at the first call that is not written."
        )
    title = f"{part} is not written yet"
    return Report(topic.exercise_id, "waiting", title, go_on=text, hints=topic.hints)


def not_callable(topic: Named, answer: object, kind: str) -> Report:
    """Return the report on an answer that is no class, or no function, at all."""
    what, name = shown(answer), type(answer).__name__
    title = f"the answer is {what}, which is not a {kind}"
    found = what if what in ("None", a_kind(answer)) else f"{what}, {a_kind(answer)}"
    if kind == "class" and type(answer).__module__ != "builtins":
        title = f"the answer is an object of the class {name}, not the class"
        found = f"an object of the class {name}; leave out the parentheses"
    call = f'check("{topic.exercise_id}", {topic.answer_name})'
    return Report(
        topic.exercise_id,
        "failed",
        title,
        expected=f"the {kind} itself, without parentheses: {call}.",
        found=f"{found}.",
    )


def wrong_parameters(
    topic: Named, answer: object, names: Sequence[str]
) -> Report | None:
    """Return the report on a function that cannot be called with these arguments."""
    if not callable(answer):
        return None
    try:
        parameters = signature(answer).parameters
    except (TypeError, ValueError):  # some callables tell nobody
        return None
    try:
        signature(answer).bind(*names)
    except TypeError:
        wanted = f"{topic.answer_name}({', '.join(names)})"
        own = f"{topic.answer_name}({', '.join(parameters)})"
        return Report(
            topic.exercise_id,
            "failed",
            f"{topic.answer_name} cannot be called with "
            f"{amount(len(names), 'argument')}",
            expected=f"{wanted}: these parameters, in this order.",
            found=f"{own}.",
        )
    return None


def wrong_number(topic: Named, answer: object, num_arguments: int) -> Report | None:
    """Return the report on a function that takes fewer or more arguments."""
    if not callable(answer):
        return None
    try:
        own = signature(answer)
    except (TypeError, ValueError):  # some callables tell nobody
        return None
    try:
        own.bind(*range(num_arguments))
    except TypeError:
        num = amount(num_arguments, "argument")
        return Report(
            topic.exercise_id,
            "failed",
            f"{topic.answer_name} cannot be called with {num}",
            expected=f"{topic.answer_name} with the parameters of the task, "
            f"{num_arguments} in all.",
            found=f"{topic.answer_name}({', '.join(own.parameters)}).",
            reread=topic.reread,
            hints=topic.hints,
        )
    return None


def too_slow(topic: Named, counts: tuple[int, int], what: str) -> Report:
    """Return the report on an answer that was right as far as the time went."""
    num_passed, num_all = counts
    return Report(
        topic.exercise_id,
        "failed",
        f"too slow: {num_passed} of {num_all} {what} in 5 s",
        expected=f"a right answer passes all {what} in well under a second.",
        found="nothing wrong so far, and no time left.",
        reread=topic.reread,
        hints=topic.hints,
        num_tried=num_all,
        num_passed=num_passed,
    )


def hints_from(hints: Sequence[Hint], first: str) -> tuple[Hint, ...]:
    """Return the hints with the one of this title first."""
    assert first in {hint.title for hint in hints}, f"no hint is called {first!r}"
    return tuple(sorted(hints, key=lambda hint: hint.title != first))
