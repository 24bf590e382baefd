"""Lesson 13 as a learner runs it, on a machine without the small model."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu.checks.questions.step_rows import RowsTopic
from pagedkv_edu.checks.serve import StepTopic
from pagedkv_edu.course.answers import answer_cells, run_cells
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants.serve import MUTANTS, Mutant

LESSON = Lesson("13_serve")
SOLUTIONS = Path(__file__).parents[1] / "solutions"
LONGEST = (
    "l13-kernel-run",
    "l13-beside-run",
    "l13-beside-figures",
    "l13-live",
    "l13-live-share",
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # no small model is found from here
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(num_threads)


def run_without(left_out: tuple[str, ...], plugged: dict[str, Any]) -> Run:
    """Run the lesson without its longest cells."""
    lesson = Lesson("13_serve")
    lesson.cells = [cell for cell in lesson.cells if cell.id not in left_out]
    return lesson.run(plugged)


def solution(notebook: str, name: str) -> object:
    """Return what the published solution of an exercise defines."""
    module, _ = run_cells(answer_cells(SOLUTIONS / f"{notebook}.ipynb"), notebook)
    return getattr(module, name)


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_every_figure_of_the_lesson_comes_out():
    printed = LESSON.run().printed

    assert printed["l13-same-run"].count("True") == 4
    assert "[True, True, True, True]" in printed["l13-small-run"]
    assert int(printed["l13-small-run"].split()[0]) > 0
    hits = [int(n) for n in re.findall(r"(\d+) found", printed["l13-share-run"])]
    assert hits[0] == 0
    assert hits[1] > 0
    paged, contiguous = map(
        int,
        re.findall(r"(\d+) (?:paged|contiguous)", printed["l13-beside-figures"])[:2],
    )
    assert paged > 2 * contiguous
    live = [
        int(n) for n in re.findall(r"(\d+)% of the pool", printed["l13-live-share"])
    ]
    assert live[0] > live[1]
    assert "with the same tokens" in printed["l13-kernel-run"]
    tokens = re.findall(r"s  (\[[^]]*\])", printed["l13-kernel-run"])
    assert tokens[0] == tokens[1]


def test_it_runs_on_a_learners_own_parts_with_the_same_answers():
    ours = run_without(LONGEST, {})
    own = {
        "Pool": solution("05_copy_on_write", "MySharedPool"),
        "Manager": solution("05_copy_on_write", "MyBlockManager"),
        "plan": solution("10_preemption", "my_plan_step"),
        "step": solution("13_serve", "my_step"),
        "attention": "cpu",
    }
    theirs = run_without(LONGEST, own)

    assert theirs.printed["l13-serve"] == ours.printed["l13-serve"]
    assert theirs.printed["l13-small-run"] == ours.printed["l13-small-run"]


@pytest.mark.parametrize(
    "mutant",
    [mutant for mutant in MUTANTS if mutant.exercise_id == "13.2"],
    ids=lambda m: m.answer.__name__,
)
def test_a_wrong_step_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    with contextlib.suppress(PagedKVError):
        run_without((*LONGEST, "l13-share-run"), {"step": mutant.answer})


def test_a_manager_whose_table_is_too_short_is_named():
    manager: Callable[..., Any] = _forgetful_manager()

    with pytest.raises(PagedKVError, match="do not go together"):
        run_without(LONGEST, {"Manager": manager})


def _forgetful_manager() -> Callable[..., Any]:
    from pagedkv_edu import BlockManager, BlockTable
    from pagedkv_edu.protocols import SeqId

    class ForgetsTheLastBlock(BlockManager):
        def table(self, seq_id: SeqId) -> BlockTable:
            table = super().table(seq_id)
            return BlockTable(table.block_size, table.block_ids[:-1], table.seq_len)

    return ForgetsTheLastBlock


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    for topic in (RowsTopic(), StepTopic()):
        assert topic.reread.removeprefix('lesson 13, "').rstrip('"') in LESSON.headings


@pytest.mark.parametrize("exercise_id", ["13.1", "13.2"])
def test_the_line_that_check_offers_stands_in_the_lesson(exercise_id: str):
    assert EXERCISES[exercise_id].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["13"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
