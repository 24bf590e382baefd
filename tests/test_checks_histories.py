from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu.checks.beams.topic import BeamTopic
from pagedkv_edu.checks.copy_on_write import check_block_manager
from pagedkv_edu.checks.hints import copy_on_write as copy_on_write_hints
from pagedkv_edu.checks.histories import Call, Given, History, Name, Pairs, drawn
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.search import Search, Trial
from pagedkv_edu.checks.managers.drawing import append_call
from pagedkv_edu.checks.managers.topic import ManagerTopic
from pagedkv_edu.checks.pools.topic import PoolTopic
from tests.checking import as_data
from tests.mutants.block_pool import LazyQueuePool, Mutant, StackPool
from tests.mutants.copy_on_write import (
    MUTANTS,
    EagerManager,
    LooksAtAnyBlock,
    TryingManager,
)

MANAGERS = ManagerTopic(
    "5.3",
    "MyBlockManager",
    ("fork", "append"),
    copy_on_write_hints.HINTS["5.3"],
    copy_on_write_hints.FIX,
    copy_on_write_hints.MANAGER_ADVICE,
    with_fork=True,
    snapshots=True,
)
POOLS = PoolTopic(
    "5.1",
    "MySharedPool",
    ("allocate",),
    copy_on_write_hints.HINTS["5.1"],
    copy_on_write_hints.SHARE,
    copy_on_write_hints.SHARED_POOL_ADVICE,
    with_share=True,
)
BEAMS = BeamTopic(
    "5.4",
    "my_beam_step",
    copy_on_write_hints.HINTS["5.4"],
    copy_on_write_hints.BEAM,
    copy_on_write_hints.BEAM_ADVICE,
)
SIZES = (("num_blocks", 8), ("block_size", 4))


# --- histories -----------------------------------------------------------------------


@pytest.mark.parametrize("topic", [MANAGERS, POOLS, BEAMS], ids=["m", "p", "b"])
def test_a_seed_always_gives_the_same_histories_and_another_seed_others(
    topic: ManagerTopic | PoolTopic | BeamTopic,
):
    first, again = (drawn(topic.histories(), 7, 40) for _ in range(2))
    other = drawn(topic.histories(), 8, 40)

    assert first == again
    assert first != other


@pytest.mark.parametrize("topic", [MANAGERS, POOLS, BEAMS], ids=["m", "p", "b"])
def test_histories_survive_json(topic: ManagerTopic | PoolTopic | BeamTopic):
    for history in drawn(topic.histories(), 3, 40):
        assert History.from_json(history.to_json()) == history


def test_a_call_reads_as_a_learner_would_type_it():
    step = Call("step", (Given("manager"), ("A", "B"), Pairs([("C", "A")])))

    assert str(Call("append", ("A", 5))) == 'append("A", 5)'
    assert str(Call("allocate", result="a")) == "a = allocate()"
    assert str(Call("free", (Name("a"),))) == "free(a)"
    assert str(step) == 'step(manager, ["A", "B"], {"C": "A"})'


def test_histories_fill_the_pool_and_share_blocks_often_enough():
    histories = drawn(MANAGERS.histories(), 0, 200)
    calls = [call.name for history in histories for call in history.calls]
    trials = [_attempt(history, EagerManager) for history in histories]

    assert min(map(calls.count, ("add", "append", "fork", "free"))) > 80
    assert sum(trial.num_refused > 0 for trial in trials) > 30
    assert sum(MANAGERS.num_misused(history) > 0 for history in histories) > 5
    assert len({history.sizes for history in histories}) > 10


# --- shortening ----------------------------------------------------------------------


def _attempt(history: History, answer: Callable[..., object]) -> Trial:
    with Guard() as guard:
        return Search(MANAGERS, answer, guard).attempt(history)


def _every_history(num_calls: int) -> Iterator[tuple[Call, ...]]:
    """Yield every history of up to three sequences that golden's search covers."""
    adds = [Call("add", ("A", n)) for n in range(1, 9)]
    later = [
        *(append_call(seq_id, n) for seq_id in "AB" for n in (1, 2, 5)),
        *(Call("fork", pair) for pair in (("A", "B"), ("B", "C"), ("A", "C"))),
        *(Call("free", (seq_id,)) for seq_id in "AB"),
        *(Call("add", ("B", n)) for n in (1, 4)),
    ]
    for add in adds:
        for rest in product(later, repeat=num_calls - 1):
            yield add, *rest


@pytest.mark.parametrize(
    "mutant",
    [m for m in MUTANTS if m.exercise_id == "5.3" and len(m.calls) < 4],
    ids=lambda m: m.answer.__name__,
)
def test_no_history_with_fewer_calls_goes_wrong(mutant: Mutant):
    with Guard(seconds=60) as guard:
        search = Search(MANAGERS, mutant.answer, guard)
        for num_calls in range(1, len(mutant.calls)):
            for calls in _every_history(num_calls):
                for num_blocks in (1, 2, 3, 8):
                    sizes = (("num_blocks", num_blocks), ("block_size", 4))
                    history = History(sizes, calls)
                    if MANAGERS.num_misused(history) == 0:
                        assert search.attempt(history).difference is None


def test_the_shortest_history_goes_wrong_at_its_last_call_and_not_before():
    report = check_block_manager(LooksAtAnyBlock)
    calls = (
        Call("add", ("A", 4)),
        Call("fork", ("A", "B")),
        Call("append", ("A",)),
        Call("append", ("A",)),
    )

    assert report.calls == tuple(map(str, calls))
    assert _attempt(History(SIZES, calls), LooksAtAnyBlock).difference
    assert not _attempt(History(SIZES, calls[:3]), LooksAtAnyBlock).difference


def test_the_same_seed_gives_the_same_report():
    first, again = (check_block_manager(LooksAtAnyBlock, seed=4) for _ in range(2))

    assert as_data(first) == as_data(again)
    assert first.films == again.films


# --- the reference is never accused ---------------------------------------------------


@given(MANAGERS.histories(), st.sampled_from([EagerManager, TryingManager]))
@settings(max_examples=150)
def test_right_managers_agree_on_any_history(
    history: History, answer: Callable[..., object]
):
    assert _attempt(history, answer).difference is None


@given(POOLS.histories())
@settings(max_examples=100)
def test_right_pools_agree_on_any_history_without_sharing(history: History):
    calls = tuple(call for call in history.calls if call.name != "share")
    history = POOLS.tidy(history.with_calls(calls))

    for answer in (StackPool, LazyQueuePool):
        with Guard() as guard:
            trial = Search(POOLS, answer, guard).attempt(history)
        assert trial.difference is None
