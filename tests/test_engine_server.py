"""The engine's text is the model's own, token for token, whatever happens to blocks."""

from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu.engine.attention import UnknownAttention
from pagedkv_edu.engine.model import LoadedModel, adopt
from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.engine.server import PromptTooLong, Server
from pagedkv_edu.errors import InvalidSize, NeverFits

NUM_NEW = 20
VOCABULARY = 500


@dataclass(frozen=True)
class Scene:
    """A tiny random model, prompts, and what its own `generate` answers."""

    model: LoadedModel
    prompts: list[list[int]]
    wanted: list[list[int]]


@pytest.fixture(scope="module")
def scene() -> Scene:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)  # a tiny model only waits for its other threads
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=64,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_hidden_layers=3,
        intermediate_size=128,
        vocab_size=VOCABULARY,
        max_position_embeddings=512,
    )
    model = LlamaForCausalLM(config).eval()
    prompts = [torch.randint(0, VOCABULARY, (n,)).tolist() for n in (5, 17, 33, 40)]
    prompts.append([*prompts[2][:32], 1, 2, 3])
    wanted = [own_answer(model, prompt) for prompt in prompts]
    return Scene(adopt(model, tokenizer=None), prompts, wanted)


def own_answer(model: Any, prompt: list[int]) -> list[int]:
    tokens = model.generate(
        torch.tensor([prompt]),
        max_new_tokens=NUM_NEW,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    return tokens[0, len(prompt) :].tolist()


def serve(scene: Scene, **options: Any) -> tuple[Server, list[list[int]]]:
    server = Server(scene.model, attention="torch", **options)
    answers = [
        server.submit(index, prompt, Sampling(NUM_NEW))
        for index, prompt in enumerate(scene.prompts)
    ]
    while server.has_work:
        server.step()
    assert server.pool.num_free == server.pool.num_blocks
    return server, [answer.token_ids for answer in answers]


@pytest.mark.parametrize("block_size", [1, 7, 16, 256])
def test_text_is_the_models_own_for_every_block_size(
    scene: Scene, block_size: int
) -> None:
    num_blocks = -(-300 // block_size) + len(scene.prompts)
    _, answers = serve(scene, num_blocks=num_blocks, block_size=block_size)

    assert answers == scene.wanted


def test_text_survives_preemption_by_recompute(scene: Scene) -> None:
    server, answers = serve(scene, num_blocks=8)

    assert server.counters.preemptions > 0
    assert answers == scene.wanted


def test_text_survives_preemption_by_swap(scene: Scene) -> None:
    server, answers = serve(scene, num_blocks=8, num_host_blocks=8)

    assert server.counters.swaps > 0
    assert answers == scene.wanted


def test_text_is_the_same_where_prompts_share_their_beginnings(scene: Scene) -> None:
    server, answers = serve(scene, num_blocks=12, share_prefixes=True)

    assert server.counters.hit_tokens > 0
    assert answers == scene.wanted


def test_a_prompt_beyond_the_models_limit_is_refused(scene: Scene) -> None:
    server = Server(scene.model, attention="torch")
    with pytest.raises(PromptTooLong, match="takes 512 together"):
        server.submit("A", [1] * 500, Sampling(NUM_NEW))
    with pytest.raises(InvalidSize, match="at least one token"):
        server.submit("A", [], Sampling(NUM_NEW))

    assert not server.has_work


def test_a_prompt_beyond_the_pool_is_refused(scene: Scene) -> None:
    server = Server(scene.model, num_blocks=2, attention="torch")
    with pytest.raises(NeverFits, match="needs 3 blocks, the pool has 2"):
        server.submit("A", [1] * 40, Sampling(NUM_NEW))


def test_cancelling_leaves_the_pool_clean(scene: Scene) -> None:
    server = Server(scene.model, num_blocks=8, attention="torch")
    answers = [
        server.submit(i, p, Sampling(NUM_NEW)) for i, p in enumerate(scene.prompts)
    ]
    for _ in range(4):
        server.step()
    server.cancel()

    assert {answer.ended for answer in answers} == {"cancelled"}
    assert server.pool.num_free == 8
    assert not server.has_work


def test_the_same_seed_gives_the_same_sample_whatever_is_served_beside_it(
    scene: Scene,
) -> None:
    sampling = Sampling(NUM_NEW, temperature=1.0, seed=3)
    texts: list[list[int]] = []
    for neighbours in (0, 2):
        server = Server(scene.model, num_blocks=32, attention="torch")
        answer = server.submit("A", scene.prompts[0], sampling)
        for index in range(neighbours):
            server.submit(index, scene.prompts[index + 1], Sampling(NUM_NEW))
        while server.has_work:
            server.step()
        texts.append(answer.token_ids)

    assert texts[0] == texts[1]


def test_the_triton_kernel_serves_the_same_text(scene: Scene) -> None:
    pytest.importorskip("triton", reason="Triton is for Linux only")
    server = Server(scene.model, num_blocks=8, attention="triton")
    answer = server.submit("A", scene.prompts[0], Sampling(4))
    while server.has_work:
        server.step()

    assert answer.token_ids == scene.wanted[0][:4]


def test_an_unknown_attention_is_named(scene: Scene) -> None:
    with pytest.raises(UnknownAttention, match="got 'flash'"):
        Server(scene.model, attention="flash")
