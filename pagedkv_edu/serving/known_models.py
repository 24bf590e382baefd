"""What a token costs in six known models and in the model of this course.

The sizes are those of each model's published `config.json`, read on 30 November 2026.
"""

from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec


@dataclass(frozen=True, slots=True)
class KnownModel:
    """The sizes of a model that its KV cache depends on, and the hidden size.

    `num_heads` are query heads. `repository` names the repository on Hugging Face whose
    `config.json` has the numbers; "" for sizes that are nobody's.
    """

    name: str
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    repository: str = ""

    def spec(self, dtype_bytes: int = 2, block_size: int = 16) -> KVCacheSpec:
        """Return the cache of this model, with numbers of so many bytes."""
        return KVCacheSpec(
            self.num_layers, self.num_kv_heads, self.head_dim, dtype_bytes, block_size
        )


KNOWN_MODELS = (
    KnownModel("OPT-13B", 40, 5120, 40, 40, 128, "facebook/opt-13b"),
    KnownModel("Llama-2-7B", 32, 4096, 32, 32, 128, "meta-llama/Llama-2-7b-hf"),
    KnownModel("Gemma-2-9B", 42, 3584, 16, 8, 256, "google/gemma-2-9b"),
    KnownModel("Llama-3-70B", 80, 8192, 64, 8, 128, "meta-llama/Meta-Llama-3-70B"),
    KnownModel("Llama-3-8B", 32, 4096, 32, 8, 128, "meta-llama/Meta-Llama-3-8B"),
    KnownModel("Qwen2.5-7B", 28, 3584, 28, 4, 128, "Qwen/Qwen2.5-7B"),
    KnownModel(
        "SmolLM2-135M", 30, 576, 9, 3, 64, "HuggingFaceTB/SmolLM2-135M-Instruct"
    ),
)


def known_model(name: str) -> KnownModel:
    """Return the model of that name.

    >>> known_model("Llama-3-8B").spec().bytes_per_token // 2**10
    128
    """
    by_name = {model.name: model for model in KNOWN_MODELS}
    if name not in by_name:
        raise InvalidSize(
            f"no model {name!r} is known here; there are {', '.join(by_name)}"
        )
    return by_name[name]
