"""The schedule: the same arrivals by two ways to preempt, over the pool by owner."""

from collections.abc import Sequence
from dataclasses import replace

import anywidget
import traitlets

from pagedkv_edu.replay.schedule import Schedule
from pagedkv_edu.replay.schedule_film import Panel, encode_schedules
from pagedkv_edu.replay.schedule_watch import MAX_STEPS, MakeScheduler
from pagedkv_edu.report import Json
from pagedkv_edu.serving.admission import Reserve
from pagedkv_edu.serving.costs import llama_3_8b
from pagedkv_edu.serving.victims import POLICIES, Policy, Victim
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.schedule_setting import Setting

SCRIPTS = (
    "buttons.js",
    "schedule_spans.js",
    "schedule_panels.js",
    "schedule.js",
)
STYLES = ("schedule.css",)

VICTIM_NAMES: dict[Victim, str] = {
    "last_arrived": "latest arrival",
    "requester": "who asks",
    "longest": "longest",
    "fewest_computed": "fewest computed",
}


class ScheduleView(anywidget.AnyWidget):
    """The widget: it holds every step, and its JavaScript shows one of them.

    The kernel is asked only for another victim policy or another pool.
    """

    _esm = assets.script(*SCRIPTS, render="renderSchedule")
    _css = assets.style(*STYLES)
    schedule = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    setting = traitlets.Unicode("").tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    choices = traitlets.Dict().tag(sync=True)  # what a button would do

    def __init__(
        self,
        requests: Sequence[Request],
        setting: Setting,
        scheduler: MakeScheduler | None = None,
        *,
        beside: MakeScheduler | None = None,  # instead of ours
        name: str = "Yours",
        start_at: int | None = None,
    ) -> None:
        self._name = name
        self.requests = list(requests)
        self.serving = setting
        self._scheduler = scheduler
        self._beside = beside
        self._first_pool = setting.num_blocks
        self.panels = self._panels(setting)
        super().__init__(**self._shown(setting))
        first = [i for p in self.schedule["panels"] for i in p["preemptions"]]
        self.step = min(first, default=0) if start_at is None else start_at
        self.on_msg(self.receive)

    def receive(self, _widget: object, content: Json, _buffers: object) -> None:
        """Do what a button of the view asks for."""
        if content.get("type") == "victim":
            self.change(replace(self.serving, victim=self._next_victim()))
        elif content.get("type") == "pool":
            self.change(replace(self.serving, num_blocks=self._next_pool()))

    def change(self, setting: Setting) -> None:
        """Serve the same requests with another setting."""
        self.serving = setting
        self.panels = self._panels(setting)
        with self.hold_sync():
            for name, value in self._shown(setting).items():
                setattr(self, name, value)

    def _panels(self, setting: Setting) -> list[Panel]:
        if self._scheduler and self._beside:
            return [
                Panel(self._name, setting.watch(self.requests, self._scheduler)),
                Panel("Ours", setting.watch(self.requests, self._beside)),
            ]
        ours = setting.schedule(self.requests, "recompute")
        if self._scheduler is None:
            swap = setting.schedule(self.requests, "swap")
            return [
                Panel("Recompute", ours, setting.policy),
                Panel("Swap", swap, setting.policy),
            ]
        yours = setting.watch(self.requests, self._scheduler)
        return [Panel(self._name, yours), Panel("Ours", ours, setting.policy)]

    def _shown(self, setting: Setting) -> Json:
        bytes_per_block = llama_3_8b(setting.block_size).spec.bytes_per_block
        note = (
            f"Size of a block: {bytes_per_block / 2**20:g} MiB (Llama-3-8B, fp16). "
            "A swap is drawn as one step; how long it takes is another question."
        )
        budget = "" if self._scheduler else f"{setting.token_budget} tokens a step  ·  "
        return {
            "schedule": encode_schedules(self.panels, bytes_per_block),
            "setting": f"block_size {setting.block_size}  ·  {budget}"
            f"{setting.num_blocks} blocks",
            "note": "" if self._scheduler else note,
            "choices": {} if self._beside else self._choices(),
        }

    # --- what the buttons would do -------------------------------------------------

    def _next_victim(self) -> Victim:
        policies = list(POLICIES)
        if callable(self.serving.victim):
            return policies[0]
        return policies[(policies.index(self.serving.victim) + 1) % len(policies)]

    def _choices(self) -> Json:
        return {"victim": self._victim_choice(), "pool": self._pool_choice()}

    def _victim_choice(self) -> Json:
        following = self._next_victim()
        setting = replace(self.serving, victim=following)
        would = _told(setting.schedule(self.requests, "recompute"))
        whose = "Victim of ours" if self._scheduler else "Victim"
        return {
            "label": f"{whose}: {_victim_name(self.serving.victim)}",
            "note": f"{VICTIM_NAMES[following]}: {would}",
        }

    def _pools(self) -> list[int]:
        """Return the pool of the beginning, a smaller one, and one that is enough."""
        needed = max((r.num_tokens for r in self.requests), default=1) - 1
        fits = cdiv(needed, self.serving.block_size)
        smaller = self._first_pool * 5 // 6
        return sorted({max(smaller, fits), self._first_pool, self._enough()})

    def _next_pool(self) -> int:
        pools = self._pools()
        later = [num for num in pools if num > self.serving.num_blocks]
        return later[0] if later else pools[0]

    def _pool_choice(self) -> Json:
        num_blocks, following = self.serving.num_blocks, self._next_pool()
        setting = replace(self.serving, num_blocks=following)
        would = _told(setting.schedule(self.requests, "recompute"))
        return {"label": f"Pool: {num_blocks} blocks", "note": f"{following}: {would}"}

    def _enough(self) -> int:
        """Return the first larger pool in which our scheduler preempts nobody."""
        size = self.serving.block_size
        most = self._first_pool + sum(cdiv(r.num_tokens, size) for r in self.requests)
        for num_blocks in range(self._first_pool, most, max(1, most // 64)):
            setting = replace(self.serving, num_blocks=num_blocks)
            if not setting.schedule(self.requests, "recompute").num_preemptions:
                return num_blocks
        return most  # every request has its blocks for itself


def _victim_name(victim: Victim | Policy) -> str:
    return "your choice" if callable(victim) else VICTIM_NAMES[victim]


def _told(schedule: Schedule) -> str:
    """Return what a choice would lead to: "224 tokens again"."""
    if not schedule.num_preemptions:
        return "none preempted"
    return f"{sum(schedule.result.steps.recomputed_tokens)} tokens again"


def show_schedule(
    requests: Sequence[Request],
    *,
    scheduler: MakeScheduler | None = None,
    num_blocks: int = 24,
    block_size: int = 16,
    token_budget: int = 64,
    reserve: Reserve = "prompt",
    watermark: int = 0,
    victim: Victim | Policy = "last_arrived",
    max_steps: int = MAX_STEPS,
    start_at: int | None = None,
) -> ScheduleView:
    """Return the same requests preempted by recompute and by swap, step by step.

    It opens at the first preemption. `victim` may be a policy of your own. With
    `scheduler`, a function or class of your own that is called with (manager, pool,
    block_size), its schedule stands above ours; it is stopped after `max_steps`.
    """
    setting = Setting(
        num_blocks, block_size, token_budget, reserve, watermark, victim, max_steps
    )
    return ScheduleView(requests, setting, scheduler, start_at=start_at)
