import doctest
from types import ModuleType

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pagedkv_kernels import cases, layouts, shapes, traffic
from pagedkv_kernels.layouts import (
    DIM_MAJOR,
    FUSED,
    HEAD_INTERLEAVED,
    HEAD_MAJOR,
    INTERLEAVED,
    LAYOUTS,
    SPLIT,
    Kind,
    Layout,
)
from pagedkv_kernels.traffic import (
    Traversal,
    gather_traffic,
    needed_by_piece,
    row_steps,
)

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec

ALL = (*LAYOUTS, DIM_MAJOR)
SPEC = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=16)
SPECS = st.builds(
    KVCacheSpec,
    st.just(1),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from([2, 4]),
    st.integers(1, 8),
)


KINDS: st.SearchStrategy[Kind] = st.sampled_from(["k", "v"])


def name_of(layout: object) -> str:
    return layout.name if isinstance(layout, Layout) else ""


@pytest.mark.parametrize("module", [cases, layouts, shapes, traffic])
def test_the_examples_in_the_docstrings_are_right(module: ModuleType):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("layout", ALL, ids=name_of)
@given(spec=SPECS, data=st.data())
def test_addresses_are_where_torch_puts_the_number(
    layout: Layout, spec: KVCacheSpec, data: st.DataObject
):
    dtype = torch.float16 if spec.dtype_bytes == 2 else torch.float32
    k_cache, v_cache = layout.caches(spec, 3, dtype)
    kind = data.draw(KINDS)
    cache = k_cache if kind == "k" else v_cache
    where = tuple(data.draw(st.integers(0, size - 1)) for size in cache.shape)
    block_id, slot, head, dim = where

    address = layout.address(
        spec, kind, block_id=block_id, slot=slot, head=head, dim=dim
    )

    base = k_cache if layout.num_arrays == 1 else cache
    assert cache.shape == (3, spec.block_size, spec.num_kv_heads, spec.head_dim)
    assert cache[where].data_ptr() == base.data_ptr() + address


@pytest.mark.parametrize("layout", ALL, ids=name_of)
@given(spec=SPECS)
def test_every_byte_belongs_to_one_number(layout: Layout, spec: KVCacheSpec):
    taken: list[tuple[str, int]] = []
    for kind in ("k", "v"):
        array = kind if layout.num_arrays == 2 else "both"
        for block_id in (0, 1):
            for slot in range(spec.block_size):
                for head in range(spec.num_kv_heads):
                    runs = layout.row(
                        spec, kind, block_id=block_id, slot=slot, head=head
                    )
                    taken += [(array, byte) for run in runs for byte in run]

    num_bytes = 2 * spec.bytes_per_block
    assert len(taken) == len(set(taken)) == num_bytes
    assert max(byte for _, byte in taken) == num_bytes // layout.num_arrays - 1


def test_the_values_of_a_block_begin_where_the_layout_says():
    begins = {
        layout.name: layout.address(SPEC, "v", block_id=1, slot=0, head=0)
        for layout in LAYOUTS
    }

    half, row = 16 * 2 * 64 * 2, 64 * 2
    assert begins == {
        "K then V in each block": 2 * half + half,
        "two arrays": half,
        "per-token interleave": 2 * half + row,
        "head interleave": 2 * half + row,
        "head-major": half,
    }


@pytest.mark.parametrize(
    "wrong", [{"slot": 16}, {"head": 2}, {"dim": 64}, {"slot": -1}]
)
def test_an_index_out_of_range_is_refused(wrong: dict[str, int]):
    index = {"block_id": 0, "slot": 0, "head": 0} | wrong

    with pytest.raises(InvalidSize, match="must be 0 to"):
        SPLIT.address(SPEC, "k", **index)


@pytest.mark.parametrize(
    "axes",
    [
        ("slot", "block", "head", "dim"),
        ("block", "slot", "dim"),
        ("block", "slot", "slot", "head", "dim"),
        ("block", "slot", "head", "dim", "layer"),
    ],
)
def test_a_layout_has_each_axis_once(axes: tuple[str, ...]):
    with pytest.raises(InvalidSize, match="each once"):
        Layout("mine", axes)


def test_a_cache_of_another_size_is_refused():
    with pytest.raises(InvalidSize, match="4 bytes"):
        SPLIT.caches(SPEC, 1, torch.float32)


def test_the_tail_block_of_the_lesson():
    # 6 of 16 tokens, 2 KV heads of 64 fp16 numbers; keys alone
    fetched = {
        layout.name: len(
            needed_by_piece(layout, SPEC, "k", block_ids=[5], seq_len=6, head=0)
        )
        * 32
        for layout in (HEAD_MAJOR, SPLIT, DIM_MAJOR)
    }

    assert fetched == {"head-major": 768, "two arrays": 768, "dim-major": 2048}


@pytest.mark.parametrize("layout", ALL, ids=name_of)
@pytest.mark.parametrize("seq_len", [0, 1, 15, 16, 17, 70])
def test_what_is_needed_is_a_row_for_each_token(layout: Layout, seq_len: int):
    found = gather_traffic(
        layout, SPEC, block_ids=[9, 3, 17, 12, 5], seq_len=seq_len, head=1
    )

    assert found.needed_bytes == seq_len * 2 * 64 * 2
    assert found.fetched_bytes >= found.needed_bytes
    assert found.num_sectors <= 4 * found.num_lines
    if layout is not DIM_MAJOR:  # rows of 128 bytes fill their sectors and lines
        assert found.useful == 1
        assert found.num_lines == 2 * seq_len


def test_only_a_row_shorter_than_a_sector_or_in_pieces_wastes_sectors():
    short = KVCacheSpec(1, num_kv_heads=4, head_dim=8, dtype_bytes=2, block_size=16)
    useful = {
        layout.name: gather_traffic(
            layout, short, block_ids=[0, 1], seq_len=32, head=0
        ).useful
        for layout in ALL
    }

    assert useful == {
        "K then V in each block": 0.5,
        "two arrays": 0.5,
        "per-token interleave": 1.0,
        "head interleave": 1.0,
        "head-major": 1.0,
        "dim-major": 1.0,
    }


def test_the_step_of_the_per_token_interleave_is_constant():
    row = 64 * 2

    assert row_steps(INTERLEAVED, SPEC, "k", "tokens outside") == {2 * row: 31}
    assert len(row_steps(HEAD_INTERLEAVED, SPEC, "k", "tokens outside")) == 2
    assert row_steps(HEAD_INTERLEAVED, SPEC, "k", "heads outside") == {2 * row: 31}


@pytest.mark.parametrize(
    ("layout", "traversal", "other"),
    [
        (FUSED, "tokens outside", "heads outside"),
        (SPLIT, "tokens outside", "heads outside"),
        (HEAD_MAJOR, "heads outside", "tokens outside"),
    ],
    ids=name_of,
)
def test_a_layout_that_matches_the_traversal_leaves_nothing_out(
    layout: Layout, traversal: Traversal, other: Traversal
):
    assert row_steps(layout, SPEC, "v", traversal) == {64 * 2: 31}
    assert len(row_steps(layout, SPEC, "v", other)) == 2
