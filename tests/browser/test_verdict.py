"""The verdict in a browser, from a page of its own, without kernel and network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pagedkv_edu.viz.verdict import verdict_html
from tests.verdict_samples import SAMPLES

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "verdict"


class Watched:
    """A page, and what it did that it must not do."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.complaints: list[str] = []
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def show(self, name: str, attempt: int = 1) -> Page:
        path = self.folder / f"{name}.html"
        path.write_text(verdict_html(SAMPLES[name](), attempt), encoding="utf-8")
        self.page.goto(path.as_uri())
        return self.page

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")


@pytest.fixture
def watched(
    chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Watched]:
    theme, width = getattr(request, "param", ("light", 1032))
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme=theme
    )
    watched = Watched(context.new_page(), tmp_path)
    yield watched
    complaints = list(watched.complaints)
    context.close()
    assert complaints == []


def keep_screenshot(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


OUTSIDE = """() => {
  const card = document.querySelector(".pkv-verdict").getBoundingClientRect();
  const parts = [...document.querySelectorAll(".pkv-verdict *")];
  return parts.filter((part) => {
    const { left, right, width } = part.getBoundingClientRect();
    const hidden = part.closest(".spoken, defs");
    return !hidden && width > 0 && (left < card.left - 1 || right > card.right + 1);
  }).map((part) => part.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize(
    "watched", [("light", 1032), ("dark", 1032), ("light", 640)], indirect=True
)
def test_every_state_is_drawn_inside_its_card(watched: Watched) -> None:
    for name in SAMPLES:
        page = watched.show(name)

        look = page.evaluate(
            "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : innerWidth"
        )
        keep_screenshot(page, f"{name}_{look}")
        assert page.evaluate(OUTSIDE) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_the_verdict_is_text_first(watched: Watched) -> None:
    for name, sample in SAMPLES.items():
        page = watched.show(name)

        status = page.locator(".pkv-verdict > [role=status]:first-child").inner_text()
        assert sample().exercise_id in status, name
        assert sample().title[1:] in status, name  # its first letter may be a capital


def test_only_the_wrong_call_has_the_frame_and_the_two_values(
    watched: Watched,
) -> None:
    page = watched.show("leak")

    frames = page.locator(".v-row.wrong")
    sizes = page.evaluate(
        "[...document.querySelectorAll('.v-value b')]"
        ".map((value) => [value.innerText, getComputedStyle(value).fontSize])"
    )
    assert frames.count() == 1
    assert 'append("A")' in frames.inner_text()
    assert sizes == [["2", "17px"], ["1", "17px"]]


def test_the_words_that_attention_reads_are_explained(watched: Watched) -> None:
    explained = "A1 stands for what A wrote at position 1"

    assert explained in watched.show("in_place").locator(".v-reasons").inner_text()
    assert explained not in watched.show("leak").locator(".v-reasons").inner_text()


def test_calls_after_the_wrong_one_are_what_it_leads_to(watched: Watched) -> None:
    page = watched.show("leak")

    dashed = page.evaluate(
        "[...document.querySelectorAll('.v-number')]"
        ".map((number) => getComputedStyle(number).borderStyle)"
    )
    assert dashed == ["solid", "solid", "solid", "dashed", "dashed"]
    assert "what it leads to: free" in page.locator(".v-after").inner_text()
    assert "block 0 is held by nobody" in page.locator(".v-notes").all_inner_texts()


def test_wrong_blocks_are_named_for_those_who_do_not_see_colours(
    watched: Watched,
) -> None:
    page = watched.show("block_twice")

    notes = page.locator(".v-row.wrong .yours .v-notes").inner_text()
    label = page.locator(".v-row.wrong .yours svg[role=img]").get_attribute(
        "aria-label"
    )
    assert "A: block 0 is in this table twice" in notes
    assert label == "block 0: A, 4 of 4 slots, ref_count 1"


def test_what_is_wrong_is_marked_in_yours_and_not_before(watched: Watched) -> None:
    for name in ("in_place", "same_list", "halfway", "raised"):
        page = watched.show(name)

        marks = page.locator(".v-row.wrong .yours").locator(
            ".v-entry.wrong, .v-len.wrong, .v-free.wrong, .ring"
        )
        assert marks.count() > 0, name
        assert page.locator(".v-row:not(.wrong):not(.after) .ring").count() == 0, name
        assert page.locator(".reference .v-entry.wrong, .reference .ring").count() == 0


def test_other_ids_for_the_same_blocks_are_no_difference(watched: Watched) -> None:
    page = watched.show("renamed")

    assert page.locator(".v-entry.wrong, .ring").count() == 0


def test_an_extent_elsewhere_is_marked_and_the_holes_it_makes_are_not(
    watched: Watched,
) -> None:
    page = watched.show("extents")

    label = page.locator(".v-row.wrong .yours svg").first.get_attribute("aria-label")
    assert label is not None
    assert "D: slots 13 to 15, 3 used" in label
    assert page.locator(".v-row.wrong .yours [stroke='var(--loss)']").count() == 1
    assert page.locator(".v-replay").count() == 0  # the player shows blocks


def test_holes_are_shown_as_the_answer_says_they_are(watched: Watched) -> None:
    page = watched.show("unmerged_holes")

    notes = page.locator(".v-row.wrong .yours .v-notes").inner_text()
    assert notes == "two holes meet at slot 3"
    assert page.locator(".v-row.wrong .yours [stroke='var(--loss)']").count() == 2


def test_a_block_that_was_given_back_too_early_is_marked(watched: Watched) -> None:
    page = watched.show("freed_early")

    assert page.locator(".v-row.wrong .yours .ring").count() == 1


def test_a_wrong_case_of_a_function_is_one_frame_without_a_history(
    watched: Watched,
) -> None:
    page = watched.show("function_case")

    frame = " ".join(page.locator(".v-row.wrong").inner_text().split())
    assert frame == "wrong case my_locate(8, 4) found (1, 4) expected (2, 0)"
    assert page.locator(".v-columns, .v-replay").count() == 0


def test_the_call_that_never_came_back_says_so(watched: Watched) -> None:
    page = watched.show("timed_out")

    row = page.locator(".v-row.wrong").inner_text()
    assert "no picture: this call did not come back" in row
    assert "no answer within 2 s" in row


# --- hints ------------------------------------------------------------------------


def test_hints_open_one_after_the_other(watched: Watched) -> None:
    page = watched.show("leak")
    group = page.locator(".v-hint").first

    assert group.locator("details").count() == 1
    assert "open 1 first" in group.inner_text()
    group.locator("summary").first.click()
    assert "how many tables hold the block" in group.inner_text()
    assert group.locator("details").count() == 2
    assert "gives a reference" not in group.inner_text()
    assert "opens after one more attempt" in group.inner_text()


def test_the_last_hint_opens_at_the_second_attempt(watched: Watched) -> None:
    page = watched.show("leak", attempt=2)
    group = page.locator(".v-hint").first

    for number in range(3):
        group.locator("summary").nth(number).click()

    assert "one call of the pool" in group.inner_text()
    assert group.locator("code", has_text="table.block_ids[-1] = target").count() == 1


def test_a_locked_hint_is_not_in_the_page_before_it_opens(watched: Watched) -> None:
    page = watched.show("leak")

    page.locator(".v-hint").first.locator("summary").click()

    body = page.locator("#verdict").inner_text()
    assert "one call of the pool" not in body
    assert "one call of the pool" not in page.locator("#verdict").inner_html()


# --- the way on -------------------------------------------------------------------

REPLACE_CLIPBOARD = """(outcome) => {
  const writeText = async (text) => {
    if (outcome === "refused") throw new Error("not allowed");
    window.copied = text;
  };
  Object.defineProperty(navigator, "clipboard", { value: { writeText } });
}"""


def test_copying_the_test_is_confirmed(watched: Watched) -> None:
    page = watched.show("leak")
    page.evaluate(REPLACE_CLIPBOARD, "copied")

    page.locator(".v-copy").click()

    page.wait_for_function("document.querySelector('.v-told').textContent")
    assert "Copied" in page.locator(".v-told").inner_text()
    assert page.evaluate("window.copied") == SAMPLES["leak"]().as_test


def test_a_browser_that_does_not_copy_shows_the_text_selected(
    watched: Watched,
) -> None:
    page = watched.show("leak")
    page.evaluate(REPLACE_CLIPBOARD, "refused")

    page.locator(".v-copy").click()

    page.wait_for_selector(".v-test:visible")
    assert "copy it by hand" in page.locator(".v-told").inner_text()
    selected = page.evaluate("String(getSelection())")
    assert selected.strip() == SAMPLES["leak"]().as_test.strip()


def test_the_link_leads_to_the_heading_of_the_lesson(watched: Watched) -> None:
    page = watched.show("in_place")

    link = page.locator("a.v-reread")
    assert link.get_attribute("href") == "../notebooks/05_copy_on_write.ipynb#The-fix"
    assert link.inner_text() == 'Reread: lesson 05, "The fix"'


# --- the replay -------------------------------------------------------------------


def place(page: Page) -> str:
    return page.locator(".v-where").inner_text()


def test_the_replay_opens_paused_at_the_wrong_call(watched: Watched) -> None:
    page = watched.show("leak")

    page.locator(".v-replay").click()

    assert place(page) == 'call 3 of 5 append("A") first wrong step'
    headlines = page.locator(".v-player .headline").all_inner_texts()
    assert headlines == ["Copy on write: A leaves block 0, B still reads it"] * 2
    page.wait_for_timeout(600)  # a player that plays would be further by now
    assert place(page) == 'call 3 of 5 append("A") first wrong step'
    assert page.locator(".v-play").inner_text() == "Play"
    keep_screenshot(page, "replay")


def test_a_row_opens_its_call_from_the_keyboard(watched: Watched) -> None:
    page = watched.show("leak")

    page.locator(".v-row button.v-number").nth(3).focus()
    page.keyboard.press("Enter")

    assert place(page) == 'call 4 of 5 free("B")'
    assert page.locator("[aria-current=step] .v-number").inner_text() == "4"
    assert page.evaluate("document.activeElement.classList.contains('player')")


def test_both_players_step_together(watched: Watched) -> None:
    page = watched.show("leak")
    page.locator(".v-replay").click()

    page.keyboard.press("ArrowRight")
    after_key = place(page)
    page.locator(".v-bar button", has_text="Back").click()
    page.locator(".v-bar button", has_text="Back").click()
    page.locator(".v-player.reference .player").focus()
    page.keyboard.press("ArrowRight")

    assert after_key == 'call 4 of 5 free("B")'
    assert place(page).startswith("call 3 of 5")


def test_playing_goes_to_the_end_and_offers_to_play_again(watched: Watched) -> None:
    page = watched.show("leak")
    page.locator(".v-replay").click()

    page.locator(".v-play").click()

    page.wait_for_function(
        "document.querySelector('.v-where').innerText.startsWith('call 5')"
    )
    assert page.locator(".v-play").inner_text() == "Play"
    free = page.locator(".v-player .pool, .v-player .middle").all_inner_texts()
    assert any("7 free" in text for text in free)
    assert any("8 free" in text for text in free)


def test_the_replay_closes_and_gives_the_keyboard_back(watched: Watched) -> None:
    page = watched.show("leak")
    page.locator(".v-replay").click()

    page.locator(".v-close").click()

    assert page.locator(".v-replays").count() == 0
    assert page.locator("[aria-current]").count() == 0
    assert page.evaluate("document.activeElement.classList.contains('v-replay')")


def test_a_shorter_film_of_yours_stays_at_its_last_call(watched: Watched) -> None:
    page = watched.show("timed_out")

    page.locator(".v-replay").click()

    assert place(page).startswith("call 3 of 3")
    assert "did not come back" in page.locator(".v-player.yours").inner_text()


def test_the_picture_of_a_row_opens_the_player_and_its_words_do_not(
    watched: Watched,
) -> None:
    page = watched.show("leak")

    page.locator(".v-row .v-call code").first.dblclick(position={"x": 10, "y": 8})

    assert page.evaluate("String(getSelection())").strip() != ""
    assert page.locator(".v-replays").count() == 0
    page.locator(".v-row .reference .v-drawn").nth(1).click()
    assert place(page).startswith("call 2 of 5")


def test_everything_can_be_reached_with_the_tab_key(watched: Watched) -> None:
    page = watched.show("leak")
    seen: list[str] = []

    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "document.activeElement.getAttribute('aria-label') "
                "|| document.activeElement.innerText"
            )
        )

    reached = " | ".join(seen)
    assert "Call 1: open it in the player" in reached
    assert "A question to ask yourself" in reached
    assert "Replay these 5 calls in the player" in reached
    assert "Copy them as a test" in reached
    assert "Reread" in reached


def test_a_free_block_that_can_be_found_is_told_from_one_that_cannot(
    watched: Watched,
) -> None:
    page = watched.show("forgotten")
    yours, reference = page.locator(".v-row.wrong .v-state").all()

    assert "cached" not in yours.inner_text()
    assert "3 free, 1 cached" in reference.inner_text()
    assert yours.locator("[stroke='var(--loss)'].ring").count() == 1
    assert reference.locator("[stroke='var(--loss)'].ring").count() == 0
    label = reference.locator("svg").first.get_attribute("aria-label") or ""
    assert "free, and can be found" in label
    page.locator(".v-replay").click()
    # free, but not gone: the reference has a cross in its legend only
    crosses = "svg .cell[data-block] > path"
    num_yours = page.locator(f".v-player.yours {crosses}").count()
    assert num_yours == page.locator(f".v-player.reference {crosses}").count() + 1
