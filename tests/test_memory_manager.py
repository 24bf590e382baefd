import pytest

from pagedkv_edu import BlockManager, BlockPool, BlockTable, OutOfBlocks
from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidId,
    InvalidSize,
    NotAllocated,
    UnknownSequence,
    WrongPool,
)
from tests.wrong_calls import NO_INTS, refuses


def manager_of(num_blocks: int, block_size: int = 4) -> BlockManager:
    return BlockManager(BlockPool(num_blocks), block_size)


def test_a_table_is_a_snapshot_with_a_list_of_its_own():
    manager = manager_of(num_blocks=4)
    manager.add("A", 4)
    before = manager.table("A")
    before.block_ids.append(99)
    manager.append("A")

    assert before.seq_len == 4
    assert len(manager.table("A").block_ids) == 2


def test_a_snapshot_is_equal_to_a_table_built_by_hand():
    manager = manager_of(num_blocks=4)
    manager.add("A", 6)
    block_ids = manager.table("A").block_ids

    assert manager.table("A") == BlockTable(4, block_ids, 6)


def test_a_number_that_equals_an_id_is_not_that_id():
    manager = manager_of(num_blocks=4)
    manager.add(1, 3)

    for same_to_a_dict in (True, 1.0):
        refuses(manager.append, same_to_a_dict, error=InvalidId)
        refuses(manager.free, same_to_a_dict, error=InvalidId)
    assert manager.table(1).seq_len == 3


def test_equal_ids_are_one_sequence_whichever_object_names_it():
    manager = manager_of(num_blocks=4)
    manager.add("request-1", 3)
    manager.append("-".join(["request", "1"]))
    manager.add(10**6, 1)
    manager.append(int("1000000"))

    assert manager.table("request-1").seq_len == 4
    assert manager.table(10**6).seq_len == 2


def test_an_id_may_be_used_again_after_free():
    manager = manager_of(num_blocks=2)
    manager.add("A", 8)
    manager.free("A")
    manager.add("A", 3)

    assert manager.table("A").seq_len == 3


@pytest.mark.parametrize("num_tokens", [2, 5, 9, 10**12])
def test_a_refused_append_changes_nothing_for_any_number_of_tokens(num_tokens: int):
    manager = manager_of(num_blocks=1)
    manager.add("A", 3)

    with pytest.raises(OutOfBlocks, match="0 free"):
        manager.append("A", num_tokens)
    assert manager.table("A").seq_len == 3
    assert manager.append("A") == []


def test_a_copy_that_finds_no_block_is_refused_and_changes_nothing():
    manager = manager_of(num_blocks=1)
    manager.add("A", 3)
    manager.fork("A", "B")

    with pytest.raises(OutOfBlocks, match=r"^need 1 block, 0 free; preempt"):
        manager.append("B")
    assert manager.table("B") == manager.table("A")
    assert manager.pool.ref_count(0) == 2


def test_the_last_owner_writes_in_place_also_after_the_others_were_freed():
    manager = manager_of(num_blocks=2)
    manager.add("A", 1)
    manager.append("A")
    manager.fork("A", "B")
    manager.free("B")

    assert manager.append("A") == []


def test_append_asks_again_after_each_fork():
    manager = manager_of(num_blocks=4)
    manager.add("A", 1)
    num_copies: list[int] = []
    for child_id in "BC":
        manager.fork("A", child_id)
        num_copies.append(len(manager.append("A")))

    assert num_copies == [1, 1]


def test_a_prefix_is_taken_over_with_its_references():
    manager = manager_of(num_blocks=4)
    manager.add("A", 8)
    prefix = manager.table("A").block_ids
    for block_id in prefix:
        manager.pool.share(block_id)
    manager.add("B", 9, prefix=prefix)

    assert manager.table("B").block_ids[:2] == prefix
    assert manager.pool.num_free == 1
    manager.check()


def test_a_prefix_that_is_the_whole_sequence_takes_no_block():
    manager = manager_of(num_blocks=1)
    block_id = manager.pool.allocate()
    manager.add("A", 4, prefix=[block_id])

    assert manager.table("A").block_ids == [block_id]
    with pytest.raises(OutOfBlocks):
        manager.append("A")


@pytest.mark.parametrize(
    ("num_tokens", "prefix", "error"),
    [
        (3, [0], InvalidSize),  # not full
        (7, [0, 1], InvalidSize),
        (9, [0, 0], InvalidSize),
        (9, [0, 2], NotAllocated),  # free
        (9, [-1], NotAllocated),
        (9, [0, True], NotAllocated),
        (9, [[0]], NotAllocated),
        (13, [0], OutOfBlocks),
    ],
)
def test_a_wrong_prefix_is_refused_and_stays_the_callers(
    num_tokens: int, prefix: list[object], error: type[Exception]
):
    manager = manager_of(num_blocks=4)
    held = [manager.pool.allocate(), manager.pool.allocate()]

    refuses(manager.add, "A", num_tokens, prefix, error=error)
    refuses(manager.table, "A", error=UnknownSequence)
    assert [manager.pool.ref_count(block_id) for block_id in held] == [1, 1]
    assert manager.pool.num_free == 2


@pytest.mark.parametrize("block_size", [0, -4, *NO_INTS])
def test_a_manager_without_a_block_size_is_refused(block_size: object):
    refuses(BlockManager, BlockPool(4), block_size, error=InvalidSize)


def test_the_host_pool_is_not_the_device_pool():
    pool = BlockPool(4)

    with pytest.raises(WrongPool):
        BlockManager(pool, 4, host_pool=pool)


def test_check_finds_a_reference_that_no_table_holds():
    manager = manager_of(num_blocks=2)
    manager.add("A", 3)
    manager.pool.share(0)

    with pytest.raises(AssertionError, match="block 0: ref_count 2, but 1 tables"):
        manager.check()


@pytest.mark.parametrize("num_tokens", [0, -1, *NO_INTS])
def test_a_number_of_tokens_that_is_none_is_refused(num_tokens: object):
    manager = manager_of(num_blocks=4)
    manager.add("A", 3)

    for call in (manager.append, manager.blocks_needed, manager.can_append):
        refuses(call, "A", num_tokens, error=InvalidSize, match="num_tokens")
    refuses(manager.add, "B", num_tokens, error=InvalidSize, match="num_tokens")
    assert manager.table("A").seq_len == 3
    refuses(manager.table, "B", error=UnknownSequence)


@pytest.mark.parametrize("seq_id", [True, 1.0, None, b"A", ("A",), ["A"]])
def test_an_id_that_is_no_int_and_no_str_is_refused(seq_id: object):
    manager = manager_of(num_blocks=4)
    manager.add(1, 3)

    refuses(manager.add, seq_id, 1, error=InvalidId)
    refuses(manager.append, seq_id, error=InvalidId)
    refuses(manager.fork, seq_id, "B", error=InvalidId)
    refuses(manager.fork, 1, seq_id, error=InvalidId)
    refuses(manager.free, seq_id, error=InvalidId)
    refuses(manager.table, seq_id, error=InvalidId)
    assert manager.pool.num_free == 3


def test_unknown_and_duplicate_sequences_are_refused():
    manager = manager_of(num_blocks=4)
    manager.add("A", 3)

    for call in (manager.append, manager.free, manager.table):
        refuses(call, "B", error=UnknownSequence, match="no sequence 'B'; add it first")
    refuses(manager.fork, "B", "C", error=UnknownSequence)
    refuses(manager.fork, "A", "A", error=DuplicateSequence, match="free it first")
    refuses(manager.add, "A", 3, error=DuplicateSequence)
    manager.check()
