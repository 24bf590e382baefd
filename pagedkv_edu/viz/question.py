"""A question about the next calls of a film, asked while their frames are covered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.describe import describe
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.report import Json


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer, marked."""

    value: str | None  # what was answered; None: played without an answer
    right: bool
    answer: str
    sentence: str  # what happened

    def to_json(self) -> Json:
        """Return every field as JSON."""
        return {
            "value": self.value,
            "right": self.right,
            "answer": self.answer,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Question:
    """What will the next calls do?

    The player shows the frames before `stop_before` and nothing of the later ones. The
    answer uncovers `calls` frames and plays them. Of kind "block" the answer is the id
    of a block, given by a click on it; `choices` are then further buttons, as in
    ("none",).
    """

    id: str
    text: str
    answer: str | int
    stop_before: int  # index of the first covered frame, at least 1
    calls: int = 1
    choices: tuple[str, ...] = ()
    kind: Literal["choice", "block"] = "choice"
    sentence: str = ""  # what happened; if empty, the descriptions of the frames
    score: str = ""  # "2 of 2 right so far", shown beside the title

    def __post_init__(self) -> None:
        if self.stop_before < 1 or self.calls < 1:
            raise InvalidSize(
                f"a question needs a frame before it and one after: stop_before is "
                f"{self.stop_before}, calls is {self.calls}"
            )

    def covered(self, film: Sequence[Frame]) -> Sequence[Frame]:
        """Return the frames that the answer uncovers."""
        return film[self.stop_before : self.stop_before + self.calls]

    def mark(self, value: str | None, film: Sequence[Frame]) -> Verdict:
        """Return the verdict on an answer, with the sentence of what happened."""
        answer = str(self.answer)
        happened = self.sentence or " ".join(map(describe, self.covered(film)))
        return Verdict(value, value == answer, answer, happened)

    def to_json(self) -> Json:
        """Return what may be shown before the answer; the answer is not in it."""
        return {
            "id": self.id,
            "text": self.text,
            "kind": self.kind,
            "choices": list(self.choices),
            "score": self.score,
        }
