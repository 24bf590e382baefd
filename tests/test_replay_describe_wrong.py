import pytest

from pagedkv_edu import BlockCopy
from pagedkv_edu.protocols import SeqId
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager
from tests.told import Do, add, append, fork, free, told

SHARED = [add("A", 6), fork("A", "B")]
FULL = [add("A", 4), fork("A", "B")]


@pytest.mark.parametrize(
    ("build", "calls", "sentence"),
    [
        (
            mutants.WritesInPlace,
            [*SHARED, append("A")],
            "A writes token 7 in place, into slot 2 of block 1, which B still reads.",
        ),
        (
            mutants.DropsTheCopy,
            [*SHARED, append("A")],
            'append("A") returned. It took block 2. '
            "A's table is now: [0, 2] with 7 tokens.",
        ),
        (
            mutants.CopiesAFullBlock,
            [*FULL, append("A")],
            'append("A") returned 1 copy: block 0 to block 1. '
            "It took 2 blocks: 1 and 2. A's table is now: [1, 2] with 5 tokens.",
        ),
        (
            mutants.CopiesTheWrongWay,
            [*SHARED, append("A")],
            'append("A") returned 1 copy: block 2 to block 1. It took block 2. '
            "A's table is now: [0, 2] with 7 tokens.",
        ),
        (
            mutants.KeepsTheOldReference,
            [*SHARED, append("A"), append("B")],
            'append("B") returned 1 copy: block 1 to block 3. It took block 3. '
            "B's table is now: [0, 3] with 7 tokens.",
        ),
        (
            mutants.SharesTheList,
            [*SHARED, append("A")],
            'append("A") returned 1 copy: block 1 to block 2. It took block 2. '
            "A's table is now: [0, 2] with 7 tokens. "
            "B's table changed too: it is now [0, 2] with 6 tokens.",
        ),
        (
            mutants.GrowsOneTokenLate,
            [add("A", 4), append("A")],
            "A has no slot for token 5: its table is 1 block of 4 slots.",
        ),
        (
            mutants.FreesTheFirstBlocksOnly,
            [add("A", 6), free("A")],
            "A ends and lets go of 1 of its 2 blocks: 1 free again.",
        ),
        (
            mutants.WindowOfTwo,
            [add("A", 12), fork("A", "B"), free("A"), free("B")],
            "B ends and lets go of 2 of its 3 blocks: "
            "1 free again; 1 not free, though in no table.",
        ),
        (
            mutants.FailsHalfway,
            [add("A", 12), append("A", 9)],
            'append("A", 9) was refused. OutOfBlocks: 0 of 4 blocks are free; '
            "free a sequence or make the pool larger. It took block 3 all the same. "
            "A's table changed all the same: it is now [0, 1, 2, 3] with 21 tokens.",
        ),
    ],
)
def test_a_wrong_call_is_told_as_it_was_seen(
    build: type[PlainManager], calls: list[Do], sentence: str
):
    assert told(*calls, build=build)[1] == sentence


def test_a_slip_in_a_learners_code_is_no_refusal():
    class Slips(PlainManager):
        def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
            raise ValueError("list.remove(x):\n x not in list.")

    assert told(add("A", 3), append("A"), build=Slips) == (
        'append("A") fails with ValueError',
        'append("A") failed. ValueError: list.remove(x): x not in list.',
    )
