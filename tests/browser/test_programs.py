"""The programs of a launch in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.viz import assets
from pagedkv_edu.viz.programs import SCRIPTS, STYLES, programs_view

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "programs"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>programs</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {traits};
window.traits = traits;
renderPrograms({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], set: (name, value) => {{ traits[name] = value; }},
  save_changes() {{}}, send() {{}}, on() {{}}, off() {{}},
}} }});</script>"""


class Programs:
    """Opens the view in a page, and notes what no page may do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, rung: int = 0, theme: str = "light") -> Page:
        view = programs_view(rung)
        text = PAGE.format(
            style=assets.style(*STYLES),
            script=assets.script(*SCRIPTS),
            traits=json.dumps({"picture": view.picture, "rung": view.rung}),
            theme=theme,
            is_light=json.dumps(theme == "light"),
        )
        path = self.folder / "programs.html"
        path.write_text(text, encoding="utf-8")
        self.page.goto(path.as_uri())
        self.page.locator(".pagedkv").wait_for()
        return self.page


@pytest.fixture
def programs(chromium: Browser, tmp_path: Path) -> Iterator[Programs]:
    context = chromium.new_context(viewport={"width": 1032, "height": 760})
    programs = Programs(context.new_page(), tmp_path)
    yield programs
    complaints = list(programs.complaints)
    context.close()
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("rung", range(4))
def test_nothing_is_drawn_outside_the_card(programs: Programs, rung: int, theme: str):
    page = programs.open(rung, theme)
    outside = page.evaluate(
        """() => {
          const card = document.querySelector(".pagedkv").getBoundingClientRect();
          return [...document.querySelectorAll(".stage :is(text, rect)")]
            .filter((shape) => {
              const box = shape.getBoundingClientRect();
              return box.left < card.left || box.right > card.right;
            }).map((shape) => shape.outerHTML);
        }"""
    )
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.locator(".pagedkv").screenshot(path=SCREENSHOTS / f"{rung}-{theme}.png")

    assert outside == []


def test_bars_stay_inside_the_box_of_their_program(programs: Programs):
    for rung in range(4):
        page = programs.open(rung)
        over = page.evaluate(
            """() => [...document.querySelectorAll(".program")].filter((group) => {
              const [box, ...bars] = [...group.querySelectorAll("rect")]
                .map((rect) => rect.getBoundingClientRect());
              return bars.some((bar) => bar.bottom > box.bottom);
            }).length"""
        )
        assert over == 0


def test_keys_and_buttons_choose_the_launch_and_a_click_the_program(programs: Programs):
    page = programs.open()
    view = page.locator(".pagedkv")
    view.focus()
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-rung", "1")
    page.get_by_role("button", name="4 Split").click()
    expect(view).to_have_attribute("data-rung", "3")
    assert page.evaluate("traits.rung") == 3
    page.locator('[data-program="2"]').click()
    expect(page.locator(".stage")).to_contain_text("This part has no token")
