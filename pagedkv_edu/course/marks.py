"""What a quiz says: one line for each question."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagedkv_edu.course.tables import html_table, text_table

HEAD = ("question", "your answer", "mark")


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
        return f"{text_table(HEAD, self.lines())}\n\n{self._total()}"

    def _repr_html_(self) -> str:
        return f'{html_table(HEAD, self.lines())}<p role="status">{self._total()}</p>'

    def _total(self) -> str:
        return f"{self.num_right} of {len(self.marks)} right"
