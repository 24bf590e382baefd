import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pagedkv_edu import BlockManager, OutOfBlocks
from pagedkv_edu.errors import InvalidSize, NotAllocated
from pagedkv_edu.memory.prefix import PrefixCache

P = 2


def cached(cache: PrefixCache, tokens: list[int], salt: str | None = None) -> list[int]:
    """Serve a prompt as an engine does, and return its table; the caller frees it."""
    hit = cache.lookup(tokens, salt)
    cache.reuse(hit)
    manager = BlockManager(cache, cache.block_size)
    manager.add("A", len(tokens), prefix=hit)
    block_ids = manager.table("A").block_ids
    cache.register(tokens, block_ids, salt)
    return block_ids


def release(cache: PrefixCache, block_ids: list[int]) -> None:
    for block_id in reversed(block_ids):
        cache.free(block_id)


def constant_hash(parent: int, tokens: tuple[int, ...], salt: object) -> int:
    return 7


def low_byte_hash(parent: int, tokens: tuple[int, ...], salt: object) -> int:
    return hash((parent, tuple(token & 0xFF for token in tokens)))


class PrefixMachine(RuleBasedStateMachine):
    """Prompts come and go; a block that is offered always holds what was asked for."""

    hash_block = staticmethod(constant_hash)

    def __init__(self) -> None:
        super().__init__()
        self.cache = PrefixCache(num_blocks=6, block_size=P, hash_block=self.hash_block)
        self.manager = BlockManager(self.cache, P)
        # what the memory really holds: all tokens from the beginning to a block's end
        self.content: dict[int, tuple[object, ...]] = {}
        self.live: set[int] = set()
        self.num_added = 0

    @rule(
        tokens=st.lists(st.integers(0, 1), min_size=1, max_size=9),
        salt=st.sampled_from([None, "tenant"]),
    )
    def add(self, tokens: list[int], salt: str | None) -> None:
        hit = self.cache.lookup(tokens, salt)
        for index, block_id in enumerate(hit):
            assert self.content[block_id] == (salt, *tokens[: (index + 1) * P])
        assert len(hit) * P < len(tokens)
        num_revived = sum(self.cache.ref_count(block_id) == 0 for block_id in hit)
        num_new = -(-len(tokens) // P) - len(hit)
        fits = num_new + num_revived <= self.cache.num_free
        self.cache.reuse(hit)
        seq_id = self.num_added
        try:
            self.manager.add(seq_id, len(tokens), prefix=hit)
        except OutOfBlocks:
            assert not fits
            release(self.cache, hit)
            return
        assert fits
        self.num_added += 1
        block_ids = self.manager.table(seq_id).block_ids
        for index in range(len(hit), len(block_ids)):
            self.content[block_ids[index]] = (salt, *tokens[: (index + 1) * P])
        self.cache.register(tokens, block_ids, salt)
        self.live.add(seq_id)
        again = self.cache.lookup([*tokens, 0], salt)
        assert len(again) >= len(tokens) // P, "what was registered is not found"

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        seq_id = data.draw(st.sampled_from(sorted(self.live)))
        self.live.remove(seq_id)
        self.manager.free(seq_id)

    @invariant()
    def keeps_its_promises(self) -> None:
        self.cache.check()
        self.manager.check()

    def teardown(self) -> None:
        for seq_id in self.live:
            self.manager.free(seq_id)
        taken = [self.cache.allocate() for _ in range(self.cache.num_free)]
        assert sorted(taken) == list(range(6))
        assert self.cache.num_cached == 0


class LowByteMachine(PrefixMachine):
    hash_block = staticmethod(low_byte_hash)


TestConstantHash = PrefixMachine.TestCase
TestLowByteHash = LowByteMachine.TestCase


def test_a_full_hit_leaves_the_last_block_to_compute() -> None:
    cache = PrefixCache(num_blocks=8, block_size=4)
    prompt = list(range(8))
    block_ids = cached(cache, prompt)

    assert cache.lookup(prompt) == block_ids[:1]
    assert cache.lookup([*prompt, 9]) == block_ids
    assert cache.lookup([]) == []


def test_lookup_changes_nothing() -> None:
    cache = PrefixCache(num_blocks=4, block_size=1)
    release(cache, cached(cache, [1, 2, 3]))
    order = cache.eviction_order()
    cache.lookup([1, 2, 3])

    assert cache.eviction_order() == order
    assert cache.num_free == 4


def test_a_block_is_free_and_findable_until_it_is_handed_out() -> None:
    cache = PrefixCache(num_blocks=2, block_size=1)
    release(cache, cached(cache, [1, 2]))

    assert cache.num_free == 2
    assert len(cache.lookup([1, 2, 9])) == 2
    cache.allocate()
    assert len(cache.lookup([1, 2, 9])) == 1
    cache.allocate()
    assert cache.lookup([1, 2, 9]) == []


def test_the_end_of_a_chain_is_evicted_before_its_beginning() -> None:
    cache = PrefixCache(num_blocks=6, block_size=1)
    old, new = cached(cache, [1, 2, 3]), cached(cache, [7, 8, 9])
    release(cache, old)
    release(cache, new)

    assert cache.eviction_order() == [*reversed(old), *reversed(new)]


def test_a_hit_makes_a_block_the_most_recently_used() -> None:
    cache = PrefixCache(num_blocks=4, block_size=1)
    first, second = cached(cache, [1, 2]), cached(cache, [3, 4])
    release(cache, first)
    release(cache, second)
    release(cache, cached(cache, [1, 9])[:1])

    assert cache.eviction_order()[-1] == first[0]


def test_reuse_is_all_or_nothing() -> None:
    cache = PrefixCache(num_blocks=3, block_size=1)
    hit = cached(cache, [1, 2])
    release(cache, hit)
    with pytest.raises(NotAllocated, match="holds nothing known"):
        cache.reuse([hit[0], 2])

    assert [cache.ref_count(block_id) for block_id in range(3)] == [0, 0, 0]
    assert cache.num_free == 3


def test_a_salt_keeps_equal_prompts_apart() -> None:
    cache = PrefixCache(num_blocks=8, block_size=2)
    cached(cache, [1, 2, 3, 4], salt="one tenant")

    assert len(cache.lookup([1, 2, 3, 4, 5], salt="one tenant")) == 2
    assert cache.lookup([1, 2, 3, 4, 5], salt="another") == []
    assert cache.lookup([1, 2, 3, 4, 5]) == []


def test_equal_tokens_after_another_beginning_do_not_hit() -> None:
    cache = PrefixCache(num_blocks=8, block_size=2)
    cached(cache, [1, 2, 3, 4])

    assert cache.lookup([9, 9, 3, 4, 5]) == []


def test_registering_a_free_block_or_too_few_blocks_is_refused() -> None:
    cache = PrefixCache(num_blocks=2, block_size=2)
    block_id = cache.allocate()
    with pytest.raises(NotAllocated):
        cache.register([1, 2, 3, 4], [block_id, 1 - block_id])
    with pytest.raises(InvalidSize, match="4 tokens fill 2 blocks; 1 given"):
        cache.register([1, 2, 3, 4], [block_id])

    assert cache.num_cached == 0
    cache.check()
