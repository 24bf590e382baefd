"""Attention in plain loops, in one of two orders: to see what the order of loops costs.

Both orders do the same arithmetic on the same rows, each row once. What differs is
which row comes next: that of the next KV head, or that of the next token.
"""

import numpy as np
import torch
from jaxtyping import Float, Int
from numba import njit, prange
from torch import Tensor

from pagedkv_kernels.arguments import require, require_decode_arguments
from pagedkv_kernels.cpu import flat
from pagedkv_kernels.traffic import Traversal

FAST = {"reassoc", "contract", "nsz", "arcp", "nnan", "ninf"}


@njit(parallel=True, fastmath=FAST, cache=True)
def attend_in_plain_loops(
    q,  # [num_seqs, num_heads, head_dim], float32
    k_cache,  # flat, float32
    v_cache,
    block_tables,  # [num_seqs, max_blocks]
    seq_lens,  # [num_seqs]
    block_size,
    num_kv_heads,
    k_strides,  # of block, slot and head
    v_strides,
    tokens_outside,
    out,  # [num_seqs, num_heads, head_dim]
):
    """Attend in three passes: scores, weights, weighted values."""
    num_heads = q.shape[1]
    for seq in prange(len(q)):
        seq_len = seq_lens[seq]
        scores = np.empty((num_heads, seq_len), np.float32)
        visit(
            True,
            q[seq],
            k_cache,
            block_tables[seq],
            block_size,
            num_kv_heads,
            k_strides,
            tokens_outside,
            scores,
        )
        for head in range(num_heads):
            row = scores[head]
            row[:] = np.exp(row - row.max())
            row /= row.sum()
        out[seq] = 0
        visit(
            False,
            out[seq],
            v_cache,
            block_tables[seq],
            block_size,
            num_kv_heads,
            v_strides,
            tokens_outside,
            scores,
        )


@njit(fastmath=FAST, cache=True)
def visit(
    is_score, heads, cache, table, block_size, num_kv_heads, strides, outside, scores
):
    """Visit every row of a sequence once, tokens outside or KV heads outside."""
    seq_len = scores.shape[1]
    num_outer, num_inner = num_kv_heads, seq_len
    if outside:
        num_outer, num_inner = seq_len, num_kv_heads
    group, head_dim = len(heads) // num_kv_heads, heads.shape[1]
    for outer in range(num_outer):
        for inner in range(num_inner):
            token, kv_head = inner, outer
            if outside:
                token, kv_head = outer, inner
            begin = np.int64(table[token // block_size]) * strides[0]
            begin += token % block_size * strides[1] + kv_head * strides[2]
            row = cache[begin : begin + head_dim]
            for head in range(kv_head * group, (kv_head + 1) * group):
                if is_score:
                    score = np.float32(0)
                    for d in range(head_dim):
                        score += heads[head, d] * row[d]
                    scores[head, token] = score
                else:
                    weight = scores[head, token]
                    for d in range(head_dim):
                        heads[head, d] += weight * row[d]


def plain_decode(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
    traversal: Traversal = "tokens outside",
) -> Float[Tensor, "num_seqs num_heads head_dim"]:
    """Return what `cpu.paged_decode` does, for float32 and lengths of at least 1."""
    require_decode_arguments(
        q,
        k_cache,
        v_cache,
        block_tables,
        seq_lens,
        scale=scale,
        window=None,
        softcap=None,
        out=None,
    )
    require(q.dtype == torch.float32, f"plain loops take float32, got {q.dtype}")
    require(bool((seq_lens > 0).all()), "plain loops take lengths of at least 1")
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    if len(q) > 0:
        attend_in_plain_loops(
            (q * scale).numpy(),
            flat(k_cache),
            flat(v_cache),
            block_tables.contiguous().numpy(),
            seq_lens.numpy(),
            k_cache.shape[1],
            k_cache.shape[2],
            np.array(k_cache.stride()[:3]),
            np.array(v_cache.stride()[:3]),
            traversal == "tokens outside",
            out.numpy(),
        )
    return out
