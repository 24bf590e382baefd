"""The orders in which a batch of copies may happen, and what each leaves behind."""

from itertools import product
from random import Random

import pytest

from pagedkv_edu.protocols import BlockCopy
from pagedkv_edu.replay.copy_orders import (
    Pair,
    Place,
    all_orders,
    carry_out,
    count_outcomes,
    in_waves,
    one_by_one,
    reads_first,
    waves,
)
from pagedkv_edu.replay.memory import WordMemory

WORDS: dict[Place, str] = {block_id: f"w{block_id}" for block_id in range(5)}
FREED_AND_TAKEN: list[Pair] = [(1, 2), (0, 1)]
CHAIN: list[Pair] = [(0, 1), (1, 2)]
TWICE: list[Pair] = [(0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("pairs", "num_right", "reads_first_is_right"),
    [(FREED_AND_TAKEN, 5, True), (CHAIN, 1, False), (TWICE, 3, True)],
)
def test_how_many_orders_are_right_depends_on_the_list(
    pairs: list[Pair], *, num_right: int, reads_first_is_right: bool
):
    exact = carry_out(WORDS, pairs, one_by_one(2))

    right = [o for o in all_orders(2) if carry_out(WORDS, pairs, o) == exact]
    assert len(right) == num_right
    assert (carry_out(WORDS, pairs, reads_first(2)) == exact) == reads_first_is_right


def test_one_by_one_is_what_the_memory_of_the_lessons_does():
    for pairs in product(product(range(3), range(3)), repeat=2):
        memory = WordMemory(1)
        for block_id in range(3):
            memory.write(block_id, str(WORDS[block_id]))
        memory.copy([BlockCopy(*pair) for pair in pairs])

        blocks = carry_out(WORDS, pairs, one_by_one(2))
        assert [memory.block(b) for b in range(3)] == [blocks[b] for b in range(3)]


def test_inside_a_wave_every_order_gives_the_result_of_one_by_one():
    random = Random(0)
    for _ in range(100):
        pairs: list[Pair] = [
            (source, target)
            for source, target in (random.sample(range(5), 2) for _ in range(3))
        ]
        exact = carry_out(WORDS, pairs, one_by_one(3))
        ends = [dict(WORDS)]
        for wave in waves(pairs):
            ends = [
                carry_out(words, wave, order)
                for words in ends
                for order in all_orders(len(wave))
            ]

        assert all(end == exact for end in ends)
        assert carry_out(WORDS, pairs, in_waves(pairs)) == exact


def test_outcomes_are_counted_over_all_orders():
    assert count_outcomes(WORDS, FREED_AND_TAKEN, 2) == {"w1": 5, "w0": 1}
    assert sum(count_outcomes(WORDS, CHAIN, 2).values()) == len(all_orders(2))
