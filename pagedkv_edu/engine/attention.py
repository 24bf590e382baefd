"""The attention that a transformers model calls, reading through block tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import torch
from jaxtyping import Float
from pagedkv_kernels.oracles import gather
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface

from pagedkv_edu.engine.batch import StepBatch
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.engine.dense import attend, context
from pagedkv_edu.errors import PagedKVError

NAME = "pagedkv"  # as transformers knows it

# Takes q, k_cache, v_cache, block_tables, seq_lens and scale=, as `paged_decode` does;
# window= and softcap= are given only to a model that has them.
DecodeAttention = Callable[..., Tensor]
_BY_NAME = {
    "torch": "pagedkv_edu.engine.attention:torch_decode",
    "triton": "pagedkv_kernels.decode:paged_decode",
}


class UnknownAttention(PagedKVError):  # noqa: N818
    """No attention of this name, or none that can serve this model."""


def decode_attention(attention: str | DecodeAttention) -> DecodeAttention:
    """Return the function behind a name; a function is returned as it is."""
    if callable(attention):
        return attention
    if attention == "cpu":
        # imported here: without numba the others are there all the same
        from pagedkv_edu.engine.in_place import InPlaceDecode  # noqa: PLC0415

        return InPlaceDecode()
    if attention not in _BY_NAME:
        raise UnknownAttention(
            f"attention must be one of {sorted([*_BY_NAME, 'cpu'])} or a function, "
            f"got {attention!r}"
        )
    module, name = _BY_NAME[attention].split(":")
    return getattr(import_module(module), name)


def default_attention(device: torch.device) -> str:
    """Return the name of the fastest attention that runs here."""
    if device.type == "cuda":
        return "triton"
    return "cpu" if find_spec("numba") else "torch"


def torch_decode(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    *,
    scale: float,
    window: int | None = None,
    softcap: float | None = None,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Gather each sequence into one piece, then attend: plain, and a copy per step."""
    out = torch.empty_like(q)
    for seq, seq_len in enumerate(seq_lens.tolist()):
        start = 0 if window is None else max(0, seq_len - window)
        k = gather(k_cache, block_tables[seq], seq_len, start)
        v = gather(v_cache, block_tables[seq], seq_len, start)
        out[seq] = attend(q[seq : seq + 1], k, v, scale=scale, softcap=softcap)[0]
    return out


@dataclass(slots=True)
class PagedAttention:
    """Attention of one step: writes the new keys and values, then reads the tables."""

    cache: KVCache
    decode: DecodeAttention
    batch: StepBatch

    def __call__(
        self,
        layer: int,
        q: Float[Tensor, "num_tokens num_heads head_dim"],
        k: Float[Tensor, "num_tokens num_kv_heads head_dim"],
        v: Float[Tensor, "num_tokens num_kv_heads head_dim"],
        *,
        scale: float,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Float[Tensor, "num_tokens num_heads head_dim"]:
        """Return the attention of every token of the step in one layer."""
        batch = self.batch
        self.cache.write(layer, k, v, batch.slot_mapping)
        k_cache, v_cache = self.cache.layer(layer)
        if not batch.chunks:  # only decodes, in the order of the rows
            return self._decode(q, k_cache, v_cache, scale, window, softcap)
        out = torch.empty_like(q)
        if len(batch.decode_rows):
            rows = q[batch.decode_rows]
            out[batch.decode_rows] = self._decode(
                rows, k_cache, v_cache, scale, window, softcap
            )
        for chunk in batch.chunks:
            rows = slice(chunk.start, chunk.stop)
            keys, values = k[rows], v[rows]
            if chunk.num_cached:
                keys = context(k_cache, chunk, window)
                values = context(v_cache, chunk, window)
            out[rows] = attend(
                q[rows], keys, values, scale=scale, window=window, softcap=softcap
            )
        return out

    def _decode(
        self,
        q: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        scale: float,
        window: int | None,
        softcap: float | None,
    ) -> Tensor:
        options = _given(window=window, softcap=softcap)
        tables, seq_lens = self.batch.block_tables, self.batch.seq_lens
        out = self.decode(q, k_cache, v_cache, tables, seq_lens, scale=scale, **options)
        return out.to(q.dtype)


def _given(**options: float | None) -> Mapping[str, float]:
    return {name: value for name, value in options.items() if value is not None}


def _forward(
    module: torch.nn.Module,
    query: Float[Tensor, "1 num_heads num_tokens head_dim"],
    key: Float[Tensor, "1 num_kv_heads num_tokens head_dim"],
    value: Float[Tensor, "1 num_kv_heads num_tokens head_dim"],
    attention_mask: Tensor | None,
    *,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    paged: PagedAttention | None = None,
    **_: object,
) -> tuple[Float[Tensor, "1 num_tokens num_heads head_dim"], None]:
    """Speak transformers' attention interface; `paged` is passed through the model."""
    if paged is None:
        raise UnknownAttention(
            "this model reads its keys and values through block tables; call "
            "pagedkv_edu.engine.generate, or load another one for its own generate"
        )
    if s_aux is not None or position_bias is not None:
        what = "attention sinks" if position_bias is None else "a bias on positions"
        raise UnknownAttention(f"{type(module).__name__} needs {what}; ours has none")
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))
    scale = q.shape[-1] ** -0.5 if scaling is None else scaling
    out = paged(
        int(module.layer_idx),  # pyright: ignore[reportArgumentType]
        q,
        k,
        v,
        scale=scale,
        window=sliding_window,
        softcap=softcap,
    )
    return out[None], None


def _no_mask(*_: object, **__: object) -> None:
    """Tell transformers that no mask is needed: the tables say what is visible."""


def register() -> None:
    """Make the name `pagedkv` known to transformers."""
    AttentionInterface.register(NAME, _forward)
    AttentionMaskInterface.register(NAME, _no_mask)
