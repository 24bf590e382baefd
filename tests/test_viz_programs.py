"""Programs of four launches, as data and as a widget without a browser."""

from itertools import pairwise

import pytest
from pagedkv_kernels.rungs import rungs

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.launches import launches
from pagedkv_edu.viz.programs import programs_view


def test_every_token_is_read_once_for_each_head_and_the_group_shares_it():
    by_block, by_tile, grouped, split = launches({"A": 70, "B": 200})

    assert by_block.rows_read == by_tile.rows_read == 8 * 270
    assert grouped.rows_read == split.rows_read == 2 * 270


def test_the_turns_of_a_part_are_whole_tiles_and_then_the_rest():
    split = launches({"A": 70, "B": 200}, num_splits=4)[3]
    of_a = [p.turns for p in split.programs if p.seq_id == "A" and p.kv_head == 0]
    of_b = [p.turns for p in split.programs if p.seq_id == "B" and p.kv_head == 1]

    assert of_a == [(64,), (6,), (), ()]
    assert of_b == [(64,), (64,), (64,), (8,)]
    assert split.longest == 1


@pytest.mark.parametrize("seq_len", [1, 16, 64, 65, 1000])
def test_parts_of_a_sequence_follow_one_another_and_end_with_it(seq_len: int):
    for launch in launches({"A": seq_len}, num_splits=3):
        parts = [p for p in launch.programs if p.first_head == 0]
        assert sum(p.num_tokens for p in parts) == seq_len
        for before, after in pairwise(parts):
            assert after.begin == before.begin + before.num_tokens


@pytest.mark.parametrize("seq_len", [70, 200, 4096])
def test_the_programs_are_counted_as_by_the_kernels(seq_len: int):
    counted = rungs(
        1, seq_len, num_heads=8, num_kv_heads=2, head_dim=1, dtype_bytes=1, num_splits=4
    )
    made = launches({"A": seq_len}, num_splits=4)

    assert [r.programs for r in counted] == [len(m.programs) for m in made]
    assert [r.turns for r in counted] == [m.longest for m in made]
    assert [r.kv_bytes for r in counted] == [2 * m.rows_read for m in made]


def test_heads_that_do_not_share_evenly_are_refused():
    with pytest.raises(InvalidSize, match="7 query heads share 2 KV heads"):
        launches({"A": 5}, num_heads=7)


def test_a_group_is_padded_to_what_a_matrix_unit_takes():
    assert launches({"A": 5})[2].num_rows == 16
    assert launches({"A": 5}, num_heads=48, num_kv_heads=2)[2].num_rows == 32


def test_the_view_tells_each_rung_and_stays_inside():
    view = programs_view(9)
    told = [launch["text"] for launch in view.picture["launches"]]

    assert view.rung == 3
    assert "each key is read 4 times: 2,160 rows" in told[0]
    assert "48 turns in place of 144" in told[1]
    assert "540 rows are read in place of 2,160" in told[2]
    assert "1 turn in place of 4. 4 parts of the short sequence are empty" in told[3]
