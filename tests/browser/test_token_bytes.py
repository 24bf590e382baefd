"""The bytes of a token in a browser, with a model that only remembers."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pagedkv_edu.serving.known_models import KNOWN_MODELS
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.token_bytes import SCRIPTS, token_bytes
from tests.browser.test_explorers import PAGE

pytestmark = pytest.mark.browser

TRAITS = ("models", "chosen", "dtype_bytes", "dtype_names")
SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "explorers"


def opened(
    chromium: Browser, folder: Path, *, theme: str = "light", width: int = 1040
) -> tuple[Page, list[str]]:
    widget = token_bytes(KNOWN_MODELS, "Llama-3-8B")
    path = folder / "token.html"
    path.write_text(
        PAGE.format(
            style=assets.style("token_bytes.css"),
            theme=theme,
            is_light=str(theme == "light").lower(),
            script=assets.script(*SCRIPTS),
            render="renderTokenBytes",
            traits=json.dumps({name: getattr(widget, name) for name in TRAITS}),
        ),
        encoding="utf-8",
    )
    page = chromium.new_page(viewport={"width": width, "height": 760})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector(".token-bytes")
    return page, complaints


def area(page: Page, name: str) -> float:
    box = page.locator(f'[data-model="{name}"] svg').bounding_box()
    assert box
    return box["width"] * box["height"]


def test_areas_are_to_one_another_as_bytes(chromium: Browser, tmp_path: Path):
    page, complaints = opened(chromium, tmp_path)
    by_bytes = {m.name: m.spec().bytes_per_token for m in KNOWN_MODELS}

    for name, num_bytes in by_bytes.items():
        share = area(page, name) / area(page, "OPT-13B")
        assert share == pytest.approx(num_bytes / by_bytes["OPT-13B"], rel=0.02)
    assert complaints == []
    page.close()


def test_a_click_chooses_and_a_dtype_halves(chromium: Browser, tmp_path: Path):
    page, complaints = opened(chromium, tmp_path)
    assert "128 KiB" in page.locator(".headline").inner_text()
    page.locator('[data-model="OPT-13B"]').click()
    assert "OPT-13B takes 800 KiB" in page.locator(".headline").inner_text()
    assert "819,200 bytes a token" in page.locator(".text").inner_text()
    before = area(page, "OPT-13B")
    page.get_by_role("button", name="1 byte a number").click()

    assert area(page, "OPT-13B") == pytest.approx(before / 2, rel=0.02)
    assert page.evaluate("[traits.chosen, traits.dtype_bytes]") == ["OPT-13B", 1]
    assert page.locator(".layer circle").count() == 40
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
    page.screenshot(path=SCREENSHOTS / f"token_bytes_{theme}_{width}.png")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    page.close()
