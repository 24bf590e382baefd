"""The verdict of a check, as data: a notebook draws it, a grader stores it."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

# JSON has no better type; nothing else in the core uses Any.
Json = dict[str, Any]
Status = Literal["passed", "failed", "waiting"]

_QUOTED_WORDS = re.compile(r'"(?:[A-Z]\d+|·)(?: (?:[A-Z]\d+|·))*"')


@dataclass(frozen=True, slots=True)
class Hint:
    """Help in three layers, named after what the learner sees."""

    title: str  # "My free blocks run out after a fork"
    layers: tuple[str, ...]  # a question, the idea, almost code


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found out about one answer.

    `calls` is the shortest history that goes wrong, as a learner would type it, and
    may go on after the wrong call to show what it leads to. `films` holds the same
    calls as JSON films, "yours" and "reference", one frame for each call.
    """

    exercise_id: str
    status: Status
    title: str  # 'append("A") copied no block; expected one copy'
    setting: str = ""  # "pool of 8 blocks, block_size 4"
    calls: tuple[str, ...] = ()
    wrong_call: int | None = None  # index into calls
    wrong_words: str = "first wrong step"  # what that call is marked with
    compared: str = ""  # what differs first: 'pool.ref_count(0)'
    found_value: str = ""
    expected_value: str = ""
    expected: str = ""  # a sentence, with the reason
    found: str = ""
    go_on: str = ""  # what goes wrong later, run on the learner's class; or what to do
    nearby: str = ""  # the same calls with other lengths: which pass
    reread: str = ""  # 'lesson 05, "The fix"'
    hints: tuple[Hint, ...] = ()  # the one that fits first
    num_tried: int = 0  # histories or cases
    num_passed: int = 0
    counted: str = ""  # what num_tried counts, if neither histories nor cases
    share: float = 0.0  # of the points, for an answer that is right in part
    films: Json = field(default_factory=dict[str, Any])
    as_test: str = ""  # the history as a test to paste

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "passed"

    @property
    def earned(self) -> float:
        """The part of the exercise's points that this answer earns, from 0 to 1."""
        return 1.0 if self.passed else self.share

    def text(self) -> str:
        """Return the report as plain text, as a terminal or a log shows it."""
        if self.status != "failed":
            verdict = "passed" if self.passed else "waiting for you"
            text = f"{self.exercise_id}  {verdict}: {self.title}"
            return f"{text}\n\n{self.go_on}" if self.go_on else text
        setting = f" ({self.setting})" if self.setting else ""
        lines = [f"{self.exercise_id}  not yet: {self.title}"]
        if self.calls:
            lines += ["", f"What was done{setting}", *self._numbered_calls()]
        lines += ["", *self._named_lines()]
        return "\n".join(lines).rstrip()

    def to_json(self) -> Json:
        """Return every field as JSON."""
        return asdict(self)

    def _numbered_calls(self) -> list[str]:
        # calls after the wrong one belong to "Go on", not to what was done
        stop = len(self.calls) if self.wrong_call is None else self.wrong_call + 1
        return [
            f"{'>' if i == self.wrong_call else ' '} {i + 1}  {call}"
            for i, call in enumerate(self.calls[:stop])
        ]

    def _named_lines(self) -> list[str]:
        hint = f'"{self.hints[0].title}".' if self.hints else ""
        named = {
            "Expected": self.expected,
            "Found": self.found,
            "Go on": self.go_on,
            "Nearby": self.nearby,
            "Words": self._how_words_are_written(),
        }
        if self.reread:
            named["Reread"] = f"{self.reread}.{hint and f' Hint: {hint}'}"
        else:
            named["Hint"] = hint
        return [f"{name:<9} {text}" for name, text in named.items() if text]

    def _how_words_are_written(self) -> str:
        # the view says the same: wordsNote in viz/verdict_words.js
        said = " ".join((self.title, self.found, self.expected, self.go_on))
        quoted = _QUOTED_WORDS.findall(said)
        if not quoted:
            return ""
        empty = any("·" in words for words in quoted)
        unwritten = "; · is a slot that nobody wrote" if empty else ""
        return f"A1 stands for what A wrote at position 1{unwritten}."
