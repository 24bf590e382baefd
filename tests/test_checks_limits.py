import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter, sleep

import pytest

from pagedkv_edu import BlockCopy
from pagedkv_edu.checks.block_pool import check_block_pool, check_growing_manager
from pagedkv_edu.checks.copy_on_write import (
    check_block_manager,
    check_must_copy,
    check_shared_pool,
)
from pagedkv_edu.checks.judging.limits import Complaint, Guard, Unwritten, shown
from pagedkv_edu.errors import OutOfBlocks
from pagedkv_edu.report import Report
from tests.mutants.block_pool import StackPool
from tests.mutants.copy_on_write import EagerManager

Answer = Callable[..., object]


def manager(name: str, **methods: Answer) -> Answer:
    """A right manager with some methods of another kind."""
    return type(name, (EagerManager,), methods)


def pool(name: str, **members: object) -> Answer:
    """A right pool with some members of another kind."""
    return type(name, (StackPool,), members)


def tables(learner: EagerManager) -> dict[str, object]:
    return vars(learner)["_table_by_seq"]


# --- answers that are no answers -----------------------------------------------------


def exits(self: EagerManager, seq_id: str, num_tokens: int = 1) -> None:
    sys.exit(3)


def yields(self: EagerManager, seq_id: str, num_tokens: int = 1):
    yield EagerManager.append(self, seq_id, num_tokens)


def returns_pairs(
    self: EagerManager, seq_id: str, num_tokens: int = 1
) -> list[tuple[int, int]]:
    copies = EagerManager.append(self, seq_id, num_tokens)
    return [(copy.source, copy.target) for copy in copies]


def returns_nothing(self: EagerManager, seq_id: str, num_tokens: int = 1) -> None:
    EagerManager.append(self, seq_id, num_tokens)


def takes_a_pool_only(self: EagerManager, pool: object) -> None:
    pass


def no_table(self: EagerManager, seq_id: str) -> None:
    pass


class TextTable:
    block_ids = "01"
    seq_len = 1


def table_of_text(self: EagerManager, seq_id: str) -> TextTable:
    return TextTable()


class Secret:
    def __repr__(self) -> str:
        raise ValueError("not for you")


def returns_a_secret(self: EagerManager, seq_id: str, num_tokens: int = 1) -> Secret:
    return Secret()


def raises_an_odd_error(self: EagerManager, parent_id: str, child_id: str) -> None:
    raise GeneratorExit


def without_fork() -> Answer:
    methods = {
        name: member
        for name, member in vars(EagerManager).items()
        if name not in ("fork", "__dict__", "__weakref__")
    }
    return type("HasNoFork", (), methods)


NO_ANSWERS: tuple[tuple[Answer, str, str], ...] = (
    (
        manager("Exits", append=exits),
        'append("A") raised SystemExit; expected no error',
        "SystemExit: 3",
    ),
    (
        manager("Yields", append=yields),
        'append("A") returned a generator; expected a list of copies',
        "it must be a list of BlockCopy",
    ),
    (
        manager("ReturnsPairs", append=returns_pairs),
        'append("A") returned [(0, 1)]; expected a list of copies',
        "[(0, 1)], a list; it must be a list of BlockCopy",
    ),
    (
        manager("ReturnsNothing", append=returns_nothing),
        'append("A") returned None; expected a list of copies',
        'Is a "return" missing?',
    ),
    (
        manager("ShowsItself", append=returns_a_secret),
        'append("A") returned a Secret; expected a list of copies',
        "a Secret",
    ),
    (
        manager("RaisesAnOddError", fork=raises_an_odd_error),
        'fork("A", "B") raised GeneratorExit; expected no error',
        "GeneratorExit, in line",
    ),
    (
        manager("TakesOneArgument", __init__=takes_a_pool_only),
        "MyBlockManager(pool, 4) raised TypeError",
        "takes 2 positional arguments but 3 were given",
    ),
    (
        manager("HasNoTable", table=no_table),
        'after add("A", 1), table raised AttributeError',
        "'NoneType' object has no attribute 'block_ids'",
    ),
    (
        manager("HasATableOfText", table=table_of_text),
        "after add(\"A\", 1), table returned block_ids '01'",
        "not a list of block ids",
    ),
    (
        without_fork(),
        'fork("A", "B") is missing',
        "HasNoFork has nothing called fork",
    ),
)


@pytest.mark.parametrize(("answer", "title", "found"), NO_ANSWERS)
def test_an_answer_of_another_kind_gets_a_plain_message(
    answer: Answer, title: str, found: str
):
    report = check_block_manager(answer)

    assert report.status == "failed"
    assert report.title.startswith(title)
    assert found in report.found
    assert report.hints
    assert "Traceback" not in report.text()
    assert "pagedkv_edu/checks" not in report.text()


@pytest.mark.parametrize("answer", [None, 7, "MyBlockManager", object()])
def test_something_that_is_no_class_and_no_function_is_named(answer: object):
    for check in (check_block_manager, check_must_copy):
        report = check(answer)  # pyright: ignore[reportArgumentType]

        assert report.status == "failed"
        assert report.title.startswith("the answer is ")


def loops(self: EagerManager, seq_id: str, num_tokens: int = 1) -> None:
    while True:
        with suppress(Exception):
            int("no number")


def test_an_endless_loop_is_stopped_after_two_seconds_and_named():
    begin = perf_counter()
    report = check_block_manager(manager("Loops", append=loops))
    seconds = perf_counter() - begin

    assert report.title == 'append("A") did not return within 2 s'
    assert "is there an endless loop? It was stopped in line" in report.found
    assert "__exit__" not in report.found
    assert report.calls == ('add("A", 1)', 'append("A")')
    assert report.as_test == ""
    assert report.films["yours"]["frames"][1]["error"] == "did not return within 2 s"
    assert seconds > 2


def test_state_kept_in_the_class_is_found_on_the_second_object():
    shared: dict[str, object] = {}

    def shares(self: EagerManager, pool: object, block_size: int) -> None:
        vars(self).update(pool=pool, block_size=block_size, _table_by_seq=shared)

    report = check_block_manager(manager("SharedByAll", __init__=shares))

    assert report.title == "a second MyBlockManager(pool, 4) does not begin empty"
    assert "set in __init__ as self." in report.expected


def test_a_forgotten_property_is_named():
    def num_free(self: StackPool) -> int:
        return 4

    report = check_block_pool(pool("MethodForProperty", num_free=num_free))

    assert "num_free is a method, not a property" in report.title
    assert '"@property"' in report.found


def test_a_pool_that_is_a_stub_is_waited_for():
    def stub(self: StackPool, num_blocks: int) -> None:
        raise NotImplementedError("your turn")

    report = check_block_pool(pool("NothingWritten", __init__=stub))

    assert report.title == "__init__ is not written yet"
    assert "come after it" in report.go_on


def test_an_id_that_is_a_float_is_no_id():
    def allocate(self: StackPool) -> float:
        return float(StackPool.allocate(self))

    report = check_shared_pool(pool("FloatIds", allocate=allocate))

    assert report.title == "a = allocate() returned 3.0; expected a block"
    assert report.found == "3.0, a float; it must be an int."


def says_append(
    self: EagerManager, seq_id: str, num_tokens: int = 1
) -> list[BlockCopy]:
    sys.stdout.write(f"append {seq_id}\n")
    return EagerManager.append(self, seq_id, num_tokens)


def says_fork_and_forgets_to_share(
    self: EagerManager, parent_id: str, child_id: str
) -> None:
    sys.stdout.write(f"fork {parent_id} {child_id}\n")
    tables(self)[child_id] = self.table(parent_id)


def test_prints_are_heard_once_for_the_history_that_is_shown(
    capsys: pytest.CaptureFixture[str],
):
    assert check_block_manager(manager("Talks", append=says_append)).passed
    assert capsys.readouterr().out == ""

    wrong = manager("TalksToo", append=says_append, fork=says_fork_and_forgets_to_share)
    report = check_block_manager(wrong)
    assert report.calls[1:] == ('fork("A", "B")', 'append("A")', 'append("B")')
    assert capsys.readouterr().out == "fork A B\nappend A\nappend B\n"


# --- limits --------------------------------------------------------------------------


def _swallow_one_alarm() -> str:
    try:
        while True:
            pass
    except BaseException:  # noqa: BLE001
        while True:
            pass


def test_an_alarm_that_is_swallowed_rings_again():
    with Guard(0.2) as guard, pytest.raises(Complaint, match=r"within 0\.2 s"):
        guard.ask("append", _swallow_one_alarm)


def test_waiting_is_stopped_too_after_half_as_long_again():
    begin = perf_counter()
    with Guard(0.1) as guard, pytest.raises(Complaint, match=r"within 0\.1 s"):
        guard.ask("append", sleep, 60)

    assert 0.15 <= perf_counter() - begin < 30


def test_our_errors_pass_and_others_become_complaints():
    def raises(error: BaseException) -> None:
        raise error

    with Guard() as guard:
        with pytest.raises(OutOfBlocks):
            guard.ask("append", raises, OutOfBlocks("none left"))
        with pytest.raises(Complaint, match="append raised ZeroDivisionError"):
            guard.ask("append", raises, ZeroDivisionError())
        with pytest.raises(Unwritten):
            guard.ask("append", raises, NotImplementedError("your turn: go"))
        with pytest.raises(KeyboardInterrupt):
            guard.ask("append", raises, KeyboardInterrupt())


def _in_a_thread(function: Callable[[], None]) -> None:
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_in_a_thread_a_check_says_that_it_cannot_stop_a_loop():
    reports: list[Report] = []

    def check() -> None:
        with pytest.warns(UserWarning, match="cannot stop an endless loop"):
            reports.append(check_growing_manager(EagerManager))

    _in_a_thread(check)

    assert reports[0].passed


def test_a_call_that_took_too_long_is_told_even_where_it_cannot_be_stopped():
    complaints: list[Complaint] = []

    def sleeps_too_long() -> None:
        with Guard(0.01) as guard:
            try:
                guard.ask("append", sleep, 1.1)  # who only waits gets a second
            except Complaint as complaint:
                complaints.append(complaint)

    def ask() -> None:
        with pytest.warns(UserWarning, match="cannot stop an endless loop"):
            sleeps_too_long()

    _in_a_thread(ask)

    assert complaints[0].stopped


def test_values_are_shown_short_and_without_addresses():
    assert shown(list(range(100))).endswith("…")
    assert shown(object()) == "an object"
    assert shown({"a": 1}) == "{'a': 1}"
