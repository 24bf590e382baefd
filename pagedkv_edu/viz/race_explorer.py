"""The race as an explorer: other requests, loads, reservations and block sizes."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

import ipywidgets as widgets

from pagedkv_edu.memory.extents import ExtentAllocator, ExtentsLike
from pagedkv_edu.serving.race import Race, RaceSummary, race, summaries
from pagedkv_edu.serving.workload import Lognormal, Request, lognormal_workload
from pagedkv_edu.viz.race import RaceView

NUM_SLOTS = 640
BLOCK_SIZES = (4, 8, 16, 32, 64)
LOADS = (0.05, 0.1, 0.2, 0.4, 0.8)  # requests a second; a step is a second
RESERVATIONS = {
    "prompt + max_tokens": "maximum",
    "prompt + a power of two": "power of two",
    "what it will use (oracle)": "oracle",
}
FIRST_SEED = 311
COLUMNS = (
    "steps until done",
    "slots with a token",
    "holes at once",
    "refused",
    "steps in which one waits",
)

_RIGHT = "style='text-align: right; padding: 1px 0 1px 20px; font-weight: normal'"
_LEFT = "style='text-align: left; padding: 1px 0; font-weight: 600'"


def race_workload(seed: int, requests_per_s: float = 0.2) -> list[Request]:
    """Return fifteen requests whose clients set very different limits."""
    return lognormal_workload(
        15,
        prompt=Lognormal(32, 0.5, longest=80),
        output=Lognormal(70, 0.8, longest=192),
        requests_per_s=requests_per_s,
        limits=(32, 64, 96, 128, 160, 192),
        rng=Random(seed),
    )


def explore_race(
    first_fit: Callable[[int], ExtentsLike] = ExtentAllocator,
) -> "RaceExplorer":
    """Return the race with controls above it and a summary below.

    The controls change the requests, how fast they arrive, what is reserved for each
    and the block size. `first_fit` may be a class of your own.
    """
    return RaceExplorer(first_fit)


class RaceExplorer(widgets.VBox):
    """Controls, the race, and one line for each cache over the whole run."""

    def __init__(self, first_fit: Callable[[int], ExtentsLike]) -> None:
        self._first_fit = first_fit
        self.seed = FIRST_SEED
        self.load = _choice("requests per step", LOADS, index=2)
        self.reserve = _choice("reserve", list(RESERVATIONS), index=0)
        self.block_size = _choice("block_size", BLOCK_SIZES, index=2)
        self.again = widgets.Button(
            description="Other requests", layout=widgets.Layout(width="auto")
        )
        self.view = RaceView(self._run)
        self.table = widgets.HTML()
        self._show_summary()
        controls = widgets.HBox([self.load, self.reserve, self.block_size, self.again])
        controls.layout.flex_flow = "row wrap"
        super().__init__([controls, self.view, self.table])
        for control in (self.load, self.reserve, self.block_size):
            control.observe(self._change, names="value")
        self.again.on_click(self._deal)
        self.view.observe(self._show_summary, names="race")

    def _run(self, ends: Mapping[str, int]) -> Race:
        return race(
            race_workload(self.seed, LOADS[self.load.index or 0]),
            num_slots=NUM_SLOTS,
            block_size=BLOCK_SIZES[self.block_size.index or 0],
            policy=list(RESERVATIONS.values())[self.reserve.index or 0],
            first_fit=self._first_fit,
            ends=ends,
        )

    def _change(self, _change: object) -> None:
        self.view.start(self._run)

    def _deal(self, _button: widgets.Button) -> None:
        self.seed += 1
        self.view.start(self._run)

    def _show_summary(self, _change: object = None) -> None:
        self.table.value = summary_table(summaries(self.view.ran))


def _choice(name: str, options: Sequence[object], index: int) -> widgets.Dropdown:
    return widgets.Dropdown(
        options=list(options),
        index=index,
        description=name,
        style={"description_width": "initial"},
        layout=widgets.Layout(width="auto"),
    )


def summary_table(rows: Sequence[RaceSummary]) -> str:
    """Return the summaries as an HTML table, in the colours of the page around it."""
    names = {"first": "first fit", "best": "best fit"}
    head = "".join(f"<th scope='col' {_RIGHT}>{name}</th>" for name in COLUMNS)
    lines = [
        f"<tr><th scope='row' {_LEFT}>{names.get(row.name, row.name)}</th>"
        + "".join(f"<td {_RIGHT}>{cell}</td>" for cell in _cells(row))
        + "</tr>"
        for row in rows
    ]
    return (
        f"<table style='line-height: 1.5'><caption {_LEFT}>The whole run</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _cells(row: RaceSummary) -> tuple[object, ...]:
    holes = "none" if row.num_holes is None else f"{row.num_holes:.1f}"
    waited = row.num_refused, row.num_steps_waited
    return row.num_steps, f"{row.utilisation:.0%}", holes, *waited
