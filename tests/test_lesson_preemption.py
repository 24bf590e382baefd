"""Lesson 10 as a learner runs it: on our decisions, and on wrong ones of their own."""

import contextlib

import pytest

from pagedkv_edu.checks import preemption
from pagedkv_edu.checks.questions import admissions, plan_steps
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.serving.victims import POLICIES, by_length
from pagedkv_edu.viz.schedule import ScheduleView
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants.block_table import Mutant
from tests.mutants.preemption import MUTANTS

LESSON = Lesson("10_preemption")


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    assert printed["l10-deadlock"].count("is refused: need 1 block, 0 free") == 2
    assert ours.names["num_done"] == 0
    assert printed["l10-livelock-count"].startswith(
        "0 of 2 requests are done after 200"
    )
    assert "('A', 'finished', 14), ('B', 'finished', 29)" in printed["l10-cured"]
    assert "outgrew the pool" in printed["l10-outgrown"]
    assert "needs 13 blocks, the pool has 8" in printed["l10-never"]
    assert "waiting: 0" in printed["l10-never"]


def test_the_steps_of_the_cured_plan_stay_below_the_bound(ours: Run):
    assert ours.names["cured"].num_steps < ours.names["bound"]
    assert sum(ours.names["cured"].steps.preemptions) > 0


def test_what_the_text_says_of_the_picture_is_so(ours: Run):
    view = ours.names["view"]
    assert isinstance(view, ScheduleView)
    recompute, swap = (
        dict(zip(view.schedule["columns"], row, strict=True))
        for row in view.schedule["rows"]
    )
    assert view.schedule["panels"][0]["preemptions"] == [37]
    assert recompute["tokens computed twice"] == "126"
    first = "D gets its first token"
    assert int(recompute[first].split()[1]) > int(swap[first].split()[1])


def rows_of(printed: str, width: int) -> dict[str, list[float]]:
    return {
        line[:width].strip(): [
            float(word.replace(",", "").replace("%", ""))
            for word in line[width:].split()
        ]
        for line in printed.splitlines()[1:]
    }


def test_what_the_text_says_of_the_policies_is_so(ours: Run):
    rows = rows_of(ours.printed["l10-policy-table"], 16)
    assert list(rows) == list(POLICIES)
    by_again = sorted(rows, key=lambda name: rows[name][1])
    assert (by_again[0], by_again[-1]) == ("fewest_computed", "longest")
    assert max(rows, key=lambda name: rows[name][3]) == "longest"
    assert max(rows, key=lambda name: rows[name][2]) == "longest"
    assert rows["fewest_computed"][0] > rows["last_arrived"][0]


def test_what_the_text_says_of_reservation_is_so(ours: Run):
    rows = rows_of(ours.printed["l10-reserve-table"], 18)
    nothing, prompt, watermark, maximum = rows.values()
    assert maximum[:2] == [0, 0]
    assert maximum[-1] < 50
    assert prompt[0] == pytest.approx(nothing[0] / 2, rel=0.02)
    assert prompt[2] == pytest.approx(nothing[2], rel=0.02)
    assert watermark[0] < prompt[0]
    assert prompt[2] < watermark[2] < 1.1 * prompt[2]


def test_everybody_finishes_under_every_policy_and_reservation(ours: Run):
    serve, requests = ours.names["serve"], ours.names["requests"]
    for policy in POLICIES:
        outcomes = {r.outcome for r in serve(requests, victim=policy).requests}
        assert outcomes == {"finished"}


def test_the_crossover_moves_as_the_text_says(ours: Run):
    head, *lines = ours.printed["l10-crossover"].splitlines()
    sizes = [int(word[2:]) for word in head.split()[1:]]
    ways = {
        int(line.split()[0].replace(",", "")): dict(
            zip(sizes, line.split()[1:], strict=True)
        )
        for line in lines
    }
    long = [ways[1024][size] for size in sizes]
    assert long == sorted(long)  # recompute first, then swap: they cross once
    assert set(long) == {"recompute", "swap"}
    assert (ways[64][64], ways[64][256]) == ("swap", "recompute")
    assert set(ways[16].values()) == {"recompute"}


def test_the_papers_bound_is_set_beside_the_model(ours: Run):
    rows = [line.split()[2:] for line in ours.printed["l10-paper"].splitlines()[1:]]
    full, half = ([float(ratio) for ratio in row] for row in rows)
    assert full == sorted(full)
    assert full[0] < 0.2 < full[1]
    assert half[0] < 0.2 < half[1]
    assert max(full) > 1.2 > max(half)
    assert '"never higher than 20% of swapping\'s latency"' in LESSON.prose


WRONG_PLANS = [m for m in MUTANTS if m.exercise_id == "10.4"]
WRONG_VICTIMS = [m for m in MUTANTS if m.exercise_id == "10.1"]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", WRONG_PLANS, ids=lambda m: m.answer.__name__)
def test_a_wrong_plan_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"plan": mutant.answer})


@pytest.mark.slow
@pytest.mark.parametrize("mutant", WRONG_VICTIMS, ids=lambda m: m.answer.__name__)
def test_a_wrong_victim_leads_to_the_end_or_to_an_error_of_ours(mutant: Mutant):
    def choose(seq_lens: list[int]) -> int:
        place = mutant.answer(seq_lens)
        assert isinstance(place, int)
        return place

    with contextlib.suppress(PagedKVError):
        LESSON.run({"victim": by_length(choose)})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    topics = (
        preemption.VictimTopic(),
        admissions.AdmissionTopic(),
        preemption.CostTopic(),
        plan_steps.PlanTopic(),
    )
    sent_to = {t.reread.removeprefix('lesson 10, "').rstrip('"') for t in topics}

    assert sent_to <= set(LESSON.headings)


def test_the_lines_that_check_offers_stand_in_the_lesson():
    for exercise_id in ("10.1", "10.4"):
        assert EXERCISES[exercise_id].use
        assert EXERCISES[exercise_id].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["10"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
