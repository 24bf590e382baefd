import pytest

from pagedkv_edu import BlockCopy
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay import Event, describe, frames
from pagedkv_edu.replay.events import PoolCall, TableState
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


# Managers that no class here plays, as events made by hand: 8 blocks of 4 slots.


def seen(
    call: str,
    *arguments: SeqId | int,
    tables: dict[SeqId, TableState],
    taken: tuple[int, ...] = (),
    copies: tuple[BlockCopy, ...] = (),
    error: str = "",
) -> Event:
    return Event(
        call,
        arguments,
        num_blocks=8,
        num_free=4,
        block_size=4,
        copies=copies,
        pool_calls=tuple(PoolCall("allocate", block_id, 1) for block_id in taken),
        tables=tuple(tables.items()),
        error=error,
    )


def sentence_of(*events: Event) -> str:
    return describe(frames(events)[-1])


def test_a_table_of_other_blocks_than_were_taken_is_told_as_it_is():
    event = seen("add", "A", 6, tables={"A": TableState((5, 6), 6)}, taken=(0, 1))

    assert sentence_of(event) == (
        'add("A", 6) returned. It took 2 blocks: 0 and 1. '
        "A's table is now: [5, 6] with 6 tokens."
    )


def test_a_sequence_of_another_length_than_asked_for_is_told_as_it_is():
    event = seen("add", "A", 6, tables={"A": TableState((0, 1), 8)}, taken=(0, 1))

    assert sentence_of(event) == (
        'add("A", 6) returned. It took 2 blocks: 0 and 1. '
        "A's table is now: [0, 1] with 8 tokens."
    )


@pytest.mark.parametrize("length", [2, 4])
def test_a_copy_of_a_block_that_is_not_written_next_is_no_copy_on_write(length: int):
    held = TableState((0, 1), length)  # one block more than needed
    begin = seen("fork", "A", "B", tables={"A": held, "B": held})
    after = TableState((0, 2), length + 1)
    append = seen(
        "append", "A", 1, tables={"A": after}, taken=(2,), copies=(BlockCopy(1, 2),)
    )

    assert sentence_of(begin, append) == (
        'append("A") returned 1 copy: block 1 to block 2. It took block 2. '
        f"A's table is now: [0, 2] with {length + 1} tokens."
    )


def test_a_fork_that_leaves_no_child_has_no_child():
    begin = seen("add", "A", 4, tables={"A": TableState((0,), 4)}, taken=(0,))
    fork = seen("fork", "A", "B", tables={})

    assert frames([begin, fork])[-1].parents == {}
    assert sentence_of(begin, fork) == (
        'fork("A", "B") returned. B has no table that can be read.'
    )


def test_a_refused_call_that_is_the_first_to_name_a_sequence_changed_nothing():
    table = TableState((0,), 4)
    event = seen("append", "A", tables={"A": table}, error="OutOfBlocks: 0 free")

    assert sentence_of(event) == 'append("A") was refused. OutOfBlocks: 0 free.'


def test_a_slot_that_two_sequences_fill_differently_holds_the_larger_number():
    both: dict[SeqId, TableState] = {"A": TableState((0,), 3), "B": TableState((0,), 2)}
    frame = frames([seen("fork", "A", "B", tables=both)])[0]

    assert frame.filled_slots() == {0: 3}
