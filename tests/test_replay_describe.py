import re
from collections.abc import Callable

import pytest

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay import (
    RecordedManager,
    RecordedPool,
    RecordedSwappingManager,
    describe,
    frames,
    headline,
)
from tests.told import Do, add, append, fork, free, preempt, told


@pytest.mark.parametrize(
    ("calls", "title", "sentence"),
    [
        (
            [add("A", 1)],
            "A arrives and takes block 0",
            "A arrives with 1 token and takes block 0.",
        ),
        (
            [add("A", 6)],
            "A arrives and takes 2 blocks: 0 and 1",
            "A arrives with 6 tokens and takes 2 blocks: 0 and 1.",
        ),
        (
            [add("A", 6), append("A")],
            "A writes in place",
            "A writes token 7 in place, into slot 2 of block 1.",
        ),
        (
            [add(7, 1), append(7, 3)],
            "7 writes in place",
            "7 writes tokens 2 to 4 in place, from slot 1 of block 0 on.",
        ),
        (
            [add("A", 4), append("A")],
            "A takes block 1",
            "A needs room for token 5: it takes block 1.",
        ),
        (
            [add("A", 3), append("A", 2)],
            "A takes block 1",
            "A needs room for tokens 4 and 5: it takes block 1.",
        ),
        (
            [add("A", 4), append("A", 8)],
            "A takes 2 blocks: 1 and 2",
            "A needs room for tokens 5 to 12: it takes 2 blocks: 1 and 2.",
        ),
        (
            [add("A", 6), fork("A", "B")],
            "A is forked: B begins like it",
            "A is forked: B begins with the same 2 blocks and 6 tokens. "
            "It takes no blocks, and nothing is copied.",
        ),
        (
            [add("A", 6), fork("A", "B"), append("A")],
            "Copy on write: A leaves block 1, B still reads it",
            "A must write token 7 into slot 2 of block 1, which B still reads. "
            "Its 2 filled slots are copied to block 2; then the table entry of A "
            "changes from 1 to 2.",
        ),
        (
            [add("A", 1), fork("A", "B"), fork("A", "C"), append("B", 5)],
            "Copy on write: B leaves block 0, A and C still read it",
            "B must write tokens 2 to 6, the first into slot 1 of block 0, which "
            "A and C still read. Its 1 filled slot is copied to block 1; then the "
            "table entry of B changes from 0 to 1. It also takes block 2.",
        ),
        (
            [add("A", 6), free("A")],
            "A ends: 2 blocks free again",
            "A ends and lets go of 2 blocks: 2 free again.",
        ),
        (
            [add("A", 6), fork("A", "B"), append("B"), free("B")],
            "B ends: 1 block free again",
            "B ends and lets go of 2 blocks: 1 free again; 1 still held by others.",
        ),
        (
            [add("A", 6), preempt("A")],
            "A is preempted: 2 blocks free again",
            "A is preempted and lets go of 2 blocks: 2 free again.",
        ),
        (
            [add("A", 17)],
            'add("A", 17) is refused',
            'add("A", 17) was refused. OutOfBlocks: need 5 blocks, 4 free.',
        ),
        (
            [append(0)],
            "append(0) is refused",
            "append(0) was refused. UnknownSequence: no sequence 0.",
        ),
    ],
)
def test_a_right_call_is_told_exactly(calls: list[Do], title: str, sentence: str):
    assert told(*calls) == (title, sentence)


def swapped(*names: str) -> list[tuple[str, str]]:
    """Tell a scene with a swap: A and B share 6 tokens, B grows and is swapped out."""
    pool = RecordedPool(BlockPool(8))
    manager = RecordedSwappingManager(BlockManager(pool, 4, BlockPool(4)), pool)
    manager.add("A", 6)
    manager.fork("A", "B")
    for name in names:
        call: Callable[[SeqId], object] = getattr(manager, name)
        call("B")
    return [(headline(frame), describe(frame)) for frame in frames(pool.events)][2:]


def test_a_swap_is_told_exactly():
    out, back = swapped("swap_out", "swap_in")

    assert out == (
        "B moves to the host: no blocks free again",
        "B moves to the host: its blocks are copied to host blocks 0 and 1. "
        "On the device: 0 free again; 2 still held by others.",
    )
    assert back == (
        "B comes back from the host and takes 2 blocks: 2 and 3",
        "B comes back from the host: it takes 2 blocks: 2 and 3, "
        "copied from host blocks 0 and 1.",
    )


def test_a_sequence_that_ends_on_the_host_frees_no_device_block():
    assert swapped("swap_out", "free")[-1] == (
        "B ends on the host",
        "B ends on the host; no device block changes.",
    )


@pytest.mark.parametrize(
    ("num_calls", "sentence"),
    [
        (1, "allocate(): block 0; 1 of 2 blocks is free."),
        (2, "share(0): ref_count 2; 1 of 2 blocks is free."),
        (3, "free(0): ref_count 1; 1 of 2 blocks is free."),
        (4, "free(0): free again; 2 of 2 blocks are free."),
        (
            5,
            "free(0) was refused. "
            "NotAllocated: block 0 is free; it was freed once too often.",
        ),
    ],
)
def test_a_pool_by_itself_is_told_exactly(num_calls: int, sentence: str):
    pool = RecordedPool(BlockPool(2))
    block_id = pool.allocate()
    pool.share(block_id)
    pool.free(block_id)
    pool.free(block_id)
    with pytest.raises(PagedKVError):
        pool.free(block_id)
    frame = frames(pool.events)[num_calls - 1]

    assert describe(frame) == sentence
    assert headline(frame) == re.split(r"; | was", sentence)[0] + (
        " is refused" if num_calls == 5 else ""
    )


def test_long_lists_of_blocks_are_cut_in_the_middle():
    pool = RecordedPool(BlockPool(40))
    RecordedManager(BlockManager(pool, 4), pool).add("A", 160)

    assert describe(frames(pool.events)[0]) == (
        "A arrives with 160 tokens and takes 40 blocks: 0, 1, 2, … and 39."
    )
