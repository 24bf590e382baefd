"""Learn how LLM servers keep their key-value cache in pages, by building one."""

from typing import TYPE_CHECKING

from pagedkv_edu.errors import OutOfBlocks as OutOfBlocks
from pagedkv_edu.memory.manager import BlockManager as BlockManager
from pagedkv_edu.memory.pool import BlockPool as BlockPool
from pagedkv_edu.memory.table import BlockTable as BlockTable
from pagedkv_edu.protocols import BlockCopy as BlockCopy
from pagedkv_edu.sizes import KVCacheSpec as KVCacheSpec
from pagedkv_edu.sizes import cdiv as cdiv
from pagedkv_edu.sizes import locate as locate

if TYPE_CHECKING:
    from pagedkv_edu.replay.memory import WordMemory as WordMemory


def __getattr__(name: str) -> object:
    """Load `WordMemory` when it is first asked for: recordings take a while to load."""
    if name == "WordMemory":
        from pagedkv_edu.replay.memory import WordMemory  # noqa: PLC0415

        return WordMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
