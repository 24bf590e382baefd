"""The prefix explorer in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.viz import assets
from pagedkv_edu.viz.prefix_tree import SCRIPTS, prefix_tree

pytestmark = pytest.mark.browser

PLAY = ["serve A", "end A", "serve B", "end B", "serve C", "end C", "serve D"]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>prefix</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {traits};
window.sent = [];
renderPrefixTree({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], send: (message) => sent.push(message),
  on() {{}}, off() {{}},
}} }});</script>"""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page that fails the test where it complains or asks for anything."""
    page = chromium.new_page(viewport={"width": 1024, "height": 700})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url))
    yield page
    page.close()
    assert complaints == []


def opened(page: Page, theme: str = "light", start_at: int = -1) -> Page:
    traits = {"picture": prefix_tree(play=PLAY).picture, "start_at": start_at}
    page.set_content(
        PAGE.format(
            style=assets.style("prefix_tree.css"),
            script=assets.script(*SCRIPTS),
            theme=theme,
            is_light=str(theme == "light").lower(),
            traits=json.dumps(traits),
        )
    )
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_hit_path_is_thick_and_the_mismatch_is_marked(page: Page, theme: str):
    opened(page, theme, start_at=8)  # C's lookup

    expect(page.locator(".headline")).to_have_text("C finds 1 block")
    widths = page.locator("svg path[stroke-width='4.5']")
    expect(widths).to_have_count(1)
    expect(page.locator(".ghost [text-decoration=underline]")).to_have_text("write")
    expect(page.locator("[data-state=cached]")).to_have_count(3)


def test_arrow_keys_go_through_what_happened(page: Page):
    opened(page)
    root = page.locator(".prefix")
    root.focus()
    for keys, event in (("Home", 0), ("ArrowRight", 1), ("Shift+ArrowRight", 3)):
        page.keyboard.press(keys)
        expect(root).to_have_attribute("data-event", str(event))
    page.keyboard.press("Shift+ArrowLeft")
    expect(root).to_have_attribute("data-event", "0")
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()


def test_buttons_send_what_they_say_and_only_at_the_newest_event(page: Page):
    opened(page)
    page.get_by_role("button", name="End D").click()
    page.get_by_role("button", name="Start again").click()
    assert page.evaluate("sent") == [{"do": "end", "seq": "D"}, {"do": "restart"}]

    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("button", name="End D")).to_be_disabled()
    page.get_by_role("button", name="Go to the newest event").click()
    expect(page.get_by_role("button", name="End D")).to_be_enabled()


def test_what_is_pointed_at_is_marked_in_tree_and_pool(page: Page):
    opened(page)
    page.locator(".node[data-block='0']").hover()

    expect(page.locator(".pointed")).to_have_count(2)


def test_an_evicted_block_is_marked_where_it_was(page: Page):
    opened(page, start_at=13)  # D takes its blocks

    expect(page.locator(".node[data-gone=true]")).to_contain_text("was in block 2")
    expect(page.locator(".block", has_text="forgotten")).to_have_count(1)
