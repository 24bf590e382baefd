"""The small multiples in a browser, with a model that only remembers."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pagedkv_edu import BlockManager
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.small_multiples import SCRIPTS, MakeManager, small_multiples
from tests.browser.test_explorers import PAGE

pytestmark = pytest.mark.browser

REQUESTS = [Request("A", 34, 60), Request("B", 5, 20), Request("C", 60, 30)]
TRAITS = ("names", "lengths", "panels", "texts", "step")
SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "explorers"


def opened(
    chromium: Browser,
    folder: Path,
    *,
    theme: str = "light",
    width: int = 1040,
    make_manager: MakeManager = BlockManager,
) -> tuple[Page, list[str]]:
    widget = small_multiples(REQUESTS, make_manager, start_at=16)
    path = folder / "multiples.html"
    path.write_text(
        PAGE.format(
            style=assets.style("small_multiples.css"),
            theme=theme,
            is_light=str(theme == "light").lower(),
            script=assets.script(*SCRIPTS),
            render="renderSmallMultiples",
            traits=json.dumps({name: getattr(widget, name) for name in TRAITS}),
        ),
        encoding="utf-8",
    )
    page = chromium.new_page(viewport={"width": width, "height": 800})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector(".multiples")
    return page, complaints


def step(page: Page) -> int:
    return int(page.locator(".multiples").get_attribute("data-step") or -1)


def test_each_panel_has_a_mark_for_each_block(chromium: Browser, tmp_path: Path):
    page, complaints = opened(chromium, tmp_path)
    marks = [svg.locator(".block").count() for svg in page.locator(".panels svg").all()]

    assert marks == [50 + 21 + 76, 13 + 6 + 19, 4 + 2 + 5, 1 + 1 + 2]
    # 50 tokens of A leave 14 of 64 slots empty, and so on
    parts = [svg.locator(".part").count() for svg in page.locator(".panels svg").all()]
    assert parts == [0, 2, 3, 3]
    assert complaints == []
    page.close()


def test_keys_and_buttons_step_and_the_model_is_told(chromium: Browser, tmp_path: Path):
    page, complaints = opened(chromium, tmp_path)
    page.locator(".multiples").focus()
    page.keyboard.press("ArrowRight")
    assert step(page) == 17
    page.keyboard.press("Shift+ArrowLeft")
    assert step(page) == 7
    page.keyboard.press("k")  # A grows beyond 64 tokens: 34 + 31
    assert step(page) == 31
    assert page.evaluate("traits.step") == 31
    page.keyboard.press("j")
    assert step(page) == 5  # C: 60 + 5
    page.keyboard.press("End")
    assert step(page) == 59
    page.get_by_role("button", name="Back").click()
    assert step(page) == 58
    assert "1 sequence" in page.locator(".text").inner_text()
    assert complaints == []
    page.close()


def test_it_plays_and_pauses(chromium: Browser, tmp_path: Path):
    page, complaints = opened(chromium, tmp_path)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.querySelector('.multiples').dataset.step > 18")
    page.get_by_role("button", name="Pause").click()
    now = step(page)
    page.wait_for_timeout(300)

    assert step(page) == now == page.evaluate("traits.step")
    assert complaints == []
    page.close()


def test_an_error_of_a_learners_class_is_shown(chromium: Browser, tmp_path: Path):
    def broken(*_: object) -> BlockManager:
        raise RuntimeError("not today")

    page, complaints = opened(chromium, tmp_path, make_manager=broken)

    assert "RuntimeError: not today" in page.locator(".panels").inner_text()
    assert complaints == []
    page.close()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1040), ("dark", 1040), ("light", 560)]
)
def test_nothing_is_wider_than_the_page(
    chromium: Browser, tmp_path: Path, theme: str, width: int
):
    page, complaints = opened(chromium, tmp_path, theme=theme, width=width)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"small_multiples_{theme}_{width}.png")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    page.close()
