"""Watches a step function from outside: what each step adds, and whether it ends."""

from collections.abc import Sequence

from pagedkv_edu.engine.answer import Answer, TextSoFar
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.errors import PagedKVError, WrongPlan
from pagedkv_edu.protocols import PoolLike, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.served import AnswerSoFar, Counters, NewToken, ServedStep
from pagedkv_edu.serving.stepping import Row

MOST_IDLE_STEPS = 20  # a loop that decides nothing for so long is stuck


class StuckLoop(PagedKVError):  # noqa: N818
    """The steps go on and no answer does."""


class Loop:
    """Watches the known tokens from outside, and says what each step has added."""

    def __init__(
        self,
        model: LoadedModel,
        answers: Sequence[Answer],
        known: dict[SeqId, list[int]],
        max_new_tokens: int,
    ) -> None:
        self._model = model
        self._answers = {answer.seq_id: answer for answer in answers}
        self._known = known
        self._most = max_new_tokens
        self._texts = {a.seq_id: TextSoFar(model.tokenizer) for a in answers}
        self._index = 0
        self._idle = 0

    def is_over(self, seq_id: SeqId) -> bool:
        """Tell whether an answer has its last token."""
        return bool(self._why_over(seq_id))

    def look(self, plan: object, rows: Sequence[Row], pool: PoolLike) -> ServedStep:
        """Return what a step did; take its new tokens into the answers."""
        if not isinstance(plan, StepPlan):
            raise WrongPlan(f"a step returns its plan, this one returned {plan!r}")
        late = [s for s in plan.scheduled if self._answers[s].ended]
        if late:
            raise StuckLoop(f"{late[0]!r} is over and still runs: it was not finished")
        before = [a for a in self._answers.values() if not a.ended]
        new = [token for a in before for token in self._new(a)]
        for seq_id in plan.refused:
            self._answers[seq_id].ended = "outgrew the pool"
        self._idle = 0 if new or plan.scheduled else self._idle + 1
        if self._idle > MOST_IDLE_STEPS:
            raise StuckLoop(f"{self._idle} steps in a row computed nothing")
        served = ServedStep(
            self._index,
            plan,
            tuple(new),
            dict(zip(plan.scheduled, (table for table, _ in rows), strict=False)),
            tuple(
                AnswerSoFar(a.seq_id, a.text, len(a.token_ids), a.ended) for a in before
            ),
            Counters(steps=self._index + 1),
            pool.num_blocks,
            pool.num_free,
        )
        self._index += 1
        return served

    def _new(self, answer: Answer) -> list[NewToken]:
        """Take up the tokens that were appended to what is known of a sequence."""
        seen = len(answer.prompt_ids) + len(answer.token_ids)
        new: list[NewToken] = []
        for token_id in self._known[answer.seq_id][seen:]:
            answer.token_ids.append(token_id)
            answer.ended = self._why_over(answer.seq_id)
            text = self._texts[answer.seq_id].add(
                answer.token_ids, is_last=bool(answer.ended)
            )
            if self._model.tokenizer is None:
                text = f" {token_id}"
            answer.text += text
            new.append(NewToken(answer.seq_id, token_id, text))
        return new

    def _why_over(self, seq_id: SeqId) -> str:
        known, num_prompt = self._known[seq_id], len(self._answers[seq_id].prompt_ids)
        if len(known) > num_prompt and known[-1] in self._model.stop_ids:
            return "stop"
        return "length" if len(known) - num_prompt >= self._most else ""
