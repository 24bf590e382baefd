import ast
import json
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import nbformat
import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.checks import failure_modes
from pagedkv_edu.checks.failure_modes import (
    HINTS,
    SUBJECTS,
    broken,
    check_cache_check,
    check_pool_check,
    check_server_check,
    report_on,
)
from pagedkv_edu.checks.hunt.engine import Engine
from pagedkv_edu.checks.hunt.kinds import Kind
from pagedkv_edu.checks.hunt.under_test import MOST_CALLS, Cache, put_under_test
from pagedkv_edu.checks.hunt.watching import contrast, lead
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report
from pagedkv_edu.viz.hunt import HuntTable, show_hunt
from tests.mutants import hunt as wrong
from tests.mutants.hunt import MUTANTS, WrongCheck

ROOT = Path(__file__).resolve().parents[1]
CHECKS: dict[str, Callable[..., Report]] = {
    "12.1": check_pool_check,
    "12.2": check_cache_check,
    "12.3": check_server_check,
}
KINDS = [(s.exercise_id, kind) for s in SUBJECTS.values() for kind in s.kinds]


def published() -> dict[str, Callable[..., object]]:
    """The checks of the published solution, by exercise."""
    notebook = nbformat.read(ROOT / "solutions" / "12_failure_modes.ipynb", 4)
    names: dict[str, Any] = {}
    for cell in notebook.cells:
        if cell["id"] == "e12-imports" or "answer" in cell.metadata.get("tags", []):
            tree = ast.parse(cell.source)
            exec(compile(tree, "<solution>", "exec"), names)
    return {id_: names[s.answer_name] for id_, s in SUBJECTS.items()}


SOLUTIONS = published()


def name_of(mutant: WrongCheck) -> str:
    return mutant.check.__name__  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_thorough_check_catches_all_and_accuses_nobody(exercise_id: str, seed: int):
    report = CHECKS[exercise_id](SOLUTIONS[exercise_id], seed=seed)

    assert report.passed, report.text()
    assert report.earned == 1
    assert report.num_tried == report.num_passed >= 15


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_another_right_check_passes_too(seed: int):
    assert check_pool_check(wrong.right_pool_by_loops, seed=seed).passed


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("mutant", MUTANTS, ids=name_of)
def test_a_wrong_check_is_rejected_by_its_own_message(mutant: WrongCheck, seed: int):
    report = CHECKS[mutant.exercise_id](mutant.check, seed=seed)

    assert report.status == "failed"
    assert mutant.title in report.title
    assert report.hints[0].title == mutant.hint
    assert mutant.least <= report.earned <= mutant.most
    assert report.reread == 'lesson 12, "The hunt"'
    assert report.found.endswith(".")
    assert report.expected.endswith(".")
    assert not any("  " in text or " at 0x" in text for text in (report.text(),)[1:])
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


@pytest.mark.parametrize("mutant", MUTANTS, ids=name_of)
def test_a_history_and_its_two_films_have_as_many_calls(mutant: WrongCheck):
    report = CHECKS[mutant.exercise_id](mutant.check)

    for film in report.films.values():
        assert len(film["frames"]) == len(report.calls)
        assert film["name"]
    assert bool(report.films) == bool(report.calls)


def test_a_check_that_counts_its_calls_gains_nothing():
    report = check_pool_check(wrong.accuses_from_the_fourth_call_on())

    assert report.title == 'my_pool_check accuses a right pool: "broken"'


def test_an_accusation_says_of_whom_after_which_calls_and_why_it_is_right():
    report = check_pool_check(wrong.wants_the_freed_block_back)

    assert report.calls == ("a = allocate()", "free(a)", "b = allocate()")
    assert report.wrong_call == 2
    assert report.found_value == '"another block came back"'
    assert "It hands out the block that has been free for longest." in report.expected
    assert "lets 2 of the 3 right pools go" in report.found
    assert report.films["yours"]["name"] == "a right one, accused"
    assert report.wrong_words == "accused here"


def test_an_accusation_says_what_was_looked_at_last_and_what_holds_of_it():
    def my_cache_check(new_cache: Callable[[int, int], Cache]) -> str | None:
        cache = new_cache(4, 4)
        cache.add("A", 2)
        cache.run()
        cache.fork("A", "B")
        cache.append("A")
        cache.append("B")
        return None if cache.num_copies == 2 else "a copy is missing"

    report = check_cache_check(my_cache_check)

    assert report.calls[-1] == 'append("B")'
    assert "Then it looked at num_copies and found 1: " in report.expected
    assert "its last owner writes in place" in report.expected


def test_what_was_shown_and_missed_comes_with_its_shortest_history():
    report = check_cache_check(wrong.tries_one_fork)

    assert report.setting == "TakesAFullTailForEmpty, 8 blocks, block_size 4"
    assert report.calls == ('add("A", 4)', "run()", 'append("A")', "run()")
    assert report.wrong_call == 2
    assert report.go_on == (
        'then cache.read("A") is "A4 A1 A2 A3 ·"; of a right one it is '
        '"A0 A1 A2 A3 A4".'
    )
    assert (report.found_value, report.expected_value) == ("7", "6")
    assert report.films["yours"]["name"] == "the broken one"


def test_of_what_was_not_shown_only_the_kind_is_named():
    report = check_cache_check(wrong.tries_one_fork)
    hidden = [kind for kind in SUBJECTS["12.2"].kinds if not kind.is_shown]

    assert any(kind.title in report.found for kind in hidden)
    assert not any(kind.class_name in report.text() for kind in hidden)


def test_all_objects_of_one_thing_share_the_calls():
    def many(new_pool: wrong.NewPool) -> str | None:
        for _ in range(MOST_CALLS):
            new_pool(1).allocate()
            assert new_pool(1).num_blocks == 1
        return None

    report = check_pool_check(many)

    assert "makes more than 3,000 calls of a right pool" in report.title


def test_a_check_that_never_ends_is_stopped_after_some_calls_and_goes_on():
    report = check_server_check(wrong.waits_for_every_answer)

    assert f"It made {MOST_CALLS:,} calls, and went on, where " in report.found
    assert report.num_passed > 0


def test_a_loop_without_calls_is_stopped_by_the_clock():
    report = check_pool_check(wrong.waits_without_calls)

    assert report.title == "my_pool_check did not return within 2 s"
    assert "It was asked of a pool that" in report.found


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for_and_nonsense_is_told(exercise_id: str):
    def stub(_: object) -> str | None:
        raise NotImplementedError("your turn: ...")

    def no_parameter() -> str | None:
        return None

    check = CHECKS[exercise_id]

    assert check(stub).status == "waiting"
    assert "cannot be called with 1 argument" in check(no_parameter).title
    for nonsense in (17, "text", None):
        assert check(nonsense).status == "failed"


def test_a_slow_check_is_told_how_far_it_came():
    def slow(new_pool: wrong.NewPool) -> str | None:
        new_pool(2).allocate()
        end = process_time() + 0.6
        while process_time() < end:
            pass
        return None

    report = check_pool_check(slow)

    assert report.title.startswith("too slow: ")
    assert report.hints[0].title == "My check does not come to an end"


def test_the_same_seed_draws_the_same_ones_and_random_checks_say_the_same():
    def at_random(new_pool: wrong.NewPool) -> str | None:
        pool = new_pool(random.randint(1, 3))
        ids = [pool.allocate() for _ in range(pool.num_blocks)]
        pool.free(random.choice(ids))
        return None if pool.num_free == 1 else "not given back"

    first, second = (check_pool_check(at_random) for _ in range(2))

    assert first == second
    drawn = [kind.unseen(0) for _, kind in KINDS]
    assert drawn == [kind.unseen(0) for _, kind in KINDS]
    assert drawn != [kind.unseen(1) for _, kind in KINDS]


@pytest.mark.parametrize(("exercise_id", "kind"), KINDS)
def test_the_history_of_a_kind_shows_it_and_ends_soon_after(
    exercise_id: str, kind: Kind
):
    right = SUBJECTS[exercise_id].right[0]
    differs = contrast(lead(kind.make, kind.history), lead(right.make, kind.history))

    assert differs
    assert differs.index >= len(kind.history.calls) - 3


@pytest.mark.parametrize(("exercise_id", "kind"), KINDS)
def test_every_variant_of_every_kind_can_be_caught(exercise_id: str, kind: Kind):
    solution = SOLUTIONS[exercise_id]
    for make in (kind.make, *kind.variants):

        def new(num_blocks: int, block_size: int = 1, make: Any = make) -> object:
            return put_under_test(make, num_blocks, block_size)[0]

        with suppress(PagedKVError):  # as good as a sentence
            assert solution(new), kind.title


def test_there_are_at_least_fifteen_broken_ones_and_some_are_shown_in_each():
    assert len(KINDS) >= 15
    for subject in SUBJECTS.values():
        shown = [kind.is_shown for kind in subject.kinds]
        assert 3 < sum(shown) < len(shown)
        assert len(subject.right) == 3


def test_the_library_passes_the_published_checks():
    def new_pool(num_blocks: int) -> BlockPool:
        return BlockPool(num_blocks)

    def new_cache(num_blocks: int, block_size: int) -> Engine:
        return Engine(num_blocks, block_size, BlockManager)

    assert SOLUTIONS["12.1"](new_pool) is None
    assert SOLUTIONS["12.2"](new_cache) is None


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_hint_has_three_layers_and_a_title_of_its_own(exercise_id: str):
    titles = [hint.title for hint in HINTS[exercise_id]]

    assert len(set(titles)) == len(titles)
    assert titles[0] == "I do not know where to begin"
    assert all(len(hint.layers) == 3 for hint in HINTS[exercise_id])


def test_a_shown_one_can_be_made_and_looked_at():
    pool: Any = broken("12.1", "FreesABlockTwice")(2)
    block_id = pool.allocate()
    pool.free(block_id)
    pool.free(block_id)

    assert pool.num_free == 3
    with pytest.raises(PagedKVError, match="nothing shown is called"):
        broken("12.1", "CountsToTwo")


def test_the_report_on_one_shown_has_its_film_caught_or_not():
    caught = report_on("12.1", wrong.tries_what_was_shown, "FreesABlockTwice")
    missed = report_on("12.1", wrong.catches_nothing, "FreesABlockTwice")

    assert caught.passed
    assert caught.title == 'FreesABlockTwice is caught: "it is freed twice"'
    assert not missed.passed
    assert missed.calls == ("a = allocate()", "free(a)", "free(a)")
    assert len(caught.films) == len(missed.films) == 2


def test_the_table_tells_what_a_check_says_of_each():
    table = show_hunt("12.1", wrong.tries_what_was_shown)
    assert isinstance(table, HuntTable)
    lines = repr(table).splitlines()

    assert len(lines) == 3 + 4
    assert lines[0].endswith("✓ let go")
    assert "✓ caught: it is freed twice" in repr(table)
    assert "<table>" in table.html()
    stub = partial(show_hunt, "12.1")
    assert not isinstance(stub(_stub), HuntTable)


def _stub(_: object) -> str | None:
    raise NotImplementedError("your turn: ...")


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_check_is_judged_in_a_few_seconds(exercise_id: str):
    start = process_time()
    CHECKS[exercise_id](SOLUTIONS[exercise_id], seed=5)

    assert process_time() - start < 3


def test_the_three_checks_are_the_exercises():
    assert [s.exercise_id for s in SUBJECTS.values()] == list(CHECKS)
    assert failure_modes.POOLS.answer_name == "my_pool_check"
