"""Refuse wrong arguments before a kernel runs, with the numbers in the message."""

import torch
from torch import Tensor

from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.sizes import require_positive

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
MAX_HEAD_DIM = 256
MAX_GROUP = 64


class WrongTensor(PagedKVError, ValueError):  # noqa: N818
    """A tensor has the wrong shape, dtype, device, strides or content."""


def require(condition: bool, message: str) -> None:  # noqa: FBT001
    """Raise `WrongTensor` with the message unless the condition holds."""
    if not condition:
        raise WrongTensor(message)


def require_decode_arguments(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    *,
    scale: float,
    window: int | None,
    softcap: float | None,
    out: Tensor | None,
) -> None:
    """Check what `paged_decode` is given.

    What the tables and lengths hold is looked at on the CPU only: on a GPU that would
    wait for the device, so there the kernel stops at the table's end by itself.
    """
    require_number("scale", scale)
    if window is not None:
        require_positive("window", window)
    if softcap is not None and not require_number("softcap", softcap) > 0:
        raise InvalidSize(f"softcap must be above 0, got {softcap!r}")
    require_caches(k_cache, v_cache)
    require(q.ndim == 3, f"q must be [num_seqs, num_heads, head_dim], got {_shape(q)}")
    _require_heads(q, k_cache)
    require_like("q", q, k_cache)
    if out is not None:
        require_like("out", out, k_cache)
        require(
            out.shape == q.shape, f"out must be {_shape(q)} as q, got {_shape(out)}"
        )
    _require_table_shapes(block_tables, seq_lens, q)
    if block_tables.device.type == "cpu":
        _require_used_entries(block_tables, seq_lens, k_cache, window)


def require_caches(k_cache: Tensor, v_cache: Tensor) -> None:
    """Check that both caches are [num_blocks, block_size, num_kv_heads, head_dim]."""
    require(
        k_cache.ndim == 4 and k_cache.shape[1:].numel() > 0,
        "k_cache must be [num_blocks, block_size, num_kv_heads, head_dim], "
        f"got {_shape(k_cache)}",
    )
    require(k_cache.dtype in FLOATS, f"k_cache must be float, got {k_cache.dtype}")
    require_last_stride("k_cache", k_cache)
    require_like("v_cache", v_cache, k_cache)
    require(
        k_cache.shape == v_cache.shape,
        f"k_cache is {_shape(k_cache)}, v_cache {_shape(v_cache)}; must be equal",
    )


def require_like(name: str, tensor: Tensor, k_cache: Tensor) -> None:
    """Check that a tensor has the cache's dtype and device, and last stride 1."""
    require(
        tensor.dtype == k_cache.dtype,
        f"{name} is {tensor.dtype}, k_cache is {k_cache.dtype}; must be equal",
    )
    require(
        tensor.device == k_cache.device,
        f"{name} is on {tensor.device}, k_cache on {k_cache.device}; must be equal",
    )
    require_last_stride(name, tensor)


def require_last_stride(name: str, tensor: Tensor) -> None:
    """Check that the numbers of a row lie side by side."""
    require(
        tensor.stride(-1) == 1 or tensor.shape[-1] <= 1,
        f"the last stride of {name} must be 1, got {tensor.stride(-1)}; "
        "call .contiguous() first",
    )


def require_number(name: str, value: float) -> float:
    """Return value if it is a float or an int; raise `InvalidSize` otherwise."""
    if type(value) not in (float, int):
        raise InvalidSize(f"{name} must be a float, got {value!r}")
    return value


def _require_heads(q: Tensor, k_cache: Tensor) -> None:
    num_heads, head_dim = q.shape[1:]
    num_kv_heads, cached_dim = k_cache.shape[2:]
    require(
        cached_dim == head_dim,
        f"head_dim is {head_dim} in q and {cached_dim} in k_cache",
    )
    require(head_dim <= MAX_HEAD_DIM, f"head_dim is {head_dim}, at most {MAX_HEAD_DIM}")
    group, rest = divmod(num_heads, num_kv_heads)
    require(
        rest == 0 and 1 <= group <= MAX_GROUP,
        f"{num_heads} heads over {num_kv_heads} KV heads: need a whole number of query "
        f"heads for each KV head, 1 to {MAX_GROUP}",
    )


def _require_table_shapes(block_tables: Tensor, seq_lens: Tensor, q: Tensor) -> None:
    num_seqs = q.shape[0]
    require(
        block_tables.ndim == 2 and block_tables.shape[0] == num_seqs,
        f"block_tables must be [{num_seqs}, max_blocks], got {_shape(block_tables)}",
    )
    require(
        seq_lens.shape == (num_seqs,),
        f"seq_lens must be [{num_seqs}], got {_shape(seq_lens)}",
    )
    for name, tensor in (("block_tables", block_tables), ("seq_lens", seq_lens)):
        require(
            tensor.dtype == torch.int32, f"{name} must be int32, got {tensor.dtype}"
        )
        require(
            tensor.device == q.device, f"{name} is on {tensor.device}, q on {q.device}"
        )
        require_last_stride(name, tensor)


def _require_used_entries(
    block_tables: Tensor, seq_lens: Tensor, k_cache: Tensor, window: int | None
) -> None:
    """Check that each length fits its table, and that used entries are blocks."""
    if block_tables.shape[0] == 0:
        return
    num_blocks, block_size = k_cache.shape[:2]
    max_blocks = block_tables.shape[1]
    shortest, longest = (int(bound) for bound in seq_lens.aminmax())
    require(shortest >= 0, f"seq_lens has a negative length, {shortest}")
    require(
        longest <= max_blocks * block_size,
        f"a sequence has {longest} tokens, its table of {max_blocks} entries holds "
        f"{max_blocks * block_size}; make the table wider",
    )
    if max_blocks == 0:
        return
    smallest, largest = (int(bound) for bound in block_tables.aminmax())
    if smallest >= 0 and largest < num_blocks:
        return
    lens = seq_lens[:, None].long()
    first = torch.zeros_like(lens) if window is None else (lens - window).clamp(min=0)
    entry = torch.arange(max_blocks)
    is_used = (entry * block_size < lens) & ((entry + 1) * block_size > first)
    wrong = is_used & ((block_tables < 0) | (block_tables >= num_blocks))
    if wrong.any():
        seq, logical = wrong.nonzero()[0].tolist()
        raise WrongTensor(
            f"logical block {logical} of sequence {seq} is block "
            f"{int(block_tables[seq, logical])}, in a cache of {num_blocks} blocks"
        )


def _shape(tensor: Tensor) -> list[int]:
    return list(tensor.shape)
