import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockTable
from pagedkv_edu.errors import InvalidSize
from tests.wrong_calls import NO_INTS, refuses


@st.composite
def tables(draw: st.DrawFn) -> BlockTable:
    block_size = draw(st.integers(1, 5))
    block_ids = draw(st.lists(st.integers(0, 30), max_size=5, unique=True))
    seq_len = draw(st.integers(0, len(block_ids) * block_size))
    return BlockTable(block_size, block_ids, seq_len)


@given(tables())
def test_slots_by_table_equal_slots_by_walking_the_blocks(table: BlockTable):
    walked = [
        block_id * table.block_size + offset
        for block_id in table.block_ids
        for offset in range(table.block_size)
    ]

    assert table.slots(0, table.seq_len) == walked[: table.seq_len]


@given(tables(), st.data())
def test_slots_of_a_part_are_the_slots_one_by_one(
    table: BlockTable, data: st.DataObject
):
    start = data.draw(st.integers(0, table.seq_len))
    stop = data.draw(st.integers(start, table.seq_len))

    assert table.slots(start, stop) == [table.slot(p) for p in range(start, stop)]


@given(tables())
def test_two_tokens_never_have_the_same_slot(table: BlockTable):
    slots = table.slots(0, table.seq_len)

    assert len(set(slots)) == len(slots)


@given(tables())
def test_num_blocks_are_those_with_a_token(table: BlockTable):
    logical_blocks = {p // table.block_size for p in range(table.seq_len)}

    assert table.num_blocks == len(logical_blocks)


def test_slots_are_a_list_of_its_own():
    table = BlockTable(block_size=4, block_ids=[7], seq_len=3)
    table.slots(0, 3).append(99)

    assert table.slots(0, 3) == [28, 29, 30]


@pytest.mark.parametrize("position", [10, 11, -1, *NO_INTS])
def test_a_position_without_a_token_has_no_slot(position: object):
    table = BlockTable(4, [7, 1, 4], seq_len=10)

    refuses(table.slot, position, error=InvalidSize, match="position")


@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, 11), (-1, 2), (3, 2), (11, 11), (True, 2), (0, 2.0), (0, None), ("0", 1)],
)
def test_slots_outside_the_sequence_are_refused(start: object, stop: object):
    table = BlockTable(4, [7, 1, 4], seq_len=10)

    refuses(table.slots, start, stop, error=InvalidSize)


def test_a_token_without_a_block_is_refused_and_not_looked_up():
    table = BlockTable(block_size=4, block_ids=[7], seq_len=5)

    with pytest.raises(InvalidSize, match=r"^position 4 has no block: the table's"):
        table.slot(4)
    with pytest.raises(InvalidSize, match=r"^position 4 has no block: the table's"):
        table.slots(0, 5)


@pytest.mark.parametrize("block_size", [0, -1, *NO_INTS])
def test_a_table_without_a_block_size_is_refused(block_size: object):
    refuses(BlockTable, block_size, error=InvalidSize, match="block_size")


@pytest.mark.parametrize("seq_len", [-1, *NO_INTS])
def test_a_table_with_no_length_is_refused(seq_len: object):
    refuses(BlockTable, 4, [0], seq_len, error=InvalidSize, match="seq_len")


def test_an_empty_table_has_no_block_and_no_slot():
    table = BlockTable(block_size=4)

    assert (table.num_blocks, table.seq_len, table.slots(0, 0)) == (0, 0, [])
