"""Load a model whose attention can be replaced."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    modeling_gguf_pytorch_utils,
)
from transformers.utils import logging

from pagedkv_edu.engine.attention import NAME, UnknownAttention, register
from pagedkv_edu.engine.probe import require_kind, require_layers
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.sizes import KVCacheSpec

SMALL_MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


class MissingModel(PagedKVError):  # noqa: N818
    """No model file where one was looked for."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A decoder that reads its keys and values through block tables."""

    model: Any  # transformers gives no narrower type than its base class
    tokenizer: Any
    name: str

    @property
    def max_len(self) -> int:
        """Tokens of prompt and answer that the model was trained for."""
        return int(self.model.config.max_position_embeddings)

    @property
    def stop_ids(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ids = self.model.generation_config.eos_token_id
        if ids is None:
            return frozenset()
        return frozenset([ids] if isinstance(ids, int) else ids)

    def token_ids(self, prompt: str | Sequence[int]) -> list[int]:
        """Return a prompt as token ids; one that is given as ids is only copied."""
        if not isinstance(prompt, str):
            return list(prompt)
        if self.tokenizer is None:
            raise MissingModel(f"{self.name} has no tokenizer; give token ids instead")
        return list(self.tokenizer(prompt)["input_ids"])

    def spec(self, block_size: int) -> KVCacheSpec:
        """Return what the model stores for a token, in its own number format."""
        config = self.model.config
        num_heads = config.num_attention_heads
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // num_heads
        return KVCacheSpec(
            config.num_hidden_layers,
            getattr(config, "num_key_value_heads", None) or num_heads,
            head_dim,
            torch.finfo(self.model.dtype).bits // 8,
            block_size,
        )


def find_small_model(start: Path | None = None) -> Path | None:
    """Return the file that `make model` unpacks, or None."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        path = folder / "work" / "model" / SMALL_MODEL
        if path.exists():
            return path
    return None


def load_model(
    source: str | Path | None = None, *, dtype: torch.dtype = torch.float32
) -> LoadedModel:
    """Load the course's small model, a GGUF file, a local folder or a hub name.

    Raises `MissingModel` where the small model is wanted and is not there, and
    `UnknownAttention` for a model whose attention transformers cannot replace.
    """
    if source is None:
        source = find_small_model()
        if source is None:
            raise MissingModel("the small model is not here; run `make model` once")
    path = Path(source)
    options: dict[str, Any] = {"dtype": dtype}
    place = str(source)
    if path.suffix == ".gguf":
        if not path.exists():
            raise MissingModel(f"no file {path}; run `make model` once")
        unpacked = path.with_suffix("")  # by `make model`: reading GGUF takes longer
        if unpacked.is_dir():
            place = str(unpacked)
        else:
            place, options["gguf_file"] = str(path.parent), path.name
    tokenizer_options = {k: v for k, v in options.items() if k == "gguf_file"}
    with _quietly():
        tokenizer = AutoTokenizer.from_pretrained(place, **tokenizer_options)
        model = AutoModelForCausalLM.from_pretrained(place, **options)
    return adopt(model, tokenizer, path.stem if path.suffix else place)


@contextmanager
def _quietly() -> Generator[None]:
    """Draw none of the bars of loading, which a notebook would keep as output."""
    had_bars = logging.is_progress_bar_enabled()
    drawn: Any = modeling_gguf_pytorch_utils
    bar = drawn.tqdm  # it has no switch
    logging.disable_progress_bar()
    drawn.tqdm = _no_bar
    try:
        yield
    finally:
        drawn.tqdm = bar
        if had_bars:
            logging.enable_progress_bar()


def _no_bar(items: Iterable[object], **_: object) -> Iterable[object]:
    return items


def adopt(model: Any, tokenizer: Any, name: str = "model") -> LoadedModel:
    """Replace the attention of a transformers model by ours.

    Raises `UnknownAttention`, with the reason, for a model that cannot be served so.
    """
    require_kind(model)
    register()
    try:
        model.set_attn_implementation(NAME)
    except ValueError as error:
        raise UnknownAttention(
            f"{type(model).__name__} does not let its attention be replaced: {error}"
        ) from None
    loaded = LoadedModel(model.eval(), tokenizer, name)
    require_layers(model, loaded.spec(block_size=1))
    return loaded
