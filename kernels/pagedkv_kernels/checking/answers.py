"""What an answer may be: tensors of the right shape, on the device of the check."""

import torch
from torch import Tensor

from pagedkv_kernels.cases import GUARD
from pagedkv_kernels.checking import hints
from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.checking.judging import BEGIN
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
            hint=BEGIN,
        )
    if tuple(value.shape) != shape:
        raise Complaint(
            f"returned a tensor {list(value.shape)}; expected {list(shape)}",
            f"{what} has the shape {list(value.shape)}.",
            expected=f"a tensor {list(shape)}.",
            hint=BEGIN,
        )
    return value


class Output:
    """A tensor for an answer to fill, with memory before and behind it.

    A kernel whose grid is wrong writes into that memory, and not into Python's own.
    """

    def __init__(self, like: Tensor) -> None:
        size = like.numel()
        self._memory = like.new_full((size + 2 * GUARD,), OUT_BEFORE)
        self.out = self._memory[GUARD : GUARD + size].view(like.shape)

    def checked(self) -> Tensor:
        """Return what was written, in float64; complain of what was written beside."""
        before, behind = self._memory[:GUARD], self._memory[-GUARD:]
        if (before != OUT_BEFORE).any() or (behind != OUT_BEFORE).any():
            raise Complaint(
                "wrote outside of out",
                "numbers before or behind out have changed: on a GPU they are somebody "
                "else's.",
                expected="writes to the rows of out, and nowhere else.",
                hint=hints.NEVER_WRITTEN,
            )
        return self.out.double()


def with_zeros_around(numbers: Tensor) -> Tensor:
    """Return a copy with zeros before and behind it, for reads that go too far."""
    size = numbers.numel()
    memory = numbers.new_zeros(size + 2 * GUARD)
    copy = memory[GUARD : GUARD + size].view(numbers.shape)
    return copy.copy_(numbers)
