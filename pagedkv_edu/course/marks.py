"""What a quiz says: one line for each question."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

_CELL = (
    "padding: 2px 12px 2px 0; text-align: left; color: var(--jp-content-font-color1)"
)


@dataclass(frozen=True, slots=True)
class QuizMarks:
    """The marks of one quiz; None stands for a question not answered yet."""

    lesson: str
    answers: Mapping[str, str]
    marks: Mapping[str, bool | None]

    @property
    def num_right(self) -> int:
        """Answers that are right."""
        return sum(mark is True for mark in self.marks.values())

    def lines(self) -> list[tuple[str, str, str]]:
        """Return question, answer and mark, as words."""
        words = {True: "right", False: "not so", None: "not answered yet"}
        return [
            (name.upper(), self.answers.get(name, "").strip(), words[mark])
            for name, mark in self.marks.items()
        ]

    def __repr__(self) -> str:
        rows = [f"{name}  {given:<3} {mark}" for name, given, mark in self.lines()]
        return "\n".join([*rows, self._total()])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>"
            + "".join(f'<td style="{_CELL}">{escape(x)}</td>' for x in line)
            + "</tr>"
            for line in self.lines()
        )
        return f'<table>{rows}</table><p role="status">{self._total()}</p>'

    def _total(self) -> str:
        return f"{self.num_right} of {len(self.marks)} right"
