from collections.abc import Callable

import pytest
import torch
from pagedkv_kernels.compile import CannotCompile
from pagedkv_kernels.launches import (
    compiled,
    decode_example,
    launches,
    merge_example,
    write_example,
)
from torch import Tensor

from pagedkv_edu.course import mine
from tests.mutants.triton_kernels import decode, merge, write


def test_a_launch_is_compiled_with_its_own_arguments():
    (made,) = launches(decode(""), *decode_example(), target="gfx942")

    assert made.kernel == "decode_kernel"
    assert made.target == "gfx942"
    assert made.constants["HEAD_DIM"] == 128
    assert made.constants["BLOCK_SIZE"] == 16
    assert "stride_block" in made.aligned


@pytest.mark.parametrize(
    ("function", "example"),
    [
        (decode(""), decode_example()),
        (write(""), write_example()),
        (merge(""), merge_example()),
    ],
    ids=["decode", "write", "merge"],
)
def test_each_answer_compiles_for_its_example(
    function: Callable[..., None], example: tuple[object, ...]
):
    text = compiled(function, *example)

    assert "_kernel for sm_90, 4 warps" in text
    assert "nothing is spilled" in text


def test_what_cannot_be_compiled_is_said_and_not_raised():
    def stub(*tensors: Tensor) -> None:
        raise NotImplementedError("your turn: write a row")

    def fails(*tensors: Tensor) -> None:
        raise ValueError("no")

    def launches_nothing(*tensors: Tensor) -> None:
        return

    x = torch.empty(1, device="meta")
    assert compiled(stub, x) == (
        "There is nothing to compile yet: your turn: write a row."
    )
    assert compiled(fails, x) == "The function raised ValueError: no."
    assert "launches no kernel" in compiled(launches_nothing, x)
    assert "no plain function" in compiled(17, x)
    with pytest.raises(CannotCompile, match="give the function that launches"):
        launches(17, x)


def test_the_course_finds_the_published_kernels(capsys: pytest.CaptureFixture[str]):
    answer = mine("my_decode_kernel")

    assert "decode_kernel for sm_90" in compiled(answer, *decode_example())
