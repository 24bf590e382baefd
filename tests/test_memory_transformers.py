"""Our manager and the block allocator of transformers' continuous batching.

Both share full blocks at a fork. Of a partly filled block theirs makes a copy at once,
ours when somebody writes: until then we owe as many blocks as such a block has further
owners. In everything else the two must agree.
"""

from itertools import combinations
from random import Random

import pytest

from pagedkv_edu import BlockManager, BlockPool, OutOfBlocks

pytestmark = pytest.mark.slow  # transformers takes seconds to load


class Both:
    """The same calls on both, in pools of the same size."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        pytest.importorskip(
            "transformers", reason="the extra `model` brings what is compared with"
        )
        from tools import bench_transformers as peer

        self.peer = peer
        self.theirs, self.their_pool = peer.make_allocator(num_blocks, block_size)
        self.pool = BlockPool(num_blocks)
        self.ours = BlockManager(self.pool, block_size)
        self.block_size = block_size
        self.live: list[str] = []
        self.num_named = 0

    def add(self, num_tokens: int) -> None:
        seq_id = self._new_id()
        if self._both_accept(seq_id, 0, num_tokens):
            self.live.append(seq_id)

    def append(self, which: int, num_tokens: int) -> None:
        seq_id = self.live[which % len(self.live)]
        self._both_accept(seq_id, self.ours.table(seq_id).seq_len, num_tokens)

    def fork(self, which: int) -> None:
        parent_id, child_id = self.live[which % len(self.live)], self._new_id()
        seq_len = self.ours.table(parent_id).seq_len
        needed = self.theirs.count_non_shareable_blocks(parent_id, seq_len)
        if needed > self.num_free_of_theirs():
            return  # a fork of ours takes no block, so it would not be refused
        for _ in range(needed - self.their_pool.count_free_blocks(0)):
            self.their_pool.allocate_sector(0)
        self.theirs.fork_blocks(parent_id, child_id, seq_len)
        self.ours.fork(parent_id, child_id)
        self.live.append(child_id)

    def free(self, which: int) -> None:
        seq_id = self.live.pop(which % len(self.live))
        self.ours.free(seq_id)
        self.theirs.free_blocks(seq_id)

    def num_free_of_theirs(self) -> int:
        return self.peer.num_free(self.theirs, self.their_pool)

    def num_owed(self) -> int:
        """Return the copies that ours has still to make."""
        partial = {
            table.block_ids[-1]
            for table in map(self.ours.table, self.live)
            if table.seq_len % self.block_size
        }
        return sum(self.pool.ref_count(block_id) - 1 for block_id in partial)

    def require_agreement(self) -> None:
        for seq_id in self.live:
            ours = self.ours.table(seq_id).block_ids
            assert len(ours) == len(self.theirs.block_table[seq_id])
        assert self.num_free_of_theirs() == self.pool.num_free - self.num_owed()
        for one, other in combinations(self.live, 2):
            num_full = [
                self.ours.table(s).seq_len // self.block_size for s in (one, other)
            ]
            for i in range(min(num_full)):
                ours = [self.ours.table(s).block_ids[i] for s in (one, other)]
                theirs = [self.theirs.block_table[s][i] for s in (one, other)]
                assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])

    def _new_id(self) -> str:
        self.num_named += 1
        return f"request-{self.num_named}"

    def _both_accept(self, seq_id: str, past_length: int, num_tokens: int) -> bool:
        """Make room in both, or in neither, where theirs has too few blocks."""
        try:
            self.peer.store(
                self.theirs, self.their_pool, seq_id, past_length, num_tokens
            )
        except OutOfBlocks:
            if self.num_owed() == 0:
                self._require_refusal(seq_id, num_tokens)
            return False
        if seq_id in self.live:
            self.ours.append(seq_id, num_tokens)
        else:
            self.ours.add(seq_id, num_tokens)
        return True

    def _require_refusal(self, seq_id: str, num_tokens: int) -> None:
        call = self.ours.append if seq_id in self.live else self.ours.add
        with pytest.raises(OutOfBlocks):
            call(seq_id, num_tokens)


@pytest.mark.parametrize("block_size", [1, 2, 4, 16])
@pytest.mark.parametrize("forking", [False, True])
def test_both_hold_the_same_blocks_up_to_copies_not_yet_made(
    block_size: int, *, forking: bool
):
    random = Random(block_size)
    num_refused = 0
    for _ in range(20):
        both = Both(num_blocks=12, block_size=block_size)
        names = ["add", "append", "append", "append", "free"] + ["fork"] * forking
        for _ in range(60):
            name = random.choice(names) if both.live else "add"
            which, num_tokens = random.randrange(12), random.randint(1, 2 * block_size)
            before = both.pool.num_free
            if name == "add":
                both.add(num_tokens)
            elif name == "append":
                both.append(which, num_tokens)
            else:
                (both.fork if name == "fork" else both.free)(which)
            num_refused += name == "add" and both.pool.num_free == before
            both.require_agreement()
    assert num_refused > 0, "no pool was ever full"


def test_both_take_the_next_block_at_the_same_token():
    both = Both(num_blocks=4, block_size=4)
    both.add(3)
    held: list[tuple[int, int]] = []
    for _ in range(6):
        both.append(0, 1)
        both.require_agreement()
        held.append((4 - both.pool.num_free, 4 - both.num_free_of_theirs()))

    assert held == [(1, 1)] + [(2, 2)] * 4 + [(3, 3)]
