import pytest
import torch
from pagedkv_kernels import paged_decode
from pagedkv_kernels.cases import problem

from tests.decoding import DEVICE, error_of, output_of, tolerance

EDGES_OF_16 = (0, 1, 15, 16, 17, 32)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_paged_attention_is_dense_attention(dtype: torch.dtype, seed: int):
    p = problem((33, 5, 80), dtype=dtype, seed=seed, device=DEVICE)

    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("seed", [0, 1])
def test_lengths_at_the_edges_of_a_block(seed: int):
    p = problem(EDGES_OF_16, block_size=16, seed=seed, device=DEVICE)

    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("length", [63, 64, 65, 128, 129])
def test_lengths_at_the_edges_of_a_tile(length: int):
    # the table has no entry to spare, so reading on would leave it
    p = problem((3, length), extra_entries=0, device=DEVICE)

    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("block_size", [1, 2, 7, 16, 48, 272, 544])
def test_block_sizes_of_every_kind(block_size: int):
    lengths = (block_size, block_size + 1, max(1, block_size - 1))
    p = problem(
        lengths, block_size=block_size, num_heads=2, num_kv_heads=1, device=DEVICE
    )

    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize(
    ("num_heads", "num_kv_heads"),
    [(7, 1), (28, 4), (40, 8), (6, 2), (24, 1), (48, 2), (64, 1), (1, 1), (3, 3)],
)
def test_groups_of_every_size(num_heads: int, num_kv_heads: int):
    p = problem((18, 70), num_heads=num_heads, num_kv_heads=num_kv_heads, device=DEVICE)

    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("head_dim", [1, 16, 72, 80, 96, 100, 128, 192, 256])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_head_dims_of_every_kind(head_dim: int, dtype: torch.dtype):
    p = problem((18, 66), head_dim=head_dim, dtype=dtype, device=DEVICE)

    assert error_of(p) < tolerance(p)


def test_nan_in_unwritten_slots_does_not_reach_the_output():
    p = problem((17,), block_size=16, device=DEVICE)
    last_block = int(p.block_tables[0, 1])

    assert p.v_cache[last_block, 1:].isnan().all()
    assert p.k_cache[last_block, 1:].isnan().all()
    assert error_of(p) < tolerance(p)


def test_padded_entries_may_lead_to_a_block_of_nan():
    p = problem((17, 3), garbage=(0,), extra_entries=3, device=DEVICE)

    assert (p.block_tables[1, 1:] == 0).all()
    assert p.v_cache[0].isnan().all()
    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("garbage", [-1, 2**30, 2**31 - 1])
def test_garbage_in_unused_entries_is_no_address(garbage: int):
    p = problem((17, 3, 33), garbage=(garbage,), extra_entries=3, device=DEVICE)

    assert (p.block_tables == garbage).sum() == 3 * 6 - 6
    assert error_of(p) < tolerance(p)


def test_a_spare_block_in_the_table_full_of_nan_is_not_read():
    p = problem((16,), block_size=16, extra_entries=0, device=DEVICE)
    spare = torch.zeros((1, 1), dtype=torch.int32, device=DEVICE)
    table = torch.cat([p.block_tables, spare], dim=1)

    found = output_of(*p.tensors[:3], table, p.seq_lens, scale=p.scale)

    assert torch.equal(found, output_of(*p.tensors, scale=p.scale))


def test_the_views_of_a_fused_tensor_are_caches():
    p = problem((33, 5), fused=True, device=DEVICE)

    assert p.k_cache.stride(0) == 2 * 16 * p.k_cache.stride(1)
    assert error_of(p) < tolerance(p)


def test_keys_and_values_may_have_strides_of_their_own():
    p = problem((33, 5), device=DEVICE)
    head_major = p.v_cache.transpose(1, 2).contiguous().transpose(1, 2)
    wide = torch.full((*p.k_cache.shape[:3], 40), torch.nan, device=DEVICE)
    wide[..., 4:36] = p.k_cache

    found = output_of(
        p.q, wide[..., 4:36], head_major, p.block_tables, p.seq_lens, scale=p.scale
    )

    assert head_major.stride() != p.v_cache.stride()
    assert torch.equal(found, output_of(*p.tensors, scale=p.scale))


def test_q_may_be_a_slice_and_out_has_strides_of_its_own():
    p = problem((33, 5), device=DEVICE)
    qkv = torch.full((2, 8, 32), torch.nan, device=DEVICE)
    qkv[:, :4] = p.q
    out = torch.full((4, 2, 48), 7.0, device=DEVICE)

    found = output_of(
        qkv[:, :4],
        *p.tensors[1:],
        scale=p.scale,
        out=out[..., 8:40].transpose(0, 1),
        num_splits=2,
    )

    expected, _ = p.expected()
    assert found.data_ptr() == out[..., 8:40].data_ptr()
    assert torch.allclose(out[..., 8:40].transpose(0, 1).double(), expected, atol=2e-5)
    assert (out[..., :8] == 7).all()
    assert (out[..., 40:] == 7).all()


@pytest.mark.parametrize("window", [1, 16, 17, 64, 100, 500])
def test_blocks_before_the_window_may_be_given_back(window: int):
    p = problem((100, 12), window=window, device=DEVICE)

    num_written = int((~p.k_cache[:, :, 0, 0].isnan()).sum())
    assert num_written == min(100, window) + min(12, window)
    assert error_of(p) < tolerance(p)


@pytest.mark.parametrize("spread", [1.0, 5000.0])
def test_the_soft_cap_does_not_overflow(spread: float):
    p = problem((33, 5), softcap=50.0, spread=spread, device=DEVICE)

    # scores of thousands lie on the cap, where float32 keeps 5 digits of 50
    assert error_of(p) < (tolerance(p) if spread == 1 else 1e-3)


@pytest.mark.parametrize("level", [-200.0, -1e4, 1e4])
def test_scores_far_from_zero_are_not_lost(level: float):
    p = problem((70, 130), level=level, device=DEVICE)

    # a float32 near 10,000 is good to 0.001, and a weight follows its score
    assert error_of(p) < 3e-7 * abs(level) + tolerance(p)


def test_scores_that_rise_and_fall_by_hundreds():
    p = problem((200, 150), spread=100.0, device=DEVICE)

    assert error_of(p) < 2e-3


def test_the_error_does_not_grow_with_the_length():
    short, long = (
        problem((length,), dtype=torch.float16, num_heads=2, num_kv_heads=1)
        for length in (33, 1500)
    )

    assert error_of(long) < 2 * error_of(short) + 1e-4


def test_the_same_cache_at_other_places_gives_the_same_bits():
    p = problem((65, 16, 1), dtype=torch.float16, device=DEVICE)
    out, lse = paged_decode(*p.tensors, scale=p.scale, return_lse=True)

    for seed in (1, 2):
        moved = p.moved(seed)
        again = paged_decode(*moved.tensors, scale=p.scale, return_lse=True)

        assert not torch.equal(moved.block_tables, p.block_tables)
        assert torch.equal(again[0], out)
        assert torch.equal(again[1], lse)


def test_zero_sequences_and_zero_lengths_are_no_special_case():
    nobody = problem((), device=DEVICE)
    empty = problem((0, 0), device=DEVICE)
    no_table = empty.block_tables[:, :0]

    out, lse = paged_decode(*nobody.tensors, scale=1.0, return_lse=True)
    assert out.shape == (0, 4, 32)
    assert lse.shape == (0, 4)
    for tables in (empty.block_tables, no_table):
        out, lse = paged_decode(
            *empty.tensors[:3], tables, empty.seq_lens, scale=1.0, return_lse=True
        )
        assert (out == 0).all()
        assert lse.isneginf().all()


def test_random_problems():
    generator = torch.Generator().manual_seed(7)

    def pick(*options: int) -> int:
        return options[int(torch.randint(len(options), (), generator=generator))]

    for seed in range(12):
        num_kv_heads = pick(1, 2, 3)
        p = problem(
            [pick(0, 1, 7, 40, 64, 90) for _ in range(pick(1, 2))],
            block_size=pick(1, 3, 16, 32),
            num_kv_heads=num_kv_heads,
            num_heads=num_kv_heads * pick(1, 2, 5, 17),
            head_dim=pick(16, 40, 64),
            dtype=torch.float16 if pick(0, 1) else torch.float32,
            window=pick(10, 50) if pick(0, 1) else None,
            softcap=30.0 if pick(0, 1) else None,
            fused=bool(pick(0, 1)),
            garbage=(pick(-1, 0, 2**30),),
            seed=seed,
            device=DEVICE,
        )

        assert error_of(p, num_splits=pick(1, 2, 3)) < tolerance(p), f"seed {seed}"
