"""The race in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.viz import assets
from pagedkv_edu.viz.race import SCRIPTS, STYLES, show_race
from pagedkv_edu.viz.race_explorer import race_workload

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "race"
TRAITS = ("race", "step", "fit", "ends")

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>view</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {traits}, listeners = {{}};
window.sent = [];
window.traits = traits;
window.change = (changed) => {{
  Object.assign(traits, changed);
  for (const name of Object.keys(changed)) listeners["change:" + name]?.();
}};
{render}({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], set: (name, value) => {{ traits[name] = value; }},
  save_changes() {{}}, send: (message) => sent.push(message),
  on: (name, listener) => {{ listeners[name] = listener; }}, off() {{}},
}} }});</script>"""


class Races:
    """Opens races in a page, and notes what no page may do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def open(self, theme: str = "light", block_size: int = 16) -> Page:
        view = show_race(race_workload(311), block_size=block_size)
        text = PAGE.format(
            style=assets.style(*STYLES),
            script=assets.script(*SCRIPTS),
            render="renderRace",
            traits=json.dumps({name: getattr(view, name) for name in TRAITS}),
            theme=theme,
            is_light=json.dumps(theme == "light"),
        )
        path = self.folder / "race.html"
        path.write_text(text, encoding="utf-8")
        self.page.goto(path.as_uri())
        self.page.locator(".race").wait_for()
        return self.page

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")


@pytest.fixture
def races(
    chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Races]:
    context = chromium.new_context(
        viewport={"width": getattr(request, "param", 1032), "height": 900},
        reduced_motion="reduce",
    )
    races = Races(context.new_page(), tmp_path)
    yield races
    complaints = list(races.complaints)
    context.close()
    assert complaints == []


def at(page: Page) -> int:
    return int(page.locator(".race").get_attribute("data-step") or -1)


def press(page: Page, *keys: str) -> int:
    page.locator(".race").focus()
    for key in keys:
        page.keyboard.press(key)
    return at(page)


def width_of(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["width"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("races", [1032, 660, 420], indirect=True)
def test_nothing_is_drawn_outside_the_card(races: Races, theme: str):
    page = races.open(theme)
    width = page.viewport_size["width"] if page.viewport_size else 0
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path = SCREENSHOTS / f"race_{theme}_{width}.png"
    page.locator(".race").screenshot(path=path)

    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    outside = page.evaluate(
        """() => {
          const card = document.querySelector(".race").getBoundingClientRect();
          return [...document.querySelectorAll(".race svg text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < card.left - 1 || box.right > card.right + 1;
          }).map((text) => text.textContent);
        }"""
    )
    assert outside == []


def test_it_opens_where_a_request_is_refused_that_would_fit_into_the_sum(races: Races):
    page = races.open()

    expect(page.locator(".headline")).to_have_text(
        "H asks for 242 slots. 349 are free, and it does not fit."
    )
    expect(page.locator(".event-icon")).to_have_class("event-icon is-loss")
    expect(page.locator(".describe")).to_contain_text(
        "H is refused; the largest hole is 176 slots and it needs 242 in one piece"
    )
    expect(page.locator(".describe")).to_contain_text("Paged: H starts with 4 blocks")
    rows = page.locator(".where tbody tr").all_inner_texts()
    assert rows[2].split("\t")[1:] == ["349", "432"]
    assert rows[3].split("\t")[1:] == ["0", "432"]
    assert page.locator(".ring").count() == 4


def test_what_is_too_long_hangs_out_at_the_strips_scale(races: Races):
    page = races.open()
    slots = width_of(page, ".race > svg") / 640

    # 242 - 176 = 66, and a border of 2
    assert width_of(page, ".overhang") == pytest.approx(66 * slots, abs=3)
    expect(page.locator(".race")).to_contain_text("66 too long")
    expect(page.locator(".race")).to_contain_text("sum of holes 349")


def test_the_keyboard_moves_through_the_steps_and_the_refusals(races: Races):
    page = races.open()

    assert press(page, "ArrowRight") == 53
    assert press(page, "ArrowLeft", "ArrowLeft") == 51
    assert press(page, "Shift+ArrowLeft") == 41
    assert press(page, "n") == 52
    assert press(page, "n") == 58
    assert press(page, "j") == 52
    assert press(page, "Home") == 0
    assert press(page, "End") == 226


def test_keys_do_not_reach_the_page_around_it(races: Races):
    page = races.open()
    page.evaluate(
        "() => { window.keys = []; document.body.addEventListener('keydown', "
        "(event) => keys.push(event.key)); }"
    )
    press(page, "n", "a", "ArrowRight", "Space", "Space", "Escape")

    assert page.evaluate("keys") == ["Escape"]


def test_play_moves_on_and_stops_at_the_end(races: Races):
    page = races.open()
    press(page, "End", "ArrowLeft", "ArrowLeft", "Space")
    expect(page.locator("[data-key=play]")).to_have_text("Pause")
    page.wait_for_function("document.querySelector('.race').dataset.step === '226'")

    expect(page.locator("[data-key=play]")).to_have_text("Play")
    assert page.evaluate("traits.step") == 226


def test_the_curves_are_a_slider(races: Races):
    page = races.open()
    slider = page.get_by_role("slider")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60)

    now = int(slider.get_attribute("aria-valuenow") or -1)
    assert now == at(page)
    assert 110 < now < 135
    assert f"step {now}: contiguous" in (slider.get_attribute("aria-valuetext") or "")


def test_the_fit_changes_in_the_browser(races: Races):
    page = races.open()
    names: list[str] = []
    for _ in range(3):
        press(page, "f")
        names.append(page.locator(".strip-head b").first.inner_text())

    fits = ["best fit", "buddy allocator", "first fit"]
    assert names == [f"Contiguous, {fit}" for fit in fits]
    assert page.evaluate("[traits.fit, sent.length]") == ["first", 0]


def test_the_holes_slide_apart_onto_the_strip_and_together_again(races: Races):
    page = races.open()
    tops = "map((piece) => piece.getBoundingClientRect().top)"
    places = f"[...document.querySelectorAll('.hole')].{tops}"
    strip = page.locator(".race > svg").first.bounding_box()
    assert strip is not None
    press(page, "h")
    apart = page.evaluate(places)
    press(page, "h")
    together = page.evaluate(places)

    assert len(apart) == 3
    assert all(strip["y"] < top < strip["y"] + strip["height"] for top in apart)
    assert all(top > strip["y"] + strip["height"] for top in together)


def test_finishing_a_request_says_what_it_will_do_and_asks_the_kernel(races: Races):
    page = races.open()
    button = page.locator("[data-key=finish]")
    expect(button).to_have_text("Finish E makes a hole of 321, H fits")
    button.click()

    assert page.evaluate("sent") == [{"type": "end", "name": "E", "step": 52}]
    view = show_race(race_workload(311))
    view.end("E", 52)
    page.evaluate("change", {"ends": view.ends, "race": view.race})
    expect(page.locator(".describe")).to_contain_text("H reserves 242 slots")
    page.locator("[data-key=undo]").click()
    assert page.evaluate("sent.at(-1)") == {"type": "undo"}


def test_without_a_refusal_no_request_hangs_and_nothing_is_offered(races: Races):
    page = races.open()
    press(page, "Home")

    assert page.locator(".refused, [data-key=finish]").count() == 0
    expect(page.locator(".where")).to_contain_text("longest request that would fit now")


def test_a_hundred_and_sixty_blocks_are_laid_in_rows(races: Races):
    page = races.open(block_size=4)
    rows = page.evaluate(
        "new Set([...document.querySelectorAll('.paged-part svg rect')]"
        ".map((r) => Math.round(r.getBoundingClientRect().top))).size"
    )

    assert rows > 3
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
