import json
from random import Random

import plotly.graph_objects as go
import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.report import Json
from pagedkv_edu.serving import workload
from pagedkv_edu.serving.block_sizes import held
from pagedkv_edu.serving.break_even import Cost, Prices, best_size, cost_of
from pagedkv_edu.viz.block_size_figures import break_even_figure, sweep_figure
from pagedkv_edu.viz.figures import Chart

REQUESTS = workload.lognormal_workload(300, rng=Random(0))
SIZES = (1, 4, 16, 64)


def plain(figure: go.Figure) -> Json:
    return json.loads(str(figure.to_json()))


def costs(branches: float = 0.0) -> list[Cost]:
    return [cost_of(held(REQUESTS, size), Prices(), branches) for size in SIZES]


def test_the_parts_of_a_bar_add_up_to_its_number():
    figure = plain(sweep_figure(costs(0.1)))
    bars, notes = figure["data"], figure["layout"]["annotations"]

    assert [bar["name"] for bar in bars] == [
        "empty slots",
        "blocks started",
        "slots copied",
    ]
    for number, cost in enumerate(costs(0.1)):
        height = sum(bar["y"][number] for bar in bars)
        assert height == pytest.approx(100 * cost.share)
        assert f"{height:.1f} %" in notes[number]["text"]


def test_one_bar_is_the_least_and_a_part_that_costs_nothing_is_left_out():
    figure = plain(sweep_figure(costs()))
    least = [
        note for note in figure["layout"]["annotations"] if "least" in note["text"]
    ]

    assert [note["x"] for note in least] == [SIZES.index(16)]
    assert len(figure["data"]) == 2


def test_parts_differ_by_pattern_and_not_by_hue_alone():
    bars = plain(sweep_figure(costs(0.1)))["data"]

    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 3


def test_a_bar_that_is_cut_says_so():
    figure = plain(sweep_figure(costs()))
    top = figure["layout"]["yaxis"]["range"][1]

    for note, cost in zip(figure["layout"]["annotations"], costs(), strict=True):
        assert ("(cut)" in note["text"]) == (100 * cost.share > top)


def test_workloads_stand_on_the_line():
    figure = plain(break_even_figure(Prices(), {"here": 512.0}, {"tens": (20, 60)}))
    line, band, marks = figure["data"]

    assert marks["y"] == [best_size(512, Prices())] == [16]
    assert line["y"][line["x"].index(512)] == 16
    assert set(band["y"]) == {20, 60}


def test_only_a_figure_for_either_theme_follows_the_page():
    assert isinstance(sweep_figure(costs()), Chart)
    assert isinstance(break_even_figure(Prices(), {}, {}), Chart)
    assert not isinstance(sweep_figure(costs(), theme="light"), Chart)


def test_no_costs_are_refused():
    with pytest.raises(InvalidSize):
        sweep_figure([])
