"""The attention that a transformers model calls, reading through block tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

import torch
from jaxtyping import Float
from pagedkv_kernels.oracles import gather
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface

from pagedkv_edu.engine.batch import Chunk, StepBatch
from pagedkv_edu.engine.cache import KVCache
from pagedkv_edu.errors import PagedKVError

NAME = "pagedkv"  # as transformers knows it

# Takes q, k_cache, v_cache, block_tables, seq_lens and scale=, as `paged_decode` does;
# window= and softcap= are given only to a model that has them.
DecodeAttention = Callable[..., Tensor]
_BY_NAME = {
    "cpu": "pagedkv_kernels.cpu:paged_decode",
    "torch": "pagedkv_edu.engine.attention:torch_decode",
    "triton": "pagedkv_kernels.decode:paged_decode",
}


class UnknownAttention(PagedKVError):  # noqa: N818
    """No attention of this name, or none that can serve this model."""


def decode_attention(attention: str | DecodeAttention) -> DecodeAttention:
    """Return the function behind a name; a function is returned as it is."""
    if callable(attention):
        return attention
    if attention not in _BY_NAME:
        raise UnknownAttention(
            f"attention must be one of {sorted(_BY_NAME)} or a function, "
            f"got {attention!r}"
        )
    module, name = _BY_NAME[attention].split(":")
    return getattr(import_module(module), name)


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
        k = gather(k_cache, block_tables[seq], seq_len)
        v = gather(v_cache, block_tables[seq], seq_len)
        out[seq] = _attend(q[seq : seq + 1], k, v, scale, window, softcap)[0]
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
        out = torch.empty_like(q)
        if len(batch.decode_rows):
            out[batch.decode_rows] = self.decode(
                q[batch.decode_rows],
                k_cache,
                v_cache,
                batch.block_tables,
                batch.seq_lens,
                scale=scale,
                **_given(window=window, softcap=softcap),
            ).to(q.dtype)
        for chunk in batch.chunks:
            rows = slice(chunk.start, chunk.stop)
            keys, values = self._context(chunk, layer, k[rows], v[rows])
            out[rows] = _attend(q[rows], keys, values, scale, window, softcap)
        return out

    def _context(
        self, chunk: Chunk, layer: int, k: Tensor, v: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the keys and values that a chunk sees, its own included."""
        if chunk.num_cached == 0:
            return k, v
        caches = self.cache.layer(layer)
        keys, values = (gather(c, chunk.block_ids, chunk.seq_len) for c in caches)
        return keys, values


def _given(**options: float | None) -> Mapping[str, float]:
    return {name: value for name, value in options.items() if value is not None}


def _attend(
    q: Float[Tensor, "num_queries num_heads head_dim"],
    k: Float[Tensor, "seq_len num_kv_heads head_dim"],
    v: Float[Tensor, "seq_len num_kv_heads head_dim"],
    scale: float,
    window: int | None,
    softcap: float | None,
) -> Float[Tensor, "num_queries num_heads head_dim"]:
    """Return dense causal attention; the queries are the last tokens of k and v."""
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    visible = _visible(q.shape[1], k.shape[1], window, q.device)
    if softcap is None:
        k, v = (x.repeat_interleave(group, dim=0) for x in (k, v))
        return scaled_dot_product_attention(
            q, k.to(q.dtype), v.to(q.dtype), attn_mask=visible, scale=scale
        ).transpose(0, 1)
    k, v = (x.repeat_interleave(group, dim=0) for x in (k, v))
    scores = softcap * torch.tanh(q @ k.transpose(1, 2) * scale / softcap)
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    return (scores.softmax(-1).to(v.dtype) @ v).transpose(0, 1)


def _visible(
    num_queries: int, seq_len: int, window: int | None, device: torch.device
) -> Tensor | None:
    """Return which token each query may see; None if it is all of them."""
    if num_queries == 1 and (window is None or window >= seq_len):
        return None
    query = torch.arange(seq_len - num_queries, seq_len, device=device)[:, None]
    token = torch.arange(seq_len, device=device)[None, :]
    visible = token <= query
    if window is not None:
        visible &= token > query - window
    return visible


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
    paged: PagedAttention | None = None,
    **_: object,
) -> tuple[Float[Tensor, "1 num_tokens num_heads head_dim"], None]:
    """Speak transformers' attention interface; `paged` is passed through the model."""
    if paged is None:
        raise UnknownAttention(
            "this model reads its keys and values through block tables; call "
            "pagedkv_edu.engine.generate, or load another one for its own generate"
        )
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
