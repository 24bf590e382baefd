"""Say something to the learner: as a line in a notebook, or in a terminal."""

from dataclasses import dataclass
from html import escape

from IPython.display import display


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that the page shows, in the colours of its theme."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        style = (
            "margin: 4px 0; padding: 6px 10px; max-width: 70ch; "
            "border-left: 3px solid var(--jp-border-color1, #8a9099); "
            "color: var(--jp-ui-font-color1, inherit)"
        )
        return f'<div role="status" style="{style}">{escape(self.text)}</div>'


def say(text: str) -> None:
    """Show a sentence where the learner is: in the page, or in the terminal."""
    display(Note(text))
