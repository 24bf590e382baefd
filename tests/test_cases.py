"""What broke in other people's caches, by its number in the list of cases.

Each case has the smallest history that shows it, and where a kind of mistake stands
behind it, a test of the kind. Wrong managers show that the tests can fail.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks, cdiv
from pagedkv_edu.errors import InvalidSize, NotAllocated, OutOfSlots
from pagedkv_edu.memory.extents import ExtentAllocator, Fit
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager, PlainPool
from tests.steps import Call, History, LostError, WrongCountsError, run

P = 16


# Case 1: a double free takes a count to -1 unnoticed, or frees a block twice.


@pytest.mark.parametrize("make_pool", [BlockPool, PlainPool])
def test_case_1_a_double_free_is_refused_and_changes_nothing(
    make_pool: type[BlockPool] | type[PlainPool],
):
    pool = make_pool(2)
    block_id = pool.allocate()
    pool.free(block_id)

    with pytest.raises(NotAllocated):
        pool.free(block_id)
    assert (pool.ref_count(block_id), pool.num_free) == (0, 2)
    assert pool.allocate() != pool.allocate()


@given(st.integers(1, 4), st.integers(1, 4))
def test_case_1_a_block_takes_as_many_frees_as_it_has_references(
    num_refs: int, num_more: int
):
    pool = BlockPool(2)
    block_id = pool.allocate()
    for _ in range(num_refs - 1):
        pool.share(block_id)
    for _ in range(num_refs):
        pool.free(block_id)

    for _ in range(num_more):
        with pytest.raises(NotAllocated):
            pool.free(block_id)
    assert pool.num_free == 2


# Case 2: a window keeps a block twice in a table; fork counts it for each entry, free
# uses a set. The kind: references are counted where the entries are.

WINDOW = (
    (Call("add", num_tokens=3 * P),),
    (Call("fork"),),
    (Call("append"),),
    (Call("free"), Call("free")),
)


def test_case_2_a_prompt_a_fork_an_append_and_two_frees_leave_every_block_free():
    engine = run(History(WINDOW, num_blocks=4, block_size=P), BlockManager)

    assert engine.pool.num_free == 4


def test_case_2_is_found_in_a_manager_with_a_window():
    with pytest.raises((LostError, WrongCountsError)):
        run(History(WINDOW, num_blocks=4, block_size=P), mutants.WindowOfTwo)


def test_case_2_no_way_leads_to_a_block_that_is_twice_in_a_table():
    pool = BlockPool(4)
    block_id = pool.allocate()

    with pytest.raises(InvalidSize, match="twice"):
        BlockManager(pool, P).add("A", 2 * P, prefix=[block_id, block_id])


# Case 9: the next block is taken when a token needs it: not earlier, not later.


@pytest.mark.parametrize(
    ("length", "num_new"), [(P - 1, 0), (P, 1), (P + 1, 0), (2 * P - 1, 0), (2 * P, 1)]
)
def test_case_9_an_append_takes_a_block_at_a_full_one_only(length: int, num_new: int):
    pool = BlockPool(4)
    manager = BlockManager(pool, P)
    manager.add("A", length)
    free_before = pool.num_free
    manager.append("A")

    assert free_before - pool.num_free == num_new
    manager.check()


@given(st.integers(1, 70), st.lists(st.integers(1, 40), max_size=5))
def test_case_9_blocks_follow_from_the_length_however_it_was_reached(
    length: int, appends: list[int]
):
    pool = BlockPool(20)
    manager = BlockManager(pool, P)
    manager.add("A", length)
    for num_tokens in appends:
        manager.append("A", num_tokens)

    assert 20 - pool.num_free == cdiv(length + sum(appends), P)


def test_case_9_is_found_in_a_manager_that_grows_one_token_late():
    pool = BlockPool(4)
    manager = mutants.GrowsOneTokenLate(pool, P)
    manager.add("A", P)
    manager.append("A")

    assert 4 - pool.num_free != cdiv(P + 1, P)


# Case 20: references are never dropped at the end, and nothing is ever free again.


def test_case_20_ten_requests_one_after_another_leave_every_block_free():
    pool = BlockPool(4)
    manager = BlockManager(pool, P)
    for i in range(10):
        manager.add(i, P + i)
        manager.append(i, P)
        manager.free(i)

        assert pool.num_free == 4


@pytest.mark.parametrize(
    "build", [mutants.KeepsTheOldReference, mutants.FreesTheFirstBlocksOnly]
)
def test_case_20_is_found_in_a_manager_that_keeps_references(
    build: type[PlainManager],
):
    forked = (Call("add", num_tokens=P + 1),), (Call("fork"), Call("append"))
    ended = ((Call("free"), Call("free")),)

    with pytest.raises(WrongCountsError):
        run(History(forked + ended, num_blocks=4, block_size=P), build)


# Case 24: blocks are counted at add and again at append, so a pool of exactly the
# needed size is refused.


def test_case_24_a_prompt_of_exactly_the_pool_is_served_and_fills_it():
    pool = BlockPool(4)
    manager = BlockManager(pool, P)
    manager.add("A", 4 * P - 1)
    manager.append("A")

    assert pool.num_free == 0
    with pytest.raises(OutOfBlocks):
        manager.append("A")


@given(st.integers(1, 5 * P), st.integers(1, 5))
def test_case_24_a_prompt_is_refused_if_and_only_if_it_is_larger_than_the_pool(
    num_tokens: int, num_blocks: int
):
    pool = BlockPool(num_blocks)
    manager = BlockManager(pool, P)
    fits = num_tokens <= num_blocks * P
    if fits:
        manager.add("A", num_tokens)
    else:
        with pytest.raises(OutOfBlocks):
            manager.add("A", num_tokens)

    assert num_blocks - pool.num_free == (cdiv(num_tokens, P) if fits else 0)


def test_case_24_is_found_in_a_manager_that_wants_one_block_more():
    manager = mutants.RefusesThePoolsLastBlock(BlockPool(4), P)

    with pytest.raises(OutOfBlocks):
        manager.add("A", 4 * P - 1)


# Case 25: a contiguous cache has enough free cells, and no run of them is long enough.


@pytest.mark.parametrize("fit", ["first", "best", "buddy"])
def test_case_25_half_of_four_lanes_is_free_and_half_of_the_pool_is_refused(fit: Fit):
    slots = ExtentAllocator(4 * P, fit)
    lanes = [slots.reserve(P) for _ in range(4)]
    slots.release(lanes[0])
    slots.release(lanes[2])

    assert (slots.num_free, slots.largest_hole) == (2 * P, P)
    with pytest.raises(OutOfSlots):
        slots.reserve(2 * P)


def test_case_25_the_same_blocks_free_one_by_one_serve_the_same_request():
    manager = BlockManager(BlockPool(4), P)
    for seq_id in range(4):
        manager.add(seq_id, P)
    manager.free(0)
    manager.free(2)
    manager.add("large", 2 * P)

    assert manager.pool.num_free == 0


def test_every_case_has_a_test_with_its_number():
    folder = Path(__file__).parent
    text = "".join(path.read_text() for path in folder.glob("test_cases*.py"))
    named = re.findall(r"def test_case_(\d+)(?:_and_(\d+))?_", text)
    numbers = {int(number) for pair in named for number in pair if number}

    assert numbers == set(range(1, 27))
