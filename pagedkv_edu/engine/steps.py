"""Serve with a step of the caller's own: the memory and the model, and the loop."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.attention import (
    NAME,
    DecodeAttention,
    PagedAttention,
    decode_attention,
)
from pagedkv_edu.engine.batch import Rows
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.engine.loop import Loop
from pagedkv_edu.engine.loop import StuckLoop as StuckLoop
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.errors import WrongPlan
from pagedkv_edu.protocols import BlockCopy, ManagerLike, PoolLike, SeqId, TableLike
from pagedkv_edu.serving.served import ServedStep
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.serving.stepping import Row, Step
from pagedkv_edu.serving.workload import Request


class ModelEngine:
    """A model and the memory of its cache: copies blocks, computes rows, chooses.

    It chooses the most likely token. Who owns which block it does not know.
    """

    def __init__(
        self,
        model: LoadedModel,
        num_blocks: int,
        block_size: int,
        attention: str | DecodeAttention = "torch",
        *,
        num_host_blocks: int = 0,
    ) -> None:
        self.model = model
        self.spec = model.spec(block_size)
        self.cache = KVCache(
            self.spec,
            num_blocks,
            dtype=model.model.dtype,
            device=model.model.device,
            num_host_blocks=num_host_blocks,
        )
        self.rows: list[Row] = []  # of the last step
        self._attention = decode_attention(attention)

    @property
    def kv_bytes(self) -> int:
        """Bytes of the memory in which all blocks lie."""
        num_blocks = self.cache.layer(0)[0].shape[0]
        return num_blocks * self.spec.bytes_per_block

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Carry out a step's copies in every layer."""
        self.cache.copy(list(copies))

    @torch.inference_mode()
    def compute(self, rows: Sequence[Row]) -> list[int]:
        """Write the rows' tokens, attend through the tables, return what comes next."""
        self.rows = list(rows)
        if not rows:
            return []
        laid = Rows(self.spec.block_size, self.model.model.device)
        for table, token_ids in rows:
            self._require_room(table, token_ids)
            laid.add(table, list(token_ids))
        batch = laid.batch()
        logits: Tensor = self.model.model(
            input_ids=batch.token_ids[None],
            position_ids=batch.positions[None],
            use_cache=False,
            logits_to_keep=batch.last_rows,
            paged=PagedAttention(self.cache, self._attention, batch),
        ).logits[0]
        return [int(token) for token in logits.argmax(-1)]

    def _require_room(self, table: TableLike, token_ids: Sequence[int]) -> None:
        """Raise `WrongPlan` for a row that would be written nowhere, or elsewhere."""
        num_slots = len(table.block_ids) * self.spec.block_size
        if not 0 < len(token_ids) <= table.seq_len <= num_slots:
            raise WrongPlan(
                f"a row of {len(token_ids)} tokens, a seq_len of {table.seq_len} and "
                f"{num_slots} slots in the table do not go together"
            )
        num_blocks = self.cache.layer(0)[0].shape[0]
        wrong = [b for b in table.block_ids if not 0 <= b < num_blocks]
        if wrong:
            raise WrongPlan(
                f"the memory has {num_blocks} blocks, none called {wrong[0]}"
            )


def own_tokens(
    model: LoadedModel, prompt_ids: Sequence[int], max_new_tokens: int
) -> list[int]:
    """Return what the model's own `generate` answers to one prompt, greedily.

    It runs on transformers' attention and a cache of its own, without any block.
    """
    model.model.set_attn_implementation("sdpa")
    try:
        ids = torch.tensor([list(prompt_ids)], device=model.model.device)
        out = model.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=max_new_tokens,
            do_sample=False,
            pad_token_id=0,
        )
    finally:
        model.model.set_attn_implementation(NAME)
    return out[0, len(prompt_ids) :].tolist()


def through(kernel: Callable[..., object]) -> DecodeAttention:
    """Return exercise 7.2's kernel, which fills its last argument, as an attention."""

    def attention(
        q: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        block_tables: Tensor,
        seq_lens: Tensor,
        *,
        scale: float,
    ) -> Tensor:
        out = torch.empty_like(q)
        kernel(q, k_cache, v_cache, block_tables, seq_lens, scale, out)
        return out

    return attention


def serve(
    step: Step,
    pool: PoolLike,
    manager: ManagerLike,
    scheduler: SchedulerLike,
    engine: ModelEngine,
    prompts: Sequence[str | Sequence[int]],
    *,
    max_new_tokens: int = 64,
    on_step: Callable[[ServedStep], object] | None = None,
) -> list[Answer]:
    """Answer all prompts with a step function, greedily; return them in order.

    Raises `StuckLoop` where steps go on and the answers do not. An error leaves the
    pool as the step left it.
    """
    model = engine.model
    answers = [Answer(i, model.token_ids(p)) for i, p in enumerate(prompts)]
    known: dict[SeqId, list[int]] = {}
    for answer in answers:
        known[answer.seq_id] = list(answer.prompt_ids)
        num_prompt = len(answer.prompt_ids)
        request = Request(
            answer.seq_id,
            num_prompt,
            max_new_tokens,
            max_tokens=max_new_tokens,
            content=tuple(answer.prompt_ids),
        )
        scheduler.submit(request)
    loop = Loop(model, answers, known, max_new_tokens)
    while scheduler.has_work:
        plan = step(scheduler, manager, engine, known, loop.is_over)
        served = loop.look(plan, engine.rows, pool)
        if on_step is not None:
            on_step(served)
    return answers
