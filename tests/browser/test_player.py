"""The player in a browser, from a page of its own, without kernel and network."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, encode, frames
from pagedkv_edu.viz import assets, palette, static
from pagedkv_edu.viz.player import Question

pytestmark = pytest.mark.browser

Show = Callable[..., Page]


@pytest.fixture
def show(chromium: Browser, tmp_path: Path) -> Iterator[Show]:
    """Open films in pages; a complaint or a request of any of them fails the test."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def show(
        film: list[Frame],
        start_at: int = 0,
        question: Question | None = None,
        width: int = 1000,
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
    ) -> Page:
        path = static.export(
            film, tmp_path / "film.html", "Film", start_at=start_at, question=question
        )
        context = chromium.new_context(
            viewport={"width": width + 32, "height": 900},
            color_scheme=color_scheme,
            reduced_motion=reduced_motion,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url == path.as_uri()
                else complaints.append(f"asks for {request.url}")
            ),
        )
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert complaints == []


def recorded(num_blocks: int, block_size: int = 4) -> RecordedManager:
    pool = RecordedPool(BlockPool(num_blocks))
    return RecordedManager(BlockManager(pool, block_size), pool)


def copy_film() -> list[Frame]:
    """Add, fork, copy, write in place, and two writes of a second engine step."""
    manager = recorded(8)
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.step = 1
    manager.append("A")
    manager.append("B")
    manager.step = 2
    manager.append("A")
    manager.append("B")
    return frames(manager.events)


def long_film(num_blocks: int, num_events: int = 130, seed: int = 1) -> list[Frame]:
    """Random calls, some refused, that fill most of a pool."""
    rng = random.Random(seed)
    manager = recorded(num_blocks, block_size=16)
    live: list[SeqId] = []
    while len(manager.events) < num_events:
        try:
            choice = rng.random()
            if choice < 0.3 or not live:
                seq_id = f"S{len(manager.events)}"
                manager.add(seq_id, rng.randint(1, num_blocks))
                live.append(seq_id)
            elif choice < 0.4:
                child_id = f"{rng.choice(live)}.{len(manager.events)}"
                manager.fork(child_id.rpartition(".")[0], child_id)
                live.append(child_id)
            elif choice < 0.5:
                manager.free(live.pop(rng.randrange(len(live))))
            else:
                manager.append(rng.choice(live))
        except PagedKVError:
            with manager.because("preempt"):
                manager.free(live.pop(0))
    return frames(manager.events)


def where(page: Page) -> int:
    """Return the number of the event that the player says it shows."""
    found = re.search(r"event (\d+)", page.locator(".place").inner_text())
    assert found
    return int(found[1])


def paused(page: Page) -> None:
    page.wait_for_function("pagedkvPlayer.mode === 'paused'", timeout=10_000)


# --- what it decodes is what was recorded -------------------------------------------


def test_the_browser_decodes_every_state_as_it_was_recorded(show: Show) -> None:
    film = long_film(64, num_events=200)
    page = show(film)
    page.add_script_tag(content=assets.script())

    seen = page.evaluate(
        """(json) => {
          const film = readFilm(json);
          return film.frames.map((_, i) => {
            const {state, owners, filled} = factsAt(film, i);
            return {
              counts: [...state.counts.entries()].filter(([, count]) => count),
              tables: [...state.tables].map(([s, t]) => [s, t.blocks, t.len]),
              owners: [...owners], filled: [...filled],
            };
          });
        }""",
        encode(film),
    )

    for frame, state in zip(film, seen, strict=True):
        assert dict(map(tuple, state["counts"])) == dict(frame.ref_counts)
        assert [(s, tuple(b), n) for s, b, n in state["tables"]] == [
            (s, t.block_ids, t.seq_len) for s, t in frame.tables.items()
        ]
        assert {b: tuple(o) for b, o in state["owners"]} == frame.owners()
        assert dict(map(tuple, state["filled"])) == frame.filled_slots()


def test_hues_are_those_of_the_palette(show: Show) -> None:
    film = long_film(64, num_events=200)
    page = show(film)

    indices = dict(page.evaluate("[...pagedkvPlayer.film.hueBySeq]"))

    assert {s: palette.HUES[i] for s, i in indices.items()} == palette.hues(film)


# --- going through a film -----------------------------------------------------------


def test_it_starts_paused_where_it_is_told(show: Show) -> None:
    page = show(copy_film(), start_at=-2)

    assert where(page) == 5
    assert page.evaluate("pagedkvPlayer.mode") == "paused"


def test_step_and_back_go_one_event(show: Show) -> None:
    page = show(copy_film())

    page.get_by_role("button", name="Step").click()
    assert where(page) == 2
    expect(page.locator(".headline")).to_have_text("A is forked: B begins like it")
    page.get_by_role("button", name="Back").click()
    assert where(page) == 1


def test_every_key_works_on_the_focused_player_and_goes_no_further(show: Show) -> None:
    page = show(copy_film())
    page.evaluate(
        "window.heard = [];"
        "document.body.addEventListener('keydown', (e) => heard.push(e.key))"
    )
    page.locator("#player").focus()

    for key, event in [("End", 6), ("ArrowLeft", 5), ("Home", 1), ("ArrowRight", 2)]:
        page.keyboard.press(key)
        assert where(page) == event, key
    page.keyboard.press("k")
    assert where(page) == 3
    page.keyboard.press("End")
    page.keyboard.press("j")
    assert where(page) == 3
    page.keyboard.press("d")
    page.keyboard.press("Tab")

    assert page.evaluate("heard") == ["Tab"]


def test_shift_goes_a_whole_engine_step(show: Show) -> None:
    page = show(copy_film(), start_at=1)
    page.locator("#player").focus()

    page.keyboard.press("Shift+ArrowRight")
    assert where(page) == 4
    page.keyboard.press("Shift+ArrowRight")
    assert where(page) == 6
    page.keyboard.press("Shift+ArrowLeft")
    assert where(page) == 4


def test_it_plays_to_the_end_and_says_nothing_aloud_meanwhile(show: Show) -> None:
    page = show(copy_film(), start_at=2)
    page.get_by_label("Speed").select_option("4")

    page.get_by_role("button", name="Play").click()
    assert page.locator(".describe").get_attribute("aria-live") == "off"
    expect(page.locator(".play")).to_have_text("Pause")
    paused(page)

    assert where(page) == 6
    assert page.locator(".describe").get_attribute("aria-live") == "polite"
    expect(page.locator(".play")).to_have_text("Play")


def test_the_curve_is_the_scrubber(show: Show) -> None:
    page = show(copy_film())
    box = page.get_by_role("slider").bounding_box()
    assert box

    page.mouse.move(box["x"] + 1, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.61, box["y"] + 20)
    assert where(page) == 4
    page.mouse.move(box["x"] + box["width"] + 50, box["y"] + 20)
    page.mouse.up()

    assert where(page) == 6
    assert page.get_by_role("slider").get_attribute("aria-valuenow") == "6"


def test_marks_are_buttons_of_24_pixels_that_seek(show: Show) -> None:
    page = show(copy_film())
    marks = page.locator(".mark")

    assert marks.count() == 3  # arrive, fork, copy; token writes are off
    for i in range(3):
        box = marks.nth(i).bounding_box()
        assert box
        assert (box["width"], box["height"]) == (24, 24)
    marks.nth(1).focus()
    page.keyboard.press("Enter")
    assert where(page) == 2
    page.locator(".filter", has_text="token writes 3").click()
    assert marks.count() == 6


# --- a copy -------------------------------------------------------------------------


def entries(page: Page) -> list[str]:
    return page.locator(".tables [data-seq] > text").all_text_contents()


def test_a_copy_is_shown_in_three_beats(show: Show) -> None:
    page = show(copy_film(), start_at=1)
    page.get_by_role("button", name="Step").click()
    assert "beat 1 of 3" in page.locator(".place").inner_text()
    before = entries(page)
    paused(page)

    assert "beat 3 of 3" in page.locator(".place").inner_text()
    assert before != entries(page)
    assert where(page) == 3
    cards = page.locator(".beat-card")
    assert cards.locator(".caption").all_inner_texts() == [
        "A wants to write slot 2 of 1",
        "2 filled slots fly to block 2",
        "A points to 2, badge 2 to 1",
    ]
    cards.nth(1).click()
    assert page.locator(".packet").count() == 1
    cards.nth(0).click()
    assert entries(page) == before
    assert cards.nth(0).get_attribute("aria-current") == "true"


def test_pause_stops_inside_a_copy(show: Show) -> None:
    page = show(copy_film(), start_at=1)
    page.get_by_label("Speed").select_option("0.5")

    page.get_by_role("button", name="Play").click()
    page.wait_for_function("pagedkvPlayer.beat === 1")
    page.locator(".play").click()
    page.wait_for_timeout(300)

    assert page.evaluate("[pagedkvPlayer.mode, pagedkvPlayer.beat]") == ["paused", 1]


def test_nothing_moves_where_motion_is_not_wanted(show: Show) -> None:
    page = show(copy_film(), start_at=1, reduced_motion="reduce")

    page.get_by_role("button", name="Step").click()

    assert page.evaluate("document.getAnimations().length") == 0
    paused(page)
    assert "beat 3 of 3" in page.locator(".place").inner_text()


# --- a question ---------------------------------------------------------------------


HOW_MANY = Question(
    "q", "How many blocks are copied?", "1", stop_before=2, choices=("0", "1", "2")
)


def test_while_a_question_is_open_no_later_event_can_be_seen(show: Show) -> None:
    page = show(copy_film(), start_at=-1, question=HOW_MANY)
    page.locator("#player").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.keyboard.press("k")
    page.locator(".play").click()
    assert page.evaluate("document.activeElement.className") == "choice"

    assert where(page) == 2
    assert page.evaluate("pagedkvPlayer.mode") == "paused"
    assert page.evaluate("pagedkvPlayer.film.frames.length") == 2
    seen = page.locator("#player").inner_text()
    labels = page.locator("#player [aria-label]").evaluate_all(
        "(all) => all.map((e) => e.ariaLabel).join(' ')"
    )
    for text in ("copies block", "must write", "Copy on write", "leaves", "of 6"):
        assert text not in seen + labels, text
    assert page.locator(".mark.copy").count() == 0
    assert page.get_by_role("slider").get_attribute("aria-valuemax") == "2"


def test_a_key_answers_and_the_covered_events_are_played(show: Show) -> None:
    page = show(copy_film(), start_at=-1, question=HOW_MANY)
    page.locator("#player").focus()

    page.keyboard.press("0")

    expect(page.locator(".verdict")).to_contain_text("Not this time. The answer is 1.")
    expect(page.locator(".verdict")).to_contain_text("A must write token 7")
    paused(page)
    assert where(page) == 3
    assert page.locator(".choice:enabled").count() == 0


def test_a_click_on_a_block_is_an_answer(show: Show) -> None:
    question = Question(
        "q", "Which is copied?", 1, stop_before=2, kind="block", choices=("none",)
    )
    page = show(copy_film(), start_at=-1, question=question)

    page.locator('.pool [data-block="1"]').last.click()

    expect(page.locator(".verdict")).to_contain_text("Right: block 1.")


def test_a_block_can_be_answered_by_keyboard(show: Show) -> None:
    question = Question("q", "Which is copied?", 1, stop_before=2, kind="block")
    page = show(copy_film(), start_at=-1, question=question)

    page.locator(".pool").focus()
    for key in ("ArrowRight", "ArrowLeft", "Enter"):
        page.keyboard.press(key)

    expect(page.locator(".verdict")).to_contain_text("Not block 0.")


# --- sizes, widths, themes ----------------------------------------------------------


def test_a_chosen_block_is_described(show: Show) -> None:
    page = show(copy_film(), start_at=1)

    page.locator('.pool [data-block="0"]').last.click()

    expect(page.locator(".card")).to_contain_text("Block 0")
    assert page.locator(".spoken").inner_text() == (
        "Block 0: held by A and B; ref_count 2; filled 4 of 4; slots 0 to 3; "
        "logical 0 of A, 0 of B."
    )


@pytest.mark.parametrize("num_blocks", [1_000, 16_384])
def test_large_pools_are_drawn_and_stepped_through(show: Show, num_blocks: int) -> None:
    film = long_film(num_blocks)
    page = show(film, start_at=-20)

    for _ in range(19):
        page.evaluate("pagedkvPlayer.step(1)")

    assert where(page) == len(film)
    assert page.locator(".pool g.cell").count() >= 32
    is_blank = page.evaluate(
        """() => {
          const canvas = document.querySelector(".pool canvas");
          if (canvas.hidden) return false;
          const {width, height} = canvas;
          const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
          return new Set(new Uint32Array(data.buffer)).size < 3;
        }"""
    )
    assert not is_blank


@pytest.mark.parametrize("width", [1000, 940, 760, 640])
def test_nothing_sticks_out_at_any_width(show: Show, width: int) -> None:
    page = show(copy_film(), start_at=2, width=width)

    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert wide <= 0


def test_the_page_follows_a_dark_theme(show: Show) -> None:
    page = show(copy_film(), color_scheme="dark")
    colours = "(e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"

    paper, ink = page.locator("#player").evaluate(colours)

    assert (paper, ink) == ("rgb(17, 17, 17)", "rgb(236, 236, 236)")


def test_a_pool_by_itself_has_counts_and_no_tables(show: Show) -> None:
    pool = RecordedPool(BlockPool(4))
    block_id = pool.allocate()
    pool.share(block_id)
    page = show(frames(pool.events), start_at=-1)

    expect(page.locator(".left")).to_be_hidden()
    expect(page.locator(f'.pool [data-block="{block_id}"]').first).to_contain_text("2")


# --- wrong managers -----------------------------------------------------------------


class Wrong:
    """Forks without sharing, repeats a block, names one that does not exist."""

    def __init__(self, pool: RecordedPool) -> None:
        self.pool = pool
        self.block_size = 4
        self.blocks: dict[SeqId, list[int]] = {}
        self.lengths: dict[SeqId, int] = {}

    def add(self, seq_id: SeqId, num_tokens: int) -> None:
        self.blocks[seq_id] = [self.pool.allocate()]
        self.lengths[seq_id] = num_tokens

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        self.blocks[seq_id] += [self.blocks[seq_id][0], 99]
        self.lengths[seq_id] += num_tokens
        return [BlockCopy(0, 99), BlockCopy(1, 1)]

    def fork(self, parent_id: SeqId, child_id: SeqId) -> None:
        self.blocks[child_id] = self.blocks[parent_id]
        self.lengths[child_id] = self.lengths[parent_id] - 1

    def free(self, seq_id: SeqId) -> None:
        if seq_id == "C":
            del self.blocks[seq_id]
            return
        self.pool.free(self.blocks[seq_id][0])

    def table(self, seq_id: SeqId) -> "Table":
        return Table(self.blocks[seq_id], self.lengths[seq_id])


class Table:
    def __init__(self, block_ids: list[int], seq_len: int) -> None:
        self.block_ids = list(block_ids)
        self.seq_len = seq_len


def test_a_wrong_manager_is_drawn_doing_wrong(show: Show) -> None:
    pool = RecordedPool(BlockPool(4))
    manager = RecordedManager(Wrong(pool), pool)
    manager.add("A", 3)
    manager.fork("A", "B")
    manager.append("A")
    manager.add("C", 2)
    manager.free("C")
    manager.free("B")
    film = frames(pool.events)
    page = show(film, start_at=2)

    tables = page.locator(".tables")
    assert "block 0 is in this table twice" in tables.inner_text()
    assert "the pool has no block 99" in tables.inner_text()
    page.evaluate("pagedkvPlayer.seek(4)")
    assert "1 lost" in tables.inner_text()
    page.evaluate("pagedkvPlayer.seek(5)")
    assert "block 0 is free, and in this table" in tables.inner_text()
    for i in range(len(film)):
        page.evaluate(f"pagedkvPlayer.seek({i}, null, true)")
