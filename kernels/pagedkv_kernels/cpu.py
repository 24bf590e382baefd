"""Paged attention on the CPU: the arguments of the Triton kernel, as CPU tensors."""

import numba
import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from pagedkv_edu.sizes import cdiv, require_positive
from pagedkv_kernels.arguments import require, require_decode_arguments
from pagedkv_kernels.cpu_kernel import TILE, attend_pieces

HEADS_AT_A_TIME = 4
PIECES_PER_THREAD = 4  # so that threads end together although lengths differ
# numba knows neither of the 16-bit floats; it is given their bits
BITS = {torch.float16: torch.uint16, torch.bfloat16: torch.int16}

Piece = tuple[int, int, int]  # a sequence, its first token, past its last one


def paged_decode(
    q: Float[Tensor, "num_seqs num_heads head_dim"],
    k_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    v_cache: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"],
    block_tables: Int[Tensor, "num_seqs max_blocks"],
    seq_lens: Int[Tensor, " num_seqs"],
    *,
    scale: float,
    num_splits: int | None = None,
    window: int | None = None,
    softcap: float | None = None,
    out: Float[Tensor, "num_seqs num_heads head_dim"] | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the attention of each sequence's last token over its cached tokens.

    What `pagedkv_kernels.decode.paged_decode` says holds here too. `num_splits` cuts
    each sequence into that many pieces for the threads; None chooses by the lengths.
    The first call for a dtype compiles for some seconds; later ones, in other processes
    too, load what was compiled.
    """
    require(q.device.type == "cpu", f"q is on {q.device}; this is the path for the CPU")
    require_decode_arguments(
        q,
        k_cache,
        v_cache,
        block_tables,
        seq_lens,
        scale=scale,
        window=window,
        softcap=softcap,
        out=out,
    )
    num_seqs, num_heads, head_dim = q.shape
    block_size, num_kv_heads = k_cache.shape[1:3]
    group = num_heads // num_kv_heads
    # heads of zeros make each group a multiple of four; they are dropped again
    padding = -group % HEADS_AT_A_TIME
    scaled = (q.detach().float() * scale).unflatten(1, (num_kv_heads, group))
    scaled = torch.nn.functional.pad(scaled, (0, 0, 0, padding)).flatten(1)
    pieces = cut_pieces(seq_lens.tolist(), window, num_splits)
    padded_heads = num_kv_heads * (group + padding)
    parts = torch.empty((len(pieces), padded_heads, head_dim))
    lse = torch.empty((len(pieces), padded_heads))
    if pieces:
        attend_pieces(
            scaled.numpy(),
            flat(k_cache),
            flat(v_cache),
            block_tables.contiguous().numpy(),
            np.array(pieces),
            block_size,
            np.uint64(group + padding),
            np.array(k_cache.stride()[:3]),
            np.array(v_cache.stride()[:3]),
            np.float32(softcap or 0),
            parts.numpy(),
            lse.numpy(),
        )
    parts, lse = (
        x.unflatten(1, (num_kv_heads, -1))[:, :, :group].flatten(1, 2)
        for x in (parts, lse)
    )
    seq_by_piece = [piece[0] for piece in pieces]
    whole, whole_lse = merge_pieces(parts, lse, seq_by_piece, num_seqs)
    if out is None:
        out = torch.empty_like(q, memory_format=torch.contiguous_format)
    out.copy_(whole)
    return (out, whole_lse) if return_lse else out


def cut_pieces(
    seq_lens: list[int], window: int | None, num_splits: int | None
) -> list[Piece]:
    """Cut the tokens that are seen into pieces of whole tiles, sequence by sequence."""
    if num_splits is not None:
        require_positive("num_splits", num_splits)
    spans = [(0 if window is None else max(0, n - window), n) for n in seq_lens]
    num_pieces = PIECES_PER_THREAD * numba.get_num_threads()
    share = cdiv(sum(end - begin for begin, end in spans), num_pieces)
    pieces: list[Piece] = []
    for seq, (begin, end) in enumerate(spans):
        length = share if num_splits is None else cdiv(end - begin, num_splits)
        step = max(1, cdiv(length, TILE)) * TILE
        pieces += [(seq, b, min(b + step, end)) for b in range(begin, end, step)]
    return pieces


def merge_pieces(
    parts: Float[Tensor, "num_pieces num_heads head_dim"],
    lse: Float[Tensor, "num_pieces num_heads"],
    seq_by_piece: list[int],
    num_seqs: int,
) -> tuple[Tensor, Tensor]:
    """Merge the pieces of each sequence, weighted by their log-sum-exps."""
    if seq_by_piece == list(range(num_seqs)):
        return parts, lse
    seqs = torch.tensor(seq_by_piece, dtype=torch.int64)
    num_each = torch.bincount(seqs, minlength=num_seqs)
    first = num_each.cumsum(0) - num_each
    place = seqs, torch.arange(len(seqs)) - first[seqs]
    shape = num_seqs, max(1, int(num_each.max())), *parts.shape[1:]
    all_parts, all_lse = parts.new_zeros(shape), lse.new_full(shape[:3], -torch.inf)
    all_parts[place], all_lse[place] = parts, lse
    weights = all_lse.softmax(1).nan_to_num(0.0)  # NaN: a sequence of no tokens
    return torch.einsum("sph,sphd->shd", weights, all_parts), all_lse.logsumexp(1)


def flat(cache: Tensor) -> NDArray[np.generic]:
    """Return the memory under a cache, from its first number on, without a copy."""
    strides = zip(cache.shape, cache.stride(), strict=True)
    size = 1 + sum((count - 1) * stride for count, stride in strides)
    flat = torch.as_strided(cache.detach(), (size if cache.numel() else 0,), (1,))
    return flat.view(BITS.get(cache.dtype, cache.dtype)).numpy()
