"""Cases 3, 4, 8, 10, 16 to 19 and 26 of what broke in other people's caches: hits.

The kind behind most of them: a block is found by what it holds, and by nothing else.
`hunted` leads any cache through random prompts and keeps what the memory really holds.
"""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, OutOfBlocks
from pagedkv_edu.memory.prefix import PrefixCache
from tests.mutants import prefix_cache as mutants

P = 4
MakeCache = Callable[[int, int], PrefixCache]
Tokens = list[int]


class StaleError(AssertionError):
    """A block is offered that does not hold what was asked for."""


class DriftError(AssertionError):
    """Free blocks and referenced ones are not all blocks."""


def serve(cache: PrefixCache, tokens: Tokens) -> list[int]:
    """Look up, take what is missing, write, register; the caller frees the blocks."""
    hit = cache.lookup(tokens)
    cache.reuse(hit)
    num_blocks = -(-len(tokens) // P)
    block_ids = [*hit, *(cache.allocate() for _ in range(num_blocks - len(hit)))]
    cache.register(tokens, block_ids)
    return block_ids


def release(cache: PrefixCache, block_ids: list[int]) -> None:
    for block_id in reversed(block_ids):
        cache.free(block_id)


def hunted(make_cache: MakeCache, random: Random) -> None:
    """Serve prompts that are alike; raise where a hit or a count is wrong."""
    cache = make_cache(6, P)
    held: dict[int, tuple[int, ...]] = {}  # by block: all tokens up to its end
    live: list[list[int]] = []
    for _ in range(30):
        tokens = [random.choice([1, 65, 321]) for _ in range(random.randint(1, 14))]
        hit = cache.lookup(tokens)
        for index, block_id in enumerate(hit):
            if held[block_id] != tuple(tokens[: (index + 1) * P]):
                raise StaleError(tokens)
        revived = sum(cache.ref_count(block_id) == 0 for block_id in hit)
        if -(-len(tokens) // P) - len(hit) + revived <= cache.num_free:
            block_ids = serve(cache, tokens)
            for index in range(len(hit), len(block_ids)):
                held[block_ids[index]] = tuple(tokens[: (index + 1) * P])
            live.append(block_ids)
        while live and (random.random() < 0.5 or cache.num_free < 2):
            release(cache, live.pop(random.randrange(len(live))))
        used = len({block_id for blocks in live for block_id in blocks})
        if cache.num_free + used != cache.num_blocks:
            raise DriftError(f"{cache.num_free} free and {used} used")


@given(st.integers(0, 10**9))
def test_a_block_that_is_offered_holds_what_was_asked_for(number: int):
    hunted(PrefixCache, Random(number))


@pytest.mark.parametrize(
    "make_cache",
    [
        mutants.NeverForgets,
        mutants.NamesABlockByItself,
        mutants.NamesByTheLowByte,
        mutants.NamesByTheSum,
        mutants.CountsBlankOnesOnly,
        mutants.LeavesItInTheList,
    ],
)
def test_the_hunt_finds_wrong_identities_and_counts(make_cache: MakeCache):
    def hunt() -> None:
        for number in range(200):
            hunted(make_cache, Random(number))

    with pytest.raises((AssertionError, KeyError, IndexError)):
        hunt()


# Case 3: a cached block is served after it was given away.


def test_case_3_a_block_that_was_given_away_is_not_found():
    cache = PrefixCache(num_blocks=2, block_size=P)
    release(cache, serve(cache, [1] * 5))
    taken = [cache.allocate(), cache.allocate()]

    assert len(set(taken)) == 2
    assert cache.lookup([1] * 5) == []


def test_case_3_nor_while_a_part_of_its_chain_is_still_there():
    cache = PrefixCache(num_blocks=3, block_size=P)
    release(cache, serve(cache, [1] * 9))
    cache.allocate()  # a blank one
    cache.allocate()  # the end of the chain

    assert len(cache.lookup([1] * 9)) == 1


# Case 4: a block is cached again, with the identity that it had before.


def test_case_4_a_block_that_is_cached_again_has_its_new_identity_only():
    cache = PrefixCache(num_blocks=2, block_size=P)
    release(cache, serve(cache, [1] * 5))
    block_ids = serve(cache, [2] * 5)

    assert cache.lookup([1] * 5) == []
    assert cache.lookup([2] * 5) == block_ids[:1]
    cache.check()


# Case 8: a prompt that is found whole leaves no token to compute.


@pytest.mark.parametrize("num_blocks", [1, 2, 3])
@pytest.mark.parametrize("rest", [0, 1, P - 1])
def test_case_8_the_last_token_is_computed_however_much_is_known(
    num_blocks: int, rest: int
):
    cache = PrefixCache(num_blocks=8, block_size=P)
    tokens = list(range(num_blocks * P + rest))
    release(cache, serve(cache, tokens))
    num_hit = len(cache.lookup(tokens)) * P

    assert num_hit == (num_blocks if rest else num_blocks - 1) * P
    assert num_hit < len(tokens)


# Case 10: two equal prompts in one step: never one identity for two blocks.


def test_case_10_of_two_equal_prompts_in_one_step_one_has_the_identity():
    cache = PrefixCache(num_blocks=4, block_size=P)
    tokens = [1] * 5
    first, second = ([cache.allocate(), cache.allocate()] for _ in range(2))
    cache.register(tokens, first)
    cache.register(tokens, second)
    assert cache.lookup(tokens) == first[:1]
    release(cache, first)

    assert cache.num_cached == 1
    assert cache.lookup(tokens) == first[:1]
    cache.check()


# Cases 16 and 17: the hash of two prompts is the same.


def constant(parent: int, tokens: tuple[int, ...], salt: object) -> int:
    return 7


def low_byte(parent: int, tokens: tuple[int, ...], salt: object) -> int:
    return hash((parent, tuple(token % 256 for token in tokens)))


@pytest.mark.parametrize("hash_block", [constant, low_byte])
def test_case_16_and_17_an_equal_hash_serves_no_other_prompt(
    hash_block: Callable[..., int],
):
    cache = PrefixCache(4, P, hash_block)
    block_ids = serve(cache, [65] * 5)

    assert cache.lookup([321] * 5) == []
    assert cache.lookup([65] * 5) == block_ids[:1]


@given(st.integers(0, 10**9))
def test_case_16_any_history_is_right_with_a_hash_that_says_nothing(number: int):
    hunted(
        lambda num_blocks, size: PrefixCache(num_blocks, size, constant), Random(number)
    )


# Case 18: a duplicate is dropped, and a table still leads to it.


def test_case_18_a_duplicate_stays_its_owners_until_it_is_freed():
    cache = PrefixCache(num_blocks=4, block_size=P)
    manager = BlockManager(cache, P)
    tokens = [1] * 5
    for name in "AB":
        manager.add(name, len(tokens))
    tables = {name: manager.table(name).block_ids for name in "AB"}
    for block_ids in tables.values():
        cache.register(tokens, block_ids)

    assert {name: manager.table(name).block_ids for name in "AB"} == tables
    assert not set(tables["A"]) & set(tables["B"])
    manager.free("A")
    manager.check()
    manager.append("B", P)
    manager.free("B")
    assert cache.num_free == 4
    cache.check()


# Case 19: counters drift where a run splits.


def test_case_19_two_ends_of_one_beginning_are_counted_once_each():
    cache = PrefixCache(num_blocks=5, block_size=P)
    ab, ac = [1] * P + [2] * (P + 1), [1] * P + [3] * (P + 1)
    release(cache, serve(cache, ab))
    release(cache, serve(cache, ac))
    assert (cache.num_free, cache.num_cached) == (5, 3)

    locked = cache.lookup(ab)
    cache.reuse(locked)
    assert cache.num_free == 3
    assert len(cache.eviction_order()) == 1
    release(cache, locked)

    assert (cache.num_free, len(cache.eviction_order())) == (5, 3)
    cache.check()


# Case 26: a chunk's end is hashed by its position in the chunk.


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 9))
def test_case_26_chunks_are_known_by_what_one_prompt_is_known_by(
    chunks: list[int], first: int
):
    tokens = [first + position % 7 for position in range(sum(chunks))]
    whole, in_chunks = PrefixCache(64, P), PrefixCache(64, P)
    serve(whole, tokens)
    block_ids: list[int] = []
    stop = 0
    for chunk in chunks:
        stop += chunk
        while len(block_ids) * P < stop:
            block_ids.append(in_chunks.allocate())
        in_chunks.register(tokens[:stop], block_ids)

    asked = [*tokens, 0]
    assert len(in_chunks.lookup(asked)) == len(whole.lookup(asked)) == len(tokens) // P


def test_case_26_200_tokens_in_chunks_of_100_with_blocks_of_16():
    tokens = list(range(200))
    cache = PrefixCache(16, 16)
    block_ids = [cache.allocate() for _ in range(13)]
    cache.register(tokens[:100], block_ids[:7])
    cache.register(tokens, block_ids)

    assert cache.lookup([*tokens, 0]) == block_ids[:12]


def test_a_full_pool_of_cached_blocks_serves_and_forgets():
    cache = PrefixCache(num_blocks=3, block_size=P)
    release(cache, serve(cache, list(range(3 * P))))
    taken = [cache.allocate() for _ in range(3)]

    assert sorted(taken) == [0, 1, 2]
    assert cache.num_cached == 0
    with pytest.raises(OutOfBlocks):
        cache.allocate()
