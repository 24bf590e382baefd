"""Lessons 06 to 08 in JupyterLab: they run, and their views answer."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lesson_06_runs_and_its_loop_is_shuffled_and_grows(lab: Lab, theme: str):
    with lab.opened("notebooks/06_paged_attention.ipynb", theme) as lesson:
        lesson.run_all()
        assert lesson.errors() == []

        view = lesson.cell("gather_view(").locator(".pagedkv.gather")
        view.get_by_role("button", name="Shuffle the table").click()
        expect(view.locator(".describe")).to_contain_text("the same to the last bit")
        view.get_by_role("button", name="Fill slot 6").click()
        expect(view.locator(".headline")).to_contain_text("7 tokens are real")
        view.get_by_role("button", name="Write the output").click()
        expect(view.locator(".headline")).to_contain_text("acc / sum")
        lesson.shot(f"lesson_06_{theme}")
        assert lesson.complaints == []


def test_lesson_07_runs_and_its_launches_can_be_compared(lab: Lab):
    with lab.opened("notebooks/07_triton_kernel.ipynb") as lesson:
        lesson.run_all()
        assert lesson.errors() == []

        view = lesson.cell("programs_view(").locator(".pagedkv.programs")
        view.get_by_role("button", name="3 Group the heads").click()
        expect(view.locator(".describe")).to_contain_text("in place of 2,160")
        lesson.shot("lesson_07")
        assert lesson.complaints == []


def test_lesson_08_runs_and_its_strips_follow_the_tokens(lab: Lab):
    with lab.opened("notebooks/08_layouts.ipynb") as lesson:
        lesson.run_all()
        assert lesson.errors() == []

        cell = lesson.cell("layout_strips(spec")
        cell.get_by_label("read").select_option("keys and values")
        headline = cell.locator(".pagedkv.layouts .headline")
        expect(headline).to_contain_text("keys and values of 6 tokens")
        lesson.shot("lesson_08")
        assert lesson.complaints == []
