import pytest
import torch
from pagedkv_kernels import INTERPRETED
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.cases import Problem, problem
from pagedkv_kernels.compile import reports
from pagedkv_kernels.examples import decode_job, head_job
from pagedkv_kernels.ladder import decode_by_head

from pagedkv_edu.errors import InvalidSize
from tests.decoding import DEVICE, tolerance


def error_of(p: Problem, tile: int = 64) -> float:
    found = decode_by_head(*p.tensors, scale=p.scale, tile=tile)
    return float((found.double() - p.expected()[0]).abs().max())


@pytest.mark.parametrize("tile", [16, 64])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_program_for_each_head_gives_dense_attention(dtype: torch.dtype, tile: int):
    p = problem((33, 0, 5, 80), dtype=dtype, device=DEVICE)

    assert error_of(p, tile) < tolerance(p)


@pytest.mark.parametrize("block_size", [1, 7, 48])
def test_a_tile_need_not_be_a_block(block_size: int):
    p = problem((50, 3), block_size=block_size, extra_entries=0, device=DEVICE)

    assert error_of(p, tile=16) < tolerance(p)


def test_heads_views_and_far_scores_are_no_special_case():
    for p in (
        problem((33,), num_heads=6, num_kv_heads=2, head_dim=72, device=DEVICE),
        problem((33, 5), fused=True, device=DEVICE),
        problem((70,), level=-200.0, num_heads=2, num_kv_heads=1, device=DEVICE),
    ):
        assert error_of(p) < 1e-4


def test_a_tile_is_a_power_of_two():
    p = problem((5,), device=DEVICE)

    with pytest.raises(InvalidSize, match="tile must be at least 1, got 0"):
        decode_by_head(*p.tensors, scale=1.0, tile=0)
    with pytest.raises(WrongTensor, match="tile must be a power of two, got 48"):
        decode_by_head(*p.tensors, scale=1.0, tile=48)


@pytest.mark.skipif(not INTERPRETED, reason="a GPU knows bfloat16")
def test_the_interpreter_has_no_bfloat16():
    p = problem((5,), dtype=torch.bfloat16)

    with pytest.raises(WrongTensor, match="take float16 or float32"):
        decode_by_head(*p.tensors, scale=1.0)


def test_each_rung_of_the_ladder_shows_in_its_report():
    small, large, grouped = reports([head_job(tile=16), head_job(), decode_job()])

    # a tile four times as long: four times as many loads under way at a time
    assert large.loads[16] == 4 * small.loads[16]
    assert small.num_dots == large.num_dots == 0
    assert small.num_async == large.num_async == 0
    # heads together: matrix units, and tiles that wait in shared memory
    assert grouped.num_dots > 0
    assert grouped.num_async > 0
    assert all(made.spilled_bytes == 0 for made in (small, large, grouped))
