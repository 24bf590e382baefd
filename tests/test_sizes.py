from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import KVCacheSpec, cdiv, locate
from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.sizes import require_positive
from tests.wrong_calls import NO_INTS, refuses

LLAMA_3_8B = KVCacheSpec(32, 8, head_dim=128, dtype_bytes=2, block_size=16)
OPT_13B = KVCacheSpec(40, 40, head_dim=128, dtype_bytes=2, block_size=16)


@given(st.integers(0, 10**6), st.integers(1, 300))
def test_cdiv_is_the_smallest_number_of_parts_that_holds_everything(a: int, b: int):
    parts = cdiv(a, b)

    assert parts * b >= a
    assert (parts - 1) * b < a


def test_cdiv_rounds_a_negative_number_up_too():
    assert cdiv(-5, 4) == -1


@pytest.mark.parametrize("b", [0, -1, *NO_INTS])
def test_cdiv_refuses_a_divisor_that_is_no_size(b: object):
    refuses(cdiv, 5, b, error=InvalidSize, match="cdiv")


@pytest.mark.parametrize("a", NO_INTS)
def test_cdiv_refuses_to_round_what_is_no_int(a: object):
    refuses(cdiv, a, 4, error=InvalidSize, match="cdiv")


@given(st.integers(0, 10**6), st.integers(1, 300))
def test_locate_leads_back_to_the_position(position: int, block_size: int):
    logical_block, offset = locate(position, block_size)

    assert logical_block * block_size + offset == position
    assert 0 <= offset < block_size


@pytest.mark.parametrize("position", [-1, *NO_INTS])
def test_locate_refuses_a_position_that_does_not_exist(position: object):
    refuses(locate, position, 4, error=InvalidSize, match="position")


@pytest.mark.parametrize("block_size", [0, -4, *NO_INTS])
def test_locate_refuses_a_block_without_slots(block_size: object):
    refuses(locate, 0, block_size, error=InvalidSize, match="block_size")


def test_a_size_is_refused_with_its_name_and_its_value():
    with pytest.raises(InvalidSize, match=r"^num_blocks must be at least 1, got 0$"):
        require_positive("num_blocks", 0)
    with pytest.raises(InvalidSize, match=r"^num_blocks must be an int, got True$"):
        require_positive("num_blocks", value=True)


def test_an_invalid_size_is_caught_as_ours_and_as_a_value_error():
    assert issubclass(InvalidSize, PagedKVError)
    assert issubclass(InvalidSize, ValueError)


def test_a_token_of_llama_3_8b_takes_128_kib_and_one_of_opt_13b_819200_bytes():
    assert LLAMA_3_8B.bytes_per_token == 128 * 2**10
    assert OPT_13B.bytes_per_token == 819_200


def test_12_gib_hold_15728_tokens_of_opt_13b():
    assert 12 * 2**30 // OPT_13B.bytes_per_token == 15_728


def test_a_block_of_16_tokens_of_llama_3_8b_takes_2_mib_and_so_does_its_copy():
    assert LLAMA_3_8B.bytes_per_block == 2 * 2**20
    assert LLAMA_3_8B.copy_bytes == LLAMA_3_8B.bytes_per_block


@pytest.mark.parametrize(
    ("num_tokens", "num_blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (200, 13)]
)
def test_blocks_are_counted_up_to_the_last_token(num_tokens: int, num_blocks: int):
    assert LLAMA_3_8B.blocks_for(num_tokens) == num_blocks


@pytest.mark.parametrize(
    ("block_size", "max_len", "entries"),
    [(16, 4096, 256), (256, 4096, 16), (16, 100_000, 6250)],
)
def test_a_table_has_an_entry_for_every_block_of_the_longest_sequence(
    block_size: int, max_len: int, entries: int
):
    spec = KVCacheSpec(1, 1, head_dim=1, dtype_bytes=1, block_size=block_size)

    assert spec.table_entries(max_len) == entries


@pytest.mark.parametrize("junk", [-1, *NO_INTS])
def test_a_spec_refuses_to_count_what_are_no_tokens(junk: object):
    refuses(LLAMA_3_8B.blocks_for, junk, error=InvalidSize, match="num_tokens")
    refuses(LLAMA_3_8B.table_entries, junk, error=InvalidSize, match="max_len")


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("junk", [0, -1, *NO_INTS])
def test_a_spec_refuses_each_size_that_is_none(place: int, junk: object):
    name = fields(KVCacheSpec)[place].name
    sizes: list[object] = [1, 1, 1, 1, 1]
    sizes[place] = junk

    refuses(KVCacheSpec, *sizes, error=InvalidSize, match=name)
