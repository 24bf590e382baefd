"""The parts a server is made of: the caller's own where given, ours elsewhere."""

from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize, WrongPool
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.simulation import SchedulerLike


@dataclass(frozen=True, slots=True)
class Parts:
    """Who owns which block, and who runs when."""

    pool: PoolLike
    manager: ManagerLike
    scheduler: SchedulerLike
    num_host_blocks: int


def make_parts(
    pool: PoolLike | None,
    manager: ManagerLike | None,
    scheduler: SchedulerLike | None,
    *,
    num_blocks: int,
    block_size: int,
    num_host_blocks: int,
    share_prefixes: bool,
) -> Parts:
    """Make what is not given; each part is made on those given before it.

    Raises `WrongPool` where a part is given without the one that it works on, and
    `InvalidSize` where their block sizes differ.
    """
    if manager is not None and pool is None:
        pool = getattr(manager, "pool", None)
        if pool is None:
            raise WrongPool("a manager of your own comes with its pool; pass pool= too")
    if scheduler is not None and manager is None:
        raise WrongPool(
            "a scheduler of your own comes with its manager and pool; "
            "pass manager= and pool= too"
        )
    if pool is None:
        pool = (
            PrefixCache(num_blocks, block_size)
            if share_prefixes
            else BlockPool(num_blocks)
        )
    elif share_prefixes and not isinstance(pool, PrefixCache):
        raise WrongPool(
            f"share_prefixes needs a PrefixCache as the pool, got {type(pool).__name__}"
        )
    if manager is None:
        host_pool = BlockPool(num_host_blocks) if num_host_blocks else None
        manager = BlockManager(pool, block_size, host_pool)
    for part in (manager, scheduler, pool):
        other = getattr(part, "block_size", block_size)
        if other != block_size:
            raise InvalidSize(
                f"block_size is {block_size} here and {other} in your "
                f"{type(part).__name__}; pass block_size={other}"
            )
    host_pool = getattr(manager, "host_pool", None)
    if host_pool is not None:
        num_host_blocks = host_pool.num_blocks
    scheduler = scheduler or Scheduler(
        manager,
        pool,
        block_size,
        preempt_by="swap" if num_host_blocks else "recompute",
        cache=pool if isinstance(pool, PrefixCache) else None,
    )
    return Parts(pool, manager, scheduler, num_host_blocks)
