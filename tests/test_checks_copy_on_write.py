from collections.abc import Callable
from functools import cache

import pytest

from pagedkv_edu.checks.copy_on_write import (
    HINTS,
    MustCopyTopic,
    check_beam_step,
    check_block_manager,
    check_must_copy,
    check_shared_pool,
)
from pagedkv_edu.checks.hints import copy_on_write as hints
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import BlockCopy, ManagerLike
from pagedkv_edu.report import Report
from tests.checking import (
    assert_complete,
    assert_rejected,
    assert_test_tells_them_apart,
    headings,
)
from tests.golden_messages import GOLDEN, WAITING
from tests.mutants.block_pool import Mutant
from tests.mutants.copy_on_write import (
    MUTANTS,
    VARIANTS,
    WITH_TWO_MISTAKES,
    EagerManager,
)

CHECKS: dict[str, Callable[..., Report]] = {
    "5.1": check_shared_pool,
    "5.2": check_must_copy,
    "5.3": check_block_manager,
    "5.4": check_beam_step,
}
RIGHT = [
    *((id_, answer) for id_, answers in VARIANTS.items() for answer in answers),
    ("5.1", BlockPool),
]


@cache
def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


by_name = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.answer.__name__)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("exercise_id", "answer"), RIGHT, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried >= 200


@pytest.mark.parametrize("seed", [0, 1, 2])
@by_name
def test_a_wrong_answer_is_rejected_by_its_shortest_history(mutant: Mutant, seed: int):
    assert_rejected(mutant, report_on(mutant, seed))


@by_name
def test_a_message_is_complete(mutant: Mutant):
    assert_complete(report_on(mutant))


@by_name
def test_the_pasted_test_fails_on_the_wrong_answer_only(mutant: Mutant):
    report = report_on(mutant)

    if " reads " in report.title:  # what attention reads is not in any table
        assert report.as_test == ""
        return
    right = VARIANTS[mutant.exercise_id][0]
    assert_test_tells_them_apart(report, mutant.answer, right)


def test_no_two_wrong_answers_get_the_same_message():
    texts = [report_on(mutant).text() for mutant in MUTANTS]

    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("exercise_id", "least"), [("5.1", 5), ("5.2", 3), ("5.3", 5), ("5.4", 5)]
)
def test_every_exercise_has_enough_mutants_and_two_variants(
    exercise_id: str, least: int
):
    wrong = [mutant for mutant in MUTANTS if mutant.exercise_id == exercise_id]

    assert len(wrong) >= least
    assert len(VARIANTS[exercise_id]) >= 2


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_hints_have_three_layers_and_every_mutant_finds_one(exercise_id: str):
    titles = {hint.title for hint in HINTS[exercise_id]}

    assert all(len(hint.layers) == 3 for hint in HINTS[exercise_id])
    assert {m.hint for m in MUTANTS if m.exercise_id == exercise_id} <= titles


ADVICE = {
    "5.1": hints.SHARED_POOL_ADVICE,
    "5.3": hints.MANAGER_ADVICE,
    "5.4": hints.BEAM_ADVICE,
}


def test_every_heading_to_reread_is_in_the_lesson():
    named = {one.reread for advice in ADVICE.values() for one in advice.values()}

    assert named | {MustCopyTopic().reread} <= headings("5.1")


@pytest.mark.parametrize("exercise_id", ADVICE)
def test_every_hint_that_a_message_can_name_is_there(exercise_id: str):
    named = {one.hint for one in ADVICE[exercise_id].values()}

    assert named <= {hint.title for hint in HINTS[exercise_id]}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", GOLDEN)
def test_six_wrong_managers_get_the_messages_that_were_designed(name: str, seed: int):
    mutant = next(m for m in MUTANTS if m.answer.__name__ == name)

    assert report_on(mutant, seed).text() == GOLDEN[name]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("answer", WITH_TWO_MISTAKES, ids=lambda a: a.__name__)
def test_a_full_pool_does_not_hide_what_is_wrong_without_it(
    answer: Callable[..., object], seed: int
):
    report = check_block_manager(answer, seed=seed)

    assert "was refused" not in report.title
    assert report.setting == "pool of 8 blocks, block_size 4"
    assert report.title.startswith(('append("A")', 'after append("A")', "after fork"))
    assert len(report.calls[: (report.wrong_call or 0) + 1]) <= 4


def test_a_freed_sequence_that_is_still_there_is_named():
    def free(self: EagerManager, seq_id: str) -> None:
        for block_id in self.table(seq_id).block_ids:
            self.pool.free(block_id)

    answer = type("KeepsTheTable", (EagerManager,), {"free": free})
    report = check_block_manager(answer)

    assert report.title == 'after free("A"), table("A") still answers'
    assert report.hints[0].title == "A freed sequence is still there"


def test_an_object_is_told_from_its_class_and_no_hint_is_guessed():
    class MyBlockManager(EagerManager):
        pass

    report = check_block_manager(MyBlockManager(BlockPool(8), 4))  # pyright: ignore[reportArgumentType]

    assert report.found == (
        "an object of the class MyBlockManager; leave out the parentheses."
    )
    assert 'check("5.3", MyBlockManager)' in report.expected
    assert (report.reread, report.hints) == ("", ())


def test_a_class_that_cannot_be_made_sends_nobody_to_a_lesson():
    def takes_a_pool_only(self: EagerManager, pool: object) -> None:
        pass

    no_size = {"__init__": takes_a_pool_only}
    report = check_block_manager(type("NoSize", (EagerManager,), no_size))

    assert report.title.startswith("MyBlockManager(pool, 4) raised TypeError")
    assert report.expected.endswith("takes self and what stands in the parentheses.")
    assert report.reread == ""


def test_a_function_with_other_parameters_is_told_its_signature():
    def my_must_copy(seq_len: int, ref_count: int) -> bool:
        return False

    def my_beam_step(manager: ManagerLike, beams: list[str]) -> list[BlockCopy]:
        return []

    report, step = check_must_copy(my_must_copy), check_beam_step(my_beam_step)

    assert report.expected.startswith("my_must_copy(seq_len, block_size, ref_count):")
    assert report.found == "my_must_copy(seq_len, ref_count)."
    assert step.found == "my_beam_step(manager, beams)."


def _stub(*_: object) -> None:
    raise NotImplementedError("your turn: share every block")


def test_a_stub_is_waited_for_part_by_part():
    nothing = type("Nothing", (EagerManager,), {"fork": _stub, "append": _stub})
    half = type("Half", (EagerManager,), {"append": _stub})

    assert check_block_manager(nothing).text() == WAITING
    assert check_block_manager(half).title == "append is not written yet"


def test_the_films_show_the_wrong_call_and_what_it_leads_to():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "KeepsTheOldReference")

    report = report_on(mutant)

    assert report.wrong_call == 2
    assert report.calls[3:] == ('free("B")', 'free("A")')
    yours, reference = report.films["yours"], report.films["reference"]
    assert [frame["num_free"] for frame in yours["frames"]] == [7, 7, 6, 6, 7]
    assert [frame["num_free"] for frame in reference["frames"]] == [7, 7, 6, 7, 8]
    assert yours["frames"][2]["copies"] == [[0, 1, "copy"]]


def test_a_step_of_beam_search_is_one_frame_and_names_the_calls_made():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "frees_last")

    report = report_on(mutant)

    yours, reference = (report.films[n]["frames"][1] for n in ("yours", "reference"))
    assert yours["call"] == reference["call"] == report.calls[1]
    assert yours["kind"] == "copy"
    assert 'fork("A", "B"), append("B") and free("A")' in yours["text"]
    assert 'fork("A", "B"), free("A") and append("B")' in reference["text"]
