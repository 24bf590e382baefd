"""An answer on its way, and its text while the tokens come in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pagedkv_edu.protocols import SeqId

UNFINISHED = "\N{REPLACEMENT CHARACTER}"  # how a decoder shows half a character


class TokenizerLike(Protocol):
    """The part of a tokenizer that turns tokens into text."""

    def decode(self, token_ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """Return the text of some tokens."""
        ...


@dataclass(slots=True)
class Answer:
    """One answer: its tokens and text so far, and how it ended.

    `ended` is empty while it goes on, then "stop" (a stop token or text), "length",
    "outgrew the pool" or "cancelled". `score` is that of a beam: the sum of its tokens'
    log-probabilities, divided by their number.
    """

    seq_id: SeqId
    prompt_ids: list[int]
    token_ids: list[int] = field(default_factory=list[int])
    text: str = ""
    ended: str = ""
    score: float | None = None

    @property
    def known_ids(self) -> list[int]:
        """Prompt and answer so far."""
        return self.prompt_ids + self.token_ids


class TextSoFar:
    """Turns tokens into text one by one, and holds half a character back."""

    def __init__(self, tokenizer: TokenizerLike | None) -> None:
        self._tokenizer = tokenizer
        self._begin = 0  # decode from here: a word's first token decides on its space
        self._told = 0  # tokens whose text was returned

    def copy(self) -> "TextSoFar":
        """Return one that goes on from the same place."""
        twin = TextSoFar(self._tokenizer)
        twin._begin, twin._told = self._begin, self._told
        return twin

    def add(self, token_ids: Sequence[int], *, is_last: bool = False) -> str:
        """Return the text that an answer's last tokens add; all its tokens are given.

        Half a character is told only with the last token.
        """
        before = self._decode(token_ids[self._begin : self._told])
        now = self._decode(token_ids[self._begin :])
        if now.endswith(UNFINISHED) and not is_last:
            return ""
        self._begin, self._told = self._told, len(token_ids)
        return now[len(before) :]

    def _decode(self, token_ids: Sequence[int]) -> str:
        if self._tokenizer is None:
            return ""
        return self._tokenizer.decode(token_ids, skip_special_tokens=True)
