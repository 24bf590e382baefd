"""Cut a long sequence over several programs, and merge what they found."""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import cdiv, require_positive
from pagedkv_kernels.arguments import require
from pagedkv_kernels.shapes import next_power_of_two

MAX_SPLITS = 64
SHORTEST_SPLIT = 128  # tokens


@triton.jit
def merge_kernel(
    part_ptr,  # [num_seqs, num_heads, num_splits, head_dim]
    part_lse_ptr,  # [num_seqs, num_heads, num_splits]
    out_ptr,  # [num_seqs, num_heads, head_dim]
    lse_ptr,  # [num_seqs, num_heads]
    num_heads,
    out_stride_seq,
    out_stride_head,
    NUM_SPLITS: tl.constexpr,
    PADDED_SPLITS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,
):
    """One program: one head of one sequence; parts are contiguous."""
    seq = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1).to(tl.int64)
    split = tl.arange(0, PADDED_SPLITS)
    dim = tl.arange(0, PADDED_DIM)
    row = (seq * num_heads + head) * NUM_SPLITS + split
    part_lse = tl.load(part_lse_ptr + row, mask=split < NUM_SPLITS, other=float("-inf"))

    largest = tl.max(part_lse, 0)
    shift = tl.where(largest == float("-inf"), 0.0, largest)
    weight = tl.exp(part_lse - shift)  # 0 for a split without tokens
    total = tl.sum(weight, 0)
    divisor = tl.where(total == 0.0, 1.0, total)
    parts = tl.load(
        part_ptr + row[:, None] * HEAD_DIM + dim[None, :],
        mask=(split < NUM_SPLITS)[:, None] & (dim < HEAD_DIM)[None, :],
        other=0.0,
    )
    out = tl.sum(parts * weight[:, None], 0) / divisor
    tl.store(
        out_ptr + seq * out_stride_seq + head * out_stride_head + dim,
        out.to(out_ptr.dtype.element_ty),
        mask=dim < HEAD_DIM,
    )
    lse = tl.where(total == 0.0, float("-inf"), shift + tl.log(divisor))
    tl.store(lse_ptr + seq * num_heads + head, lse)


def merge_splits(
    parts: Float[Tensor, "num_seqs num_heads num_splits head_dim"],
    part_lse: Float[Tensor, "num_seqs num_heads num_splits"],
    *,
    out: Float[Tensor, "num_seqs num_heads head_dim"],
) -> Float[Tensor, "num_seqs num_heads"]:
    """Merge partial attentions into `out`; return the log-sum-exp of the whole.

    A part is the attention over some of the tokens, and its log-sum-exp says how much
    those tokens weigh. A part without tokens (-inf) weighs nothing.
    """
    num_seqs, num_heads = parts.shape[:2]
    require(
        parts.is_contiguous() and part_lse.is_contiguous(),
        "parts and part_lse must be contiguous",
    )
    lse = torch.empty((num_seqs, num_heads), dtype=torch.float32, device=parts.device)
    if num_seqs == 0:
        return lse
    merge_kernel[(num_seqs, num_heads)](
        *(parts, part_lse, out, lse, num_heads, *out.stride()[:2]),
        **merge_constants(parts),
    )
    return lse


def merge_constants(parts: Tensor) -> dict[str, int]:
    """Return the constants that `merge_kernel` is compiled for."""
    num_splits, head_dim = parts.shape[2:]
    return {
        "NUM_SPLITS": num_splits,
        "PADDED_SPLITS": next_power_of_two(num_splits),
        "HEAD_DIM": head_dim,
        "PADDED_DIM": next_power_of_two(head_dim),
    }


def require_num_splits(num_splits: int) -> None:
    """Raise `InvalidSize` unless the number of splits is one the merge can hold."""
    require_positive("num_splits", num_splits)
    if num_splits > MAX_SPLITS:
        raise InvalidSize(f"num_splits must be at most {MAX_SPLITS}, got {num_splits}")


def choose_num_splits(num_programs: int, longest: int, device: torch.device) -> int:
    """Return how many splits keep every multiprocessor of the card busy.

    Without a split there are num_programs programs. Two for each multiprocessor hide
    most of the waiting; a split shorter than a few tiles is not worth its merge. 1
    without a GPU, where programs run one after another.
    """
    if device.type != "cuda" or num_programs == 0:
        return 1
    wanted = 2 * torch.cuda.get_device_properties(device).multi_processor_count
    num_splits = 1 << (cdiv(wanted, num_programs) - 1).bit_length()  # a power of 2
    return max(1, min(num_splits, cdiv(longest, SHORTEST_SPLIT), MAX_SPLITS))
