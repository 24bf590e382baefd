"""The translation explorer: a position and a block size, and the way to a byte."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from random import Random
from typing import TypeVar

import anywidget
import ipywidgets as widgets
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import KVCacheSpec, locate
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.addresses import (
    Locate,
    Slot,
    bytes_per_slot,
    describe_way,
    follow,
)
from pagedkv_edu.viz.addresses import guarded as guarded

S = TypeVar("S", int, str)

NUM_SLOTS = 96
BLOCK_SIZES = (1, 2, 4, 8, 16)
LENGTHS = {"A": 37, "B": 21}
# every step leads to another number, and the blocks beside this one lie elsewhere
FIRST_SEED, FIRST_POSITION = 8, 21
LLAMA_3_8B = KVCacheSpec(32, 8, head_dim=128, dtype_bytes=2, block_size=16)


def translation(
    *,
    my_locate: Locate = locate,
    my_slot: Slot | None = None,
    spec: KVCacheSpec = LLAMA_3_8B,
    block_size: int = 4,
    position: int = FIRST_POSITION,
) -> widgets.VBox:
    """Return the explorer: a drawing, and sliders for position and block size.

    It shows the right way. Functions of your own are asked for every position too, and
    where they differ the drawing says how and marks where they lead.
    """
    if block_size not in BLOCK_SIZES:
        raise InvalidSize(f"block_size is one of {BLOCK_SIZES} here, got {block_size}")
    if position not in range(LENGTHS["A"]):
        raise InvalidSize(f"position is 0 to {LENGTHS['A'] - 1} here, got {position}")
    drawing = TranslationDrawing(
        picture=picture(spec, seed=FIRST_SEED, my_locate=my_locate, my_slot=my_slot),
        view=BLOCK_SIZES.index(block_size),
        position=position,
    )
    wide = widgets.Layout(width="340px")
    where = widgets.IntSlider(
        position, 0, LENGTHS["A"] - 1, description="position", layout=wide
    )
    size = widgets.SelectionSlider(
        options=BLOCK_SIZES, value=block_size, description="block_size", layout=wide
    )
    # linked in the browser: dragging asks the kernel nothing
    widgets.jslink((where, "value"), (drawing, "position"))
    widgets.jslink((size, "index"), (drawing, "view"))
    again = widgets.Button(
        description="Other blocks for the same tokens",
        layout=widgets.Layout(width="auto"),
    )
    seeds = iter(range(FIRST_SEED + 1, 10**9))

    def deal(_: widgets.Button) -> None:
        drawing.picture = picture(
            spec, seed=next(seeds), my_locate=my_locate, my_slot=my_slot
        )

    again.on_click(deal)
    controls = widgets.HBox([where, size, again])
    controls.layout.flex_flow = "row wrap"
    controls.layout.margin = "8px 0 0"
    return widgets.VBox([drawing, controls])


class TranslationDrawing(anywidget.AnyWidget):
    """The drawing: it holds every way already, and shows the one that is chosen."""

    _esm = assets.script("translation.js", render="renderTranslation")
    _css = assets.style("translation.css")
    picture = traitlets.Dict().tag(sync=True)
    view = traitlets.Int().tag(sync=True)  # index of the block size
    position = traitlets.Int().tag(sync=True)


def picture(
    spec: KVCacheSpec,
    *,
    seed: int,
    my_locate: Locate = locate,
    my_slot: Slot | None = None,
) -> Json:
    """Return all that the drawing shows, for every block size and position of A."""
    slot_bytes = bytes_per_slot(spec)
    views: list[Json] = []
    for block_size in BLOCK_SIZES:
        table_by_seq = tables(block_size, seed)
        sized = replace(spec, block_size=block_size)
        ways = [
            follow(p, table_by_seq["A"], sized, my_locate=my_locate, my_slot=my_slot)
            for p in range(LENGTHS["A"])
        ]
        told = [
            asdict(way) | {"text": describe_way(way, block_size, slot_bytes)}
            for way in ways
        ]
        views.append({"block_size": block_size, "tables": table_by_seq, "ways": told})
    return {
        "num_slots": NUM_SLOTS,
        "num_tokens": LENGTHS["A"],
        "lengths": dict(LENGTHS),
        "slot_bytes": slot_bytes,
        "num_arrays": 2 * spec.num_layers,
        "views": views,
    }


def tables(block_size: int, seed: int) -> dict[str, list[int]]:
    """Return the block tables of A and B after a history that depends on seed only.

    Six sequences fill the pool and end in any order, then A and B grow in turns. The
    history is the same for every block size, so that their tables can be compared.
    """
    rng = Random(seed)
    manager = BlockManager(BlockPool(NUM_SLOTS // block_size), block_size)
    _grow(manager, dict.fromkeys(range(6), NUM_SLOTS // 6), rng)
    for seq_id in rng.sample(range(6), 6):
        manager.free(seq_id)
    _grow(manager, LENGTHS, rng)
    return {seq_id: manager.table(seq_id).block_ids for seq_id in LENGTHS}


def _grow(manager: BlockManager, lengths: Mapping[S, int], rng: Random) -> None:
    """Grow new sequences in turns, by a few tokens each time, to these lengths."""
    rest = dict(lengths)
    for seq_id in rest:
        manager.add(seq_id, 1)
        rest[seq_id] -= 1
    while growing := [seq_id for seq_id, num_tokens in rest.items() if num_tokens]:
        seq_id = rng.choice(growing)
        num_tokens = min(rest[seq_id], rng.randint(1, 6))
        manager.append(seq_id, num_tokens)
        rest[seq_id] -= num_tokens
