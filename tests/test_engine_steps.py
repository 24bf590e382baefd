"""Serving with a step of one's own: the same tokens, and errors that say what it is."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu import BlockManager, BlockPool, BlockTable
from pagedkv_edu.engine import generate
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.engine.steps import ModelEngine, StuckLoop, own_tokens, serve, through
from pagedkv_edu.engine.tiny import tiny_model
from pagedkv_edu.errors import WrongPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.served import ServedStep
from pagedkv_edu.serving.small import SmallScheduler
from pagedkv_edu.serving.stepping import step

PROMPTS = [list(range(5, 25)), [7, 8, 9], list(range(100, 133)), [50] * 12]


@pytest.fixture(scope="module")
def model() -> Iterator[LoadedModel]:
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield tiny_model()
    torch.set_num_threads(num_threads)


def parts(
    model: LoadedModel, num_blocks: int, *, num_host_blocks: int = 0, **options: Any
) -> tuple[Any, Any, Any, Any]:
    pool = BlockPool(num_blocks)
    host = BlockPool(num_host_blocks) if num_host_blocks else None
    manager = BlockManager(pool, 4, host)
    scheduler = (
        Scheduler(manager, pool, 4, preempt_by="swap", token_budget=16)
        if host
        else SmallScheduler(manager, pool, 4)
    )
    engine = ModelEngine(
        model, num_blocks, 4, num_host_blocks=num_host_blocks, **options
    )
    return pool, manager, scheduler, engine


@pytest.mark.parametrize("num_blocks", [80, 15])
@pytest.mark.parametrize("num_host_blocks", [0, 60])
def test_a_step_answers_as_generate_and_as_the_model_alone(
    model: LoadedModel, num_blocks: int, num_host_blocks: int
):
    steps: list[ServedStep] = []
    pool, manager, scheduler, engine = parts(
        model, num_blocks, num_host_blocks=num_host_blocks
    )
    answers = serve(
        step,
        pool,
        manager,
        scheduler,
        engine,
        PROMPTS,
        max_new_tokens=12,
        on_step=steps.append,
    )
    tokens = [answer.token_ids for answer in answers]

    assert tokens == [a.token_ids for a in generate(model, PROMPTS, max_new_tokens=12)]
    assert tokens == [own_tokens(model, prompt, 12) for prompt in PROMPTS]
    assert pool.num_free == num_blocks
    preempted = any(s.plan.preempted or s.plan.swapped_out for s in steps)
    assert preempted == (num_blocks == 15)
    assert sum(len(s.new) for s in steps) == 48


def test_a_kernel_that_fills_its_last_argument_is_an_attention(model: LoadedModel):
    from pagedkv_edu.engine.attention import torch_decode

    calls: list[int] = []

    def kernel(q: Any, k: Any, v: Any, tables: Any, lens: Any, s: float, out: Any):
        calls.append(len(lens))
        out.copy_(torch_decode(q, k, v, tables, lens, scale=s))

    answers = serve(
        step,
        *parts(model, 40, attention=through(kernel)),
        PROMPTS[:2],
        max_new_tokens=3,
    )

    assert answers[0].token_ids == own_tokens(model, PROMPTS[0], 3)
    assert calls


def test_a_step_that_finishes_nobody_is_stopped(model: LoadedModel):
    def never_finishes(
        scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
    ):
        return step(scheduler, manager, engine, known, lambda _: False)

    with pytest.raises(StuckLoop, match="was not finished"):
        serve(never_finishes, *parts(model, 40), PROMPTS[:1], max_new_tokens=2)


def test_a_step_that_does_nothing_is_stopped(model: LoadedModel):
    from pagedkv_edu.serving.plan import StepPlan

    def does_nothing(*_: Any) -> StepPlan:
        return StepPlan({})

    with pytest.raises(StuckLoop, match="computed nothing"):
        serve(does_nothing, *parts(model, 40), PROMPTS[:1])


def test_a_step_without_a_plan_is_told(model: LoadedModel):
    def returns_nothing(*given: Any) -> Any:
        step(*given)

    with pytest.raises(WrongPlan, match="returned None"):
        serve(returns_nothing, *parts(model, 40), PROMPTS[:1])


@pytest.mark.parametrize(
    ("table", "match"),
    [
        (BlockTable(4, [0], 5), "do not go together"),
        (BlockTable(4, [99], 2), "none called 99"),
    ],
)
def test_a_row_that_would_be_written_elsewhere_is_refused(
    model: LoadedModel, table: BlockTable, match: str
):
    engine = ModelEngine(model, 8, 4)

    with pytest.raises(WrongPlan, match=match):
        engine.compute([(table, [5])])
    assert engine.compute([]) == []


def test_the_memory_is_as_large_as_its_blocks(model: LoadedModel):
    engine = ModelEngine(model, 8, 4)

    assert engine.kv_bytes == 8 * 4 * 2 * 2 * 2 * 16 * 4
