from random import Random

import pytest

from pagedkv_edu import cdiv
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.sharing import Sharing, measure_sharing
from pagedkv_edu.serving.workload import (
    ALPACA_OUTPUT,
    ALPACA_PROMPT,
    Request,
    lognormal_workload,
)


def request(num_prompt: int, num_output: int) -> Request:
    return Request("A", num_prompt, num_output)


def by_formula(requests: list[Request], width: int, block_size: int) -> Sharing:
    """Count parallel samples without a manager: only full prompt blocks are shared."""
    held = alone = 0
    for r in requests:
        for seq_len in range(r.num_prompt_tokens + 1, r.num_tokens + 1):
            shared = r.num_prompt_tokens // block_size
            own = cdiv(seq_len, block_size) - shared
            held += shared + width * own
            alone += width * (shared + own)
    return Sharing(held, alone)


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_parallel_samples_share_the_full_blocks_of_the_prompt_and_nothing_else(
    width: int, block_size: int
):
    requests = lognormal_workload(
        30, prompt=ALPACA_PROMPT, output=ALPACA_OUTPUT, rng=Random(1)
    )

    seen = measure_sharing(requests, width, block_size=block_size)
    assert seen == by_formula(requests, width, block_size)


def test_one_answer_saves_nothing():
    assert measure_sharing([request(50, 50)], 1).saved == 0


def test_beams_that_all_go_on_from_one_share_all_but_their_last_block():
    def from_the_first(width: int) -> list[int]:
        return [0] * width

    # blocks of 1: after each step the three beams differ in their last token only
    seen = measure_sharing([request(10, 5)], 3, from_the_first, block_size=1)
    assert seen.num_held == sum(length - 1 + 3 for length in range(11, 16))


def test_beams_that_never_change_places_are_parallel_samples():
    def each_from_itself(width: int) -> list[int]:
        return list(range(width))

    requests = [request(9, 30), request(33, 3)]
    assert measure_sharing(requests, 4, each_from_itself) == measure_sharing(
        requests, 4
    )


def test_random_beams_save_more_than_samples_and_less_than_all_but_one():
    rng = Random(0)
    requests = lognormal_workload(
        40, prompt=ALPACA_PROMPT, output=ALPACA_OUTPUT, rng=rng
    )

    def any_beam(width: int) -> list[int]:
        return [rng.randrange(width) for _ in range(width)]

    for width in (2, 4, 6):
        beams = measure_sharing(requests, width, any_beam).saved
        assert measure_sharing(requests, width).saved < beams < 1 - 1 / width


def test_the_wrong_number_of_parents_is_refused():
    with pytest.raises(InvalidSize, match="3 beams, 2 parents"):
        measure_sharing([request(4, 4)], 3, lambda width: [0, 1])
