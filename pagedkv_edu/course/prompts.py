"""A question as buttons or a field under it, marked when it is answered."""

from html import escape
from typing import Protocol

import ipywidgets as widgets

from pagedkv_edu.course.questions import Prompt

# Colours of the page, so that both themes work; the words carry the meaning.
_LINE = "margin: 6px 0 2px; max-width: 70ch; color: var(--jp-content-font-color1)"


class Keep(Protocol):
    """What to do with an answer; the text that comes back is shown under the mark."""

    def __call__(self, given: str, *, right: bool) -> str:
        """Keep the answer."""
        ...


class PromptBox(widgets.VBox):
    """Shows a question, and marks each answer.

    Nothing depends on an answer being given, so a notebook also runs where nobody is
    there to answer.
    """

    def __init__(self, prompt: Prompt, keep: Keep) -> None:
        self.prompt = prompt
        self._keep = keep
        self._last = ""
        self._text = widgets.HTML(_paragraph(prompt.text, strong=True))
        self._mark = widgets.HTML("")
        row = self._buttons() if prompt.choices else self._field()
        super().__init__([self._text, row, self._mark])
        self.add_class("pagedkv-prompt")

    def answer(self, given: str) -> None:
        """Mark an answer, as a click or the return key does; a repeat counts once."""
        given = given.strip()
        if given in ("", self._last):
            return
        self._last = given
        right = same_answer(given, self.prompt.answer)
        kept = self._keep(given, right=right)
        self._mark.value = marked(self.prompt, given, right=right, kept=kept)

    def _buttons(self) -> widgets.Widget:
        buttons = [self._button(choice) for choice in self.prompt.choices]
        return widgets.HBox(buttons, layout=widgets.Layout(flex_flow="row wrap"))

    def _button(self, choice: str) -> widgets.Widget:
        button = widgets.Button(
            description=choice,
            tooltip=f"Answer {choice}",
            layout=widgets.Layout(width="auto", min_width="48px", height="auto"),
        )

        def click(_: widgets.Button) -> None:
            self.answer(choice)

        button.on_click(click)
        return button

    def _field(self) -> widgets.Widget:
        field = widgets.Text(
            placeholder="a number",
            continuous_update=False,
            layout=widgets.Layout(width="120px"),
        )
        button = widgets.Button(
            description="Answer", layout=widgets.Layout(width="auto")
        )

        def submit(_: object) -> None:
            self.answer(field.value)

        # the return key and leaving the field; a click on the button does both
        field.observe(submit, names="value")
        button.on_click(submit)
        return widgets.HBox([field, button])


def same_answer(given: str, answer: str) -> bool:
    """Tell whether two answers are the same word or the same number.

    >>> same_answer(" 16,384 ", "16384"), same_answer("B", "b"), same_answer("", "0")
    (True, True, False)
    """
    left, right = (_plain(text) for text in (given, answer))
    try:
        return float(left) == float(right)
    except ValueError:
        return left == right


def marked(prompt: Prompt, given: str, *, right: bool, kept: str = "") -> str:
    """Return the mark of an answer, with the reason, as HTML."""
    if right:
        verdict = f"{given}: right."
    else:
        verdict = f"{given}: not so. The answer is {prompt.answer}."
    return (
        f'<div role="status">{_paragraph(verdict, strong=True)}'
        f"{_paragraph(prompt.why)}{_paragraph(kept)}</div>"
    )


def _plain(text: str) -> str:
    return "".join(text.lower().replace(",", "").split())


def _paragraph(text: str, *, strong: bool = False) -> str:
    if not text:
        return ""
    inner = f"<strong>{escape(text)}</strong>" if strong else escape(text)
    return f'<p style="{_LINE}">{inner}</p>'
