"""`triton` and `tl` for a page that must also run, and read well, without Triton.

    from pagedkv_kernels.absence import needs_triton, tl, triton

Where Triton is missing these names are stand-ins: kernels can be defined, and a launch
raises `NoTriton`, which `needs_triton` turns into a sentence.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from pagedkv_kernels.mode import INTERPRETED, NoTriton, require_triton

__all__ = ["HAS_TRITON", "needs_triton", "tl", "triton", "where_kernels_run"]

if TYPE_CHECKING:
    import triton
    import triton.language as tl

    HAS_TRITON = True
    WHY_NOT = ""
else:
    try:
        require_triton()
    except NoTriton as reason:
        HAS_TRITON, WHY_NOT = False, str(reason)
    else:
        import triton
        import triton.language as tl

        HAS_TRITON, WHY_NOT = True, ""

HOW_TO_GO_ON = (
    "Read on: nothing below depends on what this cell would show. To run it, take "
    "Linux, Windows through WSL, or a hosted notebook, with or without a GPU."
)


class Anything:
    """A name in a kernel's signature or body that is never looked at."""

    def __getattr__(self, name: str) -> "Anything":
        return self

    def __call__(self, *_: object, **__: object) -> "Anything":
        """Return itself, as a call of anything in it would."""
        return self


class AbsentKernel:
    """A kernel that was defined and cannot be launched."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.fn = function

    def __getitem__(self, grid: object) -> Callable[..., None]:
        raise NoTriton(WHY_NOT)


class AbsentTriton:
    """In place of the module `triton`."""

    jit = AbsentKernel


if not HAS_TRITON:
    triton, tl = AbsentTriton(), Anything()


@contextmanager
def needs_triton(say: Callable[[str], None] = print) -> Generator[None]:
    """Run a block that launches kernels; where Triton is missing, say so and go on.

    There, whatever the block raises is because of that: an import, or a name of one.
    """
    try:
        yield
    except Exception as error:
        if HAS_TRITON and not isinstance(error, NoTriton):
            raise
        say(f"Not run here. {WHY_NOT or error}.\n{HOW_TO_GO_ON}")


def where_kernels_run() -> str:
    """Say what runs a kernel in this process."""
    if not HAS_TRITON:
        return "nothing here: Triton is missing"
    if INTERPRETED:
        return "Triton's interpreter, on the CPU"
    return f"a GPU, {torch.cuda.get_device_name()}"
