"""Attention weights as a heat map: which words each token looks at, right and wrong."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.word_attention import weights
from pagedkv_edu.viz.figures import Chart, Theme, template

# The words that the token at a position reads, its own last: words_read(seq_len).
WordsRead = Callable[[int], Sequence[str]]

MOST_SHADED = 0.4  # a weight above it is shown as this one, so that small ones differ


def heat_figure(
    read_by_name: dict[str, WordsRead],
    seq_lens: Sequence[int],
    theme: Theme = "either",
) -> go.Figure:
    """Return a panel for each way of reading: a row for each length, a column a slot.

    The newest token of each length asks. A cross marks a slot beyond the length: what
    is read there is not the sequence's.
    """
    if not read_by_name or not seq_lens:
        raise InvalidSize("nothing to draw: give a way of reading and some lengths")
    figure = Chart()
    num_slots = max(
        len(read(seq_len)) for read in read_by_name.values() for seq_len in seq_lens
    )
    most = 0.0
    for k, (name, read) in enumerate(read_by_name.items()):
        rows = [_row(read(seq_len), seq_len, num_slots) for seq_len in seq_lens]
        most = max(most, *(w for row in rows for w, _ in row if w is not None))
        _panel(figure, k, name, seq_lens, rows)
    _lay_out(figure, list(read_by_name), seq_lens, num_slots, most, theme)
    return figure


def _row(
    words: Sequence[str], seq_len: int, num_slots: int
) -> list[tuple[float | None, str]]:
    """Return the weight and the word of each slot; None where nothing was read."""
    seen = list(zip(weights(words[seq_len - 1], words), words, strict=True))
    return [*seen, *[(None, "")] * (num_slots - len(seen))]


def _panel(
    figure: go.Figure,
    k: int,
    name: str,
    seq_lens: Sequence[int],
    rows: Sequence[Sequence[tuple[float | None, str]]],
) -> None:
    axes = {"xaxis": f"x{k + 1}" if k else "x", "yaxis": f"y{k + 1}" if k else "y"}
    figure.add_heatmap(
        z=[[weight for weight, _ in row] for row in rows],
        x=list(range(len(rows[0]))),
        y=list(seq_lens),
        text=[[word for _, word in row] for row in rows],
        hovertemplate=f"{name}<br>seq_len %{{y}}, slot %{{x}}: %{{text}}"
        "<br>weight %{z:.2f}<extra></extra>",
        coloraxis="coloraxis",
        xgap=2,
        ygap=2,
        **axes,
    )
    beyond = [
        (place, seq_len)
        for seq_len, row in zip(seq_lens, rows, strict=True)
        for place, (weight, _) in enumerate(row)
        if weight is not None and place >= seq_len
    ]
    # paper under ink: the cross reads on the dark and on the light end of the scale
    for width, colour in ((5, "#ffffff"), (2.5, "#B84A00")):
        figure.add_scatter(
            x=[place for place, _ in beyond],
            y=[seq_len for _, seq_len in beyond],
            mode="markers",
            marker={
                "symbol": "x-thin",
                "size": 13,
                "line": {"width": width, "color": colour},
            },
            hoverinfo="skip",
            showlegend=False,
            **axes,
        )


def _lay_out(
    figure: go.Figure,
    names: list[str],
    seq_lens: Sequence[int],
    num_slots: int,
    most: float,
    theme: Theme,
) -> None:
    gap = 0.06
    top = min(most, MOST_SHADED)
    more = " or more" if most > top else ""
    width = (1 - gap * (len(names) - 1)) / len(names)
    axes: dict[str, dict[str, object]] = {}
    for k, name in enumerate(names):
        start = k * (width + gap)
        number = str(k + 1) if k else ""
        axes[f"xaxis{number}"] = {
            "domain": [start, start + width],
            "anchor": f"y{number}",
            "title": {"text": "slot, along the table", "font": {"size": 13}},
            "dtick": 1,
            "showgrid": False,
            "range": [-0.5, num_slots - 0.5],
        }
        axes[f"yaxis{number}"] = {
            "anchor": f"x{number}",
            "title": {
                "text": "" if k else "seq_len: its newest token asks",
                "font": {"size": 13},
            },
            "dtick": 1,
            "range": [seq_lens[-1] + 0.5, seq_lens[0] - 0.5],
            "showgrid": False,
        }
        figure.add_annotation(
            text=f"<b>{name}</b>",
            x=start,
            y=1.1,
            xref="paper",
            yref="paper",
            xanchor="left",
            showarrow=False,
        )
    figure.update_layout(
        template=template(theme),
        height=400,
        margin={"l": 56, "r": 16, "t": 56, "b": 52},
        coloraxis={
            "colorscale": "Cividis",
            "cmin": 0,
            "cmax": top,
            "colorbar": {
                "title": {"text": "weight", "font": {"size": 12}},
                "thickness": 12,
                "len": 0.8,
                "tickvals": [0, top / 2, top],
                "ticktext": ["0", f"{top / 2:.1f}", f"{top:.1f}{more}"],
            },
        },
    )
    figure.update_layout(axes)
