"""The live view in a browser: a recording that plays, and a run whose steps come in."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedkv_edu.course.live import recorded_run
from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.live import SCRIPTS, STYLE, export_run
from tests.browser.test_explorers import PAGE
from tests.served_steps import film_of

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "explorers"


class Opened:
    """A page with one view, and what it complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))

    @property
    def step(self) -> int:
        return int(self.page.locator(".live").get_attribute("data-step") or -9)

    @property
    def headline(self) -> str:
        return self.page.locator(".headline").inner_text()


def opened(
    chromium: Browser,
    folder: Path,
    run: Json,
    *,
    theme: str = "light",
    width: int = 1040,
    **traits: Any,
) -> Opened:
    given = {"run": run, "chunk": {}, "status": "done", "notice": "", "start_at": 0}
    given |= {"can_ask": False, "can_stop": False, **traits}
    path = folder / "live.html"
    path.write_text(
        PAGE.format(
            style=assets.style(STYLE),
            theme=theme,
            is_light=str(theme == "light").lower(),
            script=assets.script(*SCRIPTS),
            render="renderLive",
            traits=json.dumps(given).replace("</", "<\\/"),
        ),
        encoding="utf-8",
    )
    one = Opened(chromium.new_page(viewport={"width": width, "height": 900}))
    one.page.goto(path.as_uri())
    one.page.wait_for_selector(".live")
    return one


def test_keys_step_through_a_recording(chromium: Browser, tmp_path: Path):
    one = opened(chromium, tmp_path, recorded_run())
    one.page.locator(".live").focus()
    one.page.keyboard.press("ArrowRight")
    assert one.step == 1
    one.page.keyboard.press("k")
    assert "takes block" in one.headline
    one.page.keyboard.press("End")
    assert one.step == len(recorded_run()["frames"]) - 1
    one.page.keyboard.press("Home")

    assert one.step == 0
    assert one.complaints == []
    one.page.close()


def test_a_recording_says_so_and_is_over_at_its_end(chromium: Browser, tmp_path: Path):
    one = opened(
        chromium,
        tmp_path,
        recorded_run(),
        notice="`make model` in a terminal fetches it",
    )
    where = one.page.locator(".where")
    assert where.inner_text().endswith("replay")
    assert one.page.locator(".notice code").inner_text() == "make model"
    assert "…" not in "".join(one.page.locator(".beside svg text").all_text_contents())
    one.page.locator(".live").focus()
    one.page.keyboard.press("End")

    assert where.inner_text().endswith("over")
    assert one.complaints == []
    one.page.close()


def test_words_and_cell_light_up_together(chromium: Browser, tmp_path: Path):
    one = opened(chromium, tmp_path, recorded_run(), start_at=30)
    one.page.locator('.right [data-block="5"]').hover()

    assert "Block 5, pointed at, holds 16 tokens of D" in (
        one.page.locator(".pointed").inner_text()
    )
    lit = one.page.locator(".run.lit").inner_text()
    assert lit == "The lighthouses of the sea, their beauty and power, a beacon"
    one.page.locator(".run").first.hover()
    assert "of B" in one.page.locator(".pointed").inner_text()
    assert one.complaints == []
    one.page.close()


def test_the_newest_word_has_no_slot_yet(chromium: Browser, tmp_path: Path):
    one = opened(chromium, tmp_path, recorded_run(), start_at=30)
    fresh = one.page.locator(".fresh-word")

    assert fresh.count() == 3  # of B, C and D
    tokens = sum(len(f["new"]) > 0 for f in recorded_run()["frames"][:31])
    assert tokens == 31
    assert one.complaints == []
    one.page.close()


def test_states_are_said_in_words(chromium: Browser, tmp_path: Path):
    film = film_of([(4, 12), (4, 12), (16, 4)], num_blocks=5)
    run = film.to_json("t", "s")
    lost = next(f["step"] for f in film.frames if f["dropped_by"])
    one = opened(chromium, tmp_path, run, start_at=lost)
    facts = one.page.locator(".facts").all_inner_texts()

    assert any("dropped, to be computed again" in text for text in facts)
    assert any("waits for blocks" in text for text in facts)
    # whoever waits may be let in and take the next block
    assert one.page.locator(".predict button").all_inner_texts() == ["A", "B", "C"]
    one.page.keyboard.press("End")
    one.page.locator(".live").focus()
    one.page.keyboard.press("End")
    facts = one.page.locator(".facts").all_inner_texts()
    assert all("finished at step" in text for text in facts)
    assert one.complaints == []
    one.page.close()


def test_a_run_is_followed_paused_and_stopped(chromium: Browser, tmp_path: Path):
    whole = film_of([(3, 9), (3, 9)], num_blocks=8).to_json("t", "s")
    run = whole | {"frames": []}
    one = opened(chromium, tmp_path, run, status="running", can_stop=True, can_ask=True)
    assert one.page.evaluate("sent") == [{"type": "from", "first": 0}]
    assert one.page.locator(".facts").first.inner_text() == "waits for the first step"
    _arrive(one, whole, 0, 3)
    assert one.step == 2
    one.page.get_by_role("button", name="Pause").click()
    _arrive(one, whole, 3, 5)
    assert one.step == 2
    one.page.get_by_role("button", name="Follow").click()
    assert one.step == 4
    _arrive(one, whole, 6, 8)  # one in between was lost
    assert one.step == 4
    assert one.page.evaluate("sent.at(-1)") == {"type": "from", "first": 5}
    _arrive(one, whole, 0, 9)
    assert one.step == 8
    one.page.get_by_role("button", name="Stop the model").click()
    assert one.page.evaluate("sent.at(-1)") == {"type": "stop"}
    one.page.locator(".ask").fill("What is a block?")
    one.page.keyboard.press("Enter")

    assert one.page.evaluate("sent.at(-1)") == {
        "type": "ask",
        "text": "What is a block?",
    }
    assert one.complaints == []
    one.page.close()


def _arrive(one: Opened, whole: Json, first: int, stop: int) -> None:
    chunk = {"first": first, "frames": whole["frames"][first:stop], "prompts": []}
    one.page.evaluate(f"change('chunk', {json.dumps(chunk)})")


def test_a_prediction_is_marked_by_the_step_that_takes_a_block(
    chromium: Browser, tmp_path: Path
):
    one = opened(chromium, tmp_path, recorded_run(), start_at=30)
    predict = one.page.locator(".predict")
    frames = recorded_run()["frames"]
    step = next(f["step"] for f in frames[31:] if f["taken_by"])
    [taker] = frames[step]["taken_by"]
    predict.get_by_role("button", name=taker, exact=True).click()
    expect(predict).to_contain_text("Go on, and see")
    one.page.get_by_role("button", name="Next new block").click()

    expect(predict).to_contain_text(f"Right: {taker} took a block at step {step}")
    assert one.complaints == []
    one.page.close()


def test_nothing_is_asked_where_one_is_left(chromium: Browser, tmp_path: Path):
    one = opened(chromium, tmp_path, recorded_run(), start_at=60)

    assert one.headline.startswith("D ")
    expect(one.page.locator(".predict")).to_be_hidden()
    assert one.complaints == []
    one.page.close()


def test_a_page_of_its_own_plays(chromium: Browser, tmp_path: Path):
    path = export_run(recorded_run(), tmp_path / "run.html", "A run")
    one = Opened(chromium.new_page(viewport={"width": 1040, "height": 900}))
    one.page.goto(path.as_uri())
    one.page.get_by_role("button", name="Play").click()
    one.page.wait_for_function("document.querySelector('.live').dataset.step > 2")
    one.page.get_by_role("button", name="Pause").click()

    assert one.complaints == []
    one.page.close()


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1040), ("dark", 1040), ("light", 560)]
)
def test_nothing_is_wider_than_the_page(
    chromium: Browser, tmp_path: Path, theme: str, width: int
):
    one = opened(
        chromium, tmp_path, recorded_run(), theme=theme, width=width, start_at=30
    )
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    one.page.screenshot(path=SCREENSHOTS / f"live_{theme}_{width}.png", full_page=True)

    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    assert one.complaints == []
    one.page.close()
