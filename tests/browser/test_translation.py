"""The translation explorer's drawing in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.translation import BLOCK_SIZES, LENGTHS, LLAMA_3_8B, picture

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "translation"
LAST = LENGTHS["A"] - 1

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorer</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const listeners = {{}};
window.traits = {traits};
window.change = (name, value) => {{
  traits[name] = value;
  listeners["change:" + name]();
}};
const model = {{
  get: (name) => traits[name], set: window.change, save_changes() {{}}, off() {{}},
  on: (name, listener) => {{ listeners[name] = listener; }},
}};
renderTranslation({{ el: document.getElementById("el"), model }});</script>"""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1032, "height": 820})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    yield page
    context.close()
    assert complaints == []


def show(page: Page, folder: Path, seen: Json, theme: str = "light") -> None:
    traits = {"picture": seen, "position": 21, "view": BLOCK_SIZES.index(4)}
    text = PAGE.format(
        style=assets.style("translation.css"),
        script=assets.script("translation.js"),
        traits=json.dumps(traits),
        theme=theme,
        is_light=str(theme == "light").lower(),
    )
    path = folder / "translation.html"
    path.write_text(text, encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".headline")).to_be_visible()


def keep_screenshot(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.locator(".translation").screenshot(path=SCREENSHOTS / f"{name}.png")


def headline(page: Page) -> str:
    return page.locator(".headline").inner_text()


def swapped(position: int, block_size: int) -> tuple[int, int]:
    return position % block_size, position // block_size


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_drawing_and_the_text_say_the_same(page: Page, tmp_path: Path, theme: str):
    seen = picture(LLAMA_3_8B, seed=8)
    show(page, tmp_path, seen, theme)
    keep_screenshot(page, f"first_{theme}")

    way = seen["views"][BLOCK_SIZES.index(4)]["ways"][21]

    assert headline(page) == f"Position 21 of A is in slot {way['slot']}"
    assert page.locator(".told").inner_text().strip() == way["text"]
    lit = page.locator(".quiet.lit").all_text_contents()
    row, column = way["slot"] // 16 * 16, way["slot"] % 16
    assert set(lit) == {
        "5", f"block {way['block_id']}", str(row), f"+{column}"
    }  # fmt: skip


def test_every_view_and_position_can_be_drawn_and_nothing_leaves_the_drawing(
    page: Page, tmp_path: Path
):
    show(page, tmp_path, picture(LLAMA_3_8B, seed=8))

    outside = page.evaluate(
        """([numViews, last]) => {
          const outside = [];
          for (let view = 0; view < numViews; view += 1) {
            for (let position = 0; position <= last; position += 1) {
              change("view", view);
              change("position", position);
              const svg = document.querySelector(".stage svg");
              const box = svg.getBoundingClientRect();
              for (const text of svg.querySelectorAll("text")) {
                const { left, right, top, bottom } = text.getBoundingClientRect();
                if (left < box.left - 1 || right > box.right + 1 ||
                    top < box.top - 1 || bottom > box.bottom + 1) {
                  outside.push([view, position, text.textContent]);
                }
              }
            }
          }
          return outside;
        }""",
        [len(BLOCK_SIZES), LAST],
    )

    assert outside == []


def test_keys_move_the_position_and_stop_at_the_ends(page: Page, tmp_path: Path):
    show(page, tmp_path, picture(LLAMA_3_8B, seed=8))
    page.locator(".translation").focus()
    seen: list[int] = []
    for key in ("ArrowRight", "PageDown", "End", "ArrowRight", "Home", "ArrowLeft"):
        page.keyboard.press(key)
        seen.append(page.evaluate("traits.position"))

    assert seen == [22, 26, LAST, LAST, 0, 0]
    for key, view in (("ArrowUp", 3), ("ArrowUp", 4), ("ArrowUp", 4), ("ArrowDown", 3)):
        page.keyboard.press(key)
        assert page.evaluate("traits.view") == view


def test_a_key_that_is_handled_goes_no_further(page: Page, tmp_path: Path):
    show(page, tmp_path, picture(LLAMA_3_8B, seed=8))
    page.evaluate(
        "window.heard = [];"
        "document.addEventListener('keydown', (event) => heard.push(event.key))"
    )
    page.locator(".translation").focus()
    for key in ("ArrowDown", "a", "Control+ArrowLeft"):
        page.keyboard.press(key)

    assert page.evaluate("heard") == ["a", "Control", "ArrowLeft"]
    assert page.evaluate("traits.position") == 21


def test_a_click_on_a_token_goes_there(page: Page, tmp_path: Path):
    show(page, tmp_path, picture(LLAMA_3_8B, seed=8))
    for position in (9, 33):
        page.locator(f'.stage [data-position="{position}"]').first.click()

        assert page.evaluate("traits.position") == position
        assert headline(page).startswith(f"Position {position} of A")


def test_fast_changes_end_with_the_last_one(page: Page, tmp_path: Path):
    seen = picture(LLAMA_3_8B, seed=8)
    show(page, tmp_path, seen)
    page.evaluate(
        "for (let i = 0; i < 500; i += 1) change('position', (i * 7) % 37);"
        "change('view', 4); change('position', 17)"
    )

    assert headline(page) == (
        f"Position 17 of A is in slot {seen['views'][4]['ways'][17]['slot']}"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_wrong_function_is_marked_where_it_leads_and_in_words(
    page: Page, tmp_path: Path, theme: str
):
    seen = picture(LLAMA_3_8B, seed=8, my_locate=swapped)
    show(page, tmp_path, seen, theme)
    keep_screenshot(page, f"wrong_{theme}")

    remark = page.locator(".remark").inner_text()
    found = seen["views"][2]["ways"][21]["found_slot"]
    assert remark.startswith("Yours: swapped(21, 4) returned (1, 5); expected (5, 1).")
    assert f"In slot {found} is" in remark
    assert page.locator(".stage svg text", has_text="yours").count() == 1
    assert "Yours: swapped(21, 4)" in page.locator(".told").inner_text()
