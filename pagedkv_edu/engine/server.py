"""Serve prompts with continuous batching: decide, copy, write, attend, choose."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import torch

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.attention import (
    DecodeAttention,
    PagedAttention,
    decode_attention,
    default_attention,
)
from pagedkv_edu.engine.batch import Rows
from pagedkv_edu.engine.beam_search import BeamSearch
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.engine.choosing import Samples
from pagedkv_edu.engine.interrupt import uninterrupted
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.engine.parts import make_parts
from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.engine.sequences import Chooser, Sequences, Unfinished
from pagedkv_edu.engine.writer import Writer
from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId, TableLike
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.served import AnswerSoFar, Counters, NewToken, ServedStep
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import require_positive

# Up to so many tokens it is cheaper to read a context once for each of them than to
# copy it into one piece.
SHORT_CHUNK = 4
OnStep = Callable[[ServedStep], object]


class PromptTooLong(PagedKVError):  # noqa: N818
    """The prompt, or prompt and answer, is longer than the model's limit."""


class Server:
    """A model, a block pool and the loop between them.

    The parts may be the caller's own: a pool, a manager on it, a scheduler on both and
    an attention function. What is not given is made here. With `share_prefixes` the
    pool is a `PrefixCache`, so equal beginnings of prompts are computed once; a
    `PrefixCache` given as the pool does the same. Without `attention` it is "triton" on
    a GPU and "cpu" elsewhere; "torch" is the plain one.
    """

    def __init__(
        self,
        model: LoadedModel,
        *,
        num_blocks: int = 256,
        block_size: int = 16,
        num_host_blocks: int = 0,
        attention: str | DecodeAttention | None = None,
        share_prefixes: bool = False,
        pool: PoolLike | None = None,
        manager: ManagerLike | None = None,
        scheduler: SchedulerLike | None = None,
    ) -> None:
        self.model = model
        self.spec = model.spec(block_size)
        device = model.model.device
        self.attention = decode_attention(attention or default_attention(device))
        reads_in_place = attention in (None, "cpu") or device.type == "cuda"
        self._short_chunk = SHORT_CHUNK if reads_in_place else 1
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
            device=device,
            num_host_blocks=parts.num_host_blocks,
        )
        self.counters = Counters()
        self._sequences = Sequences(self.scheduler)

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
        return self.submit_samples(seq_id, prompt_ids, sampling, stream=stream)[0]

    def submit_samples(
        self,
        seq_id: SeqId,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        num_samples: int = 1,
        *,
        stream: int = 0,
    ) -> list[Answer]:
        """Queue a prompt for several answers, drawn from streams that follow `stream`.

        The prompt is computed once. The second answer is that of "A.1" if the first
        one is that of "A".
        """
        require_positive("num_samples", num_samples)
        writer = self._writer(seq_id, prompt_ids, sampling)
        chooser = Samples(self._sequences, writer, num_samples, stream)
        return self._queue(writer, chooser)

    def submit_beams(
        self,
        seq_id: SeqId,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        num_beams: int,
        num_answers: int = 1,
    ) -> list[Answer]:
        """Queue a prompt for a beam search; its best answers are there at the end."""
        require_positive("num_beams", num_beams)
        if not 1 <= num_answers <= num_beams:
            raise InvalidSize(f"{num_beams} beams cannot give {num_answers} answers")
        if sampling.temperature or sampling.stop_texts:
            raise InvalidSize("beams need temperature 0, and stop tokens, not texts")
        writer = self._writer(seq_id, prompt_ids, sampling)
        chooser = BeamSearch(
            self._sequences, writer, num_beams, num_answers, self.model.tokenizer
        )
        return self._queue(writer, chooser)

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
        """Do one step; return what it did. An interrupt waits for its end."""
        with uninterrupted():
            return self._step()

    def _step(self) -> ServedStep:
        plan = self.scheduler.step()
        seen = self._sequences.unfinished
        for seq_id in plan.refused:
            self._sequences.drop(seq_id)
        # every copy before anything is written
        self.cache.copy(list(plan.copies))
        tables = {seq_id: self.manager.table(seq_id) for seq_id in plan.scheduled}
        new = self._compute(plan, tables) if tables else []
        seen |= self._sequences.unfinished
        return ServedStep(
            self.counters.steps,
            plan,
            tuple(new),
            tables,
            _shown(seen.values()),
            self._count(plan, len(new)),
            self.pool.num_blocks,
            self.pool.num_free,
        )

    def cancel(self) -> None:
        """End every answer here; the pool is as it was before the first prompt."""
        for seq in self._sequences.unfinished.values():
            self._sequences.cancel(seq.writer)
            for answer in seq.chooser.answers:
                answer.ended = answer.ended or "cancelled"

    def _writer(
        self, seq_id: SeqId, prompt_ids: Sequence[int], sampling: Sampling
    ) -> Writer:
        if not prompt_ids:
            raise InvalidSize("a prompt needs at least one token")
        self._sequences.require_new(seq_id)
        longest = len(prompt_ids) + sampling.max_new_tokens
        if longest > self.model.max_len:
            raise PromptTooLong(
                f"{len(prompt_ids)} prompt tokens and {sampling.max_new_tokens} new "
                f"ones; {self.model.name} takes {self.model.max_len} together"
            )
        answer = Answer(seq_id, list(prompt_ids))
        return Writer(answer, sampling, self.model.tokenizer)

    def _queue(self, writer: Writer, chooser: Chooser) -> list[Answer]:
        prompt_ids, sampling = writer.answer.prompt_ids, writer.sampling
        self.scheduler.submit(
            Request(
                writer.seq_id,
                len(prompt_ids),
                sampling.max_new_tokens,
                max_tokens=sampling.max_new_tokens,
                content=tuple(prompt_ids),
            )
        )
        self._sequences.add(writer, chooser)
        return chooser.answers

    def _compute(
        self, plan: StepPlan, tables: dict[SeqId, TableLike]
    ) -> list[NewToken]:
        """Run the scheduled tokens; choose tokens where none is left to compute."""
        device = self.model.model.device
        rows = Rows(self.spec.block_size, device, self._short_chunk)
        complete: list[Unfinished] = []
        for seq_id, num_tokens in plan.scheduled.items():
            seq, table = self._sequences[seq_id], tables[seq_id]
            known = seq.writer.answer.known_ids
            rows.add(table, known[table.seq_len - num_tokens : table.seq_len])
            if table.seq_len == len(known):
                complete.append(seq)
            else:
                rows.last_rows.pop()  # a chunk of a prompt: nothing to choose yet
        new: list[NewToken] = []
        for seq, logits in zip(complete, self._forward(rows), strict=True):
            new += seq.chooser.arrived(seq.writer, logits)
        return new

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
            forks=self._sequences.num_forks,
        )
        return self.counters


def _shown(seen: Iterable[Unfinished]) -> tuple[AnswerSoFar, ...]:
    """Return what a view shows of the sequences: each answer once."""
    answers = {
        answer.seq_id: answer
        for seq in seen
        for answer in seq.chooser.shown(seq.writer)
    }
    return tuple(
        AnswerSoFar(a.seq_id, a.text, len(a.token_ids), a.ended)
        for a in answers.values()
    )
