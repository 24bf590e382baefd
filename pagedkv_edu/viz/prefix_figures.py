"""Charts of what a prefix cache finds, by its size."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.prompts import PromptHits
from pagedkv_edu.viz.figures import Chart, Theme, template
from pagedkv_edu.viz.palette import HUES

DASHES = ("solid", "dash", "dot")
SYMBOLS = ("circle", "square", "diamond")


def hits_figure(
    hits_by_name: Mapping[str, Sequence[PromptHits]],
    endless: PromptHits,
    theme: Theme = "either",
) -> go.Figure:
    """Return the share of prompt tokens found, by the blocks of the cache.

    One line for each name, told apart by hue, dashes and symbols; a line across marks
    what an endless cache finds.
    """
    if not hits_by_name or not all(hits_by_name.values()):
        raise InvalidSize("no measurements: give at least one for each name")
    figure = Chart()
    for k, (name, hits) in enumerate(hits_by_name.items()):
        figure.add_scatter(
            x=[one.num_blocks for one in hits],
            y=[100 * one.hit_ratio for one in hits],
            name=name,
            mode="lines+markers",
            line={"color": HUES[k].fill, "width": 2.5, "dash": DASHES[k % 3]},
            marker={"symbol": SYMBOLS[k % 3], "size": 9},
            hovertemplate=f"{name}, %{{x:,}} blocks: %{{y:.1f}} %<extra></extra>",
        )
    sizes = sorted(
        {one.num_blocks or 0 for hits in hits_by_name.values() for one in hits}
    )
    ceiling = 100 * endless.hit_ratio
    figure.add_hline(
        y=ceiling,
        line={"width": 1.5, "dash": "dashdot", "color": "#797979"},
        annotation={"text": f"an endless cache: {ceiling:.1f} %"},
        annotation_position="top left",
    )
    figure.update_layout(
        template=template(theme),
        height=360,
        showlegend=True,
        legend={"orientation": "h", "y": 1.12, "x": 0},
        title=f"Prompt tokens found in the cache, {endless.num_requests:,} requests",
        xaxis={
            "title": "blocks in the cache",
            "type": "log",
            "tickvals": sizes,
            "ticktext": [f"{size:,}" for size in sizes],
        },
        yaxis={"title": "share found, %", "range": [0, ceiling * 1.2]},
    )
    return figure
