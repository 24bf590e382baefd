"""The loop over blocks in plain Python, and the model of sectors."""

import math

import pytest
import torch
from pagedkv_kernels import layouts
from pagedkv_kernels.traffic import needed_by_piece

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.gather import f32, gather_step, some_row
from pagedkv_edu.replay.gather_text import compared, described, headline
from pagedkv_edu.replay.sectors import Strip, block_strip
from pagedkv_edu.sizes import KVCacheSpec

SPEC = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=16)


def test_rounding_to_32_bits_is_torchs():
    for number in (0.1, -1 / 3, math.e, 1e-30, 12345.678):
        assert f32(number) == torch.tensor(number).item()


@pytest.mark.parametrize("num_tokens", [1, 3, 4, 5, 8, 11])
def test_the_loop_is_dense_attention(num_tokens: int):
    table = [5, 0, 3][: -(-num_tokens // 4)]
    step = gather_step(table, num_tokens, block_size=4, num_blocks=6)
    rows = {
        kind: torch.tensor(
            [some_row(0, kind, token) for token in range(num_tokens)],
            dtype=torch.float64,
        )
        for kind in ("key", "value")
    }
    query = torch.tensor(some_row(0, "query"), dtype=torch.float64)
    weights = (rows["key"] @ query / 8).softmax(0)
    found = torch.tensor(step.out, dtype=torch.float64)

    assert torch.allclose(found, weights @ rows["value"], atol=1e-6)
    assert step.error < 1e-6
    assert step.error > 0 or num_tokens == 1  # rounding is seen


def test_the_state_of_each_turn_is_that_of_all_scores_so_far():
    step = gather_step([9, 3, 17, 12, 5], 70, seed=5827)
    seen: list[float] = []
    for turn in step.turns:
        before = max(seen, default=-math.inf)
        seen += turn.scores
        total = sum(math.exp(score - max(seen)) for score in seen)

        assert turn.running_max == max(seen)
        assert turn.running_sum == pytest.approx(total, rel=1e-5)
        assert turn.rescale == pytest.approx(math.exp(before - max(seen)), rel=1e-6)
        assert turn.is_new_max == (max(seen) > before)
    assert len(seen) == 70


def test_another_table_gives_the_same_bits():
    one, other = (gather_step(t, 11, block_size=4) for t in ([0, 1, 2], [9, 3, 20]))

    assert one.out == other.out
    assert [t.running_sum for t in one.turns] == [t.running_sum for t in other.turns]


def test_a_longer_sequence_begins_with_the_same_scores():
    short, longer = (gather_step([0, 1], n, block_size=4) for n in (5, 7))

    assert longer.turns[0] == short.turns[0]
    assert longer.turns[1].scores[:1] == short.turns[1].scores


@pytest.mark.parametrize("table", [[0], [0, 1, 2], [0, 0], [0, 24], [-1, 0]])
def test_a_table_that_cannot_be_is_refused(table: list[int]):
    with pytest.raises(InvalidSize, match=r"table"):
        gather_step(table, 20)


def test_the_tail_is_told_and_a_full_one_has_no_masked_slot():
    ragged, full = (gather_step([4, 2], n, block_size=4) for n in (7, 8))

    assert headline(ragged, 1) == "Last block: 3 tokens are real, 1 slot is masked"
    assert "The 1 empty slot is loaded as zero and scored −∞." in described(ragged, 1)
    assert headline(full, 1) == "Last block: all 4 slots hold a token, none is masked"
    assert "empty" not in described(full, 1)
    assert "counts 8 tokens" in described(full, 2)


def test_a_new_maximum_is_told_with_its_factor():
    step = gather_step([9, 3, 17, 12, 5], 70, seed=5827)

    assert headline(step, 2) == "Block 2 has a new maximum: the old sum shrinks"
    assert f"multiplied by {step.turns[2].rescale:.3f}" in described(step, 2)
    assert "kept (× 1)" in described(step, 1)


def test_a_state_that_differs_is_named():
    turn = gather_step([1, 0], 6, block_size=4).turns[1]
    right = turn.running_max, turn.running_sum

    assert compared(turn, right) == ""
    assert compared(turn, (turn.running_max, 99.0)) == (
        f"Yours has sum 99.00 in place of {turn.running_sum:.2f} after block 1."
    )
    assert compared(turn, (float("nan"), turn.running_sum)).startswith(
        "Yours has maximum nan in place of"
    )
    assert compared(turn, "is not written yet") == "Yours is not written yet."


@pytest.mark.parametrize("num_tokens", [1, 6, 16])
@pytest.mark.parametrize("layout", [*layouts.LAYOUTS, layouts.DIM_MAJOR], ids=str)
def test_sectors_are_those_that_the_kernels_layouts_touch(
    layout: layouts.Layout, num_tokens: int
):
    for head in (0, 1):
        for kind in ("k", "v"):
            strip = block_strip(
                layout.name,
                layout.axes[1:],
                SPEC,
                num_tokens=num_tokens,
                head=head,
                kinds=(kind,),
            )
            needed = needed_by_piece(
                layout, SPEC, kind, block_ids=[0], seq_len=num_tokens, head=head
            )

            assert strip.needed_by_sector == dict(needed)
            assert strip.needed_bytes == num_tokens * 128


def test_the_tail_of_a_dim_major_block_wastes_most_of_each_sector():
    strip = block_strip("", ("head", "dim", "slot"), SPEC, num_tokens=6)

    assert strip.useful == 0.375
    assert (strip.fetched_bytes, strip.num_lines) == (2048, 16)


def test_a_block_without_tokens_fetches_nothing():
    strip = block_strip("", ("slot", "head", "dim"), SPEC, num_tokens=0)

    assert strip == Strip("", ("slot", "head", "dim"), 4096, {})
    assert strip.useful == 1.0


@pytest.mark.parametrize("axes", [("slot", "dim"), ("slot", "head", "dim", "dim")])
def test_axes_that_cannot_be_are_refused(axes: tuple[str, ...]):
    with pytest.raises(InvalidSize, match="each once"):
        block_strip("", axes, SPEC, num_tokens=1)
