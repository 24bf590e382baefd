"""Cases 21 and 22 of what broke in other people's caches: forks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager
from tests.steps import Call, History, LostError, run

P = 16

# Case 21: the copy is not carried out, and the child reads what is not its own.


def both_write(length: int, first: int) -> History:
    """Fork a sequence of this length; both write, the one named by first before."""
    steps = (
        (Call("add", num_tokens=length),),
        (Call("fork"),),
        (Call("append", which=first), Call("append", which=1 - first)),
        (Call("append", which=0), Call("append", which=1)),
    )
    return History(steps, num_blocks=8, block_size=P)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("length", range(1, 2 * P + 1))
def test_case_21_parent_and_child_read_their_own_words(length: int, first: int):
    engine = run(both_write(length, first), BlockManager)

    assert engine.words_by_seq["A"][:length] == engine.words_by_seq["B"][:length]
    assert engine.words_by_seq["A"][length:] != engine.words_by_seq["B"][length:]


@pytest.mark.parametrize(
    "build",
    [mutants.WritesInPlace, mutants.DropsTheCopy, mutants.CopiesTheWrongWay],
)
@pytest.mark.parametrize("length", [1, P - 1, P + 8])
def test_case_21_is_found_in_a_manager_whose_copy_is_missing(
    length: int, build: type[PlainManager]
):
    with pytest.raises(LostError):
        run(both_write(length, first=0), build)


# Case 22: a fork at a block boundary copies nothing, one inside a block copies once.


@pytest.mark.parametrize("first", ["A", "B"])
@pytest.mark.parametrize(
    ("length", "num_copies", "num_new"), [(2 * P, [0, 0], 2), (2 * P + 8, [1, 0], 1)]
)
def test_case_22_who_appends_first_copies_and_only_inside_a_block(
    length: int, num_copies: list[int], num_new: int, first: str
):
    pool = BlockPool(8)
    manager = BlockManager(pool, P)
    manager.add("A", length)
    manager.fork("A", "B")
    free_before = pool.num_free
    copies = [manager.append(s) for s in (first, "B" if first == "A" else "A")]

    assert [len(of_one) for of_one in copies] == num_copies
    assert free_before - pool.num_free == num_new


@given(st.integers(1, 3 * P), st.integers(1, 3 * P))
def test_case_22_a_fork_is_copied_if_and_only_if_its_last_block_has_an_empty_slot(
    length: int, num_tokens: int
):
    manager = BlockManager(BlockPool(12), P)
    manager.add("A", length)
    manager.fork("A", "B")

    assert len(manager.append("B", num_tokens)) == (length % P != 0)
    assert manager.append("A", num_tokens) == []
