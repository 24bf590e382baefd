"""A small table: as HTML that follows the page's theme, or as aligned text."""

import re
from collections.abc import Sequence
from html import escape

_CELL = (
    "padding: 2px 18px 2px 0; text-align: left; vertical-align: top; "
    "color: var(--jp-content-font-color1, inherit)"
)
_ROW_HEAD = f"{_CELL}; font-weight: normal"


def with_code(text: str) -> str:
    """Return text as HTML, where a piece in `backticks` is code.

    >>> with_code("`make model` fetches it")
    '<code>make model</code> fetches it'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as HTML; the first cell of a row is its heading."""
    top = "".join(
        f'<th scope="col" style="{_CELL}">{escape(text)}</th>' for text in head
    )
    body = "".join(
        f'<tr><th scope="row" style="{_ROW_HEAD}">{escape(row[0])}</th>'
        + "".join(f'<td style="{_CELL}">{with_code(text)}</td>' for text in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as lines with aligned columns.

    >>> print(text_table(("a", "b"), [("long", "1")]))
    a     b
    long  1
    """
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            f"{text:<{width}}" for text, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
