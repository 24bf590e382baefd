from collections.abc import Callable
from typing import Any

import pytest
import torch
from pagedkv_kernels import paged_decode
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.cases import problem
from torch import Tensor

from pagedkv_edu.errors import InvalidSize, PagedKVError
from tests.decoding import DEVICE

# 3 sequences over blocks of 16, 4 heads on 2 KV heads, head_dim 32
NAMES = ("q", "k_cache", "v_cache", "block_tables", "seq_lens")
Change = tuple[str, Callable[[Tensor], Tensor], str]

TENSORS: dict[str, Change] = {
    "q without heads": ("q", lambda q: q[:, 0], "q must be"),
    "q of another head_dim": ("q", lambda q: q[..., :16], "head_dim is 16 in q and 32"),
    "heads that do not divide": ("q", lambda q: q[:, :3], "3 heads over 2 KV heads"),
    "no head at all": ("q", lambda q: q[:, :0], "0 heads over 2 KV heads"),
    "a group of 65": (
        "q",
        lambda q: q[:, :1].repeat(1, 130, 1),
        "130 heads over 2 KV heads.*1 to 64",
    ),
    "q of another dtype": ("q", lambda q: q.half(), "q is torch.float16, k_cache is"),
    "q of ints": ("q", lambda q: q.int(), "q is torch.int32"),
    "q with a stride": (
        "q",
        lambda q: q.repeat_interleave(2, -1)[..., ::2],
        "last stride of q must be 1, got 2",
    ),
    "q elsewhere": ("q", lambda q: q.to("meta"), "q is on meta"),
    "three axes": ("k_cache", lambda k: k[0], "k_cache must be"),
    "no KV head": ("k_cache", lambda k: k[:, :, :0], "k_cache must be"),
    "no slot": ("k_cache", lambda k: k[:, :0], "k_cache must be"),
    "float64": ("k_cache", lambda k: k.double(), "k_cache must be float, got"),
    "caches that differ": ("v_cache", lambda v: v[1:], "must be equal"),
    "caches of two dtypes": ("v_cache", lambda v: v.half(), "v_cache is torch.float16"),
    "v with a stride": (
        "v_cache",
        lambda v: v.repeat_interleave(2, -1)[..., ::2],
        "last stride of v_cache",
    ),
    "v elsewhere": ("v_cache", lambda v: v.to("meta"), "v_cache is on meta"),
    "64-bit tables": ("block_tables", lambda t: t.long(), "block_tables must be int32"),
    "flat tables": ("block_tables", lambda t: t[0], r"block_tables must be \[3, max"),
    "a table too few": ("block_tables", lambda t: t[1:], r"block_tables must be \[3"),
    "tables turned": (
        "block_tables",
        lambda t: t.t().contiguous().t(),
        "last stride of block_tables",
    ),
    "tables elsewhere": ("block_tables", lambda t: t.to("meta"), "block_tables is on"),
    "64-bit lengths": ("seq_lens", lambda n: n.long(), "seq_lens must be int32"),
    "a length too many": ("seq_lens", lambda n: n.repeat(2), r"seq_lens must be \[3\]"),
    "lengths in a column": (
        "seq_lens",
        lambda n: n.repeat_interleave(2)[::2],
        "last stride of seq_lens",
    ),
}
# a GPU's tables are not read back
CONTENT: dict[str, Change] = {
    "a table too narrow": (
        "block_tables",
        lambda t: t[:, :2].contiguous(),
        "a sequence has 33 tokens, its table of 2 entries holds 32",
    ),
    "a negative length": ("seq_lens", lambda n: n - 20, "negative length, -19"),
    "a used entry of -1": (
        "block_tables",
        lambda t: t.clone().index_fill_(1, torch.tensor([0]), -1),
        "logical block 0 of sequence 0 is block -1, in a cache of 7 blocks",
    ),
    "a used entry too large": (
        "block_tables",
        lambda t: t.clone().index_fill_(1, torch.tensor([2]), 7),
        "logical block 2 of sequence 0 is block 7, in a cache of 7 blocks",
    ),
}
ALL = TENSORS | (CONTENT if DEVICE == "cpu" else {})


def decode_with(change: Change) -> None:
    p = problem((33, 1, 16), device=DEVICE)
    argument, spoil, _ = change
    tensors = [
        spoil(tensor) if name == argument else tensor
        for name, tensor in zip(NAMES, p.tensors, strict=True)
    ]
    paged_decode(*tensors, scale=p.scale)


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_tensor_is_refused_with_its_numbers(name: str):
    with pytest.raises(WrongTensor, match=ALL[name][2]):
        decode_with(ALL[name])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("window", 0, "window must be at least 1, got 0"),
        ("window", 1.5, "window must be an int, got 1.5"),
        ("window", True, "window must be an int, got True"),
        ("softcap", 0.0, "softcap must be above 0"),
        ("softcap", -1.0, "softcap must be above 0"),
        ("softcap", "50", "softcap must be a float, got '50'"),
        ("scale", None, "scale must be a float, got None"),
        ("scale", torch.tensor(1.0), "scale must be a float"),
    ],
)
def test_a_wrong_option_is_refused_with_its_value(
    name: str, value: object, message: str
):
    p = problem((5,), device=DEVICE)
    options: dict[str, Any] = {"scale": 1.0, name: value}  # of any type: that is it

    with pytest.raises(InvalidSize, match=message):
        paged_decode(*p.tensors, **options)


OUTS: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "two heads": (lambda q: q[:, :2].clone(), r"out must be \[1, 4, 32\] as q"),
    "another dtype": (lambda q: q.half(), "out is torch.float16"),
    "elsewhere": (lambda q: q.to("meta"), "out is on meta"),
    "a stride": (lambda q: q.repeat_interleave(2, -1)[..., ::2], "last stride of out"),
}


@pytest.mark.parametrize("name", OUTS)
def test_a_wrong_out_is_refused(name: str):
    p = problem((5,), device=DEVICE)
    out, message = OUTS[name]

    with pytest.raises(WrongTensor, match=message):
        paged_decode(*p.tensors, scale=1.0, out=out(p.q))


def test_entries_that_a_window_has_left_behind_may_be_anything():
    p = problem((100,), window=20, garbage=(-1,), device=DEVICE)

    assert (p.block_tables[0, :5] == -1).all()
    paged_decode(*p.tensors, scale=p.scale, window=p.window)
    if DEVICE == "cpu":
        with pytest.raises(WrongTensor, match="logical block 0 of sequence 0 is"):
            paged_decode(*p.tensors, scale=p.scale)


def test_what_is_refused_is_an_error_of_ours_and_a_value_error():
    assert issubclass(WrongTensor, PagedKVError)
    assert issubclass(WrongTensor, ValueError)
