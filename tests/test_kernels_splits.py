import pytest
import torch
from pagedkv_kernels import paged_decode
from pagedkv_kernels.cases import problem
from pagedkv_kernels.split import MAX_SPLITS, choose_num_splits, merge_splits

from pagedkv_edu.errors import InvalidSize
from tests.decoding import DEVICE, error_of, tolerance

SPLITS = (1, 2, 8, 64)


@pytest.mark.parametrize("length", [1, 5, 64, 500])
def test_splits_agree(length: int):
    p = problem((length,), num_heads=2, num_kv_heads=1, device=DEVICE)
    results = [
        paged_decode(*p.tensors, scale=p.scale, num_splits=n, return_lse=True)
        for n in SPLITS
    ]

    for out, lse in results[1:]:
        assert torch.allclose(out, results[0][0], rtol=0, atol=1e-6)
        assert torch.allclose(lse, results[0][1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("num_splits", [2, 5])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_splits_of_sequences_of_other_lengths(num_splits: int, dtype: torch.dtype):
    p = problem((0, 1, 200), dtype=dtype, num_heads=2, num_kv_heads=1, device=DEVICE)

    assert error_of(p, num_splits=num_splits) < tolerance(p)


def test_splits_of_a_window_with_a_soft_cap():
    p = problem((300, 40), window=150, softcap=20.0, num_kv_heads=1, device=DEVICE)

    assert error_of(p, num_splits=3) < tolerance(p)


def test_scores_near_minus_200_survive_the_merge():
    p = problem((150,), level=-200.0, num_heads=2, num_kv_heads=1, device=DEVICE)

    assert error_of(p, num_splits=4) < 1e-4


def test_a_part_without_tokens_weighs_nothing():
    parts = torch.tensor([[[[1.0, 2.0], [0.0, 0.0], [3.0, 6.0]]]], device=DEVICE)
    part_lse = torch.tensor([[[0.0, -torch.inf, 0.0]]], device=DEVICE)
    out = torch.empty((1, 1, 2), device=DEVICE)

    lse = merge_splits(parts, part_lse, out=out)

    assert torch.allclose(out, torch.tensor([[[2.0, 4.0]]], device=DEVICE))
    assert torch.allclose(lse, torch.tensor([[2.0]], device=DEVICE).log())


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, MAX_SPLITS + 1])
def test_an_impossible_number_of_splits_is_refused(wrong: int):
    p = problem((5,), device=DEVICE)

    with pytest.raises(InvalidSize, match="num_splits"):
        paged_decode(*p.tensors, scale=1.0, num_splits=wrong)


def test_without_a_gpu_nothing_is_split():
    assert choose_num_splits(1, 32_768, torch.device("cpu")) == 1


@pytest.mark.gpu
@pytest.mark.skipif(DEVICE == "cpu", reason="asks the card for its multiprocessors")
def test_few_long_sequences_are_split_and_many_are_not():
    card = torch.device("cuda")

    assert choose_num_splits(8, 32_768, card) > 4
    assert choose_num_splits(8, 100, card) == 1
    assert choose_num_splits(4096, 32_768, card) == 1
