"""Find out, before it serves anything, whether a model can be served at all."""

from typing import Any

import torch
from torch import Tensor

from pagedkv_edu.engine.attention import UnknownAttention
from pagedkv_edu.sizes import KVCacheSpec

SERVED_LAYERS = {"full_attention", "sliding_attention"}


class _Probe:
    """Stands in for the paged attention of a step, and notes what it is given."""

    def __init__(self) -> None:
        self.shapes: dict[int, tuple[torch.Size, torch.Size]] = {}

    def __call__(
        self, layer: int, q: Tensor, k: Tensor, v: Tensor, **_: float | None
    ) -> Tensor:
        self.shapes[layer] = k.shape[1:], v.shape[1:]
        return q.new_zeros((*q.shape[:2], v.shape[2]))


def require_kind(model: Any) -> None:
    """Raise `UnknownAttention` for a model that keeps more than keys and values."""
    name, config = type(model).__name__, model.config
    if getattr(config, "num_attention_heads", None) is None:
        raise UnknownAttention(f"{name} has no attention heads, so no KV cache either")
    if getattr(config, "is_encoder_decoder", False):
        raise UnknownAttention(f"{name} is an encoder and a decoder; only decoders do")
    kinds = set(getattr(config, "layer_types", None) or ())
    if kinds - SERVED_LAYERS:
        raise UnknownAttention(
            f"{name} has layers of kind {', '.join(sorted(kinds - SERVED_LAYERS))}; "
            f"a block pool serves {' and '.join(sorted(SERVED_LAYERS))}"
        )


@torch.inference_mode()
def require_layers(model: Any, spec: KVCacheSpec) -> None:
    """Run one token through a model whose attention is ours.

    Raises `UnknownAttention` unless each layer calls it, with keys and values of the
    size that the config names.
    """
    name, probe = type(model).__name__, _Probe()
    token = torch.zeros((1, 1), dtype=torch.int64, device=model.device)
    try:
        model(input_ids=token, position_ids=token, use_cache=False, paged=probe)
    except TypeError as error:
        raise UnknownAttention(
            f"{name} does not hand its options on to its attention: {error}"
        ) from None
    missing = set(range(spec.num_layers)) - probe.shapes.keys()
    if missing:
        raise UnknownAttention(
            f"{name}: of {spec.num_layers} layers, {len(missing)} never called our "
            f"attention, the first of them layer {min(missing)}"
        )
    expected = torch.Size((spec.num_kv_heads, spec.head_dim))
    for layer, shapes in probe.shapes.items():
        if any(shape != expected for shape in shapes):
            raise UnknownAttention(
                f"{name}, layer {layer}: keys {list(shapes[0])} and values "
                f"{list(shapes[1])}; both must be {list(expected)}, as its config says"
            )
