import json
import re

import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.known_models import KNOWN_MODELS, KnownModel, known_model
from pagedkv_edu.viz.token_bytes import DTYPES, describe_token, token_bytes


@pytest.mark.parametrize("model", KNOWN_MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("size", DTYPES)
def test_the_sentence_multiplies_to_what_it_says(model: KnownModel, size: int):
    product = describe_token(model, size).partition(" bytes a token")[0]
    digits = re.findall(r"[\d,]*\d", product.partition(": ")[2])
    layers, kv_heads, keys, values, number, total = (
        int(one.replace(",", "")) for one in digits
    )

    assert layers * kv_heads * (keys + values) * number == total
    assert total == model.spec(size).bytes_per_token


def test_grouped_heads_are_compared_with_a_kv_head_for_each_query_head():
    assert "with a KV head for each of them it would be 524,288" in describe_token(
        known_model("Llama-3-8B"), 2
    )
    assert "a KV head of its own" in describe_token(known_model("OPT-13B"), 2)


def test_what_is_sent_is_small_plain_data():
    widget = token_bytes(KNOWN_MODELS, "Qwen2.5-7B")

    assert widget.chosen == "Qwen2.5-7B"
    assert len(json.dumps(widget.models)) < 10_000


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InvalidSize, match="1 to 8 models"):
        token_bytes([])
    with pytest.raises(InvalidSize, match="no model 'GPT-9'"):
        token_bytes(KNOWN_MODELS, "GPT-9")
    with pytest.raises(InvalidSize, match="4, 2 or 1"):
        token_bytes(KNOWN_MODELS, dtype_bytes=3)
    with pytest.raises(InvalidSize, match="evenly"):
        token_bytes([KnownModel("odd", 1, 8, 3, 2, 4)])
