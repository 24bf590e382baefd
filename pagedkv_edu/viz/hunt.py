"""What a learner's check says of the broken things that are shown, as a table."""

from collections.abc import Callable
from html import escape

import ipywidgets as widgets
from IPython.display import publish_display_data

from pagedkv_edu.checks.failure_modes import Asked, outcomes, report_on
from pagedkv_edu.checks.hunt.hunting import Outcome
from pagedkv_edu.checks.hunt.kinds import Kind, Right
from pagedkv_edu.checks.judging.limits import OutOfTime, Unwritten
from pagedkv_edu.viz.verdict import VerdictView, verdict


def show_hunt(
    exercise_id: str, check: Callable[..., object], name: str = ""
) -> "widgets.DOMWidget | HuntTable | VerdictView":
    """Return what a check says of three right things and of the broken ones shown.

    With the name of a broken class it returns the film of that one: the calls that the
    check made, or the shortest ones that would have caught it.
    """
    try:
        if name:
            return verdict(report_on(exercise_id, check, name))
        return HuntTable(outcomes(exercise_id, check))
    except Unwritten:
        return widgets.HTML("<p>Your check is not written yet.</p>")
    except OutOfTime:
        return widgets.HTML("<p>Your check takes more than 5 s for all of them.</p>")


class HuntTable:
    """A row for each thing that was tried, and what the check said of it."""

    def __init__(self, asked: list[Asked]) -> None:
        self.rows = [_row(*pair) for pair in asked]

    def __repr__(self) -> str:
        """Return the rows as text."""
        width = max(len(name) for name, *_ in self.rows)
        return "\n".join(
            f"{name:<{width}}  {said}{f': {words}' if words else ''}"
            for name, said, words in self.rows
        )

    def _ipython_display_(self) -> None:
        publish_display_data({"text/plain": repr(self), "text/html": self.html()})

    def html(self) -> str:
        """Return the rows as a table."""
        rows = "".join(
            f'<tr><th scope="row" {_LEFT}>{escape(name)}</th>'
            f"<td {_LEFT}>{escape(said)}</td><td {_LEFT}>{escape(words)}</td></tr>"
            for name, said, words in self.rows
        )
        head = "".join(
            f'<th scope="col" {_LEFT}>{text}</th>'
            for text in ("what it was given", "your check", "its words")
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


_LEFT = 'style="text-align: left"'


def _row(what: Right | Kind, outcome: Outcome) -> tuple[str, str, str]:
    """Return a name, what the check did, and its words or the error."""
    is_broken = isinstance(what, Kind)
    name = f"{what.class_name}: {what.title}" if is_broken else what.name
    if outcome.accuses:
        return (
            name,
            "✓ caught" if is_broken else "✗ accused, and it is right",
            (outcome.words),
        )
    if outcome.how == "let go":
        return name, "✗ let go" if is_broken else "✓ let go", ""
    return name, f"✗ {_TOLD[outcome.how]}", outcome.words


_TOLD = {
    "endless": "does not come to an end",
    "stopped": "did not return within 2 s",
    "no answer": "returned what is no sentence",
}
