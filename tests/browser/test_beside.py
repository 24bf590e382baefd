"""Two runs beside each other in a browser, with a model that only remembers."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pagedkv_edu.viz import assets
from pagedkv_edu.viz.beside import SCRIPTS
from pagedkv_edu.viz.table_overflow import show_overflow
from tests.browser.test_explorers import PAGE
from tests.test_viz_beside import grow, raises

pytestmark = pytest.mark.browser

TRAITS = ("names", "steps", "index")
SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "explorers"


def opened(
    chromium: Browser, folder: Path, *, theme: str = "light", width: int = 1040
) -> tuple[Page, list[str]]:
    widget = show_overflow(grow, raises, start_at=1)
    path = folder / "beside.html"
    path.write_text(
        PAGE.format(
            style=assets.style("beside.css"),
            theme=theme,
            is_light=str(theme == "light").lower(),
            script=assets.script(*SCRIPTS),
            render="renderBeside",
            traits=json.dumps({name: getattr(widget, name) for name in TRAITS}),
        ),
        encoding="utf-8",
    )
    page = chromium.new_page(viewport={"width": width, "height": 700})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector(".beside")
    return page, complaints


def test_keys_buttons_and_the_track_step_and_the_model_is_told(
    chromium: Browser, tmp_path: Path
):
    page, complaints = opened(chromium, tmp_path)
    root = page.locator(".beside")
    root.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("traits.index") == 2
    assert page.locator(".side.is-wrong").count() == 1
    wrong = page.locator(".side.is-wrong .slot.wrong").all_inner_texts()
    assert [text.split() for text in wrong] == [
        ["4", "A’s"],
        ["violets", "wrong"],
        ["·", "wrong"],
    ]
    page.get_by_role("button", name="Step", exact=True).click()
    assert root.get_attribute("data-step") == "3"
    assert page.get_by_role("button", name="Step", exact=True).is_disabled()
    page.get_by_role("button", name="step 1:").click()
    assert page.locator(".side.is-wrong").count() == 0
    assert page.get_by_role("button", name="Back").is_disabled()
    page.keyboard.press("End")
    assert page.evaluate("traits.index") == 3
    assert complaints == []
    page.close()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1040), ("dark", 1040), ("light", 480)]
)
def test_nothing_is_wider_than_the_page_and_errors_are_text(
    chromium: Browser, tmp_path: Path, theme: str, width: int
):
    page, complaints = opened(chromium, tmp_path, theme=theme, width=width)
    page.locator(".beside").focus()
    page.keyboard.press("ArrowRight")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"beside_{theme}_{width}.png")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "Failed with KeyError" in page.locator(".side").nth(1).inner_text()
    assert complaints == []
    page.close()
