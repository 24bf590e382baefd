import numba
import pytest
import torch
from pagedkv_kernels import bench
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.bench import Timing, time_decode_paths, time_layouts
from pagedkv_kernels.bench_batch import Batch, Shape
from pagedkv_kernels.cases import problem
from pagedkv_kernels.cpu_plain import plain_decode
from pagedkv_kernels.layouts import LAYOUTS, SPLIT
from pagedkv_kernels.reading import read_once
from pagedkv_kernels.torch_paths import CONTIGUOUS
from pagedkv_kernels.traffic import Traversal

from tests.decoding import tolerance

TINY = Shape(2, 4, 2, 16, 64, num_layers=2)


def test_every_path_is_timed_in_every_round_at_every_block_size():
    steps: list[int] = []

    rows = time_decode_paths(
        TINY, block_sizes=(1, 16), num_rounds=3, on_step=lambda: steps.append(1)
    )

    assert [(row.path, row.block_size) for row in rows] == [
        (bench.READ, None),
        *((name, None) for name in CONTIGUOUS),
        ("torch SDPA, group folded", None),
        (bench.OURS_CONTIGUOUS, None),
        (bench.GATHER, 1),
        (bench.OURS, 1),
        (bench.GATHER, 16),
        (bench.OURS, 16),
    ]
    assert [row.layout for row in rows[:6]] == [
        *("two arrays", "head-major", "head-major", "head-major"),
        *("two arrays", "two arrays"),
    ]
    assert all(len(row.rounds_ms) == 3 for row in rows)
    assert all(row.kv_bytes == 2 * 64 * 2 * 2 * 16 * 4 for row in rows)
    assert len(steps) == 3


def test_every_layout_is_timed_in_both_orders_and_tuned():
    rows = time_layouts(TINY, num_rounds=2, num_threads=None)

    assert len({(row.path, row.layout) for row in rows}) == 3 * len(LAYOUTS)
    assert {row.path for row in rows} == {
        bench.PLAIN_TOKENS,
        bench.PLAIN_HEADS,
        bench.TUNED,
    }
    assert all(row.block_size == 16 and row.ms > 0 for row in rows)


def test_the_threads_are_as_before_afterwards():
    before = torch.get_num_threads(), numba.get_num_threads()
    time_layouts(TINY, layouts=(SPLIT,), num_rounds=1)

    assert (torch.get_num_threads(), numba.get_num_threads()) == before


def test_the_time_of_a_wrong_result_is_not_taken():
    batch = Batch(TINY, seed=0)

    def zeros(q: torch.Tensor, *rest: torch.Tensor, scale: float) -> torch.Tensor:
        return torch.zeros_like(q)

    with pytest.raises(WrongTensor, match="that is to be timed is wrong by"):
        batch.paged(zeros, 16)


def test_a_row_knows_its_speed():
    slow = Timing("a", "two arrays", None, 10**9, (200.0, 100.0, 400.0))
    fast = Timing("b", "two arrays", 16, 10**9, (50.0, 90.0, 60.0))

    assert slow.ms == 100
    assert slow.gb_per_s == 10
    assert fast.speed_against(slow) == 2


def test_reading_once_reads_everything():
    numbers = torch.ones(64 * 4096)

    assert float(read_once(numbers).sum()) == 64 * 4096


@pytest.mark.parametrize("traversal", ["tokens outside", "heads outside"])
@pytest.mark.parametrize("fused", [False, True])
def test_plain_loops_give_dense_attention_in_both_orders(
    traversal: Traversal, *, fused: bool
):
    p = problem((33, 1, 80), num_heads=6, num_kv_heads=2, fused=fused)

    found = plain_decode(*p.tensors, scale=p.scale, traversal=traversal)

    assert float((found - p.expected()[0]).abs().max()) < tolerance(p)


def test_plain_loops_say_what_they_do_not_take():
    half, empty = problem((5,), dtype=torch.float16), problem((0,))

    with pytest.raises(WrongTensor, match=r"take float32, got torch.float16"):
        plain_decode(*half.tensors, scale=1.0)
    with pytest.raises(WrongTensor, match="take lengths of at least 1"):
        plain_decode(*empty.tensors, scale=1.0)
