from collections.abc import Callable

import pytest
import torch
from pagedkv_kernels import write_kv
from pagedkv_kernels.arguments import WrongTensor

from tests.decoding import DEVICE

DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def rows(num_tokens: int, num_kv_heads: int = 2, head_dim: int = 8) -> torch.Tensor:
    size = num_tokens * num_kv_heads * head_dim
    values = torch.arange(1, size + 1, device=DEVICE, dtype=torch.float32)
    return values.view(num_tokens, num_kv_heads, head_dim)


def caches(
    *, fused: bool, dtype: torch.dtype = torch.float32, num_kv_heads: int = 2
) -> tuple[torch.Tensor, torch.Tensor]:
    pair = torch.zeros((5, 2, 4, num_kv_heads, 8), dtype=dtype, device=DEVICE)
    if fused:
        return pair[:, 0], pair[:, 1]
    return pair[:, 0].clone(), pair[:, 1].clone()


def slots(*numbers: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.tensor(numbers, dtype=dtype, device=DEVICE)


@pytest.mark.parametrize("layout", ["apart", "fused"])
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
@pytest.mark.parametrize("dtype", DTYPES)
def test_each_token_goes_into_its_slot(
    layout: str, index: torch.dtype, dtype: torch.dtype
):
    k_cache, v_cache = caches(fused=layout == "fused", dtype=dtype)
    k = rows(3).to(dtype)

    write_kv(k, -k, k_cache, v_cache, slots(13, 0, 19, dtype=index))

    for token, slot in enumerate((13, 0, 19)):
        assert torch.equal(k_cache[slot // 4, slot % 4], k[token])
        assert torch.equal(v_cache[slot // 4, slot % 4], -k[token])
    assert int((k_cache != 0).sum()) == int((v_cache != 0).sum()) == k.numel()


def test_a_token_with_slot_minus_one_is_skipped():
    k_cache, v_cache = caches(fused=False)

    write_kv(rows(3), rows(3), k_cache, v_cache, slots(-1, 6, -1))

    assert torch.equal(k_cache[1, 2], rows(3)[1])
    assert int((k_cache != 0).sum()) == rows(3)[0].numel()


@pytest.mark.parametrize("num_kv_heads", [1, 3, 8])
def test_any_number_of_heads(num_kv_heads: int):
    k_cache, v_cache = caches(fused=True, num_kv_heads=num_kv_heads)
    k = rows(2, num_kv_heads)

    write_kv(k, k, k_cache, v_cache, slots(1, 18))

    assert torch.equal(k_cache[0, 1], k[0])
    assert torch.equal(v_cache[4, 2], k[1])


def test_keys_may_be_slices_and_caches_head_major():
    k_cache = torch.zeros((5, 2, 4, 8), device=DEVICE).transpose(1, 2)
    v_cache = torch.zeros((5, 4, 2, 10), device=DEVICE)[..., 1:9]
    qkv = torch.full((3, 6, 8), torch.nan, device=DEVICE)
    qkv[:, 2:4] = rows(3)

    write_kv(qkv[:, 2:4], rows(3), k_cache, v_cache, slots(5, 6, 7))

    assert torch.equal(k_cache[1, 1:], rows(3))
    assert torch.equal(v_cache[1, 1:], rows(3))


def test_no_token_is_nothing_to_do():
    k_cache, v_cache = caches(fused=False)

    write_kv(rows(0), rows(0), k_cache, v_cache, slots())

    assert (k_cache == 0).all()


Change = tuple[str, Callable[[], torch.Tensor], str]  # argument, value, message
WRONG: dict[str, Change] = {
    "k with three heads": ("k", lambda: rows(2, 3), r"k must be \[2, 2, 8\]"),
    "v too short": ("v", lambda: rows(1), r"v must be \[2, 2, 8\]"),
    "v of another dtype": ("v", lambda: rows(2).half(), "v is torch.float16"),
    "k with a stride": (
        "k",
        lambda: rows(2, 2, 16)[..., ::2],
        "last stride of k must be 1, got 2",
    ),
    "a cache with a stride": (
        "k_cache",
        lambda: torch.zeros((5, 4, 2, 16), device=DEVICE)[..., ::2],
        "last stride of k_cache",
    ),
    "a flat cache": (
        "k_cache",
        lambda: torch.zeros((20, 2, 8), device=DEVICE),
        "k_cache must be",
    ),
    "caches of two shapes": (
        "v_cache",
        lambda: torch.zeros((4, 4, 2, 8), device=DEVICE),
        "must be equal",
    ),
    "a cache of ints": (
        "k_cache",
        lambda: torch.zeros((5, 4, 2, 8), dtype=torch.int32),
        "must be float",
    ),
    "float slots": ("slot_mapping", lambda: rows(2)[:, 0, 0], "slot_mapping must be"),
    "slots in a column": (
        "slot_mapping",
        lambda: slots(0, 1, 2, 3)[::2],
        "last stride of slot_mapping",
    ),
    "k elsewhere": ("k", lambda: rows(2).to("meta"), "k is on meta"),
}
ON_CPU: dict[str, Change] = {
    "a slot outside": ("slot_mapping", lambda: slots(3, 20), "slot 20 is not in"),
    "a slot twice": ("slot_mapping", lambda: slots(3, 3), "slot 3 is written twice"),
}


@pytest.mark.parametrize("name", WRONG | (ON_CPU if DEVICE == "cpu" else {}))
def test_wrong_arguments_are_refused_before_anything_is_written(name: str):
    argument, value, message = (WRONG | ON_CPU)[name]
    k_cache, v_cache = caches(fused=False)
    right = {
        "k": rows(2),
        "v": rows(2),
        "k_cache": k_cache,
        "v_cache": v_cache,
        "slot_mapping": slots(0, 1),
    }

    with pytest.raises(WrongTensor, match=message):
        write_kv(**(right | {argument: value()}))

    assert (k_cache == 0).all()
    assert (v_cache == 0).all()
