"""The chart of what slots are used for."""

import json
from random import Random

import plotly.graph_objects as go
import pytest

from pagedkv_edu.report import Json
from pagedkv_edu.serving.reservation import compare_reservations
from pagedkv_edu.serving.shares import SlotShares
from pagedkv_edu.serving.workload import lognormal_workload
from pagedkv_edu.viz.shares import shares_figure


def traces(figure: go.Figure, kind: str) -> list[Json]:
    return [t for t in json.loads(str(figure.to_json()))["data"] if t["type"] == kind]


@pytest.fixture(scope="module")
def compared() -> dict[str, SlotShares]:
    return compare_reservations(lognormal_workload(300, rng=Random(0)))


def test_the_bars_of_a_policy_fill_the_whole_width(compared: dict[str, SlotShares]):
    bars = traces(shares_figure(compared), "bar")

    assert len(bars) == 4
    for index in range(len(compared)):
        assert sum(bar["x"][index] for bar in bars) == pytest.approx(100)


def test_each_bar_says_its_share_of_tokens_in_words(compared: dict[str, SlotShares]):
    labels = traces(shares_figure(compared), "bar")[0]["y"]

    for label, (policy, shares) in zip(labels, compared.items(), strict=True):
        assert label == f"{policy}, {100 * shares.token:.0f} %"


def test_the_uses_differ_in_more_than_colour(compared: dict[str, SlotShares]):
    bars = traces(shares_figure(compared, theme="light"), "bar")
    patterns = [bar["marker"].get("pattern", {}).get("shape") for bar in bars]

    assert patterns == [None, "", "x", "/"]
    assert all(bar["name"] for bar in bars)


def test_the_papers_shares_are_marked_where_there_are_some(
    compared: dict[str, SlotShares],
):
    (marks,) = traces(shares_figure(compared, {"oracle": 38.2}), "scatter")

    assert marks["x"] == [38.2]
    assert marks["y"][0].startswith("oracle")
