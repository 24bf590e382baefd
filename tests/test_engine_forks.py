"""Parallel samples and beams: what forks share never changes what is said."""

from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.engine import generate, prepare, stream
from pagedkv_edu.engine.model import LoadedModel, adopt
from pagedkv_edu.engine.sequences import CannotFork
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.served import Counters, ServedStep
from pagedkv_edu.serving.small import SmallScheduler

PROMPTS = [[5, 6, 7, 8, 9], list(range(20, 41)), [3]]


@dataclass(frozen=True)
class Scene:
    own: Any
    model: LoadedModel


@pytest.fixture(scope="module")
def scene() -> Scene:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(2)
    config: dict[str, Any] = {
        "hidden_size": 32,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "num_hidden_layers": 2,
        "intermediate_size": 64,
        "vocab_size": 90,
        "max_position_embeddings": 128,
        "initializer_range": 0.4,  # logits far apart: near-equal ones may swap
    }
    own = LlamaForCausalLM(LlamaConfig(**config)).eval()
    served = LlamaForCausalLM(LlamaConfig(**config))
    served.load_state_dict(own.state_dict())
    return Scene(own, adopt(served, None))


def serve(
    scene: Scene, prompts: Any = PROMPTS, **options: Any
) -> tuple[list[Any], Counters]:
    steps: list[ServedStep] = []
    options = {"stop": (), "block_size": 4, "max_new_tokens": 9, **options}
    answers = generate(scene.model, prompts, on_step=steps.append, **options)
    assert steps[-1].num_free == steps[-1].num_blocks
    return answers, steps[-1].counters


def own_beams(scene: Scene, prompt: list[int], num_beams: int, stop: Any) -> Any:
    return scene.own.generate(
        torch.tensor([prompt]),
        num_beams=num_beams,
        num_return_sequences=num_beams,
        max_new_tokens=9,
        do_sample=False,
        eos_token_id=stop or None,
        pad_token_id=0,
        output_scores=True,
        return_dict_in_generate=True,
    )


# --- samples -------------------------------------------------------------------------


def test_samples_are_those_of_as_many_prompts_by_themselves(scene: Scene) -> None:
    options: dict[str, Any] = {"temperature": 1.0, "seed": 7}
    forked, counters = serve(scene, PROMPTS[0], num_samples=4, **options)
    alone, _ = serve(scene, [PROMPTS[0]] * 4, **options)

    assert [a.token_ids for a in forked] == [a.token_ids for a in alone]
    assert len({tuple(a.token_ids) for a in forked}) > 1
    assert counters.forks == 3
    assert counters.copies == 3
    assert counters.computed_tokens == 5 + 4 * 8  # the prompt once


def test_a_prompt_that_fills_its_blocks_is_shared_without_a_copy(scene: Scene) -> None:
    _, counters = serve(scene, PROMPTS[0][:4], num_samples=4, temperature=1.0)

    assert counters.forks == 3
    assert counters.copies == 0


@pytest.mark.parametrize("num_host_blocks", [0, 12])
def test_samples_survive_preemption(scene: Scene, num_host_blocks: int) -> None:
    options: dict[str, Any] = {"temperature": 1.0, "num_samples": 3}
    options["max_new_tokens"] = 20
    roomy, _ = serve(scene, PROMPTS, **options)
    tight, counters = serve(
        scene, PROMPTS, num_blocks=11, num_host_blocks=num_host_blocks, **options
    )

    assert counters.preemptions > 0
    assert (counters.swaps > 0) == (num_host_blocks > 0)
    assert [a.token_ids for a in tight] == [a.token_ids for a in roomy]


def test_samples_are_streamed_under_their_own_ids(scene: Scene) -> None:
    texts: dict[object, list[int]] = {}
    options: dict[str, Any] = {"num_samples": 3, "temperature": 1.0, "stop": ()}
    options["max_new_tokens"] = 5
    for new in stream(scene.model, PROMPTS[:2], **options):
        texts.setdefault(new.seq_id, []).append(new.token_id)
    answers = generate(scene.model, PROMPTS[:2], **options)

    assert [a.seq_id for a in answers] == [0, "0.1", "0.2", 1, "1.1", "1.2"]
    assert texts == {a.seq_id: a.token_ids for a in answers}


# --- beams ---------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [[], [11, 40, 41, 42, 43, 44, 45, 46, 47]])
@pytest.mark.parametrize("num_beams", [2, 4])
def test_beams_reach_the_scores_of_transformers(
    scene: Scene, num_beams: int, stop: list[int]
) -> None:
    answers, counters = serve(
        scene, num_beams=num_beams, num_samples=num_beams, stop=stop
    )
    for index, prompt in enumerate(PROMPTS):
        own = own_beams(scene, prompt, num_beams, stop)
        ours = answers[index * num_beams :][:num_beams]

        assert [a.score for a in ours] == pytest.approx(
            own.sequences_scores.tolist(), abs=1e-4
        )
        for answer, tokens in zip(ours, own.sequences.tolist(), strict=True):
            told = tokens[len(prompt) :][: len(answer.token_ids)]  # then padding
            assert answer.token_ids == told
    assert counters.forks > 0
    assert counters.copies > 0


@pytest.mark.parametrize("num_host_blocks", [0, 12])
@pytest.mark.parametrize("num_blocks", [8, 10, 12])
def test_beams_survive_preemption(
    scene: Scene, num_blocks: int, num_host_blocks: int
) -> None:
    roomy, _ = serve(scene, num_beams=3)
    tight, counters = serve(
        scene, num_beams=3, num_blocks=num_blocks, num_host_blocks=num_host_blocks
    )

    assert counters.preemptions > 0
    assert [a.token_ids for a in tight] == [a.token_ids for a in roomy]
    assert [a.score for a in tight] == pytest.approx([a.score for a in roomy])


def test_beams_do_not_compute_what_they_share_again(scene: Scene) -> None:
    _, counters = serve(scene, PROMPTS[1], num_beams=4)

    assert counters.computed_tokens <= len(PROMPTS[1]) + 4 * 8


def test_beams_that_outgrow_the_pool_end_there(scene: Scene) -> None:
    answers, _ = serve(scene, PROMPTS[0], num_beams=2, num_blocks=2)

    assert answers[0].ended == "outgrew the pool"
    assert 0 < len(answers[0].token_ids) < 9


def test_a_view_sees_beams_and_at_last_the_answer(scene: Scene) -> None:
    steps: list[ServedStep] = []
    (answer,) = generate(
        scene.model, PROMPTS[0], num_beams=3, stop=(), on_step=steps.append
    )

    assert len(steps[3].answers) >= 3
    assert [a.seq_id for a in steps[-1].answers] == [answer.seq_id]
    assert steps[-1].answers[0].ended == "length"


# --- errors --------------------------------------------------------------------------


def test_a_scheduler_that_cannot_fork_is_named(scene: Scene) -> None:
    pool = BlockPool(20)
    manager = BlockManager(pool, 4)
    scheduler = SmallScheduler(manager, pool, 4)
    own: Any = {"pool": pool, "manager": manager, "scheduler": scheduler}
    with pytest.raises(CannotFork, match="SmallScheduler has no fork"):
        serve(scene, num_samples=2, **own)
    with pytest.raises(CannotFork, match="SmallScheduler has no fork"):
        serve(scene, num_beams=2, **own)

    assert pool.num_free == 20


def test_what_beams_cannot_do_is_refused(scene: Scene) -> None:
    with pytest.raises(InvalidSize, match="2 beams cannot give 3 answers"):
        generate(scene.model, PROMPTS, num_beams=2, num_samples=3)
    with pytest.raises(InvalidSize, match="beams need temperature 0"):
        generate(scene.model, PROMPTS, num_beams=2, temperature=1.0)


def test_cancelling_ends_samples_that_have_not_begun(scene: Scene) -> None:
    server, answers = prepare(scene.model, PROMPTS, num_samples=2, num_blocks=4)
    server.step()
    server.cancel()

    assert {answer.ended for answer in answers} == {"cancelled"}
    assert server.pool.num_free == 4
