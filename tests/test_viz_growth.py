import json

import pytest

from pagedkv_edu import BlockManager, BlockPool, cdiv
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.report import Json
from pagedkv_edu.viz.growth import Change, Growth, growth, picture, watch_growth


def seen(block_size: int, max_len: int) -> Growth:
    pool = BlockPool(cdiv(max_len, block_size))
    manager = BlockManager(pool, block_size)
    return watch_growth(manager, pool, block_size=block_size, max_len=max_len)


def tables(changes: list[Json]) -> list[list[int]]:
    """Put the tables together again, as the drawing code does."""
    table: list[int] = []
    found: list[list[int]] = []
    for change in changes:
        table = [*table[: change["kept"]], *change["added"]]
        found.append(table)
    return found


@pytest.mark.parametrize("block_size", [1, 4, 16, 64])
def test_at_every_length_the_blocks_held_are_those_that_the_tokens_need(
    block_size: int,
):
    run = seen(block_size, max_len=130)

    assert [run.num_held(n) for n in range(1, 131)] == [
        cdiv(n, block_size) for n in range(1, 131)
    ]
    assert run.seq_len == 130
    assert run.error == ""


def test_after_200_of_4096_tokens_13_blocks_are_held_and_256_promised():
    explorer = growth(max_len=4096, block_size=16, start_at=200)

    (run,) = [run for run in explorer.runs if run["block_size"] == 16]
    held = [c["num_held"] for c in run["changes"] if c["seq_len"] <= 200][-1]
    assert held == 13
    assert cdiv(4096, 16) == 256


def test_a_change_is_kept_only_where_something_changes():
    run = seen(block_size=4, max_len=10)

    assert [change.seq_len for change in run.changes] == [1, 5, 9]


def test_the_picture_holds_every_table_and_is_json():
    run = Growth(
        4,
        12,
        12,
        (
            Change(1, 1, (3,)),
            Change(2, 2, (3, 5)),
            Change(5, 2, (4, 5, 6)),
            Change(9, 1, (4,)),
        ),
    )

    (drawn,) = json.loads(json.dumps(picture([run])))
    assert tables(drawn["changes"]) == [[3], [3, 5], [4, 5, 6], [4]]


class TakesEarly(BlockManager):
    """Takes the next block as soon as the last one is full."""

    def append(self, seq_id: str | int, num_tokens: int = 1):
        copies = super().append(seq_id, num_tokens)
        table = self.table(seq_id)
        if table.seq_len % self.block_size == 0:
            self.pool.allocate()
        return copies


def test_a_wrong_manager_is_shown_as_it_is():
    pool = BlockPool(8)
    run = watch_growth(TakesEarly(pool, 4), pool, block_size=4, max_len=8)

    assert run.num_held(3) == 1
    assert run.num_held(4) == 2


def test_a_refusal_ends_the_growth_and_is_kept_with_its_message():
    pool = BlockPool(2)
    run = watch_growth(BlockManager(pool, 4), pool, block_size=4, max_len=100)

    assert run.seq_len == 8
    assert run.error.startswith("OutOfBlocks: need 1 block")


def test_a_class_that_cannot_be_made_leaves_an_explorer_that_says_so():
    def broken(num_blocks: int) -> PoolLike:
        raise NotImplementedError("your turn: hand out blocks")

    explorer = growth(BlockManager, broken, max_len=64)

    assert {run["error"] for run in explorer.runs} == {
        "NotImplementedError: your turn: hand out blocks"
    }


def test_the_explorer_uses_the_pool_that_it_is_given():
    made: list[int] = []

    def pool(num_blocks: int) -> BlockPool:
        made.append(num_blocks)
        return BlockPool(num_blocks)

    growth(BlockManager, pool, max_len=100, block_size=10)

    assert made == [25, 10, 7, 2]  # for blocks of 4, 10, 16 and 64 slots


@pytest.mark.parametrize("start_at", [0, 65, True, 2.5])
def test_a_start_outside_the_growth_is_refused(start_at: int):
    with pytest.raises(InvalidSize):
        growth(max_len=64, start_at=start_at)
