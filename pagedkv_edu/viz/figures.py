"""Charts: counts and shares as plotly figures."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import plotly.graph_objects as go
from IPython.display import publish_display_data

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import require_positive
from pagedkv_edu.viz.palette import HUES

Theme = Literal["either", "light", "dark"]

# Ink and lines. A figure does not learn which theme its page has, and is not drawn anew
# when the reader changes it; so the ink of "either" reads on white and on black.
_INK: dict[Theme, tuple[str, str]] = {
    "either": ("#797979", "rgba(128, 128, 128, 0.35)"),
    "light": ("#1b1b1b", "#d9dce0"),
    "dark": ("#ececec", "#383838"),
}

# In JupyterLab its text follows the page, too; what hovers has a ground of its own.
_FOLLOW_PAGE = """<style>
.js-plotly-plot .main-svg text:not(.hoverlayer text) {
  fill: var(--jp-content-font-color1, #797979) !important;
}
</style>"""


class Chart(go.Figure):
    """A figure whose text takes the ink of the page that it is shown on."""

    def _ipython_display_(self) -> None:
        publish_display_data({"text/html": _FOLLOW_PAGE, "text/plain": ""})
        super()._ipython_display_()


def template(theme: Theme = "either") -> go.layout.Template:
    """Return the look of every chart: no ground of its own, quiet lines, one font."""
    ink, line = _INK[theme]
    axis = {
        "gridcolor": line,
        "linecolor": line,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": line,
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "font": {
                "family": '"Segoe UI", Helvetica, Arial, sans-serif',
                "size": 13,
                "color": ink,
            },
            "title": {"x": 0, "xref": "paper", "font": {"size": 15}},
            "margin": {"l": 56, "r": 16, "t": 64, "b": 48},
            "xaxis": axis,
            "yaxis": axis,
            "colorway": [hue.fill for hue in HUES],
            "showlegend": False,
        }
    )


def waste_figure(
    seq_lens: Sequence[int], block_size: int, theme: Theme = "either"
) -> go.Figure:
    """Return how many slots of the last block are empty, over many sequences.

    One bar for each number of empty slots, 0 to block_size - 1, in percent of the
    sequences; a line marks the mean.
    """
    require_positive("block_size", block_size)
    if not seq_lens:
        raise InvalidSize("no sequences: give at least one length")
    empty = [-require_positive("seq_len", n) % block_size for n in seq_lens]
    counts = Counter(empty)
    numbers = list(range(block_size))
    shares = [100 * counts[number] / len(empty) for number in numbers]
    average, middle = fmean(empty), (block_size - 1) / 2
    ink = _INK[theme][0]
    figure = go.Figure(
        go.Bar(
            x=numbers,
            y=shares,
            marker={"color": HUES[0].fill},
            hovertemplate="%{x} empty: %{y:.1f} % of sequences<extra></extra>",
        )
    )
    figure.add_vline(
        x=average,
        line={"color": ink, "width": 2, "dash": "dash"},
        annotation={
            "text": f"mean {average:.1f}; (block_size - 1) / 2 is {middle:.1f}",
            "font": {"color": ink},
        },
        annotation_position="top",
    )
    figure.update_layout(
        template=template(theme),
        height=300,
        title=f"Empty slots in the last block, {len(empty):,} sequences, "
        f"block_size {block_size}",
        xaxis={"title": "empty slots", "dtick": max(1, block_size // 16)},
        yaxis={"title": "sequences, %", "rangemode": "tozero"},
        bargap=0.25,
    )
    return Chart(figure) if theme == "either" else figure
