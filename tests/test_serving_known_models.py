import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.known_models import KNOWN_MODELS, KnownModel, known_model


@pytest.mark.parametrize(
    ("name", "num_bytes"),
    [
        ("OPT-13B", 819_200),
        ("Llama-2-7B", 512 * 1024),
        ("Llama-3-8B", 128 * 1024),
        ("Llama-3-70B", 320 * 1024),
        ("Gemma-2-9B", 336 * 1024),
        ("Qwen2.5-7B", 56 * 1024),
        ("SmolLM2-135M", 45 * 512),
    ],
)
def test_a_token_of_a_known_model_takes_what_is_said(name: str, num_bytes: int):
    assert known_model(name).spec().bytes_per_token == num_bytes


@pytest.mark.parametrize("model", KNOWN_MODELS, ids=lambda model: model.name)
def test_a_known_model_names_where_its_numbers_stand(model: KnownModel):
    assert model.repository.count("/") == 1
    assert model.num_heads % model.num_kv_heads == 0


def test_heads_times_head_dim_is_not_always_the_hidden_size():
    others = [m.name for m in KNOWN_MODELS if m.num_heads * m.head_dim != m.hidden_size]

    assert others == ["Gemma-2-9B"]


def test_an_unknown_model_is_refused_with_the_names():
    with pytest.raises(InvalidSize, match="there are OPT-13B"):
        known_model("GPT-9")
