"""Compare a decode kernel with the oracle, within what its dtype can hold."""

from collections.abc import Callable

import torch
from pagedkv_kernels import HAS_GPU, paged_decode
from pagedkv_kernels.cases import Problem
from torch import Tensor

DEVICE = "cuda" if HAS_GPU else "cpu"
Decode = Callable[..., Tensor | tuple[Tensor, Tensor]]
TOLERANCE = {torch.float32: 2e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2}


def error_of(
    problem: Problem,
    *,
    num_splits: int | None = 1,
    decode: Decode = paged_decode,
) -> float:
    """Return the largest error of output and log-sum-exp; NaN anywhere fails."""
    found_out, found_lse = decode(
        *problem.tensors,
        scale=problem.scale,
        num_splits=num_splits,
        window=problem.window,
        softcap=problem.softcap,
        return_lse=True,
    )
    out, lse = problem.expected()
    assert found_out.dtype == problem.q.dtype
    assert found_lse.dtype == torch.float32
    assert torch.equal(found_lse.isneginf(), lse.isneginf())
    assert not found_out.isnan().any()
    has_tokens = ~lse.isneginf()
    assert (found_out[~has_tokens] == 0).all()
    return max(
        _largest(found_out.double() - out),
        # relative where it is large: a float32 near 5,000 is good to 0.0005
        _largest((found_lse - lse)[has_tokens] / lse[has_tokens].abs().clamp(min=1)),
    )


def output_of(*tensors: Tensor, decode: Decode = paged_decode, **options: object):
    """Return the output alone."""
    found = decode(*tensors, **options)
    assert isinstance(found, Tensor)
    return found


def tolerance(problem: Problem) -> float:
    return TOLERANCE[problem.q.dtype]


def _largest(difference: Tensor) -> float:
    return float(difference.abs().max()) if difference.numel() else 0.0
