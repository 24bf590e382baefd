"""Exercises 06 to 08: attention through the table, in torch and in Triton."""

from pagedkv_edu.course.exercise import Exercise

_CHECKS = "pagedkv_kernels.checks"
_ORACLES = (
    "pagedkv_kernels.oracles:paged_attention",
    "pagedkv_kernels.oracles:dense_attention",
)
_DECODE = (
    "pagedkv_kernels.decode:paged_decode",
    "pagedkv_kernels.decode:decode_kernel",
    "pagedkv_kernels.ladder:decode_by_head",
    "pagedkv_kernels.ladder:head_kernel",
    "pagedkv_kernels.cpu:paged_decode",
    "pagedkv_kernels.cpu_plain:plain_decode",
)
_WRITE = (
    "pagedkv_kernels.write:write_kv",
    "pagedkv_kernels.write:write_kernel",
)
_MERGE = (
    "pagedkv_kernels.split:merge_splits",
    "pagedkv_kernels.split:merge_kernel",
)
_LAYOUT = "pagedkv_kernels.layouts:Layout"

KERNELS = (
    Exercise(
        "6.1",
        "A running maximum and a running sum",
        "my_online_softmax",
        "06_paged_attention",
        f"{_CHECKS}:check_online_softmax",
        use='update = mine("my_online_softmax")',
        points=3,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "6.2",
        "Attention through a block table",
        "my_paged_attention",
        "06_paged_attention",
        f"{_CHECKS}:check_paged_attention",
        withholds=(*_ORACLES, *_DECODE),
        use='attend = mine("my_paged_attention")',
        points=4,
        difficulty=3,
        minutes=25,
    ),
    Exercise(
        "6.3",
        "Merge two halves",
        "my_merge",
        "06_paged_attention",
        f"{_CHECKS}:check_merge",
        use='merge = mine("my_merge")',
        points=3,
        difficulty=3,
        minutes=15,
    ),
    Exercise(
        "7.1",
        "Write keys and values into their slots",
        "my_write_kernel",
        "07_triton_kernel",
        f"{_CHECKS}:check_write_kernel",
        withholds=_WRITE,
        points=3,
        difficulty=2,
        minutes=20,
    ),
    Exercise(
        "7.2",
        "One program for each query head",
        "my_decode_kernel",
        "07_triton_kernel",
        f"{_CHECKS}:check_decode_kernel",
        withholds=(*_ORACLES, *_DECODE),
        use='decode = mine("my_decode_kernel")',
        points=4,
        difficulty=4,
        minutes=40,
    ),
    Exercise(
        "7.3",
        "Merge the splits",
        "my_merge_splits",
        "07_triton_kernel",
        f"{_CHECKS}:check_merge_splits",
        withholds=(*_MERGE, *_DECODE),
        points=3,
        difficulty=3,
        minutes=20,
    ),
    Exercise(
        "8.1",
        "Two arrays",
        "my_split_address",
        "08_layouts",
        f"{_CHECKS}:check_split_address",
        withholds=(_LAYOUT,),
        points=4,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "8.2",
        "K then V in each block",
        "my_fused_address",
        "08_layouts",
        f"{_CHECKS}:check_fused_address",
        withholds=(_LAYOUT,),
        points=3,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "8.3",
        "Key beside value",
        "my_interleaved_address",
        "08_layouts",
        f"{_CHECKS}:check_interleaved_address",
        withholds=(_LAYOUT,),
        points=3,
        difficulty=2,
        minutes=10,
    ),
)
