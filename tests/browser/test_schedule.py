"""The schedule in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.serving.examples import four_requests
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.schedule import SCRIPTS, STYLES, show_schedule

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "schedule"
TRAITS = ("schedule", "step", "setting", "note", "choices")

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>schedule</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {traits}, listeners = {{}};
window.sent = [];
window.change = (changed) => {{
  Object.assign(traits, changed);
  for (const name of Object.keys(changed)) listeners["change:" + name]?.();
}};
renderSchedule({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], set: (name, value) => {{ traits[name] = value; }},
  save_changes() {{}}, send: (message) => sent.push(message),
  on: (name, listener) => {{ listeners[name] = listener; }}, off() {{}},
}} }});</script>"""


class Schedules:
    """Opens schedules in a page, and notes what no page may do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def open(self, theme: str = "light") -> Page:
        view = show_schedule(four_requests())
        text = PAGE.format(
            style=assets.style(*STYLES),
            script=assets.script(*SCRIPTS),
            traits=json.dumps({name: getattr(view, name) for name in TRAITS}),
            theme=theme,
            is_light=json.dumps(theme == "light"),
        )
        path = self.folder / "schedule.html"
        path.write_text(text, encoding="utf-8")
        self.page.goto(path.as_uri())
        self.page.locator(".pagedkv").wait_for()
        return self.page

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")


@pytest.fixture
def schedules(
    chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Schedules]:
    width = getattr(request, "param", 1032)
    context = chromium.new_context(viewport={"width": width, "height": 1000})
    schedules = Schedules(context.new_page(), tmp_path)
    yield schedules
    complaints = list(schedules.complaints)
    context.close()
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("schedules", [1032, 620], indirect=True)
def test_nothing_is_drawn_outside_the_card(schedules: Schedules, theme: str):
    page = schedules.open(theme)
    width = page.viewport_size["width"] if page.viewport_size else 0
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{theme}_{width}.png", full_page=True)

    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_it_is_played_by_keyboard(schedules: Schedules):
    page = schedules.open()
    root = page.locator(".schedule")
    root.focus()
    seen: list[str | None] = []
    for key in ("ArrowRight", "j", "Shift+ArrowRight", "Home", "n", "End"):
        page.keyboard.press(key)
        seen.append(root.get_attribute("data-step"))

    assert seen == ["38", "37", "47", "0", "37", "107"]
    page.keyboard.press("Space")
    expect(page.locator('[data-key="play"]')).to_contain_text("Pause")
    page.wait_for_function("document.querySelector('.schedule').dataset.step > 1")
    page.keyboard.press("Space")
    expect(page.locator('[data-key="play"]')).to_contain_text("Play")


def test_what_both_have_in_common_is_said_once(schedules: Schedules):
    page = schedules.open()

    expect(page.locator(".describe")).to_have_text(
        "Step 37: One running sequence needs a block and none is free. "
        "Recompute: C, which came last, is preempted: its 126 tokens in 8 blocks are "
        "dropped. Swap: C, which came last, is preempted: its 126 tokens in 8 blocks "
        "move to the host. Both: A and B go on. C returns at step 62, when A is done."
    )


def test_where_the_panels_differ_the_headline_names_its_panel(schedules: Schedules):
    page = schedules.open()
    page.evaluate("change({step: 62})")

    expect(page.locator(".headline")).to_have_text(
        "Swap, step 62: C comes back from the host"
    )


def test_the_buttons_ask_the_kernel_and_say_what_would_come(schedules: Schedules):
    page = schedules.open()
    victim = page.locator('[data-key="victim"]')
    expect(victim).to_contain_text("who asks: 112 tokens again")
    victim.click()
    page.keyboard.press("p")
    assert page.evaluate("sent") == [{"type": "victim"}, {"type": "pool"}]

    other = show_schedule(four_requests(), victim="requester")
    changed = {"schedule": other.schedule, "choices": other.choices}
    page.evaluate("(changed) => change(changed)", changed)
    expect(page.locator(".numbers tbody tr").first).to_contain_text("112")
    expect(victim).to_contain_text("Victim: who asks")


def test_the_cursor_follows_the_pointer(schedules: Schedules):
    page = schedules.open()
    box = page.get_by_role("slider", name="step").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)

    at = int(page.locator(".schedule").get_attribute("data-step") or 0)
    assert 45 <= at <= 60
    slider = page.get_by_role("slider", name="step")
    expect(slider).to_have_attribute("aria-valuenow", str(at))
