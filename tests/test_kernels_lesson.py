"""What lesson 07 shows with: masks left out, rungs counted, excerpts, and no Triton."""

import linecache
import subprocess
import sys
from typing import Any

import pagedkv_kernels  # before triton: it decides whether triton interprets
import pytest
import torch
from pagedkv_kernels.absence import needs_triton, where_kernels_run
from pagedkv_kernels.cases import problem
from pagedkv_kernels.compile import job, reports
from pagedkv_kernels.decode import paged_decode
from pagedkv_kernels.excerpt import NoSuchLines, excerpt
from pagedkv_kernels.ladder import decode_by_head
from pagedkv_kernels.masks import FOREIGN, MASKS, Mask, decode_without, masks_kernel
from pagedkv_kernels.mode import NoTriton
from pagedkv_kernels.rungs import rungs

from pagedkv_edu.errors import InvalidSize
from tests.lesson_cells import Lesson

SEQ_LEN = 21


def without(mask: Mask) -> tuple[float, list[int]]:
    """Return the largest error, and what the table look-ups brought."""
    p = problem([SEQ_LEN], block_size=4, num_heads=4, num_kv_heads=2, extra_entries=0)
    out, looked_up = decode_without(
        mask,
        p.q[0],
        p.k_cache,
        p.v_cache,
        p.block_tables[0],
        SEQ_LEN,
        scale=p.scale,
    )
    right, _ = p.expected()
    return (out - right[0]).abs().max().item(), looked_up.tolist()


@pytest.mark.parametrize("mask", ["none", "table", "k"])
def test_without_this_mask_the_output_is_right(mask: Mask):
    assert without(mask)[0] < 1e-5


def test_without_the_mask_of_v_the_output_is_not_a_number():
    error, _ = without("v")

    assert error != error


def test_without_the_mask_of_the_score_the_output_is_a_little_off():
    error, _ = without("score")

    assert 1e-3 < error < 10


def test_without_the_mask_of_the_table_foreign_numbers_are_read():
    assert FOREIGN in without("table")[1]
    assert FOREIGN not in without("none")[1]


def test_a_sequence_longer_than_the_tile_is_refused():
    p = problem([70], num_heads=4, num_kv_heads=2)
    tensors = p.q[0], p.k_cache, p.v_cache, p.block_tables[0]
    with pytest.raises(InvalidSize, match="70 tokens do not fit into a tile of 64"):
        decode_without("none", *tensors, 70, scale=p.scale)


def test_the_rungs_are_what_the_kernels_launch():
    by_block, by_tile, grouped, split = rungs(2, 200, num_heads=8, num_kv_heads=2)

    assert [by_block.programs, grouped.programs, split.programs] == [16, 4, 32]
    assert [by_block.turns, by_tile.turns, grouped.turns, split.turns] == [13, 4, 4, 1]
    assert by_tile.kv_bytes == 4 * grouped.kv_bytes == 4 * split.kv_bytes
    assert grouped.kv_bytes == 2 * 2 * 200 * 2 * 128 * 2
    assert [grouped.part_bytes, split.part_bytes > 0] == [0, True]
    assert by_tile.total_turns == 64


def test_every_rung_gives_the_same_answer():
    p = problem([70, 33], num_heads=8, num_kv_heads=2)
    outputs = [decode_by_head(*p.tensors, scale=p.scale, tile=t) for t in (16, 64)]
    for num_splits in (1, 4):
        out = paged_decode(*p.tensors, scale=p.scale, num_splits=num_splits)
        assert isinstance(out, torch.Tensor)
        outputs.append(out)
    right, _ = p.expected()

    assert all((out - right).abs().max() < 1e-5 for out in outputs)


def test_an_excerpt_is_a_part_of_the_file():
    loop = excerpt("ladder.head_kernel", "for tile_start", "is_token =")

    assert loop.splitlines()[0] == "for tile_start in range(0, seq_len, TILE):"
    assert loop.splitlines()[-1].strip() == "is_token = position < seq_len"
    assert excerpt("split.merge_kernel").startswith("def merge_kernel(")


@pytest.mark.parametrize(
    ("name", "begin", "message"),
    [
        ("nothing.kernel", "", "no nothing.py"),
        ("ladder.nothing", "", "defines no function 'nothing'"),
        ("ladder.head_kernel", "no such line", "no line with 'no such line'"),
    ],
)
def test_an_excerpt_that_is_not_there_is_said_so(name: str, begin: str, message: str):
    with pytest.raises(NoSuchLines, match=message):
        excerpt(name, begin)


@pytest.mark.skipif(pagedkv_kernels.HAS_GPU, reason="with a GPU, kernels are compiled")
def test_it_is_said_where_kernels_run():
    assert where_kernels_run() == "Triton's interpreter, on the CPU"


def test_without_triton_a_launch_is_a_sentence_and_the_page_goes_on():
    said: list[str] = []
    with needs_triton(said.append):
        raise NoTriton("Triton is not there")

    assert said[0].startswith("Not run here. Triton is not there.\nRead on:")


def test_without_triton_kernels_can_be_defined_and_what_is_counted_is_there():
    code = """
import sys
sys.modules["triton"] = None  # as if it were not installed
from pagedkv_kernels.absence import HAS_TRITON, needs_triton, tl, triton
from pagedkv_kernels.absence import where_kernels_run
from pagedkv_kernels.excerpt import excerpt
from pagedkv_kernels.rungs import compiled, rungs

@triton.jit
def kernel(x_ptr, SIZE: tl.constexpr):
    tl.store(x_ptr, tl.load(x_ptr) + SIZE)

with needs_triton():
    kernel[(1,)](None, SIZE=1)
with needs_triton():
    compiled()
print(HAS_TRITON, where_kernels_run(), len(rungs(1, 64)))
assert excerpt("ladder.head_kernel")
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert ran.count("Not run here. Triton runs on Linux") == 2
    assert ran.endswith("False nothing here: Triton is missing 4\n")


def test_the_kernels_of_the_lesson_compile_for_a_card():
    names: dict[str, Any] = {}
    for cell in Lesson("07_triton_kernel").of_kind("code"):
        if cell.id in ("l07-imports", "l07-double", "l07-write-kernel"):
            lines = cell.source.splitlines(keepends=True)
            linecache.cache[cell.id] = len(cell.source), None, lines, cell.id
            exec(compile(cell.source, cell.id, "exec"), names)
    double, write_row = names["double"], names["write_row"]
    pointers = ("*fp32", "*fp32", "*fp32", "*i32", "*fp32", "*i32")
    jobs = [
        job(
            masks_kernel,
            *(*pointers, 21, 0.1, 256, 64, 32),
            GROUP=2,
            HEAD_DIM=32,
            BLOCK_SIZE=4,
            TILE=64,
            LEFT_OUT=mask,
        )
        for mask in MASKS
    ]
    jobs += [
        job(double, "*fp32", "*fp32", DIM=6, LANES=8, MASKED=masked)
        for masked in (True, False)
    ]
    jobs.append(job(write_row, "*fp32", "*fp32", "*i64", DIM=4))

    assert all(made.widest_load > 0 for made in reports(jobs))
