"""What an answer may be: tensors of the right shape, on the device of the check."""

import torch
from torch import Tensor

from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.mode import HAS_GPU, INTERPRETED

OUT_BEFORE = 12345.0  # what an output that the answer fills holds before the call


def kernel_device() -> str:
    """Return where a learner's kernels run in this process."""
    return "cuda" if HAS_GPU and not INTERPRETED else "cpu"


def where_kernels_ran() -> str:
    """Say it, to be put behind a number of cases."""
    if kernel_device() == "cuda":
        return f" on {torch.cuda.get_device_name()}"
    return " under Triton's interpreter"


def require_tensor(what: str, value: object, shape: tuple[int, ...]) -> Tensor:
    """Return value if it is a tensor of this shape; complain otherwise."""
    if not isinstance(value, Tensor):
        kind = "None" if value is None else f"of type {type(value).__name__}"
        missing = ' Is a "return" missing?' if value is None else ""
        raise Complaint(
            f"returned {kind}, not a tensor",
            f"{what} is {kind}.{missing}",
            expected=f"a tensor {list(shape)}.",
        )
    if tuple(value.shape) != shape:
        raise Complaint(
            f"returned a tensor {list(value.shape)}; expected {list(shape)}",
            f"{what} has the shape {list(value.shape)}.",
            expected=f"a tensor {list(shape)}.",
        )
    return value
