"""A learner's decisions in the schedule view: a victim, or the plan of a step."""

from collections.abc import Callable, Sequence

import ipywidgets as widgets

from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.serving.examples import four_requests, two_prompts
from pagedkv_edu.serving.small import PlanStep, SmallScheduler, plan_step
from pagedkv_edu.serving.victims import by_length
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz.schedule import ScheduleView, show_schedule
from pagedkv_edu.viz.schedule_setting import Setting


def show_victim(choose: Callable[[list[int]], int]) -> widgets.DOMWidget:
    """Return the four requests of lesson 10 with victims that `choose` names.

    It is given the computed tokens of the candidates and returns a place. Where it is
    not written yet, a sentence says so.
    """
    try:
        return show_schedule(four_requests(), victim=by_length(choose))
    except NotImplementedError:
        return _not_written()


def show_plan(
    plan: PlanStep,
    requests: Sequence[Request] = (),
    *,
    num_blocks: int = 12,
    block_size: int = 16,
    max_steps: int = 60,
    name: str = "Yours",
) -> widgets.DOMWidget:
    """Return two schedules of the small scheduler: by your plan, and by ours.

    Without requests it shows `two_prompts`. Yours is stopped after `max_steps`; where
    it is not written yet, a sentence says so.
    """
    setting = Setting(
        num_blocks, block_size, 16, "nothing", 0, "last_arrived", max_steps
    )

    def planned_by(plan: PlanStep) -> Callable[..., SmallScheduler]:
        def make(
            manager: BlockManager, pool: PoolLike, block_size: int
        ) -> SmallScheduler:
            return SmallScheduler(manager, pool, block_size, plan)

        return make

    try:
        plan([1], [1], 1, 1)
    except NotImplementedError:
        return _not_written()
    except Exception:  # noqa: BLE001  (what it does with real requests is shown)
        pass
    return ScheduleView(
        requests or two_prompts(),
        setting,
        planned_by(plan),
        beside=planned_by(plan_step),
        name=name,
    )


def _not_written() -> widgets.HTML:
    return widgets.HTML("<p>Your function is not written yet.</p>")
