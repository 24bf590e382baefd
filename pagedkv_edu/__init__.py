"""Learn how LLM servers keep their key-value cache in pages, by building one."""

from pagedkv_edu.errors import OutOfBlocks as OutOfBlocks
from pagedkv_edu.memory.manager import BlockManager as BlockManager
from pagedkv_edu.memory.pool import BlockPool as BlockPool
from pagedkv_edu.memory.table import BlockTable as BlockTable
from pagedkv_edu.protocols import BlockCopy as BlockCopy
from pagedkv_edu.replay.memory import WordMemory as WordMemory
from pagedkv_edu.sizes import KVCacheSpec as KVCacheSpec
from pagedkv_edu.sizes import cdiv as cdiv
from pagedkv_edu.sizes import locate as locate
