import json
from collections.abc import Sequence
from typing import NoReturn

import pytest

from pagedkv_edu import BlockManager, BlockPool, cdiv
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.protocols import PoolLike, SeqId
from pagedkv_edu.serving.block_sizes import held
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz.small_multiples import (
    describe_step,
    lengths,
    small_multiples,
    steps_that_take,
    watch_block_size,
)

REQUESTS = [
    Request("A", 34, 60),
    Request("B", 5, 20),
    Request("C", 60, 30),
    Request("D", 12, 80),
    Request("E", 90, 40),
]


@pytest.mark.parametrize("size", [1, 4, 16, 64])
def test_a_panel_holds_what_the_tokens_need(size: int):
    panel = watch_block_size(REQUESTS, size)

    assert [list(row) for row in panel.blocks] == [
        [cdiv(n, size) for n in row] for row in lengths(REQUESTS)
    ]
    assert panel.error == ""


@pytest.mark.parametrize("size", [1, 4, 16, 64])
def test_all_steps_together_are_what_the_sums_say(size: int):
    panel = watch_block_size(REQUESTS, size)
    sums = held(REQUESTS, size)

    assert sum(map(sum, panel.blocks)) == sums.num_blocks
    assert panel.taken[-1] == sums.num_taken
    assert sum(map(sum, lengths(REQUESTS))) == sums.num_tokens


def test_blocks_taken_are_counted_also_where_others_are_freed_in_the_same_step():
    panel = watch_block_size([Request("A", 3, 2), Request("B", 3, 4)], 4)

    # B takes its second block in the step in which A gives its one block back
    assert panel.taken == (2, 2, 3, 3)
    assert steps_that_take(panel) == [0, 2]


def test_a_manager_of_another_kind_is_shown_as_it_is():
    class TakesOneMore(BlockManager):
        def add(
            self, seq_id: SeqId, num_tokens: int, prefix: Sequence[int] = ()
        ) -> None:
            super().add(seq_id, num_tokens + 4, prefix)

    panel = watch_block_size([Request("A", 6, 3)], 4, TakesOneMore)

    assert panel.blocks == ((3,), (3,), (3,))


def test_an_error_of_a_learners_class_ends_its_panel_and_is_told():
    def broken(pool: PoolLike, block_size: int) -> NoReturn:
        raise RuntimeError("not today")

    widget = small_multiples(REQUESTS, broken, block_sizes=(4,))

    assert widget.panels[0]["error"] == "RuntimeError: not today"
    assert "stopped by RuntimeError: not today" in widget.texts[0]


def test_a_panel_that_stops_half_way_keeps_what_was_seen():
    class Small(BlockPool):
        def __init__(self, num_blocks: int) -> None:
            super().__init__(2)

    panel = watch_block_size([Request("A", 6, 4)], 4, make_pool=Small)

    assert len(panel.blocks) == len(panel.taken) == 3
    assert "OutOfBlocks" in panel.error


def test_the_words_say_what_each_panel_holds():
    panels = [watch_block_size(REQUESTS, size) for size in (16, 64)]

    assert describe_step(lengths(REQUESTS), panels, 16) == (
        "5 sequences, 281 tokens. Blocks of 16: 20 held, 39 slots empty. "
        "Blocks of 64: 7 held, 167 slots empty."
    )


def test_the_widget_is_small_and_plain_data():
    widget = small_multiples(REQUESTS, start_at=16)
    sent = json.dumps([widget.lengths, widget.panels, widget.texts])

    assert len(sent) < 40_000
    assert widget.step == 16
    assert [panel["block_size"] for panel in widget.panels] == [1, 4, 16, 64]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InvalidSize, match="1 to 5 requests"):
        small_multiples([])
    with pytest.raises(InvalidSize, match="1 to 5 requests"):
        small_multiples(REQUESTS * 2)
    with pytest.raises(InvalidSize, match="at most 500"):
        small_multiples([Request("A", 1, 501)])
    with pytest.raises(InvalidSize, match="0 to 79"):
        small_multiples(REQUESTS, start_at=80)
    with pytest.raises(InvalidSize, match="block size"):
        small_multiples(REQUESTS, block_sizes=())
    with pytest.raises(InvalidSize):
        small_multiples(REQUESTS, block_sizes=(0,))
