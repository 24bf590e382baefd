import pytest
from hypothesis.stateful import precondition, rule

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks
from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidId,
    SwappedOut,
    UnknownSequence,
)
from tests.steps import Call, Engine, History
from tests.test_memory_manager_histories import SOME_ID, WHICH, ManagerMachine
from tests.wrong_calls import refuses


class SwappingMachine(ManagerMachine):
    """The same manager with a host pool: a swapped sequence has no device block."""

    @precondition(lambda self: self.blocks)
    @rule(which=WHICH)
    def swap_out(self, which: int) -> None:
        self.swap_out_any(self.pick(self.blocks, which))

    @precondition(lambda self: self.num_host_blocks)
    @rule(which=WHICH)
    def swap_in(self, which: int) -> None:
        self.swap_in_any(self.pick(self.num_host_blocks, which))

    @rule(seq_id=SOME_ID)
    def swap_out_any(self, seq_id: object) -> None:
        errors = self.live_id_errors(seq_id)
        if isinstance(seq_id, int | str) and not errors:
            needed = len(self.blocks[seq_id])
            errors |= {OutOfBlocks} if needed > self.host_pool.num_free else set()
        if self.refused(errors, self.manager.swap_out, seq_id):
            return
        assert isinstance(seq_id, int | str)
        sources = self.manager.table(seq_id).block_ids
        copies = self.manager.swap_out(seq_id)
        assert [(c.source, c.kind) for c in copies] == [(s, "out") for s in sources]
        assert len({c.target for c in copies}) == len(copies)
        self.num_host_blocks[seq_id] = len(self.blocks.pop(seq_id))

    @rule(seq_id=SOME_ID)
    def swap_in_any(self, seq_id: object) -> None:
        errors: set[type[Exception]] = set()
        if type(seq_id) not in (int, str):
            errors = {InvalidId}
        elif seq_id not in self.num_host_blocks:
            errors = {UnknownSequence}
        elif isinstance(seq_id, int | str):
            errors = self.room_errors(self.num_host_blocks[seq_id])
        if self.refused(errors, self.manager.swap_in, seq_id):
            return
        assert isinstance(seq_id, int | str)
        copies = self.manager.swap_in(seq_id)
        targets = self.manager.table(seq_id).block_ids
        assert [(c.target, c.kind) for c in copies] == [(t, "in") for t in targets]
        self.blocks[seq_id] = self.make(self.num_host_blocks.pop(seq_id))


TestSwapping = SwappingMachine.TestCase


def manager_of(num_blocks: int = 8, num_host_blocks: int = 4) -> BlockManager:
    return BlockManager(BlockPool(num_blocks), 4, BlockPool(num_host_blocks))


def test_swap_out_copies_every_block_and_drops_the_device_references():
    manager = manager_of()
    manager.add("A", 6)
    block_ids = manager.table("A").block_ids
    copies = manager.swap_out("A")

    assert [copy.source for copy in copies] == block_ids
    assert {copy.kind for copy in copies} == {"out"}
    assert manager.pool.num_free == 8
    manager.check()


def test_a_shared_block_is_copied_too_and_stays_with_its_other_owners():
    manager = manager_of()
    manager.add("A", 6)
    manager.fork("A", "B")
    table = manager.table("A")
    copies = manager.swap_out("B")

    assert [copy.source for copy in copies] == table.block_ids
    assert manager.table("A") == table
    assert [manager.pool.ref_count(b) for b in table.block_ids] == [1, 1]
    assert manager.append("A") == [], "A is the last owner and writes in place"


def test_sharing_is_not_restored():
    manager = manager_of()
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.swap_out("B")
    manager.swap_in("B")

    assert not set(manager.table("A").block_ids) & set(manager.table("B").block_ids)
    assert manager.append("B") == []


def test_a_sequence_comes_back_with_its_length_into_private_blocks():
    manager = manager_of()
    manager.add("A", 6)
    out = manager.swap_out("A")
    back = manager.swap_in("A")
    table = manager.table("A")

    assert [copy.source for copy in back] == [copy.target for copy in out]
    assert [copy.target for copy in back] == table.block_ids
    assert table.seq_len == 6
    assert {copy.kind for copy in back} == {"in"}
    assert manager.host_pool is not None
    assert manager.host_pool.num_free == 4


def test_a_swapped_sequence_refuses_everything_but_free_and_swap_in():
    manager = manager_of()
    manager.add("A", 6)
    manager.swap_out("A")

    refuses(manager.append, "A", error=SwappedOut, match="swap it in first")
    refuses(manager.fork, "A", "B", error=SwappedOut)
    refuses(manager.table, "A", error=SwappedOut)
    refuses(manager.swap_out, "A", error=SwappedOut)
    refuses(manager.blocks_needed, "A", 1, error=SwappedOut)
    refuses(manager.can_append, "A", 1, error=SwappedOut)
    refuses(manager.add, "A", 1, error=DuplicateSequence)
    manager.free("A")
    refuses(manager.swap_in, "A", error=UnknownSequence)
    manager.check()


def test_a_sequence_on_the_device_cannot_be_swapped_in():
    manager = manager_of()
    manager.add("A", 6)

    refuses(manager.swap_in, "A", error=UnknownSequence, match="not on the host")
    assert manager.table("A").seq_len == 6


def test_a_full_host_pool_refuses_with_its_name_and_changes_nothing():
    manager = manager_of(num_host_blocks=1)
    manager.add("A", 6)

    with pytest.raises(OutOfBlocks, match=r"^host pool: need 2 blocks, 1 free; free"):
        manager.swap_out("A")
    assert manager.table("A").seq_len == 6
    manager.check()


def test_without_a_host_pool_there_is_nowhere_to_go():
    manager = BlockManager(BlockPool(4), block_size=4)
    manager.add("A", 6)

    with pytest.raises(OutOfBlocks, match=r"^host pool: there is none"):
        manager.swap_out("A")
    assert manager.append("A") == []


def test_a_full_device_pool_refuses_a_swap_in_and_changes_nothing():
    manager = manager_of(num_blocks=2)
    manager.add("A", 6)
    manager.swap_out("A")
    manager.add("B", 1)

    with pytest.raises(OutOfBlocks, match=r"^need 2 blocks, 1 free"):
        manager.swap_in("A")
    manager.free("B")
    assert len(manager.swap_in("A")) == 2


def test_words_survive_a_way_to_the_host_and_back_while_others_use_the_blocks():
    steps = (
        (Call("add", num_tokens=3), Call("add", num_tokens=3)),
        (Call("swap_out", which=0),),
        (Call("append", which=0, num_tokens=5),),
        (Call("free", which=1),),
        (Call("swap_in"),),
        (Call("append", which=0, num_tokens=2),),
    )
    engine = Engine(History(steps, num_blocks=4, block_size=2), BlockManager)
    for calls in steps:
        engine.step(calls)
        engine.require_words()

    assert len(engine.words_by_seq["A"]) == 5
    assert not engine.on_host
