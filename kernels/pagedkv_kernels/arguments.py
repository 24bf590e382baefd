"""Refuse wrong arguments before a kernel runs, with the numbers in the message."""

from math import gcd

import torch
from torch import Tensor

from pagedkv_edu.errors import InvalidSize, PagedKVError

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
MAX_HEAD_DIM = 256
MAX_GROUP = 64


class WrongTensor(PagedKVError, ValueError):  # noqa: N818
    """A tensor has the wrong shape, dtype, device or strides."""


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
    window: int | None,
    softcap: float | None,
) -> None:
    """Check what `paged_decode` is given; lengths are read only on the CPU."""
    require(q.ndim == 3, f"q must be [num_seqs, num_heads, head_dim], got {_shape(q)}")
    require_caches(k_cache, v_cache)
    num_seqs, num_heads, head_dim = q.shape
    num_kv_heads = k_cache.shape[2]
    require(
        k_cache.shape[3] == head_dim,
        f"head_dim is {head_dim} in q and {k_cache.shape[3]} in the cache",
    )
    require(head_dim <= MAX_HEAD_DIM, f"head_dim is {head_dim}, at most {MAX_HEAD_DIM}")
    require(
        num_heads % num_kv_heads == 0 and num_heads // num_kv_heads <= MAX_GROUP,
        f"{num_heads} heads over {num_kv_heads} KV heads: need a whole number of query "
        f"heads for each KV head, at most {MAX_GROUP}",
    )
    for name, tensor in (("q", q), ("k_cache", k_cache), ("v_cache", v_cache)):
        require(tensor.dtype in FLOATS, f"{name} must be float, got {tensor.dtype}")
        require(
            tensor.dtype == q.dtype,
            f"{name} is {tensor.dtype}, q is {q.dtype}; they must be equal",
        )
        require(
            tensor.stride(-1) == 1 or tensor.shape[-1] == 1,
            f"the last stride of {name} must be 1, got {tensor.stride(-1)}",
        )
    _require_tables(block_tables, seq_lens, num_seqs, k_cache.shape[1])
    for tensor in (k_cache, v_cache, block_tables, seq_lens):
        require(
            tensor.device == q.device, f"tensors on {q.device} and on {tensor.device}"
        )
    if window is not None and (type(window) is not int or window < 1):
        raise InvalidSize(f"window must be an int of at least 1, got {window!r}")
    if softcap is not None and not softcap > 0:
        raise InvalidSize(f"softcap must be above 0, got {softcap!r}")


def require_caches(k_cache: Tensor, v_cache: Tensor) -> None:
    """Check that both caches are [num_blocks, block_size, num_kv_heads, head_dim]."""
    for name, cache in (("k_cache", k_cache), ("v_cache", v_cache)):
        require(
            cache.ndim == 4,
            f"{name} must be [num_blocks, block_size, num_kv_heads, head_dim], "
            f"got {_shape(cache)}",
        )
    require(
        k_cache.shape == v_cache.shape,
        f"k_cache is {_shape(k_cache)}, v_cache {_shape(v_cache)}; must be equal",
    )


def _require_tables(
    block_tables: Tensor, seq_lens: Tensor, num_seqs: int, block_size: int
) -> None:
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
    if seq_lens.device.type == "cpu" and num_seqs:
        # on a GPU this would wait for the device; the kernel stops at the table's end
        longest, room = int(seq_lens.max()), block_tables.shape[1] * block_size
        require(int(seq_lens.min()) >= 0, "seq_lens has a negative length")
        require(
            longest <= room,
            f"a sequence has {longest} tokens, its table of {block_tables.shape[1]} "
            f"entries holds {room}; make the table wider",
        )


def alignment(tensor: Tensor, num_bytes: int = 16) -> int:
    """Return the elements that every row's address is known to be a multiple of.

    A row may be loaded in pieces of that many elements, num_bytes at most. Looks at
    the strides of all axes but the last, and at the tensor's first address.
    """
    size = tensor.element_size()
    common = gcd(num_bytes // size, *tensor.stride()[:-1])
    return gcd(common, tensor.data_ptr() // size) or 1


def _shape(tensor: Tensor) -> list[int]:
    return list(tensor.shape)
