from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockCopy, BlockManager, BlockPool, OutOfBlocks, WordMemory
from pagedkv_edu.protocols import PoolLike
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager, PlainPool
from tests.steps import (
    Build,
    Call,
    CarryOut,
    Engine,
    History,
    LostError,
    WrongCopiesError,
    WrongCountsError,
    in_order,
    random_history,
    run,
)

RANDOMS = st.randoms(use_true_random=False)
HISTORIES = st.builds(random_history, RANDOMS)
SWAPPING_HISTORIES = st.builds(random_history, RANDOMS, swapping=st.just(True))


@given(SWAPPING_HISTORIES)
def test_every_sequence_reads_back_what_it_wrote(history: History):
    run(history, BlockManager)


@given(HISTORIES)
def test_a_manager_with_plain_lists_passes_too(history: History):
    run(history, PlainManager)


@pytest.mark.parametrize("make_pool", [BlockPool, PlainPool])
def test_the_order_in_which_free_blocks_are_handed_out_makes_no_difference(
    make_pool: Callable[[int], PoolLike],
):
    random = Random(0)
    for _ in range(300):
        history = random_history(random, swapping=True)
        run(history, BlockManager, make_pool=make_pool)


@given(SWAPPING_HISTORIES)
def test_after_any_history_n_free_blocks_serve_n_allocations(history: History):
    engine = run(history, BlockManager)
    num_free = engine.pool.num_free
    served = {engine.pool.allocate() for _ in range(num_free)}

    assert len(served) == num_free
    with pytest.raises(OutOfBlocks):
        engine.pool.allocate()


@given(SWAPPING_HISTORIES)
def test_when_every_sequence_has_ended_every_block_is_free(history: History):
    engine = run(history, BlockManager)
    for seq_id in engine.words_by_seq:
        engine.manager.free(seq_id)

    assert engine.pool.num_free == engine.pool.num_blocks


def rejects(
    error: type[Exception],
    build: Build,
    carry_out: CarryOut = in_order,
    *,
    seed: int,
    swapping: bool = False,
) -> bool:
    """Tell whether some history shows this error, looking at nothing else."""
    random = Random(seed)
    for _ in range(3000):
        history = random_history(random, swapping=swapping)
        if shows(error, Engine(history, build, carry_out), history):
            return True
    return False


def shows(error: type[Exception], engine: Engine, history: History) -> bool:
    """Tell whether this history shows the error, and no other error before it."""
    looks: dict[type[Exception], Callable[[], None]] = {
        LostError: engine.require_words,
        WrongCopiesError: engine.require_copies,
        WrongCountsError: engine.require_counts,
    }
    try:
        for calls in history.steps:
            engine.step(calls)
            looks[error]()
    except error:
        return True
    except Exception:  # noqa: BLE001  (another way to be wrong)
        return False
    return False


SEEDS = pytest.mark.parametrize("seed", [0, 1, 2])


@SEEDS
@pytest.mark.parametrize(
    ("mutant", "error"),
    [
        (mutants.WritesInPlace, LostError),
        (mutants.WritesInPlace, WrongCopiesError),
        (mutants.CopiesAFullBlock, WrongCopiesError),
        (mutants.CopiesWhatIsItsOwn, WrongCopiesError),
        (mutants.LooksAtAnyBlock, WrongCopiesError),
        (mutants.MeasuresAfterGrowing, LostError),
        (mutants.DropsTheCopy, LostError),
        (mutants.ReturnsCopiesInTheWrongOrder, LostError),
        (mutants.CopiesTheWrongWay, LostError),
        (mutants.CopiesTheFirstBlock, LostError),
        (mutants.KeepsTheOldReference, WrongCountsError),
        (mutants.SharesTheList, WrongCountsError),
        (mutants.SharesTheList, LostError),
        (mutants.ForgetsToShare, WrongCountsError),
        (mutants.ForgetsToShare, LostError),
        (mutants.FailsHalfway, LostError),
        (mutants.FreesTheFirstBlocksOnly, WrongCountsError),
        (mutants.WindowOfTwo, LostError),
        (mutants.WindowOfTwo, WrongCountsError),
    ],
)
def test_a_wrong_manager_is_rejected(
    mutant: type[PlainManager], error: type[Exception], seed: int
):
    assert rejects(error, mutant, seed=seed)


@SEEDS
@pytest.mark.parametrize(
    "engine",
    [
        mutants.copies_backwards,
        mutants.drops_the_last_copy,
        mutants.writes_before_copying,
        mutants.copies_all_at_once,
    ],
)
def test_a_wrong_engine_is_rejected(engine: CarryOut, seed: int):
    assert rejects(LostError, BlockManager, engine, seed=seed, swapping=True)


# Two pairs of sequences share a partly filled block each. C copies and leaves, D ends,
# so the source of C's copy is free, and A's copy lands in it.
TWO_COPIES = (
    (Call("add"), Call("add")),
    (Call("fork", which=0), Call("fork", which=1)),
    (
        Call("append", which=1),
        Call("free", which=3),
        Call("append", which=0),
    ),
)


def test_the_order_of_two_copies_decides_what_a_sequence_reads():
    history = History(TWO_COPIES, num_blocks=3)
    copies = [(copy.source, copy.target) for copy in run(history, BlockManager).copies]

    assert copies[0][0] == copies[1][1], "the second copy lands in the first's source"
    with pytest.raises(LostError, match=r"^B reads"):
        run(history, BlockManager, mutants.copies_backwards)
    with pytest.raises(LostError, match=r"^B reads"):
        run(history, mutants.ReturnsCopiesInTheWrongOrder)


def test_copies_carried_out_all_at_once_are_right_without_a_swap_in():
    run(History(TWO_COPIES, num_blocks=3), BlockManager, mutants.copies_all_at_once)


# A swap-in fills a block, a fork shares it, an append copies it on: all in one step.
CHAIN = (
    (Call("add"),),
    (Call("swap_out"), Call("add")),  # B's word replaces A's in the block that A left
    (Call("swap_in"), Call("fork"), Call("append")),
)


def test_a_swap_in_a_fork_and_an_append_make_a_chain_of_copies():
    first, second = run(History(CHAIN), BlockManager).copies

    assert (first.kind, second.kind) == ("in", "copy")
    assert first.target == second.source
    with pytest.raises(LostError, match=r"^A reads"):
        run(History(CHAIN), BlockManager, mutants.copies_all_at_once)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6))
def test_a_memory_copies_whole_blocks_one_by_one(pairs: list[tuple[int, int]]):
    memory = WordMemory(block_size=2)
    blocks = [f"{block_id}a {block_id}b" for block_id in range(5)] + ["· ·"]
    for block_id, words in enumerate(blocks[:5]):
        for offset, word in enumerate(words.split()):
            memory.write(2 * block_id + offset, word)
    memory.copy([BlockCopy(source, target) for source, target in pairs])
    for source, target in pairs:
        blocks[target] = blocks[source]

    assert [memory.block(block_id) for block_id in range(6)] == blocks
