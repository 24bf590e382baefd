"""Triton paged attention, read next to its oracles.

Without a GPU the kernels run under Triton's interpreter. One process either interprets
or compiles, and the choice is made when triton is first imported, so import this
package before anything that imports triton (transformers' model classes do).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pagedkv_kernels.mode import HAS_GPU as HAS_GPU
from pagedkv_kernels.mode import INTERPRETED as INTERPRETED
from pagedkv_kernels.mode import require_triton

if TYPE_CHECKING:
    from pagedkv_kernels.copy import copy_blocks as copy_blocks
    from pagedkv_kernels.decode import paged_decode as paged_decode
    from pagedkv_kernels.write import write_kv as write_kv

# The kernels themselves are imported when they are first asked for (PEP 562), so that
# layouts, oracles and the CPU path can be used where there is no Triton.
_MODULE_BY_NAME = {
    "paged_decode": "pagedkv_kernels.decode",
    "write_kv": "pagedkv_kernels.write",
    "copy_blocks": "pagedkv_kernels.copy",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name != "copy_blocks":  # which needs Triton on a GPU only
        require_triton()
    return getattr(import_module(_MODULE_BY_NAME[name]), name)
