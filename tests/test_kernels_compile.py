from dataclasses import replace
from itertools import product

import pagedkv_kernels  # before triton: it decides whether triton interprets
import pytest
import torch
import triton
import triton.language as tl
from pagedkv_kernels.assembly import CompileReport, read_amdgcn, read_ptx
from pagedkv_kernels.compile import CannotCompile, job, report, reports
from pagedkv_kernels.examples import decode_job, merge_job, write_job
from pagedkv_kernels.kernel_source import NoSource, module_source

TARGETS = ("sm_80", "sm_90", "gfx942")
DTYPES = (torch.float16, torch.bfloat16)
# head_dim, block_size, group, dtype: a few for every day, all of them in `make slow`
FEW = ((128, 16, 4, torch.float16), (64, 1, 1, torch.bfloat16), (64, 64, 8, DTYPES[0]))
ALL = tuple(product((64, 128), (1, 16, 64), (1, 4, 8), DTYPES))

FACTOR = tl.constexpr(3)


@triton.jit
def scaled(x):  # pyright: ignore
    return x * FACTOR


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # pyright: ignore # noqa: N803
    """Multiply by FACTOR, through another kernel."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, index < n)
    tl.store(out_ptr + index, scaled(x), index < n)


def compiled(shapes: tuple[tuple[int, int, int, torch.dtype], ...]) -> None:
    jobs = [
        decode_job(head_dim=d, block_size=p, group=g, dtype=dtype, target=target)
        for target in TARGETS
        for d, p, g, dtype in shapes
    ]
    for made, case in zip(reports(jobs), jobs, strict=True):
        name = f"{case.target} {case.constants}"
        assert made.spilled_bytes == 0, name
        # K and V come 16 bytes at a time; nothing comes number by number
        assert made.loads[16] >= 16, name
        assert min(made.loads) >= 4, name
        assert made.num_dots > 0, name
        assert made.num_buffers == 1, name
        assert made.registers <= (128 if made.target.startswith("sm") else 256), name


def test_decode_loads_16_bytes_and_spills_nothing():
    compiled(FEW)


@pytest.mark.slow
def test_decode_loads_16_bytes_and_spills_nothing_in_every_shape():
    compiled(ALL)


def test_splits_fused_caches_and_the_other_kernels_spill_nothing_either():
    jobs = [
        made
        for target in TARGETS
        for made in (
            decode_job(num_splits=8, target=target),
            decode_job(fused=True, target=target),
            merge_job(target=target),
            write_job(target=target),
        )
    ]
    for made in reports(jobs):
        assert made.spilled_bytes == 0, made.text()
        assert min(made.loads) >= 4, made.text()


def test_the_loads_of_the_first_two_shapes_are_known():
    sm_80, sm_90 = reports([decode_job(target=target) for target in TARGETS[:2]])

    # 64 tokens of 128 fp16 numbers for K and V, by 128 threads: 8 turns of 16 bytes
    # each, and as many before the loop; q comes in 2
    assert sm_80.loads == sm_90.loads == {4: 4, 16: 34}
    assert sm_90.num_async == 35
    assert sm_90.shared_bytes == 39_168


@pytest.mark.parametrize("head_dim", [72, 80, 96, 192, 256])
def test_head_dims_between_powers_of_two_keep_their_16_bytes(head_dim: int):
    for made in reports([decode_job(head_dim=head_dim, target=t) for t in TARGETS]):
        assert made.loads[16] >= 16, made.text()
        assert made.spilled_bytes == 0, made.text()


def test_without_the_hint_the_loads_fall_apart():
    # as if nothing were known of the strides: what ALIGN and their multiples of 16 do
    hinted = decode_job()
    strides = [name for name in hinted.aligned if "stride" in name]
    blind = replace(
        hinted,
        constants=hinted.constants | {"ALIGN": 1},
        aligned=[name for name in hinted.aligned if name not in strides],
    )

    made = reports([blind])[0]

    assert len(strides) > 5
    assert made.loads.get(2, 0) > 100
    assert made.spilled_bytes > 0


def test_a_learners_kernel_is_compiled_with_what_it_refers_to():
    x = torch.empty(1000)

    made = report(scale_kernel, x, x, 1000, BLOCK=256)

    assert made.kernel == "scale_kernel"
    assert made.target == "sm_90"
    assert made.spilled_bytes == 0
    assert (
        made.widest_load == 4
    )  # 256 numbers for 128 threads, two each; 1000 % 16 is 8
    assert report(scale_kernel, x, x, 1024, BLOCK=512).widest_load == 16
    assert report(scale_kernel, "*fp16", "*fp16", "i32", BLOCK=2048).widest_load == 2


def test_a_kernel_inside_a_function_sees_what_is_around_it():
    size = tl.constexpr(64)

    @triton.jit
    def inner(out_ptr):  # pyright: ignore
        tl.store(out_ptr + tl.arange(0, size), tl.full([size], 1, tl.int32))

    assert "size = tl.constexpr(64)" in module_source(inner)
    assert report(inner, "*i32", target="sm_80").loads == {}


def test_the_source_of_a_kernel_brings_its_helpers_along():
    source = module_source(scale_kernel)

    assert source.index("FACTOR = tl.constexpr(3)") < source.index("def scaled")
    assert source.index("def scaled") < source.index("def scale_kernel")
    assert source.count("@triton.jit") == 2


def test_the_process_that_asks_still_interprets():
    x, out = torch.arange(8.0), torch.zeros(8)
    report(scale_kernel, x, out, 8, BLOCK=8)

    assert pagedkv_kernels.INTERPRETED
    scale_kernel[(1,)](x, out, 8, BLOCK=8)  # pyright: ignore
    assert torch.equal(out, 3 * x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("*fp32", "*fp32"), "missing: n, BLOCK"),
        (("*fp32", "*fp32", 8, 8, 8), "takes x_ptr, out_ptr, n, BLOCK"),
        (("*fp32", object(), 8, 8), "out_ptr is of type object"),
        (("*fp32", "*fp32", 8, 7), "power of 2"),
    ],
)
def test_what_cannot_be_compiled_is_told(arguments: tuple[object, ...], message: str):
    with pytest.raises(CannotCompile, match=message):
        report(scale_kernel, *arguments)


def test_a_target_that_nobody_knows_is_refused():
    with pytest.raises(CannotCompile, match='like "sm_90" or "gfx942", got \'h200\''):
        report(scale_kernel, "*fp32", "*fp32", 8, BLOCK=8, target="h200")


def test_what_is_no_kernel_is_refused():
    with pytest.raises(NoSource, match="is no kernel"):
        report(17)
    scope: dict[str, object] = {}
    exec("def nowhere(x_ptr): pass", scope)
    with pytest.raises(NoSource, match="define it in a cell or in a file"):
        report(scope["nowhere"], "*fp32")


def test_the_text_of_a_report_can_be_read():
    made = CompileReport(
        kernel="decode_kernel",
        target="sm_90",
        num_warps=4,
        num_stages=3,
        registers=128,
        spilled_bytes=0,
        shared_bytes=39_168,
        loads={4: 4, 16: 34},
        num_async=35,
        num_buffers=1,
        num_dots=32,
        assembly="...",
    )

    assert made.text().splitlines() == [
        "decode_kernel for sm_90, 4 warps",
        "  registers      128 for each thread; nothing is spilled",
        "  shared memory  39,168 bytes for each program",
        "  loads          34 of 16 bytes, 4 of 4 bytes; 35 of them asynchronous",
        "  pipelining     3 stages asked for, 1 buffer of each tile",
        "  matrix units   32 instructions",
    ]
    assert "120 bytes of a thread" in replace(made, spilled_bytes=120).text()


def test_widths_are_read_from_ptx():
    ptx = """
    @%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];
    ld.global.L1::evict_last.v2.b64 { %rd3, %rd4 }, [ %rd2 + 0 ];
    @%p2 ld.global.b16 { %rs1 }, [ %rd5 + 0 ];
    cp.async.cg.shared.global [ %r9 + 0 ], [ %rd6 + 0 ], 0x10, %r10;
    cp.async.ca.shared.global [ %r9 + 0 ], [ %rd6 + 0 ], 0x4;
    ld.shared.v4.b32 { %r1, %r2, %r3, %r4 }, [ %r5 ];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { ... };
    """

    assert read_ptx(ptx) == ({16: 3, 4: 1, 2: 1}, 2, 1)


def test_widths_are_read_from_amds_assembly():
    text = """
    global_load_dwordx4 v[2:5], v[0:1], off
    buffer_load_dword v1, v0, s[0:3], 0 offen
    global_load_ushort v1, v[0:1], off
    global_load_short_d16_hi v1, v[0:1], off
    ds_read_b128 v[2:5], v0
    v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]
    """

    assert read_amdgcn(text) == ({16: 1, 4: 1, 2: 2}, 0, 1)


def test_a_job_knows_what_a_launch_would_know():
    x = torch.empty(64)[1:]  # begins 4 bytes behind a multiple of 16
    made = job(scale_kernel, x, "*fp32", 1, BLOCK=16)

    assert made.signature == {
        "x_ptr": "*fp32",
        "out_ptr": "*fp32",
        "n": "constexpr",
        "BLOCK": "constexpr",
    }
    assert made.aligned == ["out_ptr"]
    assert made.constants == {"n": 1, "BLOCK": 16}
    assert job(scale_kernel, x, x, 2**31, BLOCK=16).signature["n"] == "i64"
