from itertools import pairwise
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pagedkv_kernels import copy_blocks
from pagedkv_kernels.arguments import WrongTensor
from pagedkv_kernels.copy import waves
from pagedkv_kernels.copy_kernel import launch_copies

from pagedkv_edu.protocols import BlockCopy
from tests.decoding import DEVICE

NUM_BLOCKS = 6
KINDS = st.sampled_from(["copy", "copy", "out", "in"])
IDS = st.integers(0, NUM_BLOCKS - 1)
COPIES = st.lists(st.builds(BlockCopy, IDS, IDS, KINDS), max_size=12)


def pools() -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Two layers of a device pool and of a host pool; every block is different."""
    blocks = torch.arange(4 * NUM_BLOCKS * 6, dtype=torch.float32)
    first, second, third, fourth = blocks.view(4, NUM_BLOCKS, 2, 3).unbind()
    return [first.to(DEVICE), second.to(DEVICE)], [third.clone(), fourth.clone()]


def one_by_one(
    copies: list[BlockCopy], device: list[torch.Tensor], host: list[torch.Tensor]
) -> None:
    for copy in copies:
        for on_device, on_host in zip(device, host, strict=True):
            source = on_host if copy.kind == "in" else on_device
            target = on_host if copy.kind == "out" else on_device
            target[copy.target] = source[copy.source]


def same(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@given(COPIES)
def test_copies_give_the_result_of_one_by_one(copies: list[BlockCopy]):
    device, host = pools()
    expected_device, expected_host = pools()
    one_by_one(copies, expected_device, expected_host)

    copy_blocks(copies, device, host)

    assert same(device, expected_device)
    assert same(host, expected_host)


@given(COPIES, st.randoms(use_true_random=False))
def test_inside_a_wave_the_order_does_not_matter(
    copies: list[BlockCopy], random: Random
):
    device, host = pools()
    expected_device, expected_host = pools()
    one_by_one(copies, expected_device, expected_host)
    cut = waves(copies)

    assert [copy for wave in cut for copy in wave] == copies
    for wave in cut:
        random.shuffle(wave)
        one_by_one(wave, device, host)
    assert same(device, expected_device)
    assert same(host, expected_host)


@given(COPIES)
def test_no_wave_could_have_begun_later(copies: list[BlockCopy]):
    cut = waves(copies)

    for wave, later in pairwise(cut):
        assert len(waves([*wave, later[0]])) == 2


@pytest.mark.parametrize(
    ("pairs", "num_waves"),
    [
        ([], 0),
        ([(0, 1), (0, 2), (3, 4)], 1),
        ([(1, 2), (0, 1)], 2),  # a source freed and taken again
        ([(0, 2), (1, 2)], 2),  # one target twice
        ([(5, 4), (4, 3)], 2),  # a chain
        ([(5, 4), (4, 3), (3, 2)], 3),
        ([(0, 1), (2, 3), (1, 4), (2, 5)], 2),
    ],
)
def test_waves_of_copies_inside_the_pool(pairs: list[tuple[int, int]], num_waves: int):
    cut = waves([BlockCopy(*pair) for pair in pairs])

    assert len(cut) == num_waves


def test_the_same_id_in_two_pools_is_two_blocks():
    out, back = BlockCopy(3, 3, "out"), BlockCopy(3, 4, "in")

    assert waves([out, BlockCopy(2, 3, "copy")]) == [[out], [BlockCopy(2, 3, "copy")]]
    assert waves([out, BlockCopy(1, 4, "out")]) == [[out, BlockCopy(1, 4, "out")]]
    assert waves([out, back]) == [[out], [back]]
    assert waves([BlockCopy(0, 3, "out"), BlockCopy(5, 3, "copy")]) == [
        [BlockCopy(0, 3, "out"), BlockCopy(5, 3, "copy")]
    ]


def kernel_caches(dtype: torch.dtype) -> dict[str, torch.Tensor]:
    values = torch.arange(8 * 2 * 4 * 2 * 5, device=DEVICE).to(dtype)
    fused = values.view(8, 2, 4, 2, 5)
    return {
        "k view": fused[:, 0],
        "v view": fused[:, 1],
        "apart": fused[:, 0].clone(),
        "another": fused[:, 1].clone() + 1,
        "odd": values[1:].view(-1)[: 6 * 40].view(6, 40).clone(),
    }


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64]
)
def test_the_kernel_copies_whole_blocks_and_nothing_else(dtype: torch.dtype):
    found, expected = kernel_caches(dtype), kernel_caches(dtype)

    launch_copies(list(found.values()), [(0, 5), (1, 3), (0, 2)])

    for name, cache in expected.items():
        for source, target in [(0, 5), (1, 3), (0, 2)]:
            cache[target] = cache[source].clone()
        assert torch.equal(found[name], cache), name


def test_the_kernel_copies_blocks_of_several_chunks():
    caches = [torch.randn((4, 5000), device=DEVICE) for _ in range(2)]
    sources = [cache[1].clone() for cache in caches]

    launch_copies(caches, [(1, 3)])

    for cache, source in zip(caches, sources, strict=True):
        assert torch.equal(cache[3], source)
        assert torch.equal(cache[1], source)


def test_blocks_in_pieces_are_copied_too():
    head_major = torch.randn((2, 6, 4, 8), device=DEVICE).transpose(0, 1)
    expected = head_major.clone()
    expected[2] = expected[4]

    copy_blocks([BlockCopy(4, 2)], [head_major])

    assert not head_major[0].is_contiguous()
    assert torch.equal(head_major, expected)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (BlockCopy(6, 0), "no block 6 in a device pool of 6 blocks"),
        (BlockCopy(0, -1), "no block -1 in a device pool"),
        (BlockCopy(0, 6, "out"), "no block 6 in a host pool of 6"),
        (BlockCopy(7, 0, "in"), "no block 7 in a host pool"),
        (BlockCopy(0, 1, "move"), "kind must be one of"),  # pyright: ignore
    ],
)
def test_one_wrong_copy_and_none_is_carried_out(wrong: BlockCopy, message: str):
    device, host = pools()

    with pytest.raises(WrongTensor, match=message):
        copy_blocks([BlockCopy(0, 1), wrong], device, host)

    assert same(device, pools()[0])
    assert same(host, pools()[1])


def test_a_swap_needs_a_host_tensor_for_each_device_tensor():
    device, host = pools()

    with pytest.raises(WrongTensor, match="2 device tensors and 1 host tensors"):
        copy_blocks([BlockCopy(0, 1, "out")], device, host[:1])
    with pytest.raises(WrongTensor, match="in a host pool of 0 blocks"):
        copy_blocks([BlockCopy(0, 1, "out")], device)
