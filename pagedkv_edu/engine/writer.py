"""Writes one answer: appends its tokens, turns them into text, and knows its end."""

from pagedkv_edu.engine.answer import Answer, TextSoFar, TokenizerLike
from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.served import NewToken


class Writer:
    """One unfinished sequence: its answer, and what is needed to go on with it."""

    def __init__(
        self, answer: Answer, sampling: Sampling, tokenizer: TokenizerLike | None
    ) -> None:
        self.answer = answer
        self.sampling = sampling
        self._text = TextSoFar(tokenizer)

    @property
    def seq_id(self) -> SeqId:
        """The sequence that it writes."""
        return self.answer.seq_id

    def child(self, answer: Answer) -> "Writer":
        """Return a writer that goes on from here into an answer of its own."""
        answer.token_ids[:] = self.answer.token_ids
        answer.text = self.answer.text
        child = Writer(answer, self.sampling, None)
        child._text = self._text.copy()
        return child

    def put(self, token_id: int) -> NewToken:
        """Write a token; note in the answer whether it was the last one."""
        answer, sampling = self.answer, self.sampling
        answer.token_ids.append(token_id)
        if token_id in sampling.stop_ids:
            answer.ended = "stop"
        elif len(answer.token_ids) == sampling.max_new_tokens:
            answer.ended = "length"
        before = len(answer.text)
        answer.text += self._text.add(answer.token_ids, is_last=bool(answer.ended))
        self._cut_at_stop_text()
        return NewToken(answer.seq_id, token_id, answer.text[before:])

    def _cut_at_stop_text(self) -> None:
        """End before a stop text; what was told of it before stays told."""
        answer = self.answer
        places = [answer.text.find(text) for text in self.sampling.stop_texts]
        found = [place for place in places if place >= 0]
        if found:
            answer.text, answer.ended = answer.text[: min(found)], "stop"
