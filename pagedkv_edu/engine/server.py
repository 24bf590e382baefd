"""Serve prompts with continuous batching: decide, copy, write, attend, choose."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from pagedkv_edu.engine.attention import (
    DecodeAttention,
    PagedAttention,
    decode_attention,
)
from pagedkv_edu.engine.batch import Rows
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.engine.sampling import Sampler, Sampling
from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.serving.workload import Request


class PromptTooLong(PagedKVError):  # noqa: N818
    """The prompt, or prompt and answer, is longer than the model's limit."""


@dataclass(slots=True)
class Answer:
    """One answer on its way: its tokens so far, and how it ended."""

    seq_id: SeqId
    prompt_ids: list[int]
    token_ids: list[int] = field(default_factory=list[int])
    ended: str = ""  # "stop", "length", "outgrew the pool" or "cancelled"

    @property
    def known_ids(self) -> list[int]:
        """Prompt and answer so far."""
        return self.prompt_ids + self.token_ids


@dataclass(slots=True)
class Counters:
    """What the server has done so far."""

    steps: int = 0
    computed_tokens: int = 0
    hit_tokens: int = 0
    preemptions: int = 0
    swaps: int = 0
    copies: int = 0


class Server:
    """A model, a block pool and the loop between them.

    The parts may be the caller's own: a pool, a manager on it, a scheduler on both and
    an attention function. What is not given is made here. With `share_prefixes` the
    pool is a `PrefixCache`, so equal beginnings of prompts are computed once.
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
        cache = PrefixCache(num_blocks, block_size) if share_prefixes else None
        self.pool = pool or cache or BlockPool(num_blocks)
        host_pool = BlockPool(num_host_blocks) if num_host_blocks else None
        self.manager = manager or BlockManager(self.pool, block_size, host_pool)
        self.scheduler = scheduler or Scheduler(
            self.manager,
            self.pool,
            block_size,
            preempt_by="swap" if num_host_blocks else "recompute",
            cache=cache,
        )
        self.attention = decode_attention(attention)
        self.cache = KVCache(
            self.spec,
            self.pool.num_blocks,
            dtype=model.model.dtype,
            device=model.model.device,
            num_host_blocks=num_host_blocks,
        )
        self.counters = Counters()
        self._answers: dict[SeqId, Answer] = {}
        self._samplers: dict[SeqId, Sampler] = {}

    @property
    def has_work(self) -> bool:
        """Whether an answer is still on its way."""
        return self.scheduler.has_work

    def submit(
        self, seq_id: SeqId, prompt_ids: Sequence[int], sampling: Sampling
    ) -> Answer:
        """Queue a prompt; its answer grows with every step.

        Raises `PromptTooLong` beyond the model's limit and `NeverFits` beyond the pool.
        """
        if not prompt_ids:
            raise InvalidSize("a prompt needs at least one token")
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
        self._answers[seq_id] = answer
        self._samplers[seq_id] = Sampler(sampling, stream=len(self._samplers))
        return answer

    def step(self) -> list[Answer]:
        """Do one step; return the answers that have one token more."""
        plan = self.scheduler.step()
        self._count(plan)
        for seq_id in plan.refused:
            self._end(seq_id, "outgrew the pool")
        # every copy before anything is written
        self.cache.copy(list(plan.copies))
        if not plan.scheduled:
            return []
        rows = Rows(self.spec.block_size, self.model.model.device)
        complete: list[Answer] = []
        for seq_id, num_tokens in plan.scheduled.items():
            answer, table = self._answers[seq_id], self.manager.table(seq_id)
            known = answer.known_ids
            rows.add(table, known[table.seq_len - num_tokens : table.seq_len])
            if table.seq_len == len(known):
                complete.append(answer)
            else:
                rows.last_rows.pop()  # a chunk of a prompt: nothing to choose yet
        logits = self._forward(rows)
        for answer, row in zip(complete, logits, strict=True):
            self._extend(answer, row)
        return complete

    def cancel(self) -> None:
        """End every answer here; the pool is as it was before the first prompt."""
        for seq_id in list(self._answers):
            if not self._answers[seq_id].ended:
                self.scheduler.finish(seq_id)
                self._end(seq_id, "cancelled")

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

    def _extend(self, answer: Answer, logits: torch.Tensor) -> None:
        sampler = self._samplers[answer.seq_id]
        token_id = sampler.choose(logits)
        answer.token_ids.append(token_id)
        if token_id in sampler.sampling.stop_ids:
            ended = "stop"
        elif len(answer.token_ids) == sampler.sampling.max_new_tokens:
            ended = "length"
        else:
            return
        self.scheduler.finish(answer.seq_id)
        self._end(answer.seq_id, ended)

    def _end(self, seq_id: SeqId, how: str) -> None:
        self._answers.pop(seq_id).ended = how
        del self._samplers[seq_id]

    def _count(self, plan: StepPlan) -> None:
        counters = self.counters
        counters.steps += 1
        counters.computed_tokens += sum(plan.scheduled.values())
        counters.hit_tokens += sum(plan.hit_tokens.values())
        counters.preemptions += len(plan.preempted) + len(plan.swapped_out)
        counters.swaps += len(plan.swapped_out)
        counters.copies += len(plan.copies)
