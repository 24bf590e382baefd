"""The loop of paged attention: table, pool, scores, running numbers and sectors."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import anywidget
import traitlets

from pagedkv_edu.replay.gather import GatherStep, gather_step
from pagedkv_edu.replay.gather_text import compared, described, headline
from pagedkv_edu.replay.sectors import LINE_BYTES, SECTOR_BYTES, Strip, block_strip
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import KVCacheSpec, cdiv
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.page import page

SCRIPTS = (
    "buttons.js",
    "sector_strips.js",
    "gather_state.js",
    "gather_loop.js",
    "gather.js",
)
STYLES = ("gather.css",)

SEED = 5827  # its maxima tell a story: 1.06, no new one, 1.98, 2.78, no new one
TABLE = (9, 3, 17, 12, 5)
NUM_TOKENS, BLOCK_SIZE, NUM_BLOCKS = 70, 16, 24
MOST_BLOCKS = 6  # that fit beside each other
SPEC = KVCacheSpec(1, num_kv_heads=2, head_dim=64, dtype_bytes=2, block_size=BLOCK_SIZE)
ORDERS = {
    "head-major": ("head", "slot", "dim"),
    "token-major (ours)": ("slot", "head", "dim"),
    "dim-major": ("head", "dim", "slot"),
}

# (running maximum, running sum, scores of a block) -> (maximum, sum)
Update = Callable[[float, float, list[float]], tuple[float, float]]


class GatherView(anywidget.AnyWidget):
    """The widget: every turn is in the data, and its JavaScript shows one of them.

    The kernel is asked only for another table or one token more.
    """

    _esm = assets.script(*SCRIPTS, render="renderGather")
    _css = assets.style(*STYLES)
    picture = traitlets.Dict().tag(sync=True)
    at = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        num_tokens: int = NUM_TOKENS,
        block_table: Sequence[int] = TABLE,
        update: Update | None = None,
        *,
        start_at: int | None = None,
    ) -> None:
        self.step = _attend(block_table, num_tokens)
        self._update = update
        self._rng = Random(0)
        super().__init__(picture=self._picture())
        last = len(self.step.turns) - 1
        self.at = last if start_at is None else max(0, min(last + 1, start_at))
        self.on_msg(self.receive)

    def receive(self, _widget: object, content: Json, _buffers: object) -> None:
        """Do what a button of the view asks for."""
        if content.get("type") == "shuffle":
            self.shuffle()
        elif content.get("type") == "fill" and self._can_grow:
            self.fill()

    def shuffle(self) -> None:
        """Move every block to another place of the pool, and attend again."""
        before = self.step
        num = len(before.turns)
        table = self._rng.sample(range(before.num_blocks), num)
        self.step = _attend(table, before.num_tokens)
        same = self.step.out == before.out
        verdict = "the same to the last bit" if same else "not the same"
        self.picture = self._picture(
            f"The blocks are at other places now; the output is {verdict}."
        )

    def fill(self) -> None:
        """Write one more token: into the last block, or into a new one."""
        table, num_tokens = self.step.block_table, self.step.num_tokens + 1
        if cdiv(num_tokens, BLOCK_SIZE) > len(table):
            free = [i for i in range(NUM_BLOCKS) if i not in table]
            table = (*table, self._rng.choice(free))
        self.step = _attend(table, num_tokens)
        with self.hold_sync():
            self.picture = self._picture()
            self.at = len(table) - 1

    @property
    def _can_grow(self) -> bool:
        return self.step.num_tokens < MOST_BLOCKS * BLOCK_SIZE

    def _picture(self, note: str = "") -> Json:
        picture = encode_step(self.step, self._update)
        slot = self.step.num_tokens % BLOCK_SIZE
        whole = "" if self._can_grow else "no room left"
        return picture | {
            "note": note,
            "fill": {
                "label": f"Fill slot {slot}" if slot else "Take a new block",
                "note": whole or f"A writes token {self.step.num_tokens + 1}",
                "off": not self._can_grow,
            },
        }


def gather_view(
    num_tokens: int = NUM_TOKENS,
    block_table: Sequence[int] = TABLE,
    *,
    update: Update | None = None,
    start_at: int | None = None,
) -> GatherView:
    """Return one decode step as a loop over the blocks of a sequence.

    `update(running_max, running_sum, scores)` may be a function of your own: it is
    asked in every turn, with its own state, and where it differs the view says how. It
    opens at the last block; `start_at` names another turn.
    """
    return GatherView(num_tokens, block_table, update, start_at=start_at)


def encode_step(step: GatherStep, update: Update | None = None) -> Json:
    """Return a step as the view takes it: facts, sentences, and sectors by turn."""
    yours = _states(step, update)
    remarks = [
        compared(turn, found) if found is not None else ""
        for turn, found in zip(step.turns, yours, strict=True)
    ]
    last = len(step.turns)
    return {
        "block_size": step.block_size,
        "num_blocks": step.num_blocks,
        "num_tokens": step.num_tokens,
        "head_dim": step.head_dim,
        "error": f"{step.error:.0e}",
        "turns": [
            {
                "block_id": turn.block_id,
                "first": turn.first_token,
                "scores": [round(score, 4) for score in turn.scores],
                "max_here": turn.max_here,
                "running_max": turn.running_max,
                "rescale": turn.rescale,
                "added": turn.added,
                "sum": turn.running_sum,
                "is_new_max": turn.is_new_max,
                "yours": found if remark and not isinstance(found, str) else None,
            }
            for turn, found, remark in zip(step.turns, yours, remarks, strict=True)
        ],
        "headlines": [headline(step, at) for at in range(last + 1)],
        "texts": [described(step, at) for at in range(last + 1)],
        "remarks": [*remarks, next(filter(None, remarks), "")],
        "strips": [
            [
                encode_strip(block_strip(name, axes, SPEC, num_tokens=len(turn.scores)))
                for name, axes in ORDERS.items()
            ]
            for turn in step.turns
        ],
        "sizes": f"{SPEC.num_kv_heads} KV heads × {SPEC.head_dim} dims, fp16",
    }


def encode_strip(strip: Strip) -> Json:
    """Return a strip as the drawing of sectors takes it."""
    return {
        "name": strip.name,
        "axes": f"[{', '.join(strip.axes)}]",
        "block_bytes": strip.block_bytes,
        "sector_bytes": SECTOR_BYTES,
        "line_bytes": LINE_BYTES,
        "needed": [[s, n] for s, n in strip.needed_by_sector.items()],
        "needed_bytes": strip.needed_bytes,
        "fetched_bytes": strip.fetched_bytes,
        "num_lines": strip.num_lines,
    }


def export_gather(path: str | Path, title: str = "One decode step") -> Path:
    """Write the view as one HTML file that needs no kernel and no network."""
    path = Path(path)
    picture = encode_step(_attend(TABLE, NUM_TOKENS))
    data: Json = {"picture": picture, "at": len(TABLE) - 1}
    text = page(title, data, opened_by="openGatherPage", scripts=SCRIPTS, styles=STYLES)
    path.write_text(text, encoding="utf-8")
    return path


def _attend(block_table: Sequence[int], num_tokens: int) -> GatherStep:
    return gather_step(
        block_table,
        num_tokens,
        block_size=BLOCK_SIZE,
        num_blocks=NUM_BLOCKS,
        head_dim=SPEC.head_dim,
        seed=SEED,
    )


def _states(
    step: GatherStep, update: Update | None
) -> list[tuple[float, float] | str | None]:
    """Return what a function of one's own makes of each block; a text if it fails."""
    states: list[tuple[float, float] | str | None] = []
    state = float("-inf"), 0.0
    for turn in step.turns:
        if update is None or (states and isinstance(states[-1], str)):
            states.append(states[-1] if states else None)
            continue
        try:
            maximum, total = update(*state, list(turn.scores))
            state = float(maximum), float(total)
        except NotImplementedError:
            states.append("is not written yet")
        except Exception as error:  # noqa: BLE001  (a learner's code may raise anything)
            states.append(f"raised {type(error).__name__}: {error}")
        else:
            states.append(state)
    return states
