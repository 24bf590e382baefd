"""Charts of what each block size costs, and which one is best at which length."""

from collections.abc import Mapping, Sequence
from math import log10

import plotly.graph_objects as go

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.break_even import Cost, Prices, best_size
from pagedkv_edu.viz.figures import Chart, Theme, template
from pagedkv_edu.viz.palette import HUES

# Parts of a bar differ by pattern, so that none is told by its hue alone.
_PARTS = (
    ("empty", "empty slots", HUES[0].fill, ""),
    ("blocks", "blocks started", HUES[1].fill, "/"),
    ("copies", "slots copied", HUES[3].fill, "."),
)
_LENGTHS = [round(2 ** (k / 4)) for k in range(12, 73)]  # 8 to 262,144 tokens


def sweep_figure(
    costs: Sequence[Cost], title: str = "", theme: Theme = "either"
) -> go.Figure:
    """Return a bar for each block size, as a share of reading the sequence itself.

    Bars higher than three times the lowest are cut, and their number says how high
    they are.
    """
    if not costs:
        raise InvalidSize("no costs: give at least one block size")
    numbers = list(range(len(costs)))
    best = min(costs, key=lambda cost: cost.total)
    figure = go.Figure()
    for field, name, colour, pattern in _PARTS:
        shares: list[float] = [
            100 * getattr(cost, field) / cost.mean_len for cost in costs
        ]
        if not any(shares):
            continue
        figure.add_bar(
            x=numbers,
            customdata=[cost.block_size for cost in costs],
            y=shares,
            name=name,
            marker={
                "color": colour,
                "line": {"color": "#797979", "width": 1},
                "pattern": {
                    "shape": pattern,
                    "fgcolor": "#1b1b1b",
                    "fillmode": "overlay",
                    "fgopacity": 0.8,
                    "size": 6,
                    "solidity": 0.2,
                },
            },
            hovertemplate=f"{name} at %{{customdata}}: %{{y:.2f}} %<extra></extra>",
        )
    top = 100 * best.share * 3
    for number, cost in enumerate(costs):
        text = f"{100 * cost.share:.1f} %{' (cut)' if 100 * cost.share > top else ''}"
        figure.add_annotation(
            x=number,
            y=min(100 * cost.share, top),
            text=f"<b>{text}<br>least</b>" if cost is best else text,
            showarrow=False,
            yanchor="bottom",
        )
    figure.update_layout(
        template=template(theme),
        barmode="stack",
        height=360,
        title=title or f"{best.mean_len:,.0f} tokens on average",
        xaxis={
            "title": "block_size",
            "tickvals": numbers,
            "ticktext": [str(cost.block_size) for cost in costs],
        },
        yaxis={"title": "cost of a step, % of reading", "range": [0, top]},
        showlegend=True,
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "y": 1.1,
            "yanchor": "bottom",
            "x": 0,
        },
        margin={"t": 104},
        bargap=0.3,
    )
    return Chart(figure) if theme == "either" else figure


def break_even_figure(
    prices: Prices,
    marks: Mapping[str, float],
    ranges: Mapping[str, tuple[int, int]],
    theme: Theme = "either",
) -> go.Figure:
    """Return the best block size over the length, both on scales of doublings.

    `marks` are workloads by name, with their mean length; `ranges` are sayings about
    block sizes by name, from and to, drawn as bands.
    """
    figure = go.Figure(
        go.Scatter(
            x=_LENGTHS,
            y=[best_size(length, prices) for length in _LENGTHS],
            mode="lines",
            line={"color": HUES[0].fill, "width": 3},
            hovertemplate="%{x:,} tokens: %{y:.0f}<extra></extra>",
        )
    )
    for (name, (low, high)), pattern in zip(
        ranges.items(), ("/", "\\", ".", "x"), strict=False
    ):
        figure.add_scatter(
            x=[_LENGTHS[0], _LENGTHS[-1], _LENGTHS[-1], _LENGTHS[0]],
            y=[low, low, high, high],
            mode="none",
            fill="toself",
            fillpattern={"shape": pattern, "fgcolor": "rgba(128, 128, 128, 0.45)"},
            hoverinfo="skip",
        )
        figure.add_annotation(
            x=0.01,
            xref="paper",
            xanchor="left",
            y=log10(high),
            yanchor="bottom",
            text=f"“{name}”, here {low} to {high}",
            showarrow=False,
        )
    figure.add_scatter(
        x=list(marks.values()),
        y=[best_size(length, prices) for length in marks.values()],
        mode="markers+text",
        marker={
            "size": 11,
            "color": HUES[1].fill,
            "line": {"color": "#1b1b1b", "width": 1.5},
        },
        text=[
            f"{name}: {best_size(length, prices):.0f}" for name, length in marks.items()
        ],
        textposition="bottom right",
        hovertemplate="%{x:,.0f} tokens: %{y:.1f}<extra></extra>",
    )
    ticks = [4**k for k in range(10)]
    figure.update_layout(
        template=template(theme),
        height=400,
        title="Block size with the least cost, by length",
        xaxis={
            "title": "tokens of a sequence, on average over its steps",
            "type": "log",
            "range": [log10(8), log10(2**18)],
            "tickvals": ticks,
            "ticktext": [f"{tick:,}" for tick in ticks],
        },
        yaxis={
            "title": "block_size",
            "type": "log",
            "range": [0, log10(512)],
            "tickvals": [2**k for k in range(10)],
        },
    )
    return Chart(figure) if theme == "either" else figure
