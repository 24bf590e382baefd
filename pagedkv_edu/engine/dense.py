"""Attention of a prompt's chunk over its context, read in one piece."""

import torch
from jaxtyping import Float
from pagedkv_kernels.oracles import gather
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from pagedkv_edu.engine.batch import Chunk


def context(
    cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    chunk: Chunk,
    window: int | None,
) -> Float[Tensor, "num_tokens num_kv_heads head_dim"]:
    """Return the keys or values that a chunk sees, its own included, last token last.

    Nothing is copied if the blocks lie one after the other, as they do in a pool that
    was empty. Otherwise one copy serves all queries of the chunk.
    """
    # the first query of the chunk sees furthest back
    start = 0 if window is None else max(0, chunk.num_cached + 1 - window)
    if chunk.first_of_run is None:
        return gather(cache, chunk.block_ids, chunk.seq_len, start)
    in_order = cache[chunk.first_of_run :].flatten(0, 1)
    return in_order[start : chunk.seq_len]


def attend(
    q: Float[Tensor, "num_queries num_heads head_dim"],
    k: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    v: Float[Tensor, "num_tokens num_kv_heads head_dim"],
    *,
    scale: float,
    window: int | None = None,
    softcap: float | None = None,
) -> Float[Tensor, "num_queries num_heads head_dim"]:
    """Return dense causal attention; the queries are the last tokens of k and v."""
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.transpose(0, 1) for x in (q, k.to(q.dtype), v.to(q.dtype)))
    k, v = (x.repeat_interleave(group, dim=0) for x in (k, v))
    num_queries, num_tokens = q.shape[1], k.shape[1]
    sees_all = window is None or window >= num_tokens
    if softcap is not None:
        return _capped(q, k, v, scale, window, softcap).transpose(0, 1)
    is_causal = sees_all and num_queries == num_tokens
    mask = None if is_causal else _visible(num_queries, num_tokens, window, q.device)
    out = scaled_dot_product_attention(
        q[None], k[None], v[None], attn_mask=mask, is_causal=is_causal, scale=scale
    )
    return out[0].transpose(0, 1)


def _capped(
    q: Tensor, k: Tensor, v: Tensor, scale: float, window: int | None, softcap: float
) -> Tensor:
    scores = softcap * torch.tanh(q @ k.transpose(1, 2) * scale / softcap)
    visible = _visible(q.shape[1], k.shape[1], window, q.device)
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    return scores.softmax(-1) @ v


def _visible(
    num_queries: int, num_tokens: int, window: int | None, device: torch.device
) -> Tensor | None:
    """Return which token each query may see; None if it is all of them."""
    if num_queries == 1 and (window is None or window >= num_tokens):
        return None
    query = torch.arange(num_tokens - num_queries, num_tokens, device=device)[:, None]
    token = torch.arange(num_tokens, device=device)[None, :]
    visible = token <= query
    if window is not None:
        visible &= token > query - window
    return visible
