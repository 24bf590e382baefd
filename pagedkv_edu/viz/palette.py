"""The one palette: whose block it is (hue), and what else a colour may say."""

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from pagedkv_edu.replay.frames import Frame


@dataclass(frozen=True, slots=True)
class Hue:
    """A sequence's colour, and what must be drawn with it to stay readable."""

    name: str
    fill: str
    text: str  # letters on this fill; no hue is ever used as a colour of text
    is_light: bool  # needs a border of ink on white


# Okabe-Ito, in this order. Yellow is left out: it vanishes on white.
HUES = (
    Hue("blue", "#0072B2", "#ffffff", is_light=False),
    Hue("orange", "#E69F00", "#1b1b1b", is_light=True),
    Hue("green", "#009E73", "#1b1b1b", is_light=False),
    Hue("purple", "#CC79A7", "#1b1b1b", is_light=False),
    Hue("sky", "#56B4E9", "#1b1b1b", is_light=True),
)

# Vermillion says loss, and nothing else. As text and thin lines #D55E00 is too light.
LOSS_FILL = "#D55E00"
LOSS_LIGHT = "#B84A00"
LOSS_DARK = "#ff8a3d"


def next_hue(hue_by_seq: dict[Hashable, int], live: Iterable[Hashable]) -> int:
    """Return the index of the hue for a sequence that appears now.

    It is the hue given out least often among those that no live sequence has, and the
    first of them in order; so the first five sequences take the hues in order. With
    more than five live sequences hues repeat, and the letters tell them apart.
    """
    taken = {hue_by_seq[seq_id] for seq_id in live if seq_id in hue_by_seq}
    times_given = [list(hue_by_seq.values()).count(i) for i in range(len(HUES))]
    choice = [i for i in range(len(HUES)) if i not in taken] or range(len(HUES))
    return min(choice, key=lambda i: (times_given[i], i))


def hues(film: Iterable[Frame]) -> dict[Hashable, Hue]:
    """Return the hue of every sequence of a film, as the player shows it."""
    hue_by_seq: dict[Hashable, int] = {}
    live: tuple[Hashable, ...] = ()
    for frame in film:
        for seq_id in frame.tables:
            if seq_id not in hue_by_seq:
                hue_by_seq[seq_id] = next_hue(hue_by_seq, live)
                live = (*live, seq_id)
        live = tuple(frame.tables)
    return {seq_id: HUES[i] for seq_id, i in hue_by_seq.items()}


def as_javascript() -> str:
    """Return the palette as the constant that the drawing code starts with."""
    rows = [[hue.fill, hue.text, hue.is_light] for hue in HUES]
    keys = ("fill", "text", "isLight")
    listed = [dict(zip(keys, row, strict=True)) for row in rows]
    return f"const HUES = {json.dumps(listed)};\n"
