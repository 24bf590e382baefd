import pytest

from pagedkv_edu import BlockCopy, BlockTable, WordMemory
from pagedkv_edu.errors import InvalidSize
from tests.wrong_calls import NO_INTS, refuses


def filled() -> WordMemory:
    memory = WordMemory(block_size=2)
    for slot, word in enumerate(["a", "b", "c", "d"]):
        memory.write(slot, word)
    return memory


def test_a_memory_is_read_in_the_order_of_the_table():
    memory = filled()

    assert memory.words(BlockTable(2, [1, 0], 3)) == ["c", "d", "a"]
    assert memory.read(BlockTable(2, [1, 0], 4)) == "c d a b"


def test_a_slot_that_nobody_wrote_reads_as_a_dot():
    memory = filled()

    assert memory.block(7) == "· ·"
    assert memory.read(BlockTable(2, [1, 7], 3)) == "c d ·"


def test_a_token_without_a_block_reads_as_a_dot_too():
    assert filled().read(BlockTable(2, [1], 4)) == "c d · ·"


def test_a_copy_brings_the_whole_block_its_empty_slots_too():
    memory = filled()
    memory.write(10, "x")  # block 5: x and nothing
    memory.copy([BlockCopy(5, 0)])

    assert memory.block(0) == "x ·"
    assert memory.block(5) == "x ·"


def test_copies_are_made_one_by_one_in_the_order_given():
    memory = filled()
    memory.copy([BlockCopy(0, 2), BlockCopy(1, 0), BlockCopy(2, 1)])

    assert [memory.block(block_id) for block_id in range(3)] == ["c d", "a b", "a b"]


def test_the_host_has_blocks_of_its_own():
    memory = filled()
    memory.copy([BlockCopy(0, 1, "out")])
    on_the_way = memory.block(1)
    memory.copy([BlockCopy(1, 3, "in")])

    assert on_the_way == "c d"
    assert memory.block(3) == "a b"


@pytest.mark.parametrize("slot", [-1, *NO_INTS])
def test_a_slot_that_does_not_exist_is_refused(slot: object):
    refuses(filled().write, slot, "word", error=InvalidSize, match="slot")


@pytest.mark.parametrize("block_size", [0, -1, *NO_INTS])
def test_a_memory_without_a_block_size_is_refused(block_size: object):
    refuses(WordMemory, block_size, error=InvalidSize, match="block_size")
