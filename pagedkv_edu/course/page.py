"""Say something to the learner: as a line in a notebook, or in a terminal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from IPython.display import display

from pagedkv_edu.course.tables import with_code

_LINK = "color: var(--jp-content-link-color, inherit); text-decoration: underline"


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that the page shows, in the colours of its theme.

    A piece in `backticks` is code. `links` gives the address of pieces that have one,
    as seen from the folder of the notebook.
    """

    text: str
    links: Mapping[str, str] = field(default_factory=dict[str, str])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        style = (
            "margin: 4px 0; padding: 6px 10px; max-width: 70ch; "
            "border-left: 3px solid var(--jp-border-color1, #8a9099); "
            "color: var(--jp-ui-font-color1, inherit)"
        )
        inner = with_code(self.text)
        for piece, address in self.links.items():
            link = f'<a href="{escape(address)}" style="{_LINK}">{escape(piece)}</a>'
            inner = inner.replace(escape(piece), link)
        return f'<div role="status" style="{style}">{inner}</div>'


def say(text: str) -> None:
    """Show a sentence where the learner is: in the page, or in the terminal."""
    display(Note(text))
