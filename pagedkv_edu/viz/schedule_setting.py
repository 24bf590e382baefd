"""What requests are served with in the schedule view, and how they are watched."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay.schedule import Schedule
from pagedkv_edu.replay.schedule_watch import MAX_STEPS, MakeScheduler, watch_schedule
from pagedkv_edu.serving.admission import Reserve
from pagedkv_edu.serving.scheduler import PreemptBy, Scheduler
from pagedkv_edu.serving.victims import Policy, Victim
from pagedkv_edu.serving.workload import Request


@dataclass(frozen=True, slots=True)
class Setting:
    """What the requests are served with."""

    num_blocks: int
    block_size: int
    token_budget: int
    reserve: Reserve
    watermark: int
    victim: Victim | Policy
    max_steps: int = MAX_STEPS

    @property
    def policy(self) -> str:
        """The name of the victim policy; nothing if it is a function."""
        return "" if callable(self.victim) else self.victim

    def schedule(self, requests: Sequence[Request], preempt_by: PreemptBy) -> Schedule:
        """Serve the requests with our scheduler."""

        def make(manager: BlockManager, pool: PoolLike, block_size: int) -> Scheduler:
            return Scheduler(
                manager,
                pool,
                block_size,
                token_budget=self.token_budget,
                watermark=self.watermark,
                reserve=self.reserve,
                victim=self.victim,
                preempt_by=preempt_by,
            )

        return self.watch(requests, make, self.token_budget)

    def watch(
        self,
        requests: Sequence[Request],
        make: MakeScheduler,
        token_budget: int | None = None,
    ) -> Schedule:
        """Serve the requests with any scheduler."""
        return watch_schedule(
            requests,
            make,
            num_blocks=self.num_blocks,
            block_size=self.block_size,
            token_budget=token_budget,
            max_steps=self.max_steps,
        )
