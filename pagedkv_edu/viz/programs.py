"""The programs of a launch, side by side, and what one of them computes in a turn."""

import anywidget
import traitlets

from pagedkv_edu.replay.launches import Launch, Program, launches
from pagedkv_edu.replay.wording import amount
from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets

SCRIPTS = ("buttons.js", "programs_tile.js", "programs.js")
STYLES = ("programs.css",)

SEQ_LENS = {"A": 70, "B": 200}
NUM_HEADS, NUM_KV_HEADS, BLOCK_SIZE = 8, 2, 16
# made up: which block of the pool each logical block is
TABLES = {
    "A": (9, 3, 17, 12, 5),
    "B": (1, 8, 2, 20, 11, 0, 15, 7, 4, 19, 13, 22, 6),
}


class ProgramsView(anywidget.AnyWidget):
    """The widget: four launches of one step, and its JavaScript shows one of them."""

    _esm = assets.script(*SCRIPTS, render="renderPrograms")
    _css = assets.style(*STYLES)
    picture = traitlets.Dict().tag(sync=True)
    rung = traitlets.Int(0).tag(sync=True)

    def __init__(self, rung: int = 0) -> None:
        super().__init__(picture=picture(), rung=max(0, min(3, rung)))


def programs_view(rung: int = 0) -> ProgramsView:
    """Return the four launches of one decode step; it opens at one of them, 0 to 3."""
    return ProgramsView(rung)


def picture() -> Json:
    """Return all that the view shows."""
    made = launches(
        SEQ_LENS,
        num_heads=NUM_HEADS,
        num_kv_heads=NUM_KV_HEADS,
        block_size=BLOCK_SIZE,
    )
    return {
        "seq_lens": SEQ_LENS,
        "tables": {seq_id: list(table) for seq_id, table in TABLES.items()},
        "num_heads": NUM_HEADS,
        "num_kv_heads": NUM_KV_HEADS,
        "block_size": BLOCK_SIZE,
        "launches": [
            {
                "name": launch.name,
                "tile": launch.tile,
                "num_rows": launch.num_rows,
                "programs": [_encoded(program) for program in launch.programs],
                "total_turns": launch.total_turns,
                "longest": launch.longest,
                "rows_read": launch.rows_read,
                "headline": headline(launch),
                "text": described(made, rung),
            }
            for rung, launch in enumerate(made)
        ],
    }


def headline(launch: Launch) -> str:
    """Return how many programs there are, and how long the longest runs."""
    programs = amount(len(launch.programs), "program")
    turns = amount(launch.longest, "turn")
    return f"{launch.name}: {programs}, the longest has {turns}"


def described(made: list[Launch], rung: int) -> str:
    """Say what a rung does, and what it saves against the one below it."""
    launch, before = made[rung], made[max(0, rung - 1)]
    group = NUM_HEADS // NUM_KV_HEADS
    if rung == 0:
        return (
            f"Each program takes one query head of one sequence, and {launch.tile} "
            f"tokens in a turn: one block. {group} query heads share a KV head, so "
            f"each key is read {group} times: {launch.rows_read:,} rows in all."
        )
    if rung == 1:
        return (
            f"A turn takes {launch.tile} tokens, {launch.tile // BLOCK_SIZE} blocks: "
            f"{launch.total_turns} turns in place of {before.total_turns}. Each token "
            "looks its own block up, so a tile need not be a block."
        )
    if rung == 2:
        padding = launch.num_rows - group
        return (
            f"One program takes all {group} query heads of a KV head: "
            f"{launch.rows_read:,} rows are read in place of {before.rows_read:,}. "
            f"The scores are a product of two matrices, of {launch.num_rows} rows at "
            f"least: {group} heads and {padding} rows of padding."
        )
    empty = sum(not program.turns for program in launch.programs)
    return (
        f"Each sequence is cut into 4 parts of whole tiles, so the longest program has "
        f"{amount(launch.longest, 'turn')} in place of {before.longest}. {empty} parts "
        "of the short sequence are empty: output 0 and log-sum-exp −∞. A second kernel "
        "merges the parts."
    )


def _encoded(program: Program) -> Json:
    return {
        "seq": program.seq_id,
        "head": program.first_head,
        "num_heads": program.num_heads,
        "kv_head": program.kv_head,
        "split": program.split,
        "begin": program.begin,
        "turns": list(program.turns),
    }
