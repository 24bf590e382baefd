import json
from dataclasses import replace

import ipywidgets as widgets
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockTable, KVCacheSpec, locate
from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.viz.addresses import bytes_per_slot, describe_way, follow, guarded
from pagedkv_edu.viz.translation import (
    BLOCK_SIZES,
    FIRST_POSITION,
    FIRST_SEED,
    LENGTHS,
    LLAMA_3_8B,
    NUM_SLOTS,
    TranslationDrawing,
    picture,
    tables,
    translation,
)

BLOCK_IDS = [2, 3, 0]


def spec(block_size: int) -> KVCacheSpec:
    return replace(LLAMA_3_8B, block_size=block_size)


def not_written(position: int, block_size: int) -> tuple[int, int]:
    raise NotImplementedError("your turn: locate")


def swapped(position: int, block_size: int) -> tuple[int, int]:
    return position % block_size, position // block_size


# --- the way --------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=9, unique=True),
    st.integers(1, 32),
    st.data(),
)
def test_a_way_ends_where_the_block_table_says(
    block_ids: list[int], block_size: int, data: st.DataObject
):
    position = data.draw(st.integers(0, len(block_ids) * block_size - 1))
    table = BlockTable(block_size, block_ids, seq_len=position + 1)

    way = follow(position, block_ids, spec(block_size))

    assert way.slot == table.slot(position)
    assert (way.logical_block, way.offset) == locate(position, block_size)
    assert way.remark == ""


def test_the_byte_is_that_of_the_row_in_an_array_of_keys():
    num_blocks, block_size = 4, 4
    shape = (num_blocks, block_size, LLAMA_3_8B.num_kv_heads, LLAMA_3_8B.head_dim)
    keys = np.zeros(shape, dtype=np.float16)

    way = follow(9, BLOCK_IDS, spec(block_size))

    row = keys[way.block_id, way.offset]
    begin = keys.__array_interface__["data"][0]
    assert row.__array_interface__["data"][0] - begin == way.byte


def test_the_bytes_of_a_slot_in_all_arrays_are_the_bytes_of_a_token():
    num_arrays = 2 * LLAMA_3_8B.num_layers

    assert bytes_per_slot(LLAMA_3_8B) * num_arrays == LLAMA_3_8B.bytes_per_token


def test_a_way_is_told_with_all_its_numbers():
    way = follow(9, BLOCK_IDS, spec(4))

    text = describe_way(way, 4, bytes_per_slot(LLAMA_3_8B))

    assert "Position 9 is 2 × 4 + 1: logical block 2, offset 1." in text
    assert "Entry 2 of A's table is 0, so the token is in slot 0 × 4 + 1 = 1." in text
    assert "byte 1 × 2,048 = 2,048" in text


# --- a learner's functions ------------------------------------------------------------


def test_a_wrong_locate_is_followed_to_where_it_leads():
    way = follow(6, BLOCK_IDS, spec(4), my_locate=swapped)

    assert way.remark == "Yours: swapped(6, 4) returned (2, 1); expected (1, 2)."
    assert (way.slot, way.found_slot) == (14, 1)


def test_a_locate_that_leaves_the_table_leads_nowhere():
    way = follow(3, BLOCK_IDS, spec(4), my_locate=swapped)

    assert way.remark.endswith("The table has no such entry.")
    assert way.found_slot is None


def test_a_wrong_slot_is_shown_and_the_right_way_stays():
    way = follow(9, BLOCK_IDS, spec(4), my_slot=lambda ids, size, p: ids[0] * size + p)

    assert (way.slot, way.found_slot) == (1, 17)
    assert way.remark == "Yours: slot 17; expected slot 1."


def test_a_function_that_is_not_written_or_fails_is_told_so():
    unwritten = follow(9, BLOCK_IDS, spec(4), my_locate=not_written)
    failing = follow(9, BLOCK_IDS, spec(4), my_slot=lambda ids, size, p: ids[p])

    assert unwritten.remark == "Yours: not_written(9, 4) is not written yet."
    assert (unwritten.is_written, failing.is_written) == (False, True)
    assert "stopped with IndexError: list index out of range" in failing.remark


def test_a_function_that_changes_its_table_does_not_change_the_drawing():
    def empties(block_ids: list[int], block_size: int, position: int) -> int:
        block_ids.clear()
        return 0

    follow(9, BLOCK_IDS, spec(4), my_slot=empties)

    assert BLOCK_IDS == [2, 3, 0]


@pytest.mark.parametrize("answer", [None, 1.5, "8", True, [1, None], (1.0, 2)])
def test_guarded_refuses_what_is_no_whole_number(answer: object):
    with pytest.raises(PagedKVError, match="expected whole numbers"):
        guarded(lambda: answer)()


@pytest.mark.parametrize("answer", [0, -1, [], [1, 2], (3, 4)])
def test_guarded_passes_whole_numbers_on(answer: object):
    assert guarded(lambda: answer)() == answer


def test_guarded_leaves_errors_of_ours_as_they_are():
    with pytest.raises(InvalidSize, match="position"):
        guarded(locate)(-1, 4)


def test_guarded_hides_the_traceback_of_what_went_wrong():
    with pytest.raises(PagedKVError) as caught:
        guarded(lambda: [1][2])()

    assert caught.value.__suppress_context__


# --- the picture ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("block_size", BLOCK_SIZES)
def test_no_two_sequences_share_a_block_and_all_lie_in_the_pool(
    block_size: int, seed: int
):
    table_by_seq = tables(block_size, seed)

    held = [block_id for block_ids in table_by_seq.values() for block_id in block_ids]
    assert len(set(held)) == len(held)
    assert all(0 <= block_id < NUM_SLOTS // block_size for block_id in held)
    for seq_id, block_ids in table_by_seq.items():
        assert len(block_ids) == -(-LENGTHS[seq_id] // block_size)


def test_the_picture_has_a_way_for_every_position_of_every_block_size():
    seen = picture(LLAMA_3_8B, seed=3)

    assert [view["block_size"] for view in seen["views"]] == list(BLOCK_SIZES)
    for view in seen["views"]:
        assert [way["position"] for way in view["ways"]] == list(range(LENGTHS["A"]))
        assert len({way["slot"] for way in view["ways"]}) == LENGTHS["A"]
    assert json.loads(json.dumps(seen)) == seen


def test_the_first_view_confuses_no_two_numbers():
    view = picture(LLAMA_3_8B, seed=FIRST_SEED)["views"][BLOCK_SIZES.index(4)]
    way = view["ways"][FIRST_POSITION]

    numbers = [way[name] for name in ("position", "logical_block", "block_id", "slot")]
    assert len({*numbers, way["offset"]}) == 5


# --- the widget -----------------------------------------------------------------------


def parts(box: widgets.VBox) -> tuple[TranslationDrawing, widgets.HBox]:
    drawing, controls = box.children
    assert isinstance(drawing, TranslationDrawing)
    return drawing, controls


def test_the_explorer_opens_where_it_is_told_to():
    drawing, controls = parts(translation(block_size=8, position=3))
    where, size, _ = controls.children

    assert (drawing.position, BLOCK_SIZES[drawing.view]) == (3, 8)
    assert (where.value, size.value) == (3, 8)


def test_other_blocks_are_dealt_for_the_same_tokens_and_the_same_functions():
    drawing, controls = parts(translation(my_locate=swapped))
    before = drawing.picture

    controls.children[2].click()

    after = drawing.picture
    assert [v["tables"] for v in after["views"]] != [
        v["tables"] for v in before["views"]
    ]
    assert after["lengths"] == before["lengths"]
    assert after["views"][2]["ways"][6]["remark"].startswith("Yours: swapped(6, 4)")


def test_a_start_outside_of_the_sliders_is_refused():
    with pytest.raises(InvalidSize, match="block_size is one of"):
        translation(block_size=5)
    with pytest.raises(InvalidSize, match="position is 0 to 36"):
        translation(position=LENGTHS["A"])


def test_guarded_refuses_a_changed_list():
    def takes_one_out(block_ids: list[int]) -> int:
        return block_ids.pop()

    with pytest.raises(PagedKVError, match="changed the list"):
        guarded(takes_one_out)([3, 1])
