"""Made-up conversations: what a turn shares with the one before."""

from itertools import pairwise
from random import Random

import pytest

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.serving.chats import UNIT, chat_turns
from pagedkv_edu.serving.prompts import endless_hits


def test_the_same_seed_gives_the_same_requests() -> None:
    assert chat_turns(50, rng=Random(3)) == chat_turns(50, rng=Random(3))


def test_every_prompt_begins_with_the_system_prompt() -> None:
    requests = chat_turns(200, system_tokens=64, rng=Random(0))

    assert {request.content[: 64 // UNIT] for request in requests} == {(0, 1, 2, 3)}
    assert all(request.num_prompt_tokens > 64 for request in requests)


def test_a_turn_begins_with_all_full_parts_of_the_turn_before() -> None:
    turns = chat_turns(5, num_open=1, mean_turns=1e9, rng=Random(0))
    for before, after in pairwise(turns):
        full = before.num_prompt_tokens // UNIT
        said = before.num_prompt_tokens + before.num_output_tokens

        assert after.content[:full] == before.content[:full]
        assert after.num_prompt_tokens > said


def test_parts_that_are_not_full_are_equal_to_no_other() -> None:
    requests = chat_turns(300, rng=Random(1))
    last = [r.content[-1] for r in requests if r.num_prompt_tokens % UNIT]

    assert len(set(last)) == len(last)


def test_without_a_second_turn_only_the_system_prompt_is_found() -> None:
    requests = chat_turns(100, system_tokens=64, mean_turns=1, rng=Random(0))

    assert endless_hits(requests, UNIT).hit_tokens == 99 * 64


@pytest.mark.parametrize("wrong", [{"num_requests": 0}, {"num_open": 0}])
def test_wrong_numbers_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidSize):
        chat_turns(**{"num_requests": 1, **wrong}, rng=Random(0))
