"""Triton paged attention, read next to its oracles.

Without a GPU the kernels run under Triton's interpreter. One process either interprets
or compiles, and the choice is made when triton is first imported, so import this
package before anything that imports triton (transformers' model classes do).
"""

import importlib
import os
import sys

import torch

from pagedkv_edu.errors import PagedKVError

HAS_GPU = torch.cuda.is_available()
if not HAS_GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")
INTERPRETED = os.environ.get("TRITON_INTERPRET", "0") == "1"

# The kernels themselves are imported when they are first asked for (PEP 562), so that
# layouts and oracles can be used where there is no Triton.
_MODULE_BY_NAME = {
    "paged_decode": "pagedkv_kernels.decode",
    "write_kv": "pagedkv_kernels.write",
    "copy_blocks": "pagedkv_kernels.copy",
}


def _require_right_mode() -> None:
    """Raise if triton was imported earlier, in the other mode."""
    knobs = getattr(sys.modules.get("triton"), "knobs", None)
    if knobs is not None and knobs.runtime.interpret != INTERPRETED:
        raise PagedKVError(
            "triton was imported before pagedkv_kernels, in the other mode; "
            "restart the Python kernel and import pagedkv_kernels first"
        )


def __getattr__(name: str) -> object:
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _require_right_mode()
    return getattr(importlib.import_module(_MODULE_BY_NAME[name]), name)
