"""The numba kernel for a step's layers returns what it returns for one call."""

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.cpu import paged_decode
from torch import Tensor

from pagedkv_edu.engine.in_place import InPlaceDecode

NUM_BLOCKS, BLOCK_SIZE, HEAD_DIM = 40, 4, 16


def tensors(
    num_heads: int, num_kv_heads: int, seq_lens: list[int], dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    shape = NUM_BLOCKS, BLOCK_SIZE, num_kv_heads, HEAD_DIM
    k, v = (torch.randn(shape).to(dtype) for _ in range(2))
    q = torch.randn(len(seq_lens), num_heads, HEAD_DIM).to(dtype)
    tables = torch.randperm(NUM_BLOCKS)[: 10 * len(seq_lens)].view(-1, 10).int()
    return q, k, v, tables, torch.tensor(seq_lens, dtype=torch.int32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("num_heads", "num_kv_heads"), [(9, 3), (4, 4), (2, 1)])
def test_layers_of_a_step_and_of_the_next_one(
    num_heads: int, num_kv_heads: int, dtype: torch.dtype
) -> None:
    decode = InPlaceDecode()
    for seq_lens in ([3, 40, 17], [4, 33, 18], [39]):
        q, *caches, tables, lens = tensors(num_heads, num_kv_heads, seq_lens, dtype)
        for k, v in (caches, reversed(caches)):  # two layers, the same tables
            for window, softcap in ((None, None), (5, None), (None, 2.0)):
                options = {"scale": 0.3, "window": window, "softcap": softcap}
                wanted = paged_decode(q, k, v, tables, lens, **options)  # pyright: ignore[reportArgumentType]
                found = decode(q, k, v, tables, lens, **options)  # pyright: ignore[reportArgumentType]
                assert isinstance(wanted, Tensor)
                torch.testing.assert_close(found.to(dtype), wanted)


def test_long_sequences_cut_for_the_threads_are_merged() -> None:
    torch.manual_seed(0)
    k, v = torch.randn(2, 300, 16, 1, 16)
    q = torch.randn(1, 4, 16)
    tables = torch.randperm(300)[None].int()
    lens = torch.tensor([4790], dtype=torch.int32)

    found = InPlaceDecode()(q, k, v, tables, lens, scale=0.3)
    wanted = paged_decode(q, k, v, tables, lens, scale=0.3)
    assert isinstance(wanted, Tensor)
    torch.testing.assert_close(found, wanted)


def test_a_wrong_table_is_refused() -> None:
    q, k, v, tables, lens = tensors(4, 2, [3, 40], torch.float32)
    tables[1, 3] = NUM_BLOCKS
    with pytest.raises(WrongTensor, match="logical block 3 of sequence 1"):
        InPlaceDecode()(q, k, v, tables, lens, scale=1.0)
