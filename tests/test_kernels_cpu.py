import subprocess
import sys

import pytest
import torch
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.cases import problem
from pagedkv_kernels.cpu import paged_decode
from pagedkv_kernels.layouts import LAYOUTS, Layout

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec
from tests.decoding import error_of, output_of, tolerance

DTYPES = [torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_paged_attention_is_dense_attention(dtype: torch.dtype, seed: int):
    p = problem((33, 5, 200, 0, 64), dtype=dtype, seed=seed)

    assert error_of(p, num_splits=None, decode=paged_decode) < tolerance(p)


@pytest.mark.parametrize("block_size", [1, 2, 7, 16, 48, 272])
def test_lengths_at_the_edges_of_a_block_of_any_size(block_size: int):
    lengths = (0, 1, block_size - 1, block_size, block_size + 1, 2 * block_size)
    p = problem(lengths, block_size=block_size, extra_entries=0)

    assert error_of(p, num_splits=None, decode=paged_decode) < tolerance(p)


@pytest.mark.parametrize("length", [3, 4, 5, 63, 64, 65, 68, 128, 1001])
def test_lengths_at_the_edges_of_four_tokens_and_of_a_tile(length: int):
    p = problem((length,), extra_entries=0)

    assert error_of(p, decode=paged_decode) < tolerance(p)


@pytest.mark.parametrize(
    ("num_heads", "num_kv_heads"),
    [(7, 1), (28, 4), (40, 8), (6, 2), (24, 1), (48, 2), (64, 1), (1, 1), (3, 3)],
)
@pytest.mark.parametrize("head_dim", [1, 72, 128])
def test_groups_and_head_dims_of_every_kind(
    num_heads: int, num_kv_heads: int, head_dim: int
):
    p = problem(
        (18, 70), num_heads=num_heads, num_kv_heads=num_kv_heads, head_dim=head_dim
    )

    assert error_of(p, decode=paged_decode) < tolerance(p)


@pytest.mark.parametrize("window", [1, 16, 17, 64, 100, 500])
@pytest.mark.parametrize("num_splits", [None, 1, 3])
def test_blocks_before_the_window_may_be_given_back(
    window: int, num_splits: int | None
):
    p = problem((100, 12, 0, 300), window=window)

    assert error_of(p, num_splits=num_splits, decode=paged_decode) < tolerance(p)


@pytest.mark.parametrize("spread", [1.0, 5000.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_soft_cap_does_not_overflow(dtype: torch.dtype, spread: float):
    p = problem((33, 5), softcap=50.0, spread=spread, dtype=dtype)

    assert error_of(p, decode=paged_decode) < (tolerance(p) if spread == 1 else 5e-3)


@pytest.mark.parametrize("level", [-200.0, -1e4, 1e4])
def test_scores_far_from_zero_are_not_lost(level: float):
    p = problem((70, 130), level=level)

    assert error_of(p, decode=paged_decode) < 3e-7 * abs(level) + tolerance(p)


def test_scores_that_rise_and_fall_by_hundreds():
    p = problem((200, 150), spread=100.0)

    assert error_of(p, decode=paged_decode) < 2e-3


@pytest.mark.parametrize("length", [1, 5, 64, 500])
def test_pieces_agree(length: int):
    p = problem((length, 3))
    one, *others = (
        paged_decode(*p.tensors, scale=p.scale, num_splits=n, return_lse=True)
        for n in (1, 2, 8, 64, None)
    )

    for out, lse in others:
        assert torch.allclose(out, one[0], rtol=0, atol=1e-6)
        assert torch.allclose(lse, one[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_same_cache_at_other_places_gives_the_same_bits(dtype: torch.dtype):
    p = problem((65, 16, 1), dtype=dtype)
    out = output_of(*p.tensors, scale=p.scale, decode=paged_decode)

    for seed in (1, 2):
        moved = p.moved(seed)
        again = output_of(*moved.tensors, scale=p.scale, decode=paged_decode)
        assert torch.equal(again, out)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout_gives_the_same_bits(layout: Layout, dtype: torch.dtype):
    p = problem((65, 16, 1), dtype=dtype)
    num_blocks, block_size, num_kv_heads, head_dim = p.k_cache.shape
    spec = KVCacheSpec(1, num_kv_heads, head_dim, dtype.itemsize, block_size)
    caches = layout.caches(spec, num_blocks, dtype)
    for cache, original in zip(caches, (p.k_cache, p.v_cache), strict=True):
        cache.copy_(original)

    found = output_of(p.q, *caches, *p.tensors[3:], scale=p.scale, decode=paged_decode)

    assert torch.equal(found, output_of(*p.tensors, scale=p.scale, decode=paged_decode))


def test_q_may_be_a_slice_and_out_has_strides_of_its_own():
    p = problem((33, 5))
    qkv = torch.full((2, 8, 32), torch.nan)
    qkv[:, :4] = p.q
    out = torch.full((4, 2, 48), 7.0)
    tables = torch.cat([p.block_tables, p.block_tables], dim=1)[:, : p.q.shape[0] + 1]

    found = output_of(
        qkv[:, :4],
        *p.tensors[1:3],
        tables,
        p.seq_lens,
        scale=p.scale,
        out=out[..., 8:40].transpose(0, 1),
        decode=paged_decode,
    )

    assert found.data_ptr() == out[..., 8:40].data_ptr()
    expected, _ = p.expected()
    assert torch.allclose(out[..., 8:40].transpose(0, 1).double(), expected, atol=2e-5)
    assert (out[..., :8] == 7).all()
    assert (out[..., 40:] == 7).all()


def test_zero_sequences_and_no_table_are_no_special_case():
    nobody, empty = problem(()), problem((0, 0))

    out, lse = paged_decode(*nobody.tensors, scale=1.0, return_lse=True)
    assert out.shape == (0, 4, 32)
    assert lse.shape == (0, 4)
    out, lse = paged_decode(
        *empty.tensors[:3],
        empty.block_tables[:, :0],
        empty.seq_lens,
        scale=1.0,
        return_lse=True,
    )
    assert (out == 0).all()
    assert lse.isneginf().all()


def test_a_gradient_is_not_asked_for():
    p = problem((5,))
    q = p.q.requires_grad_()

    assert not output_of(
        q, *p.tensors[1:], scale=1.0, decode=paged_decode
    ).requires_grad


def test_wrong_arguments_are_refused_as_by_the_kernel():
    p = problem((33,))

    with pytest.raises(WrongTensor, match="q is on meta"):
        paged_decode(p.q.to("meta"), *p.tensors[1:], scale=1.0)
    with pytest.raises(WrongTensor, match="make the table wider"):
        paged_decode(*p.tensors[:3], p.block_tables[:, :2], p.seq_lens, scale=1.0)
    with pytest.raises(InvalidSize, match="num_splits must be at least 1"):
        paged_decode(*p.tensors, scale=1.0, num_splits=0)
    with pytest.raises(InvalidSize, match="window must be at least 1"):
        paged_decode(*p.tensors, scale=1.0, window=0)


def test_the_cpu_path_needs_no_triton():
    code = "import sys, pagedkv_kernels.cpu; print('triton' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == "False"
