"""The gather in a browser: the static page, and with a model that only remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.viz import assets
from pagedkv_edu.viz.gather import SCRIPTS, STYLES, export_gather, gather_view
from tests.browser.test_race import PAGE

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "gather"


class Gathers:
    """Opens the view in a page, and notes what no page may do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def open(self, theme: str = "light", **options: object) -> Page:
        view = gather_view(**options)  # pyright: ignore[reportArgumentType]
        text = PAGE.format(
            style=assets.style(*STYLES),
            script=assets.script(*SCRIPTS),
            render="renderGather",
            traits=json.dumps({"picture": view.picture, "at": view.at}),
            theme=theme,
            is_light=json.dumps(theme == "light"),
        )
        path = self.folder / "gather.html"
        path.write_text(text, encoding="utf-8")
        return self.load(path)

    def load(self, path: Path) -> Page:
        self.page.goto(path.as_uri())
        self.page.locator(".pagedkv").wait_for()
        return self.page

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")


@pytest.fixture
def gathers(chromium: Browser, tmp_path: Path) -> Iterator[Gathers]:
    context = chromium.new_context(viewport={"width": 1032, "height": 1000})
    gathers = Gathers(context.new_page(), tmp_path)
    yield gathers
    complaints = list(gathers.complaints)
    context.close()
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("num_tokens", [70, 80, 1, 81])
def test_nothing_is_drawn_outside_the_card(
    gathers: Gathers, theme: str, num_tokens: int
):
    table = [9, 3, 17, 12, 5, 20][: -(-num_tokens // 16)]
    page = gathers.open(theme, num_tokens=num_tokens, block_table=table)
    outside = page.evaluate(
        """() => {
          const card = document.querySelector(".pagedkv").getBoundingClientRect();
          return [...document.querySelectorAll(".stage text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < card.left || box.right > card.right
              || box.bottom > card.bottom;
          }).map((text) => text.textContent);
        }"""
    )
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.locator(".pagedkv").screenshot(
        path=SCREENSHOTS / f"{num_tokens}-{theme}.png", animations="disabled"
    )

    assert outside == []


def test_keys_step_through_the_loop_to_the_output_and_stop_there(gathers: Gathers):
    page = gathers.open(start_at=0)
    view = page.locator(".pagedkv")
    view.focus()
    for at in (1, 2, 3, 4, 5, 5):
        page.keyboard.press("ArrowRight")
        expect(view).to_have_attribute("data-at", str(at))
    expect(page.locator(".headline")).to_contain_text("the output is acc / sum")
    page.keyboard.press("Home")
    expect(view).to_have_attribute("data-at", "0")
    assert page.evaluate("traits.at") == 0


def test_scores_of_a_block_are_not_shown_before_its_turn(gathers: Gathers):
    page = gathers.open(start_at=1)

    assert page.locator(".stage").inner_text().count("16/16") == 2
    assert "masked" not in page.locator(".stage").inner_text()


def test_a_step_moves_the_column_and_the_sum_ends_at_its_value(gathers: Gathers):
    page = gathers.open(start_at=1)
    page.get_by_role("button", name="Block 2").click()
    shown = page.locator("[data-from]")
    expect(shown).to_have_text("8.281", timeout=3000)
    page.wait_for_timeout(400)
    shade = page.locator(".shade").bounding_box()
    block = page.locator(".slots.now").first.bounding_box()

    assert shade
    assert block
    assert shade["x"] < block["x"] < shade["x"] + 10
    assert page.locator(".stage").get_by_text("12.472 × 0.397").count() == 1


def test_playing_goes_through_all_blocks_and_tells_the_kernel_once(gathers: Gathers):
    page = gathers.open(start_at=3)
    page.get_by_role("button", name="Play loop").click()
    view = page.locator(".pagedkv")
    expect(view).to_have_attribute("data-at", "4", timeout=5000)
    expect(view).to_have_attribute("data-at", "5", timeout=5000)
    expect(page.get_by_role("button", name="Play loop")).to_be_visible()

    assert page.evaluate("traits.at") == 5


def test_buttons_ask_the_kernel_and_a_new_picture_is_drawn(gathers: Gathers):
    page = gathers.open()
    page.get_by_role("button", name="Shuffle the table").click()
    page.get_by_role("button", name="Fill slot 6").click()
    page.keyboard.press("s")
    view = gather_view()
    view.fill()
    page.evaluate("changed => change(changed)", {"picture": view.picture})

    asked = [message["type"] for message in page.evaluate("sent")]
    assert asked == ["shuffle", "fill", "shuffle"]
    expect(page.locator(".headline")).to_contain_text("7 tokens are real")
    expect(page.get_by_role("button", name="Fill slot 7")).to_be_visible()


def only_this_block(*state: list[float]) -> tuple[float, float]:
    return max(state[2]), 1.0


def test_a_wrong_function_is_marked_in_its_row_and_told(gathers: Gathers):
    page = gathers.open(update=only_this_block)

    expect(page.locator(".describe b")).to_contain_text("Yours has maximum")
    assert page.locator(".stage text").filter(has_text="yours").count() > 0


def test_the_page_of_its_own_plays_without_a_kernel(gathers: Gathers):
    page = gathers.load(export_gather(gathers.folder / "page.html"))
    page.get_by_role("button", name="Write the output").click()

    expect(page.locator(".pagedkv")).to_have_attribute("data-at", "5")
    assert page.get_by_role("button", name="Shuffle the table").count() == 0
