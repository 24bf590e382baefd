"""The progress bar: it moves, ends full, and does not flood the browser."""

import ipywidgets as widgets
import pytest

from pagedkv_edu.course import bar


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[widgets.HBox]:
    boxes: list[widgets.HBox] = []
    monkeypatch.setattr("pagedkv_edu.course.progress_bar.display", boxes.append)
    return boxes


def parts(shown: list[widgets.HBox]) -> tuple[widgets.IntProgress, widgets.Label]:
    progress, count = shown[0].children
    assert isinstance(progress, widgets.IntProgress)
    assert isinstance(count, widgets.Label)
    return progress, count


def test_it_ends_full(shown: list[widgets.HBox]):
    move = bar("requests")
    for done in range(1, 1001):
        move(done, 1000)
    progress, count = parts(shown)

    assert (progress.value, progress.max) == (1000, 1000)
    assert count.value == "1,000 of 1,000"


def test_a_thousand_moves_are_few_messages(shown: list[widgets.HBox]):
    move = bar("requests")
    progress, _ = parts(shown)
    values: list[int] = []

    def note(change: dict[str, int]) -> None:
        values.append(change["new"])

    progress.observe(note, names="value")
    for done in range(1, 1001):
        move(done, 1001)

    assert 1 <= len(values) < 100
