from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from pagedkv_edu.checks.hints import prefix_cache as hints
from pagedkv_edu.checks.histories import History
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.topics import Advice
from pagedkv_edu.checks.prefix_cache import (
    HINTS,
    check_block_hashes,
    check_longest_run,
    check_prefix_cache,
    digits,
)
from pagedkv_edu.checks.prefixes.guarded import GuardedCache, NamedCache
from pagedkv_edu.checks.prefixes.model import PrefixModel
from pagedkv_edu.checks.prefixes.script import drawn_history
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.report import Report
from tests.checking import (
    assert_complete,
    assert_rejected,
    assert_test_tells_them_apart,
    headings,
)
from tests.mutants.block_pool import Mutant
from tests.mutants.prefix_cache import MUTANTS, VARIANTS, ForgetsWhenFreed

CHECKS: dict[str, Callable[..., Report]] = {
    "11.1": check_block_hashes,
    "11.2": check_longest_run,
    "11.3": check_prefix_cache,
}
RIGHT = [
    *((id_, answer) for id_, answers in VARIANTS.items() for answer in answers),
    ("11.3", PrefixCache),
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
    assert report.num_passed == report.num_tried >= 120


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
    if not report.as_test:  # a wrong type is not said in one assertion
        assert "returned None" in report.title
        return

    right = VARIANTS[mutant.exercise_id][0]
    assert_test_tells_them_apart(report, mutant.answer, right, digits=digits)


def test_a_block_in_the_message_is_where_the_films_show_it():
    mutant = next(m for m in MUTANTS if m.answer.__name__ == "NeverForgets")
    report = report_on(mutant)

    last = report.films["yours"]["frames"][report.wrong_call or 0]
    assert last["headline"] == "b = allocate(): block 0"
    assert "Can be found: [1, 2] in [0]." in last["text"]
    reference = report.films["reference"]["frames"][report.wrong_call or 0]
    assert "Can be found: nothing." in reference["text"]


def test_the_films_say_which_free_blocks_can_be_found():
    report = check_prefix_cache(ForgetsWhenFreed)
    yours, reference = report.films["yours"], report.films["reference"]

    assert [frame["cached"] for frame in yours["frames"]] == [[], [], []]
    *before, last = [frame["cached"] for frame in reference["frames"]]
    assert before == [[], []]
    assert len(last) == 1


def test_every_kind_of_finding_sends_to_a_hint_that_exists():
    titles = {hint.title for hint in HINTS["11.3"]}

    assert {advice.hint for advice in hints.ADVICE.values()} <= titles


def test_what_is_reread_is_a_heading_of_the_lesson():
    there = headings("11.1")
    advice: list[Advice] = list(hints.ADVICE.values())

    assert {a.reread for a in advice} <= there
    assert {hints.CHAIN, hints.LONGEST} <= there


@pytest.mark.parametrize("exercise_id", ["11.1", "11.2", "11.3"])
def test_every_hint_but_the_first_is_given_to_some_wrong_answer(exercise_id: str):
    given = {m.hint for m in MUTANTS if m.exercise_id == exercise_id}
    rest = {hint.title for hint in HINTS[exercise_id]} - {hints.BEGIN}

    assert rest - given <= {hints.PYTHON_ERROR, hints.ORDER}


@pytest.mark.parametrize("exercise_id", list(CHECKS))
def test_a_stub_waits(exercise_id: str):
    class Stub(PrefixCache):
        def register(self, *arguments: object, **named: object) -> None:
            raise NotImplementedError("your turn: register")

    def stub(*arguments: object) -> None:
        raise NotImplementedError("your turn")

    report = CHECKS[exercise_id](Stub if exercise_id == "11.3" else stub)

    assert report.status == "waiting"
    assert "not written yet" in report.title


def test_the_model_agrees_with_the_library_on_drawn_histories():
    """The model names blocks, the library numbers them: lookups must be the same."""
    rng = Random(0)
    num_evicted = 0
    for _ in range(200):
        history = drawn_history(rng.choice((2, 3)), 2, rng.randbytes(28))
        model = PrefixModel(history.size("num_blocks"), 2)
        with Guard() as guard:
            cache = PrefixCache(model.num_blocks, 2)
            named = NamedCache(GuardedCache(cache, guard))
            for call in history.calls:
                named.make(call)
                if not model.refusal(call):
                    num_evicted += bool(call.name == "allocate" and model.victim)
                    model.follow(call)
                cached = [named.id_by_name[name] for name in model.cached]
                assert cached == cache.eviction_order(), history
                assert model.num_free == cache.num_free
    assert num_evicted > 40


def test_a_history_survives_json():
    history = drawn_history(3, 2, bytes(range(40)))

    assert history.calls
    assert History.from_json(history.to_json()) == history


def test_digits_reads_like_what_went_in():
    assert digits(12, (3, 4)) == 1234
    with pytest.raises(TypeError, match="tuple"):
        digits(0, [1, 2])  # pyright: ignore[reportArgumentType]  (a learner's slip)
