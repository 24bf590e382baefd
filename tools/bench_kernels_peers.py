"""Kernels that decode from a paged cache on a GPU, called as their makers say.

The arguments of conch-triton-kernels 1.3 and of flashinfer were read in their sources
and docs on 30 November 2026; neither was run here, because there was no GPU.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import torch
from pagedkv_kernels import paged_decode
from pagedkv_kernels.oracles import paged_attention
from pagedkv_kernels.torch_paths import attend_folded
from torch import Tensor

from pagedkv_edu.sizes import cdiv

HEAD_DIM = 128


@dataclass(frozen=True, slots=True)
class Inputs:
    """One set of tensors, bfloat16, all sequences of one length."""

    q: Tensor
    k_cache: Tensor
    v_cache: Tensor
    block_tables: Tensor
    seq_lens: Tensor

    @property
    def scale(self) -> float:
        """One over the root of head_dim."""
        return self.q.shape[-1] ** -0.5

    @property
    def needed_bytes(self) -> int:
        """Bytes that decoding cannot do without."""
        live = int(self.seq_lens.sum()) * self.k_cache.shape[2] * self.q.shape[-1]
        tensors = (self.q, self.q, self.block_tables)  # q twice: out is as large
        return 2 * live * self.q.element_size() + sum(t.nbytes for t in tensors)


Call = Callable[[], object]
Peer = Callable[[Inputs], Call]  # prepares one set, outside of what is timed


def make_inputs(
    num_seqs: int,
    seq_len: int,
    heads: tuple[int, int],
    block_size: int,
    device: str = "cuda",
    seed: int = 0,
) -> Inputs:
    """Return one set with a shuffled table."""
    generator = torch.Generator(device).manual_seed(seed)
    per_seq = cdiv(seq_len, block_size)

    def random(*shape: int) -> Tensor:
        numbers = torch.randn(shape, generator=generator, device=device)
        return numbers.to(torch.bfloat16)

    order = torch.randperm(num_seqs * per_seq, generator=generator, device=device)
    block = (num_seqs * per_seq, block_size, heads[1], HEAD_DIM)
    lens = torch.full((num_seqs,), seq_len, dtype=torch.int32, device=device)
    tables = order.int().view(num_seqs, per_seq)
    return Inputs(
        random(num_seqs, heads[0], HEAD_DIM),
        *(random(*block), random(*block)),
        *(tables, lens),
    )


def ours(x: Inputs) -> Call:
    """Decode by this project's kernel."""
    tensors = (x.q, x.k_cache, x.v_cache, x.block_tables, x.seq_lens)
    return partial(paged_decode, *tensors, scale=x.scale, out=torch.empty_like(x.q))


def torch_contiguous(x: Inputs) -> Call:
    """Attend by torch over a copy that was gathered beforehand."""
    k, v = (_gathered(cache, x) for cache in (x.k_cache, x.v_cache))
    k, v = (t.transpose(1, 2).contiguous().transpose(1, 2) for t in (k, v))
    return partial(attend_folded, x.q, k, v, x.scale)


def torch_gather(x: Inputs) -> Call:
    """Gather, then attend by torch, both timed."""

    def call() -> Tensor:
        k, v = (_gathered(cache, x) for cache in (x.k_cache, x.v_cache))
        return attend_folded(x.q, k, v, x.scale)

    return call


def conch(x: Inputs) -> Call:
    """Decode by conch-triton-kernels 1.3."""
    attend = import_module("conch.ops.attention.paged_attention").paged_attention
    tensors = (x.q, x.k_cache, x.v_cache, x.block_tables, x.seq_lens)
    return partial(attend, *tensors, output=torch.empty_like(x.q), scale=x.scale)


def flashinfer(x: Inputs) -> Call:
    """Decode by flashinfer, planned beforehand."""
    module = import_module("flashinfer")
    num_heads, head_dim = x.q.shape[1:]
    block_size, num_kv_heads = x.k_cache.shape[1:3]
    indptr, indices, last = page_lists(x)
    workspace = torch.empty(128 * 2**20, dtype=torch.uint8, device=x.q.device)
    wrapper = module.BatchDecodeWithPagedKVCacheWrapper(
        workspace,
        "NHD",
        use_cuda_graph=True,
        use_tensor_cores=True,
        paged_kv_indptr_buffer=torch.empty_like(indptr),
        paged_kv_indices_buffer=torch.empty_like(indices),
        paged_kv_last_page_len_buffer=torch.empty_like(last),
    )
    wrapper.plan(
        *(indptr, indices, last, num_heads, num_kv_heads, head_dim, block_size),
        q_data_type=x.q.dtype,
        kv_data_type=x.k_cache.dtype,
        sm_scale=x.scale,
    )
    return partial(wrapper.run, x.q, (x.k_cache, x.v_cache), out=torch.empty_like(x.q))


def page_lists(x: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    """Return a table as flashinfer takes it: row starts, entries, tokens of the last.

    >>> x = make_inputs(2, 5, (2, 1), 4, device="cpu")
    >>> [numbers.tolist() for numbers in page_lists(x)[::2]]
    [[0, 2, 4], [1, 1]]
    """
    block_size = x.k_cache.shape[1]
    used = (x.seq_lens + block_size - 1) // block_size
    indptr = torch.nn.functional.pad(used.cumsum(0), (1, 0)).int()
    columns = torch.arange(x.block_tables.shape[1], device=x.q.device)
    indices = x.block_tables[columns < used[:, None]]
    return indptr, indices, (x.seq_lens - (used - 1) * block_size).int()


PEERS: dict[str, Peer] = {
    "ours": ours,
    "torch SDPA on a contiguous copy": torch_contiguous,
    "gather, then torch SDPA": torch_gather,
    "conch-triton-kernels": conch,
    "flashinfer": flashinfer,
}


def require_right(out: Tensor, x: Inputs) -> None:
    """Compare the first sequence with the oracle."""
    one = (x.q[:1], x.k_cache, x.v_cache, x.block_tables[:1], x.seq_lens[:1])
    expected, _ = paged_attention(*one, scale=x.scale)
    error = float((out[:1].double() - expected).abs().max())
    if not error < 2e-2:
        raise ValueError(f"wrong by {error:g}")


def _gathered(cache: Tensor, x: Inputs) -> Tensor:
    return cache[x.block_tables].flatten(1, 2)[:, : int(x.seq_lens[0])]
