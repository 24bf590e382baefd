"""Decoding by what torch offers, for sequences of one length, to be compared with ours.

Keys and values are `[num_seqs, seq_len, num_kv_heads, head_dim]`, one beside another;
torch has no attention that takes a block table on a CPU.
"""

from collections.abc import Callable

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def attend_with_gqa(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    v: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    scale: float,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Attend as one writes it first: torch is told that query heads share KV heads."""
    k, v = k.transpose(1, 2), v.transpose(1, 2)
    out = scaled_dot_product_attention(
        q[:, :, None], k, v, scale=scale, enable_gqa=True
    )
    return out[:, :, 0]


def attend_folded(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    v: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    scale: float,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Attend with the query heads of a KV head as if they were tokens of one head."""
    rows = q.unflatten(1, (k.shape[2], -1))
    k, v = k.transpose(1, 2), v.transpose(1, 2)
    return scaled_dot_product_attention(rows, k, v, scale=scale).flatten(1, 2)


def attend_by_products(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    v: Float[Tensor, "num_seqs seq_len num_kv_heads head_dim"],
    scale: float,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Attend by two matrix products with a softmax between them."""
    rows = q.unflatten(1, (k.shape[2], -1)) * scale
    weights = (rows @ k.permute(0, 2, 3, 1)).softmax(-1)
    return (weights @ v.transpose(1, 2)).flatten(1, 2)


def gather_then_attend(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Copy every sequence together by its table, then attend."""
    seq_len = int(seq_lens[0])
    k, v = (
        cache[block_tables].flatten(1, 2)[:, :seq_len] for cache in (k_cache, v_cache)
    )
    return attend_folded(q, k, v, scale)


Attend = Callable[[Tensor, Tensor, Tensor, float], Tensor]
CONTIGUOUS: dict[str, Attend] = {
    "torch SDPA, group folded": attend_folded,
    "torch SDPA, enable_gqa": attend_with_gqa,
    "torch, two products": attend_by_products,
}
