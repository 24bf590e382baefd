"""The growth and the beams explorer in a browser, with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.beams import SCRIPTS as BEAMS
from pagedkv_edu.viz.beams import beams
from pagedkv_edu.viz.growth import SCRIPTS as GROWTH
from pagedkv_edu.viz.growth import growth

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "explorers"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorer</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {traits}, listeners = {{}};
window.sent = [];
window.traits = traits;
window.change = (name, value) => {{
  traits[name] = value;
  listeners["change:" + name]();
}};
{render}({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], set: (name, value) => {{ traits[name] = value; }},
  save_changes() {{}}, send: (message) => sent.push(message),
  on: (name, listener) => {{ listeners[name] = listener; }}, off() {{}},
}} }});</script>"""


class Explorers:
    """Opens explorers in a page, and notes what no page may do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def growth(self, start_at: int = 200, theme: str = "light") -> Page:
        widget = growth(start_at=start_at)
        names = ("runs", "max_len", "block_size", "seq_len")
        traits = {name: getattr(widget, name) for name in names}
        return self._open(GROWTH, "growth.css", "renderGrowth", traits, theme)

    def beams(self, num_steps: int, mode: str = "beams", theme: str = "light") -> Page:
        traits = {"picture": beam_picture(num_steps, mode)}
        scripts = BEAMS
        return self._open(scripts, "beams.css", "renderBeams", traits, theme)

    def _open(
        self,
        scripts: tuple[str, ...],
        style: str,
        render: str,
        traits: Json,
        theme: str,
    ) -> Page:
        text = PAGE.format(
            style=assets.style(style),
            script=assets.script(*scripts),
            traits=json.dumps(traits),
            render=render,
            theme=theme,
            is_light=json.dumps(theme == "light"),
        )
        path = self.folder / "explorer.html"
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


def beam_picture(num_steps: int, mode: str = "beams") -> Json:
    explorer = beams(mode="samples" if mode == "samples" else "beams")
    for _ in range(num_steps):
        explorer.act("step")
    return dict(explorer.picture)


@pytest.fixture
def explorers(
    chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Explorers]:
    width = getattr(request, "param", 1032)
    context = chromium.new_context(viewport={"width": width, "height": 1000})
    explorers = Explorers(context.new_page(), tmp_path)
    yield explorers
    complaints = list(explorers.complaints)
    context.close()
    assert complaints == []


def keep_screenshot(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("explorers", [1032, 700], indirect=True)
def test_nothing_is_drawn_outside_the_card(explorers: Explorers, theme: str):
    for name in ("growth", "beams"):
        page = (
            explorers.growth(theme=theme)
            if name == "growth"
            else explorers.beams(9, theme=theme)
        )
        width = page.viewport_size["width"] if page.viewport_size else 0
        keep_screenshot(page, f"{name}_{theme}_{width}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_growth_opens_at_200_tokens_with_13_blocks_held_and_256_promised(
    explorers: Explorers,
):
    page = explorers.growth(start_at=200)

    expect(page.locator(".headline")).to_have_text(
        "200 tokens: 13 blocks held, 256 promised"
    )
    expect(page.locator(".text")).to_contain_text("208 slots; 8 are empty")
    expect(page.locator('[data-key="fault"]')).to_contain_text("at token 209")
    cells = page.locator(".counts td").all_inner_texts()
    assert cells == ["256", "13", "4,096", "208", "200", "200", "3,896", "8"]


def test_growth_is_played_by_keyboard(explorers: Explorers):
    page = explorers.growth(start_at=200)
    tokens = page.locator(".growth")
    tokens.focus()
    seen: list[str | None] = []
    for key in ("k", "k", "j", "ArrowRight", "Shift+ArrowRight", "End", "Home"):
        page.keyboard.press(key)
        seen.append(tokens.get_attribute("data-tokens"))

    assert seen == ["209", "225", "209", "210", "226", "4096", "1"]
    page.keyboard.press("Space")
    expect(page.locator('[data-key="play"]')).to_contain_text("Stop here")
    page.wait_for_function("document.querySelector('.growth').dataset.tokens > 5")
    page.keyboard.press("Space")
    expect(page.locator('[data-key="play"]')).to_contain_text("Grow")
    assert page.evaluate("traits.seq_len") == int(
        tokens.get_attribute("data-tokens") or 0
    )


def test_a_block_size_says_beforehand_what_it_would_hold(explorers: Explorers):
    page = explorers.growth(start_at=200)
    button = page.locator('[data-key="size64"]')
    expect(button).to_contain_text("holds 256")
    button.focus()
    page.keyboard.press("Enter")

    expect(page.locator(".headline")).to_have_text(
        "200 tokens: 4 blocks held, 64 promised"
    )
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.activeElement.dataset.key") == "size64"


def test_growth_follows_the_pointer_on_its_track_and_the_kernel(explorers: Explorers):
    page = explorers.growth(start_at=200)
    track = page.get_by_role("slider", name="tokens of the sequence")
    box = track.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator(".growth").get_attribute("data-tokens") == "2048"

    page.evaluate("change('seq_len', 17)")
    assert page.locator(".growth").get_attribute("data-held") == "2"


def test_a_pruned_beam_strikes_out_what_became_free(explorers: Explorers):
    page = explorers.beams(6)
    last = page.locator(".beams")
    while last.get_attribute("data-kind") != "finish":
        page.locator('[data-key="back"]').click()

    freed = page.locator(".wordcell", has_text="freed by")
    assert freed.count() >= 1
    tables = page.locator(".beams > svg").text_content()
    assert tables is not None
    assert f"{freed.count()} freed" in tables
    expect(page.locator(".text")).to_contain_text("It is pruned.")


def test_the_past_can_be_browsed_but_not_changed(explorers: Explorers):
    page = explorers.beams(3)
    page.locator(".beams").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-key="fork"]')).to_be_disabled()
    page.locator('[data-key="step"]').click()  # the way back to the present
    assert page.evaluate("sent") == []
    expect(page.locator('[data-key="fork"]')).to_be_enabled()
    page.locator('[data-key="step"]').click()
    assert page.evaluate("sent") == [{"do": "step"}]


def test_a_sequence_is_chosen_by_keyboard_and_acts(explorers: Explorers):
    page = explorers.beams(3, mode="samples")
    page.locator('[data-seq="B"]').focus()
    page.keyboard.press("Enter")
    fork = page.locator('[data-key="fork"]')
    expect(fork).to_contain_text("Fork B")
    expect(fork).to_contain_text("copies 0")
    assert page.evaluate("document.activeElement.dataset.seq") == "B"

    fork.click()
    assert page.evaluate("sent") == [{"do": "fork", "seq": "B"}]


def test_what_the_kernel_did_is_played_event_by_event(explorers: Explorers):
    page = explorers.beams(2)
    old = int(page.locator(".beams").get_attribute("data-event") or 0)
    page.evaluate("(picture) => change('picture', picture)", beam_picture(3))

    assert page.locator(".beams").get_attribute("data-event") == str(old + 1)
    last = len(beam_picture(3)["moments"]) - 1
    expect(page.locator(f'.beams[data-event="{last}"]')).to_be_visible(timeout=10000)
