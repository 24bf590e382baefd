"""Whether this process interprets Triton's kernels or compiles them for a GPU."""

import os
import sys
from importlib.metadata import version

import torch

from pagedkv_edu.errors import PagedKVError

HAS_GPU = torch.cuda.is_available()
if not HAS_GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")
INTERPRETED = os.environ.get("TRITON_INTERPRET", "0") == "1"


class NoTriton(PagedKVError, ImportError):  # noqa: N818
    """Triton is not installed here, or was imported in the other mode."""


def require_triton() -> None:
    """Import triton; raise `NoTriton` if it is missing or in the other mode.

    Triton decides when it is first imported, and the variable is only a request: what
    counts is what its own functions have become.
    """
    try:
        import triton  # noqa: PLC0415  (the rest of this package works without)
    except ModuleNotFoundError as error:
        raise NoTriton(
            f"Triton runs on Linux and is not installed here ({sys.platform}); "
            "pagedkv_kernels.cpu.paged_decode takes the same arguments and needs none"
        ) from error
    is_compiled = type(triton.language.cdiv) is triton.JITFunction
    if is_compiled == INTERPRETED:
        raise NoTriton(
            "triton was imported before pagedkv_kernels, in the other mode; "
            "restart the Python kernel and import pagedkv_kernels first"
        )
    trouble = interpreter_trouble(triton.__version__, version("numpy"))
    if INTERPRETED and trouble:
        raise NoTriton(trouble)


def interpreter_trouble(triton_version: str, numpy_version: str) -> str:
    """Say why Triton's interpreter cannot work with this NumPy; empty if it can.

    >>> interpreter_trouble("3.7.1", "2.4.6"), interpreter_trouble("3.6.0", "2.3.5")
    ('', '')
    """
    if _leading(triton_version) >= (3, 7) or _leading(numpy_version) < (2, 4):
        return ""
    return (
        f"the interpreter of Triton {triton_version} needs NumPy below 2.4, and "
        f"{numpy_version} is installed; install numpy<2.4, or Triton 3.7 or newer"
    )


def _leading(text: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)
