"""Two runs of one story beside each other: memory as rows of cells with words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.viz import assets

Look = Literal["", "new", "wrong", "empty"]

SCRIPTS = ("buttons.js", "beside.js")


@dataclass(frozen=True, slots=True)
class Cell:
    """One slot or one entry, with what is in it."""

    text: str
    look: Look = ""
    tag: str = ""  # a word below it: "new", "A's"


@dataclass(frozen=True, slots=True)
class Box:
    """Cells that lie together: a block, or the row of a table."""

    cells: tuple[Cell, ...]
    name: str = ""  # "block 3"
    hue: int | None = None  # whose: an index into the palette; None for nobody
    look: Look = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of boxes."""

    label: str
    boxes: tuple[Box, ...]
    hue: int | None = None  # of the label, where it names a sequence


@dataclass(frozen=True, slots=True)
class Moment:
    """One side at one step."""

    rows: tuple[Row, ...]
    told: str  # what is seen, in a sentence
    is_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What both sides do, and what each shows after it."""

    title: str
    left: Moment
    right: Moment


def beside(
    names: tuple[str, str], steps: Sequence[Step], *, start_at: int = 0
) -> "Beside":
    """Return the widget, at a step; a negative one counts from the end."""
    if not steps:
        raise InvalidSize("a story without steps: give at least one")
    start = start_at + len(steps) if start_at < 0 else start_at
    if not 0 <= start < len(steps):
        raise InvalidSize(f"start_at must be below {len(steps)}, got {start_at}")
    return Beside(
        names=list(names), steps=[asdict(step) for step in steps], index=start
    )


class Beside(anywidget.AnyWidget):
    """The widget: it holds all steps, and its JavaScript shows one."""

    _esm = assets.script(*SCRIPTS, render="renderBeside")
    _css = assets.style("beside.css")
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    steps = traitlets.List(traitlets.Dict()).tag(sync=True)
    index = traitlets.Int().tag(sync=True)

    def wrong_rows(self, at: int, side: str = "left") -> list[str]:
        """Return the labels of the rows in which something is marked at a step."""
        return [
            row["label"]
            for row in self.steps[at][side]["rows"]
            if any(
                cell["look"] == "wrong" for box in row["boxes"] for cell in box["cells"]
            )
        ]

    def __repr__(self) -> str:
        """Return the step as text."""
        step = self.steps[self.index]
        sides = zip(self.names, (step["left"], step["right"]), strict=True)
        told = " ".join(f"{name}: {side['told']}" for name, side in sides)
        return f"Step {self.index + 1} of {len(self.steps)}, {step['title']}. {told}"
