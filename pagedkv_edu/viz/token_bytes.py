"""What one token keeps in the cache: layers times KV heads, for several models."""

from collections.abc import Sequence

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.known_models import KnownModel
from pagedkv_edu.viz import assets

SCRIPTS = ("buttons.js", "token_bytes_layer.js", "token_bytes.js")
DTYPES = (4, 2, 1)
DTYPE_NAMES = {4: "fp32", 2: "fp16, bf16", 1: "fp8, int8"}
MOST_MODELS = 8


def token_bytes(
    models: Sequence[KnownModel], chosen: str = "", *, dtype_bytes: int = 2
) -> "TokenBytes":
    """Return the widget: a token of each model at one scale, area for bytes.

    One model is chosen, and one of its layers is drawn large: which query heads read
    which KV head.
    """
    if not 1 <= len(models) <= MOST_MODELS:
        raise InvalidSize(f"give 1 to {MOST_MODELS} models, got {len(models)}")
    names = [model.name for model in models]
    if chosen and chosen not in names:
        raise InvalidSize(f"no model {chosen!r} among {', '.join(names)}")
    if dtype_bytes not in DTYPES:
        raise InvalidSize(f"dtype_bytes must be 4, 2 or 1, got {dtype_bytes}")
    for model in models:
        if model.num_heads % model.num_kv_heads:
            raise InvalidSize(
                f"{model.name}: {model.num_heads} query heads cannot share "
                f"{model.num_kv_heads} KV heads evenly"
            )
    return TokenBytes(
        models=[_as_data(model) for model in models],
        chosen=chosen or names[0],
        dtype_bytes=dtype_bytes,
        dtype_names={str(size): name for size, name in DTYPE_NAMES.items()},
    )


def _as_data(model: KnownModel) -> dict[str, object]:
    return {
        "name": model.name,
        "layers": model.num_layers,
        "heads": model.num_heads,
        "kv_heads": model.num_kv_heads,
        "head_dim": model.head_dim,
        "texts": {str(size): describe_token(model, size) for size in DTYPES},
    }


def describe_token(model: KnownModel, dtype_bytes: int) -> str:
    """Say what a token of this model takes, factor by factor.

    >>> tiny = KnownModel("tiny", 3, 8, 2, 1, 4)
    >>> describe_token(tiny, 2)
    'tiny: 3 layers × 1 KV head × (4 + 4) numbers × 2 bytes = 48 bytes a token. \
Each KV head is read by 2 query heads; with a KV head for each of them it would be 96.'
    """
    spec = model.spec(dtype_bytes)
    group = model.num_heads // model.num_kv_heads
    text = (
        f"{model.name}: {_amount(model.num_layers, 'layer')} × "
        f"{_amount(model.num_kv_heads, 'KV head')} × "
        f"({model.head_dim} + {model.head_dim}) numbers × "
        f"{_amount(dtype_bytes, 'byte')} = {spec.bytes_per_token:,} bytes a token. "
    )
    if group == 1:
        return text + "Each query head has a KV head of its own."
    return text + (
        f"Each KV head is read by {group} query heads; with a KV head for each of them "
        f"it would be {group * spec.bytes_per_token:,}."
    )


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class TokenBytes(anywidget.AnyWidget):
    """The widget: it holds sizes and sentences, and its JavaScript does the rest."""

    _esm = assets.script(*SCRIPTS, render="renderTokenBytes")
    _css = assets.style("token_bytes.css")
    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
    dtype_bytes = traitlets.Int().tag(sync=True)
    dtype_names = traitlets.Dict().tag(sync=True)
