"""What a learner does, in JupyterLab: no error, and no request off the machine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab, OpenNotebook, wait_for

pytestmark = pytest.mark.browser

COPIES_EVERY_SHARED_BLOCK = (
    "must_copy = partly_filled and",
    "must_copy = ",  # also when the last block is full
)


@pytest.fixture(scope="module")
def lesson_05(lab: Lab) -> Iterator[OpenNotebook]:
    with lab.opened("notebooks/05_copy_on_write.ipynb") as notebook:
        notebook.run_all()
        yield notebook
        assert notebook.complaints == []


def player_in(cell: Locator) -> Locator:
    player = cell.locator(".pagedkv.player")
    expect(player).to_be_visible()
    return player


def answers_kept(lab: Lab) -> dict[str, dict[str, object]]:
    path = lab.course / "work" / "progress.json"
    return json.loads(path.read_text())["answers"] if path.exists() else {}


def test_lesson_03_runs_plays_and_steps_back(lab: Lab):
    with lab.opened("notebooks/03_block_table.ipynb") as lesson:
        lesson.run_all()
        assert lesson.errors() == []

        player = player_in(lesson.cell("show(film"))
        place, headline = player.locator(".place"), player.locator(".headline")
        player.focus()
        player.press("Home")
        first = headline.inner_text()
        player.get_by_role("button", name="Step").click()
        expect(headline).not_to_have_text(first)
        player.get_by_role("button", name="Back").click()
        expect(headline).to_have_text(first)
        player.get_by_role("button", name="Play").click()
        expect(player.get_by_role("button", name="Play")).to_be_visible(timeout=20_000)
        expect(headline).not_to_have_text(first)
        assert place.inner_text()

        lesson.shot("lesson_03")
        assert lesson.complaints == []


def test_lesson_02_runs_to_its_end_although_some_sources_are_hidden(lab: Lab):
    with lab.opened("notebooks/02_contiguous.ipynb") as lesson:
        expect(
            lesson.page.locator(".jp-CodeCell .jp-Placeholder").first
        ).to_be_visible()
        lesson.run_all()

        assert lesson.errors() == []
        assert lesson.complaints == []


def test_a_guess_is_marked_on_the_page_and_kept(lab: Lab):
    with lab.opened("notebooks/03_block_table.ipynb") as lesson:
        lesson.run_all()
        cell = lesson.cell('guess("03.p2"')
        cell.get_by_role("button", name="0", exact=True).click()
        expect(cell.get_by_role("status").first).to_contain_text("The answer is")

        wait_for(lambda: "03.p2" in answers_kept(lab), 10, "the answer in the file")
        assert answers_kept(lab)["03.p2"]["answer"] == "0"
        assert lesson.complaints == []


def test_lesson_05_runs_without_an_error(lesson_05: OpenNotebook):
    lesson_05.shot("lesson_05")

    assert lesson_05.errors() == []


def test_no_two_pictures_of_a_page_share_an_id(lesson_05: OpenNotebook):
    # or the patterns of one are lost as soon as the other is scrolled away
    ids = lesson_05.page.evaluate(
        "[...document.querySelectorAll('pattern[id], marker[id]')].map((e) => e.id)"
    )

    assert ids
    assert len(set(ids)) == len(ids)


def test_a_prediction_is_marked_plays_on_and_survives_a_new_kernel(
    lab: Lab, lesson_05: OpenNotebook
):
    player = player_in(lesson_05.cell('predict("05.p1"'))
    expect(player.locator(".place")).to_contain_text("covered")
    player.locator(".predict").get_by_role("button", name="0", exact=True).click()

    expect(player.locator(".predict .verdict")).to_contain_text("Right: 0.")
    wait_for(lambda: "05.p1" in answers_kept(lab), 10, "the answer in the file")
    with lab.opened("notebooks/00_start.ipynb") as start:
        start.run_all()
        table = start.cell("progress()").locator("table")
        row = table.get_by_role("row").filter(has_text="05 copy on write")
        expect(row).to_contain_text("1 of 1 right")
        assert start.complaints == []


def test_a_fork_says_what_it_will_do_and_does_it(lesson_05: OpenNotebook):
    player = player_in(lesson_05.cell("controls=manager"))
    fork = player.locator(".actions").get_by_role("button", name="Fork")
    expect(fork.first).to_contain_text("shares")

    fork.first.click()

    expect(player.locator(".headline")).to_contain_text("is forked")
    lesson_05.shot("lesson_05_forked")


def test_a_failing_check_shows_why_and_replays_it(lab: Lab):
    wrong = with_answer(lab, "05_copy_on_write", *COPIES_EVERY_SHARED_BLOCK)
    with lab.opened(wrong) as exercise:
        exercise.run_all()
        cell = exercise.cell('check("5.3"')
        expect(cell.locator(".v-title")).to_have_text("5.3 not right yet")
        expect(cell).to_contain_text("1 attempt so far")
        cell.locator(".pkv-verdict").scroll_into_view_if_needed()
        exercise.shot("exercise_05_failing")
        assert parts_past_the_border(cell.locator(".pkv-verdict")) == []

        cell.get_by_role("button", name="Replay").click()
        expect(cell.locator(".pagedkv.player").first).to_be_visible()

        exercise.shot("exercise_05_replay")
        assert exercise.errors() == []
        assert exercise.complaints == []


def test_the_dark_theme_is_dark(lab: Lab):
    with lab.opened("notebooks/05_copy_on_write.ipynb", "dark") as lesson:
        lesson.run_all()
        player = player_in(lesson.cell("controls=manager"))

        lesson.shot("lesson_05_dark")
        assert brightness(player, "background-color") < 60
        assert brightness(player.locator(".headline"), "color") > 200
        assert lesson.complaints == []


def with_answer(lab: Lab, topic: str, right: str, wrong: str) -> str:
    """Put the solution with one line made wrong into the learner's copy."""
    solved = nbformat.read(lab.course / "solutions" / f"{topic}.ipynb", as_version=4)
    path = lab.course / "work" / f"{topic}.ipynb"
    changed = 0
    for cell in solved.cells:
        if "answer" in cell.metadata.get("tags", []) and right in cell.source:
            cell.source = cell.source.replace(right, wrong)
            changed += 1
    assert changed == 1, f"{right!r} is in {changed} answers of {topic}"
    nbformat.write(solved, path)
    return str(Path("work") / path.name)


def parts_past_the_border(card: Locator) -> list[str]:
    """Return the parts of a card that are wider than the card."""
    return card.evaluate(
        """(card) => [...card.children]
          .filter((part) => part.getBoundingClientRect().right
            > card.getBoundingClientRect().right)
          .map((part) => part.className)""",
    )


def brightness(element: Locator, which: str) -> float:
    """Return 0 for black to 255 for white."""
    colour = element.evaluate(
        """(element, which) => {
          for (let e = element; e; e = e.parentElement) {
            const colour = getComputedStyle(e).getPropertyValue(which);
            if (!colour.endsWith(", 0)")) return colour;
          }
          return "rgb(255, 255, 255)";
        }""",
        which,
    )
    # a browser says rgb(17, 17, 17), or color(srgb 0.07 ...) where a colour was mixed
    numbers = [float(n) for n in re.findall(r"[\d.]+", colour.partition("(")[2])][:3]
    return sum(numbers) / 3 * (255 if "srgb" in colour else 1)
