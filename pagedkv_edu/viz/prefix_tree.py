"""The prefix explorer: the tree of cached prompts beside the pool that holds them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import require_positive
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.prefix_moment import MakeCache
from pagedkv_edu.viz.prefix_scene import PrefixScene

SCRIPTS = ("buttons.js", "prefix_tree_draw.js", "prefix_tree.js")
PROMPTS = {
    "A": "you are a poet : roses are red , and violets are",
    "B": "you are a poet : roses are red because the sun",
    "C": "you are a poet : write about the sea at night",
    "D": "you are a cook : write about the sea",
}
MOST_PROMPTS = 8


def prefix_tree(
    make_cache: MakeCache = PrefixCache,
    *,
    prompts: Mapping[str, str] = PROMPTS,
    block_size: int = 4,
    num_blocks: int = 6,
    tail_first: bool = True,
    play: Sequence[str] = (),
    start_at: int | None = None,
) -> "PrefixTree":
    """Return the explorer on `make_cache(num_blocks, block_size)`.

    `prompts` are the texts that can be served, by name; a token is a word. `play` says
    what has happened already: "serve A", "end A". `tail_first=False` frees the
    beginning of a prompt before its end, which is what goes wrong in lesson 11.
    """
    require_positive("block_size", block_size)
    require_positive("num_blocks", num_blocks)
    if not 1 <= len(prompts) <= MOST_PROMPTS:
        raise InvalidSize(f"give 1 to {MOST_PROMPTS} prompts, got {len(prompts)}")
    words = {name: text.split() for name, text in prompts.items()}
    if not all(words.values()):
        raise InvalidSize("each prompt needs at least one word")

    def make_scene() -> PrefixScene:
        try:
            return PrefixScene(
                make_cache,
                words,
                block_size=block_size,
                num_blocks=num_blocks,
                tail_first=tail_first,
            )
        except Exception as error:
            raise PagedKVError(
                f"no cache to explore: {type(error).__name__}: {error}"
            ) from error

    widget = PrefixTree(make_scene, play)
    if start_at is not None:
        widget.start_at = start_at
    return widget


class PrefixTree(anywidget.AnyWidget):
    """The widget: it owns the scene; its JavaScript draws the picture it is given."""

    _esm = assets.script(*SCRIPTS, render="renderPrefixTree")
    _css = assets.style("prefix_tree.css")
    picture = traitlets.Dict().tag(sync=True)
    start_at = traitlets.Int(-1).tag(sync=True)  # -1: the newest event

    def __init__(
        self, make_scene: Callable[[], PrefixScene], play: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._make_scene = make_scene
        self._play = list(play)
        self.restart()
        self.on_msg(self._on_message)

    def restart(self) -> None:
        """Begin again, with what `play` says."""
        self.scene = self._make_scene()
        for line in self._play:
            do, _, name = line.partition(" ")
            self._do(do, name)
        self._show()

    def act(self, do: str, name: str) -> None:
        """Do what a button says; what is not possible now does nothing."""
        self._do(do, name)
        self._show()

    def _do(self, do: str, name: str) -> None:
        live = name in self.scene.tables
        if do == "serve" and name in self.scene.prompts and not live:
            self.scene.serve(name)
        elif do == "end" and live:
            self.scene.end(name)

    def _show(self) -> None:
        self.picture = picture(self.scene)

    def _on_message(self, _: object, message: Json, buffers: object) -> None:
        self.receive(message)

    def receive(self, message: Json) -> None:
        """Do what a message of the buttons asks for; ignore every other one."""
        match message:
            case {"do": "restart"}:
                self.restart()
            case {"do": "serve" | "end" as do, "seq": str(name)}:
                self.act(do, name)
            case _:
                pass  # not a message of our buttons


def picture(scene: PrefixScene) -> Json:
    """Return all that is drawn, and what each button would do now."""
    return {
        "block_size": scene.block_size,
        "num_blocks": scene.num_blocks,
        "prompts": {name: list(words) for name, words in scene.prompts.items()},
        "moments": [asdict(moment) for moment in scene.moments],
        "buttons": [button(scene, name) for name in scene.prompts],
    }


def button(scene: PrefixScene, name: str) -> Json:
    """Return the button of one prompt, with what it would do now."""
    do = "end" if name in scene.tables else "serve"
    return {
        "do": do,
        "seq": name,
        "label": f"{'End' if do == 'end' else 'Serve'} {name}",
        "note": note(scene, do, name),
    }


def note(scene: PrefixScene, do: str, name: str) -> str:
    """Say what a button does: "finds 2 blocks, computes 3 tokens"."""
    try:
        twin = scene.twin()
    except Exception:  # noqa: BLE001  (a learner's class may hold anything)
        return "not tried beforehand"
    if do == "end":
        before = {b.block_id for b in twin.blocks() if b.count}
        twin.end(name)
        freed = [b for b in twin.blocks() if b.block_id in before and not b.count]
        kept = sum(b.state == "cached" for b in freed)
        return f"frees {amount(len(freed), 'block')}, {kept} stay findable"
    served = twin.serve(name)
    found = next((m.num_hit for m in twin.moments if m.kind == "lookup"), None)
    if not served:
        waits = found is not None and twin.moments[-1].headline.endswith("must wait")
        return "must wait: too few free blocks" if waits else "stops with an error"
    rest = len(scene.prompts[name]) - (found or 0) * scene.block_size
    text = f"finds {amount(found or 0, 'block')}, computes {amount(rest, 'token')}"
    num_forgotten = sum(len(m.forgotten) for m in twin.moments)
    return f"{text}, forgets {num_forgotten}" if num_forgotten else text
