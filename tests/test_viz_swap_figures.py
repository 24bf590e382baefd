"""The chart of what swap and recompute cost."""

import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.costs import A100, opt_13b, recompute_s, swap_s
from pagedkv_edu.viz.swap_figures import BLOCK_SIZES, cost_figure


def test_the_lines_are_the_numbers_of_the_model():
    traces = cost_figure(opt_13b, A100, 1024, theme="light").to_dict()["data"]
    bytes_only, swap, again = (list(trace["y"]) for trace in traces)

    for i, size in enumerate(BLOCK_SIZES):
        assert swap[i] == pytest.approx(1e3 * swap_s(opt_13b(size), A100, 1024))
        assert again[i] == pytest.approx(1e3 * recompute_s(opt_13b(size), A100, 1024))
        assert bytes_only[i] < swap[i]


def test_strategies_differ_by_line_and_not_by_hue_alone():
    traces = cost_figure(opt_13b, A100, 1024, theme="dark").to_dict()["data"]

    assert [trace["line"].get("dash") for trace in traces] == ["dot", None, "dash"]


def test_a_length_that_is_none_is_refused():
    with pytest.raises(InvalidSize):
        cost_figure(opt_13b, A100, 0)
