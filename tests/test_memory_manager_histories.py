from collections import Counter
from collections.abc import Callable, Iterable

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from pagedkv_edu import (
    BlockCopy,
    BlockManager,
    BlockPool,
    OutOfBlocks,
    cdiv,
)
from pagedkv_edu.errors import (
    DuplicateSequence,
    InvalidId,
    InvalidSize,
    SwappedOut,
    UnknownSequence,
)
from pagedkv_edu.protocols import SeqId
from tests.wrong_calls import NO_INTS, refuses

IDS: list[SeqId] = ["A", 0, "B", 1]
NO_IDS: list[object] = [True, 1.0, None, b"A", ("A",), ["A"], {"A": 1}]
SOME_ID: st.SearchStrategy[object] = st.sampled_from([*IDS, *IDS, *NO_IDS])
SOME_SIZE: st.SearchStrategy[object] = st.sampled_from([0, -1, 10**9, 2, *NO_INTS])
WHICH = st.integers(0, 3)


class ManagerMachine(RuleBasedStateMachine):
    """A manager against dictionaries, with wrong calls mixed in.

    The model never reuses a block: a table is a list of fresh numbers, and two tables
    that share a block share its number. So real and model blocks must be in a
    one-to-one relation at all times, whichever free block the pool hands out.
    """

    @initialize(
        num_blocks=st.integers(2, 8),
        num_host_blocks=st.integers(1, 4),
        block_size=st.integers(1, 4),
    )
    def start(self, num_blocks: int, num_host_blocks: int, block_size: int) -> None:
        self.pool = BlockPool(num_blocks)
        self.host_pool = BlockPool(num_host_blocks)
        self.manager = BlockManager(self.pool, block_size, self.host_pool)
        self.block_size = block_size
        self.blocks: dict[SeqId, list[int]] = {}
        self.num_host_blocks: dict[SeqId, int] = {}
        self.seq_len: dict[SeqId, int] = {}
        self.num_made = 0

    @precondition(lambda self: len(self.seq_len) < len(IDS))
    @rule(num_tokens=st.integers(1, 9))
    def add(self, num_tokens: int) -> None:
        self._add(self.unused_id(), num_tokens)

    @precondition(lambda self: self.blocks)
    @rule(which=WHICH, num_tokens=st.integers(1, 5))
    def append(self, which: int, num_tokens: int) -> None:
        self._append(self.pick(self.blocks, which), num_tokens)

    @precondition(lambda self: self.blocks and len(self.seq_len) < len(IDS))
    @rule(which=WHICH)
    def fork(self, which: int) -> None:
        self._fork(self.pick(self.blocks, which), self.unused_id())

    @precondition(lambda self: self.seq_len)
    @rule(which=WHICH)
    def free(self, which: int) -> None:
        self._free(self.pick(self.seq_len, which))

    @rule(call=st.integers(0, 3), one=SOME_ID, other=SOME_ID, size=SOME_SIZE)
    def call_anything(
        self, call: int, one: object, other: object, size: object
    ) -> None:
        if call == 0:
            self._add(one, size)
        elif call == 1:
            self._append(one, size)
        elif call == 2:
            self._fork(one, other)
        else:
            self._free(one)

    @invariant()
    def agrees_with_the_model(self) -> None:
        real_by_model: dict[int, int] = {}
        for seq_id, blocks in self.blocks.items():
            table = self.manager.table(seq_id)
            assert table.seq_len == self.seq_len[seq_id]
            assert table.block_size == self.block_size
            for model, real in zip(blocks, table.block_ids, strict=True):
                assert real_by_model.setdefault(model, real) == real
        assert len(set(real_by_model.values())) == len(real_by_model)
        held = self.held()
        assert {real_by_model[b]: count for b, count in held.items()} == {
            b: self.pool.ref_count(b)
            for b in range(self.pool.num_blocks)
            if self.pool.ref_count(b)
        }
        on_host = sum(self.num_host_blocks.values())
        assert self.host_pool.num_free == self.host_pool.num_blocks - on_host
        self.manager.check()
        self.pool.check()
        self.host_pool.check()

    def teardown(self) -> None:
        if not hasattr(self, "manager"):
            return
        free = [self.pool.allocate() for _ in range(self.pool.num_free)]
        assert len(free) == self.pool.num_blocks - len(self.held())
        for block_id in free:
            self.pool.free(block_id)
        for seq_id in [*self.blocks, *self.num_host_blocks]:
            self.manager.free(seq_id)
        assert self.pool.num_free == self.pool.num_blocks
        assert self.host_pool.num_free == self.host_pool.num_blocks

    def _add(self, seq_id: object, num_tokens: object) -> None:
        errors = self.new_id_errors(seq_id) | self.size_errors(num_tokens)
        if isinstance(num_tokens, int) and not errors:
            errors |= self.room_errors(cdiv(num_tokens, self.block_size))
        if self.refused(errors, self.manager.add, seq_id, num_tokens):
            return
        assert isinstance(seq_id, int | str)
        assert isinstance(num_tokens, int)
        self.manager.add(seq_id, num_tokens)
        self.blocks[seq_id] = self.make(cdiv(num_tokens, self.block_size))
        self.seq_len[seq_id] = num_tokens

    def _append(self, seq_id: object, num_tokens: object) -> None:
        errors = self.live_id_errors(seq_id) | self.size_errors(num_tokens)
        if errors:
            refuses(self.manager.can_append, seq_id, num_tokens, error=tuple(errors))
            self.refused(errors, self.manager.append, seq_id, num_tokens)
            return
        assert isinstance(seq_id, int | str)
        assert isinstance(num_tokens, int)
        blocks, seq_len = self.blocks[seq_id], self.seq_len[seq_id]
        must_copy = seq_len % self.block_size != 0 and self.held()[blocks[-1]] > 1
        num_new = cdiv(seq_len + num_tokens, self.block_size) - len(blocks)
        needed = num_new + must_copy
        assert self.manager.blocks_needed(seq_id, num_tokens) == needed

        errors = self.room_errors(needed)
        assert self.manager.can_append(seq_id, num_tokens) == (not errors)
        if self.refused(errors, self.manager.append, seq_id, num_tokens):
            return
        source = self.manager.table(seq_id).block_ids[-1]
        copies = self.manager.append(seq_id, num_tokens)
        if must_copy:
            blocks[-1:] = self.make(1)
        target = self.manager.table(seq_id).block_ids[len(blocks) - 1]
        blocks += self.make(num_new)
        self.seq_len[seq_id] += num_tokens
        assert copies == ([BlockCopy(source, target, "copy")] if must_copy else [])

    def _fork(self, parent_id: object, child_id: object) -> None:
        errors = self.live_id_errors(parent_id) | self.new_id_errors(child_id)
        if self.refused(errors, self.manager.fork, parent_id, child_id):
            return
        assert isinstance(parent_id, int | str)
        assert isinstance(child_id, int | str)
        self.manager.fork(parent_id, child_id)
        self.blocks[child_id] = list(self.blocks[parent_id])
        self.seq_len[child_id] = self.seq_len[parent_id]

    def _free(self, seq_id: object) -> None:
        errors = self.live_id_errors(seq_id) - {SwappedOut}
        if self.refused(errors, self.manager.free, seq_id):
            return
        assert isinstance(seq_id, int | str)
        self.manager.free(seq_id)
        self.blocks.pop(seq_id, None)
        self.num_host_blocks.pop(seq_id, None)
        del self.seq_len[seq_id]

    def refused(
        self,
        errors: set[type[Exception]],
        call: Callable[..., object],
        *arguments: object,
    ) -> bool:
        """Check that the call is refused if it should be."""
        if errors:
            refuses(call, *arguments, error=tuple(errors))
        return bool(errors)

    def unused_id(self) -> SeqId:
        return next(seq_id for seq_id in IDS if seq_id not in self.seq_len)

    def pick(self, seq_ids: Iterable[SeqId], which: int) -> SeqId:
        listed = list(seq_ids)
        return listed[which % len(listed)]

    def held(self) -> Counter[int]:
        return Counter(b for blocks in self.blocks.values() for b in blocks)

    def make(self, num_blocks: int) -> list[int]:
        self.num_made += num_blocks
        return list(range(self.num_made - num_blocks, self.num_made))

    def new_id_errors(self, seq_id: object) -> set[type[Exception]]:
        if type(seq_id) not in (int, str):
            return {InvalidId}
        return {DuplicateSequence} if seq_id in self.seq_len else set()

    def live_id_errors(self, seq_id: object) -> set[type[Exception]]:
        if type(seq_id) not in (int, str):
            return {InvalidId}
        if seq_id in self.num_host_blocks:
            return {SwappedOut}
        return set() if seq_id in self.blocks else {UnknownSequence}

    def size_errors(self, num_tokens: object) -> set[type[Exception]]:
        if not isinstance(num_tokens, int) or isinstance(num_tokens, bool):
            return {InvalidSize}
        return set() if num_tokens > 0 else {InvalidSize}

    def room_errors(self, needed: int) -> set[type[Exception]]:
        num_free = self.pool.num_blocks - len(self.held())
        return {OutOfBlocks} if needed > num_free else set()


TestManager = ManagerMachine.TestCase
