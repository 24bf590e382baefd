from collections.abc import Iterator
from types import SimpleNamespace
from typing import NoReturn

import pytest

from pagedkv_edu import BlockCopy, BlockManager, BlockPool
from pagedkv_edu.errors import InvalidId, InvalidSize
from pagedkv_edu.replay import RecordedManager, RecordedPool, encode, frames
from tests.plain_manager import PlainPool
from tests.wrong_calls import make, refuses


def test_a_pool_that_counts_nothing_is_followed_by_its_calls():
    class CountsNothing(PlainPool):
        def ref_count(self, block_id: int) -> NoReturn:
            raise NotImplementedError("your turn")

        @property
        def num_free(self) -> NoReturn:
            raise NotImplementedError("your turn")

    pool = RecordedPool(CountsNothing(4))
    block_id = pool.allocate()
    pool.share(block_id)
    pool.free(block_id)
    film = frames(pool.events)

    assert [dict(frame.ref_counts) for frame in film] == [
        {block_id: 1},
        {block_id: 2},
        {block_id: 1},
    ]
    assert [frame.event.num_free for frame in film] == [3, 3, 3]


def some_yields() -> Iterator[BlockCopy]:
    yield BlockCopy(0, 1)


class Explodes:
    """Fails wherever it is touched."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(name)


ANSWERS: list[object] = [
    None,
    -1,
    True,
    "block",
    [None],
    [(0, 1)],
    some_yields(),
    Explodes(),
    BlockCopy(0, 1),
    [make(BlockCopy, None, 1), make(BlockCopy, 0, 1, "up")],
    SimpleNamespace(block_ids=None, seq_len=1),
    SimpleNamespace(block_ids=[None, 0.5], seq_len=1),
    SimpleNamespace(block_ids=[0, -7, 99], seq_len="7"),
    SimpleNamespace(block_ids=[0, -7, 99], seq_len=-3),
    SimpleNamespace(block_ids=[], seq_len=10**12),
]


class Answers:
    """A pool and a manager in one that answers every question alike."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.num_blocks = self.num_free = answer

    def same(self, *_: object) -> object:
        return self.answer

    allocate = share = free = ref_count = add = append = fork = table = same


NAMES: list[object] = ["A", 1, True, 2.5, None, ["A"], ("A", 1), b"A"]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_any_answer_and_any_argument_make_a_film(answer: object):
    pool = make(RecordedPool, Answers(answer))
    manager = make(RecordedManager, Answers(answer), pool, 4)
    for name in NAMES:
        for other in (1, 3, *NAMES):
            make(manager.add, name, other)
            make(manager.fork, name, other)
            assert make(manager.append, name, other) is answer
        make(manager.free, name)
        make(pool.share, name)
        make(pool.free, name)
        pool.allocate()
    film = encode(frames(pool.events))

    assert len(film["frames"]) == len(pool.events)


def test_an_id_that_is_none_is_told_as_it_was_typed():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, 4), pool)
    refuses(manager.append, ["A"], error=InvalidId)
    manager.add("A", 1)
    refuses(manager.append, "A", True, error=InvalidSize)
    texts = [frame["call"] for frame in encode(frames(pool.events))["frames"]]

    assert texts == ["append(['A'])", 'add("A", 1)', 'append("A", True)']
    assert [event.seq_id for event in pool.events] == [None, "A", "A"]
