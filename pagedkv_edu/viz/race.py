"""The race: one workload in a contiguous and in a paged cache, as a widget."""

from collections.abc import Callable, Mapping, Sequence

import anywidget
import traitlets

from pagedkv_edu.memory.extents import ExtentAllocator, ExtentsLike
from pagedkv_edu.replay.race import encode_race
from pagedkv_edu.report import Json
from pagedkv_edu.serving.race import Race, race
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz import assets

RunRace = Callable[[Mapping[str, int]], Race]  # by who ends early, and at which step

SCRIPTS = ("race_strip.js", "race_curves.js", "race.js")
STYLES = ("race.css",)


class RaceView(anywidget.AnyWidget):
    """The widget: it holds every step, and its JavaScript shows one of them.

    The kernel is asked only when a request is to end early; then the race is run
    again.
    """

    _esm = assets.script(*SCRIPTS, render="renderRace")
    _css = assets.style(*STYLES)
    race = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    fit = traitlets.Unicode("first").tag(sync=True)
    ends = traitlets.Dict().tag(sync=True)  # step by request that was told to end

    def __init__(self, run: RunRace) -> None:
        self._run = run
        self.ran = run({})
        encoded = encode_race(self.ran)
        super().__init__(race=encoded, step=first_refusal(encoded, "first"))
        self.on_msg(self.receive)

    def start(self, run: RunRace) -> None:
        """Show another race, from its first refusal on."""
        self._run = run
        self._run_with({})
        self.step = first_refusal(self.race, self.fit)

    def end(self, name: str, step: int) -> None:
        """End a request at a step, in all caches."""
        self._run_with({**self.ends, name: step})

    def undo(self) -> None:
        """Let every request run to its own end again."""
        self._run_with({})

    def _run_with(self, ends: Mapping[str, int]) -> None:
        self.ran = self._run(ends)
        with self.hold_sync():
            self.ends = dict(ends)
            self.race = encode_race(self.ran)

    def receive(self, _widget: object, content: Json, _buffers: object) -> None:
        """Do what a button of the view asks for."""
        if content.get("type") == "end":
            self.end(content["name"], content["step"])
        elif content.get("type") == "undo":
            self.undo()


def first_refusal(encoded: Json, fit: str) -> int:
    """Return the step at which a contiguous cache first refuses, 0 if it never does."""
    spans: list[tuple[str, int, int]] = encoded["contiguous"][fit]["waits"]
    return spans[0][1] if spans else 0


def show_race(
    requests: Sequence[Request],
    *,
    num_slots: int = 640,
    block_size: int = 16,
    policy: str = "maximum",
    first_fit: Callable[[int], ExtentsLike] = ExtentAllocator,
) -> RaceView:
    """Return the race of a workload, paused where the first request is refused.

    `first_fit` may be a class of your own; best fit and buddy are the library's.
    """
    return RaceView(
        lambda ends: race(
            requests,
            num_slots=num_slots,
            block_size=block_size,
            policy=policy,
            first_fit=first_fit,
            ends=ends,
        )
    )
