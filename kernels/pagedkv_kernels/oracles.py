"""What the kernels must compute, in float64 and one sequence at a time."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def gather(
    cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_table: Int[Tensor, " max_blocks"],
    seq_len: int,
    start: int = 0,
) -> Float[Tensor, "num_tokens num_kv_heads head_dim"]:
    """Return keys or values of tokens start to seq_len - 1 in order, as a new tensor.

    Only the blocks that hold these tokens are looked up.
    """
    block_size = cache.shape[1]
    first_block, past_block = start // block_size, -(-seq_len // block_size)
    block_ids = block_table[first_block:past_block].long()
    before = first_block * block_size
    return cache[block_ids].flatten(0, 1)[start - before : seq_len - before]


def dense_attention(
    q: Float[Tensor, "num_heads head_dim"],
    k: Float[Tensor, "seq_len num_kv_heads head_dim"],
    v: Float[Tensor, "seq_len num_kv_heads head_dim"],
    *,
    scale: float,
    window: int | None = None,
    softcap: float | None = None,
) -> tuple[Float[Tensor, "num_heads head_dim"], Float[Tensor, " num_heads"]]:
    """Return the attention of one query over a sequence, and its log-sum-exp.

    The query belongs to the last token. A window lets it see the last `window` tokens.
    """
    if window is not None:
        k, v = k[-window:], v[-window:]
    group = q.shape[0] // k.shape[1]
    q, k, v = q.double(), k.double(), v.double()
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    scores = torch.einsum("hd,thd->ht", q, k) * scale
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    lse = torch.logsumexp(scores, dim=1)  # -inf for a sequence of no tokens
    weights = torch.exp(scores - lse[:, None])
    return torch.einsum("ht,thd->hd", weights, v), lse


def paged_attention(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
    window: int | None = None,
    softcap: float | None = None,
) -> tuple[
    Float[Tensor, "num_seqs num_heads head_dim"], Float[Tensor, "num_seqs num_heads"]
]:
    """Return output and log-sum-exp in float64: gather, then dense attention."""
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    lse = torch.empty(q.shape[:2], dtype=torch.float64, device=q.device)
    for seq, seq_len in enumerate(seq_lens.tolist()):
        start = 0 if window is None else max(0, seq_len - window)
        k = gather(k_cache, block_tables[seq], seq_len, start)
        v = gather(v_cache, block_tables[seq], seq_len, start)
        out[seq], lse[seq] = dense_attention(q[seq], k, v, scale=scale, softcap=softcap)
    return out, lse
