"""Serve prompts with continuous batching: decide, copy, write, attend, choose."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.attention import (
    DecodeAttention,
    PagedAttention,
    decode_attention,
)
from pagedkv_edu.engine.batch import Rows
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.engine.parts import make_parts
from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.engine.writer import Writer
from pagedkv_edu.errors import DuplicateSequence, InvalidSize, PagedKVError
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId, TableLike
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.served import AnswerSoFar, Counters, NewToken, ServedStep
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.serving.workload import Request

OnStep = Callable[[ServedStep], object]


class PromptTooLong(PagedKVError):  # noqa: N818
    """The prompt, or prompt and answer, is longer than the model's limit."""


class Server:
    """A model, a block pool and the loop between them.

    The parts may be the caller's own: a pool, a manager on it, a scheduler on both and
    an attention function. What is not given is made here. With `share_prefixes` the
    pool is a `PrefixCache`, so equal beginnings of prompts are computed once; a
    `PrefixCache` given as the pool does the same.
    """

    def __init__(
        self,
        model: LoadedModel,
        *,
        num_blocks: int = 256,
        block_size: int = 16,
        num_host_blocks: int = 0,
        attention: str | DecodeAttention = "torch",
        share_prefixes: bool = False,
        pool: PoolLike | None = None,
        manager: ManagerLike | None = None,
        scheduler: SchedulerLike | None = None,
    ) -> None:
        self.model = model
        self.spec = model.spec(block_size)
        self.attention = decode_attention(attention)
        parts = make_parts(
            pool,
            manager,
            scheduler,
            num_blocks=num_blocks,
            block_size=block_size,
            num_host_blocks=num_host_blocks,
            share_prefixes=share_prefixes,
        )
        self.pool, self.manager = parts.pool, parts.manager
        self.scheduler = parts.scheduler
        self.cache = KVCache(
            self.spec,
            self.pool.num_blocks,
            dtype=model.model.dtype,
            device=model.model.device,
            num_host_blocks=parts.num_host_blocks,
        )
        self.counters = Counters()
        self._writers: dict[SeqId, Writer] = {}  # unfinished, in order of submission

    @property
    def has_work(self) -> bool:
        """Whether an answer is still on its way."""
        return self.scheduler.has_work

    def submit(
        self,
        seq_id: SeqId,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        *,
        stream: int = 0,
    ) -> Answer:
        """Queue a prompt; its answer grows with every step.

        Answers of one seed and different streams are drawn independently.
        Raises `PromptTooLong` beyond the model's limit, `NeverFits` beyond the pool,
        and `DuplicateSequence` where the id is that of an unfinished answer.
        """
        if not prompt_ids:
            raise InvalidSize("a prompt needs at least one token")
        if seq_id in self._writers:
            raise DuplicateSequence(f"the answer {seq_id!r} is not finished yet")
        longest = len(prompt_ids) + sampling.max_new_tokens
        if longest > self.model.max_len:
            raise PromptTooLong(
                f"{len(prompt_ids)} prompt tokens and {sampling.max_new_tokens} new "
                f"ones; {self.model.name} takes {self.model.max_len} together"
            )
        self.scheduler.submit(
            Request(
                seq_id,
                len(prompt_ids),
                sampling.max_new_tokens,
                max_tokens=sampling.max_new_tokens,
                content=tuple(prompt_ids),
            )
        )
        answer = Answer(seq_id, list(prompt_ids))
        self._writers[seq_id] = Writer(answer, sampling, self.model.tokenizer, stream)
        return answer

    def run(self, on_step: OnStep | None = None) -> None:
        """Do steps until every answer has ended; `on_step` sees each of them.

        An error, or an interrupt, ends every answer here and leaves the pool clean.
        """
        try:
            while self.has_work:
                step = self.step()
                if on_step is not None:
                    on_step(step)
        except BaseException:
            self.cancel()
            raise

    def step(self) -> ServedStep:
        """Do one step; return what it did."""
        plan = self.scheduler.step()
        seen = list(self._writers.values())
        for seq_id in plan.refused:
            self._writers.pop(seq_id).answer.ended = "outgrew the pool"
        # every copy before anything is written
        self.cache.copy(list(plan.copies))
        tables = {seq_id: self.manager.table(seq_id) for seq_id in plan.scheduled}
        new = self._compute(plan, tables) if tables else ()
        step = ServedStep(
            self.counters.steps,
            plan,
            new,
            tables,
            tuple(_so_far(writer.answer) for writer in seen),
            self._count(plan, len(new)),
            self.pool.num_blocks,
            self.pool.num_free,
        )
        self._forget_ended()
        return step

    def cancel(self) -> None:
        """End every answer here; the pool is as it was before the first prompt."""
        for seq_id, writer in list(self._writers.items()):
            if not writer.answer.ended:
                self.scheduler.finish(seq_id)
                writer.answer.ended = "cancelled"
        self._forget_ended()

    def _compute(
        self, plan: StepPlan, tables: dict[SeqId, TableLike]
    ) -> tuple[NewToken, ...]:
        """Run the scheduled tokens; choose a token where none was left to compute."""
        rows = Rows(self.spec.block_size, self.model.model.device)
        complete: list[Writer] = []
        for seq_id, num_tokens in plan.scheduled.items():
            writer, table = self._writers[seq_id], tables[seq_id]
            known = writer.answer.known_ids
            rows.add(table, known[table.seq_len - num_tokens : table.seq_len])
            if table.seq_len == len(known):
                complete.append(writer)
            else:
                rows.last_rows.pop()  # a chunk of a prompt: nothing to choose yet
        logits = self._forward(rows)
        new: list[NewToken] = []
        for writer, row in zip(complete, logits, strict=True):
            new.append(writer.extend(row))
            if writer.answer.ended:
                self.scheduler.finish(writer.answer.seq_id)
        return tuple(new)

    @torch.inference_mode()
    def _forward(self, rows: Rows) -> torch.Tensor:
        batch = rows.batch()
        return self.model.model(
            input_ids=batch.token_ids[None],
            position_ids=batch.positions[None],
            use_cache=False,
            logits_to_keep=batch.last_rows,
            paged=PagedAttention(self.cache, self.attention, batch),
        ).logits[0]

    def _forget_ended(self) -> None:
        for seq_id, writer in list(self._writers.items()):
            if writer.answer.ended:
                del self._writers[seq_id]

    def _count(self, plan: StepPlan, num_new: int) -> Counters:
        before = self.counters
        self.counters = replace(
            before,
            steps=before.steps + 1,
            computed_tokens=before.computed_tokens + sum(plan.scheduled.values()),
            new_tokens=before.new_tokens + num_new,
            hit_tokens=before.hit_tokens + sum(plan.hit_tokens.values()),
            preemptions=before.preemptions
            + len(plan.preempted)
            + len(plan.swapped_out),
            swaps=before.swaps + len(plan.swapped_out),
            copies=before.copies + sum(copy.kind == "copy" for copy in plan.copies),
        )
        return self.counters


def _so_far(answer: Answer) -> AnswerSoFar:
    return AnswerSoFar(answer.seq_id, answer.text, len(answer.token_ids), answer.ended)
