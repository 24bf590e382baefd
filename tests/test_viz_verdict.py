import re
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter

from pagedkv_edu.report import Json, Report
from pagedkv_edu.viz import verdict as module
from pagedkv_edu.viz.verdict import LESSONS, lesson_url, verdict, verdict_html
from tests.verdict_samples import SAMPLES, in_place, leak, passed

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, object]]:
    """What is displayed, in order."""
    shown: list[Mapping[str, object]] = []

    def keep(data: Mapping[str, object], metadata: object = None) -> None:
        shown.append(data)

    monkeypatch.setattr(module, "publish_display_data", keep)
    return shown


def display(outputs: list[Mapping[str, object]], report: Report) -> None:
    verdict(report)._ipython_display_()  # pyright: ignore[reportPrivateUsage]
    assert len(outputs) == 2


@pytest.mark.parametrize("name", SAMPLES)
def test_the_widget_holds_the_whole_report(name: str) -> None:
    report = SAMPLES[name]()

    view = verdict(report, attempt=3)

    assert view.report == report.to_json()
    assert view.attempt == 3
    assert repr(view) == report.text()


def test_the_text_is_an_output_of_its_own_before_the_widget(
    outputs: list[Mapping[str, object]],
) -> None:
    display(outputs, leak())

    text, widget = outputs
    assert text["text/plain"] == leak().text()
    assert list(text) == ["text/plain", "text/html"]
    assert widget["text/plain"] == ""
    assert "application/vnd.jupyter.widget-view+json" in widget


def test_a_page_made_by_nbconvert_says_what_was_wrong(
    outputs: list[Mapping[str, object]],
) -> None:
    display(outputs, in_place())
    cell = nbformat.v4.new_code_cell('check("5.3", MyBlockManager)')
    cell.outputs = [
        nbformat.v4.new_output("display_data", data=dict(data)) for data in outputs
    ]
    notebook = nbformat.v4.new_notebook(cells=[cell])

    page, _ = HTMLExporter().from_notebook_node(notebook)

    assert "new token is in slot 1 of block 0" in page
    assert 'href="../notebooks/05_copy_on_write.ipynb#The-fix"' in page


@pytest.mark.parametrize(
    ("reread", "url"),
    [
        ('lesson 05, "The fix"', "../notebooks/05_copy_on_write.ipynb#The-fix"),
        ("lesson 02", "../notebooks/02_contiguous.ipynb"),
        ("the paper", ""),
        ("lesson 99", ""),
        ("", ""),
    ],
)
def test_what_to_reread_becomes_a_link_to_the_heading(reread: str, url: str) -> None:
    assert lesson_url(reread) == url


def test_every_lesson_notebook_can_be_linked_to() -> None:
    stems = {path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")}

    assert stems <= set(LESSONS)
    assert [lesson[:2] for lesson in LESSONS] == [f"{i:02}" for i in range(14)]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_asks_for_nothing_from_elsewhere(name: str) -> None:
    page = verdict_html(SAMPLES[name]())

    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|<link|\bsrc=|\bimport\b[^;]*\bfrom\b", page)


def test_the_page_says_the_verdict_without_javascript() -> None:
    page = verdict_html(passed())

    assert "<noscript><pre>5.3  passed: 300 histories, 3 seeds" in page


def test_a_report_cannot_end_the_script_that_holds_it() -> None:
    sly = Report("5.3", "failed", "</script><b>", found="<!-- <script>")

    page = verdict_html(sly)

    assert page.count("</script>") == 1
    assert "&lt;/script&gt;" in page  # in the title and in the text


def test_the_json_of_a_report_has_what_the_view_reads() -> None:
    data: Json = leak().to_json()

    assert data["hints"][0]["layers"][0].startswith("Count the references")
    assert len(data["films"]["yours"]["frames"]) == len(data["calls"])
