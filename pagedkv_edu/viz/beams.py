"""The fork and beams explorer: a tree of answers above the pool that holds them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Literal, get_args

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay import Event, encode, frames
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import require_positive
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.beam_scene import Scene
from pagedkv_edu.viz.scripted_words import next_words

Mode = Literal["beams", "samples"]
SCRIPTS = (
    "buttons.js",
    "beams_tree.js",
    "beams_tables.js",
    "beams_pool.js",
    "beams.js",
)
PROMPT = ("roses", "are", "red", ",", "violets", "are")
MOST_AT_ONCE = 6
CHANGES = {"write": Scene.write, "fork": Scene.fork, "free": Scene.free}


def beams(
    make_manager: Callable[[PoolLike, int], ManagerLike] = BlockManager,
    make_pool: Callable[[int], PoolLike] = BlockPool,
    *,
    prompt: Sequence[str] = PROMPT,
    block_size: int = 4,
    num_blocks: int = 16,
    width: int = 3,
    mode: Mode = "beams",
) -> "BeamsExplorer":
    """Return the explorer: beam search, or parallel samples, on a watched manager.

    `width` answers to one prompt grow word by word; a scripted stand-in for a model
    says what may follow. Every button calls `make_manager(make_pool(...), ...)`, and
    says beforehand what that will do.
    """
    if not 1 <= require_positive("width", width) <= MOST_AT_ONCE:
        raise InvalidSize(f"width must be 1 to {MOST_AT_ONCE}, got {width}")
    if mode not in get_args(Mode):
        raise InvalidSize(f'mode is "beams" or "samples", got {mode!r}')
    require_positive("block_size", block_size)
    require_positive("num_blocks", num_blocks)

    def make_scene() -> Scene:
        try:
            return Scene(
                make_manager,
                make_pool,
                prompt=prompt,
                block_size=block_size,
                num_blocks=num_blocks,
            )
        except Exception as error:
            raise PagedKVError(
                f"no manager to explore: {type(error).__name__}: {error}"
            ) from error

    return BeamsExplorer(make_scene, width, mode)


class BeamsExplorer(anywidget.AnyWidget):
    """The widget: it owns the scene; its JavaScript draws the picture it is given."""

    _esm = assets.script(*SCRIPTS, render="renderBeams")
    _css = assets.style("beams.css")
    picture = traitlets.Dict().tag(sync=True)

    def __init__(self, make_scene: Callable[[], Scene], width: int, mode: Mode) -> None:
        super().__init__()
        self._make_scene = make_scene
        self._width = width
        self.restart(mode)
        self.on_msg(self._on_message)

    def restart(self, mode: Mode) -> None:
        """Begin again, with beams or with samples."""
        self.mode: Mode = mode
        self.scene = self._make_scene()
        if mode == "samples" and self.scene.live:
            for _ in range(self._width - 1):
                self.scene.fork(self.scene.live[0])
        self._show()

    def act(self, do: str, seq_id: str = "") -> None:
        """Do what a button says; what is not possible now does nothing."""
        if do == "step":
            step(self.scene, self.mode, self._width)
        elif seq_id in self.scene.live and (do != "fork" or self._has_room):
            CHANGES[do](self.scene, seq_id)
        self._show()

    @property
    def _has_room(self) -> bool:
        return len(self.scene.live) < MOST_AT_ONCE

    def _show(self) -> None:
        self.picture = picture(self.scene, self.mode, self._width)

    def _on_message(self, _: object, message: Json, buffers: object) -> None:
        self.receive(message)

    def receive(self, message: Json) -> None:
        """Do what a message of the buttons asks for; ignore every other one."""
        match message:
            case {"do": "restart", "mode": "beams" | "samples" as mode}:
                self.restart(mode)
            case {"do": "step"}:
                self.act("step")
            case {"do": "fork" | "write" | "free" as do, "seq": str(seq_id)}:
                self.act(do, seq_id)
            case _:
                pass  # not a message of our buttons


def step(scene: Scene, mode: Mode, width: int) -> bool:
    """Let every answer grow by a word; return whether every call succeeded."""
    return scene.beam_step(width) if mode == "beams" else scene.sample_step()


def picture(scene: Scene, mode: Mode, width: int) -> Json:
    """Return all that is drawn, and what each button would do now."""
    return {
        "mode": mode,
        "width": width,
        "film": encode(frames(scene.events)),
        "nodes": [asdict(node) for node in scene.nodes],
        "moments": moments(scene),
        "step": step_button(scene, mode, width),
        "buttons": {seq_id: buttons(scene, seq_id) for seq_id in scene.live},
    }


def moments(scene: Scene) -> list[Json]:
    """Return the moments as JSON; of the words only the blocks that changed."""
    drawn: list[Json] = []
    before: dict[int, list[str]] = {}
    for moment in scene.moments:
        words = {b: moment.words.get(b) for b in {**before, **moment.words}}
        changed = {b: now for b, now in words.items() if now != before.get(b)}
        drawn.append(asdict(moment) | {"words": changed})
        before = moment.words
    return drawn


def step_button(scene: Scene, mode: Mode, width: int) -> Json:
    """Return the button that lets all answers grow, with what it would do."""
    if not scene.live:
        return {"label": "No answer is left", "note": "", "off": True}
    events = rehearse(scene, lambda twin: step(twin, mode, width))
    label = "Next beam step" if mode == "beams" else "Every sample writes a word"
    return {"label": label, "note": step_note(events), "off": False}


def buttons(scene: Scene, seq_id: str) -> list[Json]:
    """Return the buttons of one sequence, each with what it would do now."""
    following = next_words(scene.words(seq_id)[-1])
    word = max(following, key=lambda word: following[word])
    rows = [
        ("write", f'{seq_id} writes "{word}"', write_note),
        ("fork", f"Fork {seq_id}", fork_note),
        ("free", f"End {seq_id}", free_note),
    ]
    drawn: list[Json] = []
    for do, label, note in rows:
        full = do == "fork" and len(scene.live) >= MOST_AT_ONCE
        events = rehearse(scene, lambda twin, do=do: CHANGES[do](twin, seq_id))
        text = f"no more than {MOST_AT_ONCE} at once" if full else note(events)
        drawn.append({"do": do, "label": label, "note": text, "off": full})
    return drawn


def rehearse(scene: Scene, do: Callable[[Scene], object]) -> list[Event]:
    """Return the events that a change would cause, without making it.

    Empty where the manager under study cannot be copied.
    """
    try:
        twin = scene.twin()
    except Exception:  # noqa: BLE001  (a learner's class may hold anything)
        return []
    do(twin)
    return twin.events


def step_note(events: Sequence[Event]) -> str:
    """Say what a step does: "forks 1, prunes 1, copies 1 block"."""
    if refusal := _refusal(events):
        return refusal
    calls = [event.call for event in events]
    parts = [
        f"{verb} {calls.count(call)}"
        for call, verb in (("fork", "forks"), ("free", "prunes"))
        if call in calls
    ]
    copies = sum(len(event.copies) for event in events)
    taken = sum(len(event.blocks_taken) for event in events)
    return ", ".join([*parts, f"copies {copies}", f"takes {amount(taken, 'block')}"])


def write_note(events: Sequence[Event]) -> str:
    """Say what an append does: "in place", "copies 1 block" or "takes 1 block"."""
    if refusal := _refusal(events):
        return refusal
    copies = sum(len(event.copies) for event in events)
    taken = sum(len(event.blocks_taken) for event in events)
    if copies:
        return f"copies {amount(copies, 'block')}"
    return f"takes {amount(taken, 'block')}" if taken else "in place, takes no block"


def fork_note(events: Sequence[Event]) -> str:
    """Say what a fork does: "shares 3 blocks, copies 0"."""
    if refusal := _refusal(events):
        return refusal
    shared = sum(c.call == "share" for event in events for c in event.pool_calls)
    copies = sum(len(event.copies) for event in events)
    return f"shares {amount(shared, 'block')}, copies {copies}"


def free_note(events: Sequence[Event]) -> str:
    """Say what the end of a sequence does: "frees 1 of its 3 blocks"."""
    if refusal := _refusal(events):
        return refusal
    let_go = sum(c.call == "free" for event in events for c in event.pool_calls)
    freed = sum(len(event.blocks_freed) for event in events)
    return f"frees {freed} of its {amount(let_go, 'block')}"


def _refusal(events: Sequence[Event]) -> str:
    if not events:
        return "not tried beforehand"
    errors = [event.error for event in events if event.error]
    return f"refused: {errors[0].partition(':')[0]}" if errors else ""
