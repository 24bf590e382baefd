"""What the slots of a cache were used for, by policy, as a chart."""

from collections.abc import Mapping

import plotly.graph_objects as go

from pagedkv_edu.serving.shares import SlotShares
from pagedkv_edu.viz.figures import Chart, Theme, template
from pagedkv_edu.viz.palette import HUES, LOSS_FILL

INK = {"either": "#797979", "light": "#1b1b1b", "dark": "#ececec"}


def shares_figure(
    shares_by_policy: Mapping[str, SlotShares],
    paper: Mapping[str, float] | None = None,
    theme: Theme = "either",
) -> go.Figure:
    """Return one bar for each policy, cut into the four uses of the slots.

    `paper` may give another token share for each policy, in percent; it is marked.
    """
    ink = INK[theme]
    blue = HUES[0].fill
    looks = {
        "token": ("hold a token", {"color": blue, "line": {"color": blue, "width": 1}}),
        "reserved": ("will hold one", _outlined(blue, "")),
        "internal": ("reserved, never used", _outlined(LOSS_FILL, "x")),
        "external": ("nobody's: holes, rounding", _outlined(ink, "/")),
    }
    # the share that matters stands beside the bar: a page's ink is dim on blue
    label_by_policy = {
        policy: f"{policy}, {100 * shares.token:.0f} %"
        for policy, shares in shares_by_policy.items()
    }
    labels = list(label_by_policy.values())
    figure = go.Figure()
    for field, (name, marker) in looks.items():
        percent = [100 * getattr(s, field) for s in shares_by_policy.values()]
        text = [f"{value:.0f}" if value >= 4 else "" for value in percent]
        figure.add_bar(
            y=labels,
            x=percent,
            orientation="h",
            name=name,
            marker=marker,
            text=[] if field == "token" else text,
            textposition="inside",
            insidetextanchor="middle",
            textfont={"color": ink},
            hovertemplate=f"%{{y}}: %{{x:.1f}} % {name}<extra></extra>",
        )
    if paper:
        figure.add_scatter(
            y=[label for policy, label in label_by_policy.items() if policy in paper],
            x=[paper[policy] for policy in label_by_policy if policy in paper],
            mode="markers",
            name="hold a token, paper",
            marker={
                "symbol": "diamond",
                "size": 11,
                "color": "#ffffff",
                "line": {"color": "#1b1b1b", "width": 2},
            },
            hovertemplate="%{y}: %{x:.1f} % in the paper<extra></extra>",
        )
    figure.update_layout(
        template=template(theme),
        barmode="stack",
        height=150 + 44 * len(labels),
        title="Where the slots are, average over all steps",
        xaxis={"title": "share of slots, %", "range": [0, 100]},
        yaxis={"autorange": "reversed"},
        bargap=0.35,
        showlegend=True,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "xanchor": "left",
            "traceorder": "normal",
        },
        margin={"t": 96},
    )
    return Chart(figure) if theme == "either" else figure


def _outlined(colour: str, shape: str) -> dict[str, object]:
    """Return the look of slots without a token: an outline, and perhaps a texture."""
    return {
        "color": "rgba(0, 0, 0, 0)",
        "line": {"color": colour, "width": 1.5},
        "pattern": {
            "shape": shape,
            "fgcolor": colour,
            "bgcolor": "rgba(0, 0, 0, 0)",
            "fgopacity": 0.35,
            "size": 7,
        },
    }
