"""The report on a learner's check: what it caught, let go, or accused wrongly."""

from collections.abc import Sequence
from dataclasses import replace

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt.hunting import Hunt, Outcome, Subject
from pagedkv_edu.checks.hunt.kinds import Kind, Right
from pagedkv_edu.checks.hunt.showing import films, history_of, sizes, with_history
from pagedkv_edu.checks.hunt.under_test import MOST_CALLS
from pagedkv_edu.checks.hunt.watching import call_text
from pagedkv_edu.checks.hunt.words import (
    RULES,
    accusation,
    among,
    best_hint,
    cut,
    kinds_told,
    last_look,
    name_of,
    said,
)
from pagedkv_edu.checks.judging.reports import hints_from
from pagedkv_edu.report import Report

MOST_ROWS = 16  # of a history on the page


def told(subject: Subject, hunted: Hunt) -> Report:
    """Return the report."""
    for what, outcome in hunted.everything:
        if outcome.how in ("stopped", "no answer"):
            return _no_verdict(subject, what, outcome)
    accused = [pair for pair in hunted.right if pair[1].how != "let go"]
    if accused:
        return _accused(subject, hunted, *accused[0])
    num_caught = sum(outcome.accuses for _, outcome in hunted.unseen)
    num_all = len(hunted.unseen)
    caught = f"{num_caught} of {num_all} unseen broken {subject.noun}s caught"
    missed = [(kind, outcome) for kind, outcome in hunted.shown if not outcome.accuses]
    missed.sort(key=lambda pair: subject.kinds.index(pair[0]))
    if num_caught == num_all and not missed:
        return _passed(subject, hunted, caught)
    return _missed(subject, hunted, missed, caught)


def _no_verdict(subject: Subject, what: Right | Kind, outcome: Outcome) -> Report:
    name = subject.answer_name
    of = f"of {name_of(subject, what)}"
    if outcome.how == "stopped":
        return Report(
            subject.exercise_id,
            "failed",
            f"{name} did not return within 2 s",
            expected="an answer for each in well under a tenth of a second.",
            found=f"{outcome.words.rstrip('.')}. It was asked {of}.",
            reread=subject.reread,
            hints=hints_from(subject.hints, hint.ENDLESS),
        )
    return Report(
        subject.exercise_id,
        "failed",
        f"{name} returned {outcome.words}; expected None or a sentence",
        expected="None if nothing is wrong, or a sentence that says what is.",
        found=f"{outcome.words}, {of}.",
        reread=subject.reread,
        hints=hints_from(subject.hints, hint.BEGIN),
    )


def _passed(subject: Subject, hunted: Hunt, caught: str) -> Report:
    """Say so, and show the shortest catch."""
    num = len(hunted.unseen)
    report = Report(
        subject.exercise_id,
        "passed",
        f"{caught}, and no right one accused",
        num_tried=num,
        num_passed=num,
        share=1.0,
    )
    catches = [(kind, outcome.notes) for kind, outcome in hunted.shown if outcome.notes]
    if not catches:
        return report
    kind, notes = min(catches, key=lambda pair: len(pair[1].calls))
    history = history_of(notes)
    if len(history.calls) > MOST_ROWS:
        return report
    return replace(
        report,
        setting=f"it caught {kind.class_name}, {sizes(subject, history)}",
        calls=tuple(map(call_text, history.calls)),
        films=films(subject, history, kind.make, subject.right[0].make),
    )


def told_of_one(subject: Subject, kind: Kind, outcome: Outcome) -> Report:
    """Return the report on one broken thing that is shown: caught, or let go."""
    report = Report(
        subject.exercise_id,
        "failed",
        f"{kind.class_name} is let go: {kind.title}",
        expected="a sentence that says what is wrong.",
        found=said(outcome) + ".",
        reread=subject.reread,
        hints=hints_from(subject.hints, kind.hint),
    )
    if not outcome.accuses:
        return with_history(subject, report, kind)
    history = history_of(outcome.notes)
    title = f'{kind.class_name} is caught: "{cut(outcome.words)}"'
    if len(history.calls) > MOST_ROWS:
        title += f", in {len(history.calls)} calls. The shortest history is this"
        history = kind.history
    return Report(
        subject.exercise_id,
        "passed",
        title,
        setting=sizes(subject, history),
        calls=tuple(map(call_text, history.calls)),
        films=films(subject, history, kind.make, subject.right[0].make),
    )


def _accused(subject: Subject, hunted: Hunt, right: Right, outcome: Outcome) -> Report:
    """Say what was said of which right one, after which calls, and why it is right."""
    history = history_of(outcome.notes)
    title, first = accusation(subject, outcome)
    is_all = {other.name for other, o in hunted.right if o.how != "let go"} == {
        other.name for other in subject.right
    }
    expected = "None." if is_all else f"None. {right.why}"
    if history.calls and outcome.how != "crash":
        expected += f" Of the last call: {RULES[history.calls[-1].name]}"
        expected += last_look(subject, outcome)
    if outcome.how == "endless":
        expected = f"at most {MOST_CALLS:,} calls in all, and an answer."
    report = Report(
        subject.exercise_id,
        "failed",
        title,
        expected=expected,
        found=f"{said(outcome)} of {right.name}. {among(subject, hunted)}",
        reread=subject.reread,
        hints=hints_from(subject.hints, first),
    )
    num_calls = len(history.calls)
    if num_calls > MOST_ROWS:
        last = ", ".join(map(call_text, history.calls[-3:]))
        return replace(
            report, found=f"{report.found} The last of {num_calls} calls were {last}."
        )
    if not num_calls:
        return report
    # another right one does the same in its own way
    beside = next(other for other in reversed(subject.right) if other is not right)
    return replace(
        report,
        setting=f"{right.name}, {sizes(subject, history)}",
        calls=tuple(map(call_text, history.calls)),
        wrong_call=num_calls - 1,
        wrong_words="accused here",
        compared=subject.answer_name,
        found_value=f'"{cut(outcome.words)}"' if outcome.how == "said" else outcome.how,
        expected_value="None",
        films=films(
            subject,
            history,
            right.make,
            beside.make,
            ("a right one, accused", "another right one"),
        ),
    )


def _missed(
    subject: Subject,
    hunted: Hunt,
    missed: Sequence[tuple[Kind, Outcome]],
    caught: str,
) -> Report:
    """Say what was let go; of a shown one, the history that shows it."""
    num = sum(outcome.accuses for _, outcome in hunted.unseen)
    num_all = len(hunted.unseen)
    found = kinds_told(subject, hunted)
    found += f" It earns {num} of {num_all} parts of the points."
    endless = [
        kind for kind, o in (*hunted.shown, *hunted.unseen) if o.how == "endless"
    ]
    if endless:
        found += (
            f" It made {MOST_CALLS:,} calls, and went on, where {endless[0].title}: "
            "who does not come to an end has caught nothing."
        )
    title = caught
    if missed:
        title += f"; {missed[0][0].class_name}, which you were shown, is let go"
    report = Report(
        subject.exercise_id,
        "failed",
        title,
        expected=f"every broken {subject.noun} caught, and no right one accused.",
        found=found,
        reread=subject.reread,
        hints=hints_from(
            subject.hints, best_hint(hunted, missed, is_endless=bool(endless))
        ),
        num_tried=num_all,
        num_passed=num,
        counted=f"unseen broken {subject.noun}s caught",
        share=num / num_all,
    )
    return with_history(subject, report, missed[0][0]) if missed else report
