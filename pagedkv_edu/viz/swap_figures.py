"""A chart of what swap and recompute cost, by block size."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from pagedkv_edu.serving.costs import Card, Model, recompute_s, swap_s
from pagedkv_edu.sizes import require_positive
from pagedkv_edu.viz.figures import Chart, Theme, template
from pagedkv_edu.viz.palette import HUES

TICKS_MS = tuple(n * 10**power for power in range(-2, 6) for n in (1, 2, 5))
BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def cost_figure(
    model: Callable[[int], Model],
    card: Card,
    num_tokens: int,
    block_sizes: Sequence[int] = BLOCK_SIZES,
    theme: Theme = "either",
) -> go.Figure:
    """Return the model's milliseconds to bring num_tokens back, by block size.

    `model(block_size)` returns the model. Swap is the solid line, recompute the dashed
    one; the dotted line is what the bytes of a swap would take alone.
    """
    require_positive("num_tokens", num_tokens)
    labels = [str(size) for size in block_sizes]
    models = [model(size) for size in block_sizes]
    swap = [1e3 * swap_s(m, card, num_tokens) for m in models]
    bytes_only = [
        1e3 * swap_s(m, card, num_tokens, transfers_per_block=0) for m in models
    ]
    again = [1e3 * recompute_s(m, card, num_tokens) for m in models]
    lines = (
        go.Scatter(
            x=labels,
            y=bytes_only,
            name="swap, its bytes alone",
            mode="lines",
            line={"color": HUES[0].fill, "width": 1.5, "dash": "dot"},
        ),
        go.Scatter(
            x=labels,
            y=swap,
            name="swap, out and in",
            mode="lines+markers",
            line={"color": HUES[0].fill, "width": 2.5},
            marker={"size": 8},
        ),
        go.Scatter(
            x=labels,
            y=again,
            name="recompute",
            mode="lines",
            line={"color": HUES[1].fill, "width": 2.5, "dash": "dash"},
        ),
    )
    figure = go.Figure(lines)
    figure.update_traces(hovertemplate="block_size %{x}: %{y:.1f} ms")
    figure.update_layout(
        template=template(theme),
        height=340,
        title=f"{models[0].name}, {num_tokens:,} tokens: a model, not a measurement",
        xaxis={"title": "block_size", "type": "category"},
        yaxis={"title": "milliseconds", "type": "log", "tickvals": TICKS_MS},
        showlegend=True,
        legend={"orientation": "h", "y": 1.14, "x": 0, "yanchor": "top"},
    )
    return Chart(figure) if theme == "either" else figure
