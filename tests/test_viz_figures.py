import json
from random import Random

import plotly.graph_objects as go
import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.report import Json
from pagedkv_edu.viz.figures import Chart, Theme, template, waste_figure

PAPER = {"light": "#ffffff", "dark": "#111111"}


def plain(figure: go.Figure) -> Json:
    return json.loads(str(figure.to_json()))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted(luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def test_every_sequence_is_in_one_bar_and_there_is_a_bar_for_each_number():
    figure = plain(waste_figure([17, 17, 16, 1], block_size=16))

    (bars,) = figure["data"]
    assert list(bars["x"]) == list(range(16))
    assert dict(zip(bars["x"], bars["y"], strict=True)) == {
        number: {15: 75, 0: 25}.get(number, 0) for number in range(16)
    }


def test_the_line_stands_at_the_mean():
    rng = Random(0)
    seq_lens = [rng.randint(1, 1000) for _ in range(500)]
    figure = plain(waste_figure(seq_lens, block_size=4))

    (line,) = figure["layout"]["shapes"]
    assert line["x0"] == pytest.approx(sum(-n % 4 for n in seq_lens) / 500)
    (note,) = figure["layout"]["annotations"]
    assert f"mean {line['x0']:.1f}" in note["text"]


@pytest.mark.parametrize(
    ("theme", "paper", "least"),
    [
        ("light", "light", 7),
        ("dark", "dark", 7),
        # no grey has 4.5 on both; where the page is JupyterLab its own ink is taken
        ("either", "light", 4.3),
        ("either", "dark", 4.3),
    ],
)
def test_text_can_be_read_on_the_page(theme: Theme, paper: str, least: float):
    ink = template(theme).to_plotly_json()["layout"]["font"]["color"]
    assert contrast(ink, PAPER[paper]) >= least


def test_only_a_figure_for_either_theme_follows_the_page():
    assert isinstance(waste_figure([5], block_size=4), Chart)
    assert not isinstance(waste_figure([5], block_size=4, theme="dark"), Chart)


@pytest.mark.parametrize("seq_lens", [[], [0], [5, 2.5]])
def test_lengths_that_are_none_are_refused(seq_lens: list[int]):
    with pytest.raises(InvalidSize):
        waste_figure(seq_lens, block_size=4)
