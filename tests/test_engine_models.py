"""Models of several kinds say through block tables what they say by themselves."""

from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch
import transformers

from pagedkv_edu.engine import generate
from pagedkv_edu.engine.attention import UnknownAttention
from pagedkv_edu.engine.model import adopt

NUM_NEW = 12
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 64,
    "vocab_size": 90,
    "max_position_embeddings": 128,
    "head_dim": 8,
    "initializer_range": 0.4,  # logits far apart: near-equal ones may swap
}
MODELS: dict[str, dict[str, Any]] = {
    "Llama": {},
    "Mistral": {"sliding_window": 6},
    "Qwen2": {"layer_types": ["full_attention", "sliding_attention"]}
    | {"sliding_window": 5, "use_sliding_window": True},
    "Qwen3": {},
    "Gemma2": {"sliding_window": 7, "attn_logit_softcapping": 2.0}
    | {"query_pre_attn_scalar": 11, "initializer_range": 0.1},
}
# the last ones share 17 tokens: their chunks are short where a prefix is found
PROMPTS = [[7], [5, 6, 7], list(range(20, 37)), [*range(20, 37), 3, 4], [9] * 8]


def model_of(kind: str, **changed: Any) -> Any:
    torch.set_num_threads(1)
    torch.manual_seed(4)
    config = getattr(transformers, f"{kind}Config")(**SIZES | MODELS[kind] | changed)
    return getattr(transformers, f"{kind}ForCausalLM")(config).eval()


def own_answers(model: Any) -> list[list[int]]:
    answers: list[list[int]] = []
    for prompt in PROMPTS:
        tokens = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones((1, len(prompt)), dtype=torch.int64),
            max_new_tokens=NUM_NEW,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
        )
        answers.append(tokens[0, len(prompt) :].tolist())
    return answers


@pytest.mark.parametrize("kind", MODELS)
def test_text_is_the_models_own(kind: str) -> None:
    own = model_of(kind)
    wanted = own_answers(own)
    model = adopt(own, None, kind)

    rooms: list[dict[str, Any]] = [
        {},
        {"share_prefixes": True, "num_blocks": 12},
        {"num_blocks": 9, "num_host_blocks": 5},
    ]
    for attention in ("torch", "cpu"):
        for options in rooms:
            answers = generate(
                model,
                PROMPTS,
                attention=attention,
                block_size=4,
                max_new_tokens=NUM_NEW,
                stop=(),
                **options,
            )
            assert [a.token_ids for a in answers] == wanted, (attention, options)


def test_a_window_matters() -> None:
    narrow = own_answers(model_of("Mistral"))
    wide = own_answers(model_of("Mistral", sliding_window=64))

    assert narrow != wide


def test_half_precision_is_served_in_half_the_bytes() -> None:
    model = adopt(model_of("Llama").to(torch.bfloat16), None)
    (answer,) = generate(model, [5, 6, 7], max_new_tokens=4, stop=())

    assert len(answer.token_ids) == 4
    assert model.spec(16).dtype_bytes == 2


def test_an_adopted_model_says_who_generates_now() -> None:
    model = adopt(model_of("Llama"), None)
    with pytest.raises(UnknownAttention, match=r"call pagedkv_edu\.engine\.generate"):
        model.model.generate(torch.tensor([[1, 2]]), max_new_tokens=1)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("GptOss", {"num_local_experts": 2}, "GptOssAttention needs attention sinks"),
        ("Mamba", {}, "MambaForCausalLM has no attention heads"),
        ("T5", {}, "T5ForConditionalGeneration is an encoder and a decoder"),
        ("Qwen3Next", {}, "layers of kind linear_attention"),
        ("DeepseekV3", {}, "keys .* and values"),
    ],
)
def test_a_model_that_cannot_be_served_is_named(
    kind: str, options: dict[str, Any], message: str
) -> None:
    sizes = SIZES | {"pad_token_id": 0, "num_experts": 2, "n_routed_experts": 8}
    sizes |= {"moe_intermediate_size": 16, "first_k_dense_replace": 2}
    sizes |= {"qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8}
    if kind == "T5":
        sizes = {"d_model": 16, "num_layers": 1, "d_kv": 4, "d_ff": 16, "num_heads": 4}
    if kind == "Mamba":
        sizes = {"hidden_size": 16, "num_hidden_layers": 1, "vocab_size": 90}
    config = getattr(transformers, f"{kind}Config")(**sizes | options)
    name = "T5ForConditionalGeneration" if kind == "T5" else f"{kind}ForCausalLM"
    model = getattr(transformers, name)(config)
    with pytest.raises(UnknownAttention, match=message):
        adopt(model, None)
