"""A real model at work: answers that grow as text, beside the pool that they fill."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from time import monotonic

import anywidget
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt, prompt_json
from pagedkv_edu.report import Json
from pagedkv_edu.serving.served import ServedStep
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.page import page

SCRIPTS = (
    "buttons.js",
    "live_state.js",
    "live_answers.js",
    "live_pool.js",
    "live_track.js",
    "live.js",
)
STYLE = "live.css"
SECONDS_BETWEEN = 0.08  # messages to the browser
NEEDED = ("title", "source", "num_blocks", "block_size", "prompts", "frames")


class LiveView(anywidget.AnyWidget):
    """Shows a run of a server while it runs, and afterwards step by step.

    `add` and `finish` may be called from the thread in which the server works; the
    steps go to the browser in small messages, a few a second, and into no output. What
    the browser does not have it asks for. With `on_ask` a prompt can be typed into the
    view, with `on_stop` a run can be stopped.
    """

    _esm = assets.script(*SCRIPTS, render="renderLive")
    _css = assets.style(STYLE)
    run = traitlets.Dict().tag(sync=True)  # all of it, once it is over
    chunk = traitlets.Dict().tag(sync=True)  # the newest steps of a run under way
    status = traitlets.Unicode("done").tag(sync=True)  # running, done, or why it ended
    notice = traitlets.Unicode("").tag(sync=True)
    can_ask = traitlets.Bool(default_value=False).tag(sync=True)
    can_stop = traitlets.Bool(default_value=False).tag(sync=True)
    start_at = traitlets.Int(-1).tag(sync=True)  # -1: the newest step

    def __init__(
        self,
        run: Json,
        *,
        film: ServedFilm | None = None,
        notice: str = "",
        start_at: int = -1,
        on_ask: Callable[[str], None] | None = None,
        on_stop: Callable[[], None] | None = None,
    ) -> None:
        _require_run(run)
        self._film = film
        self._on_ask = on_ask
        self._on_stop = on_stop
        self._lock = RLock()
        self._num_sent = len(run["frames"])
        self._last_sent = 0.0
        super().__init__(
            run=run,
            notice=notice,
            start_at=start_at,
            can_ask=on_ask is not None,
            can_stop=on_stop is not None,
        )
        self.on_msg(self.receive)

    def __repr__(self) -> str:
        """Return what stands where no widget can be drawn: the texts."""
        run = self.recorded()
        texts = answer_texts(run)
        lines = [f"{run['title']}, {run['source']}: {len(run['frames'])} steps"]
        lines += [
            f"{prompt['seq']}  {prompt['text']}\n   {texts[prompt['seq']].strip()}"
            for prompt in run["prompts"]
        ]
        return "\n".join([self.notice, *lines] if self.notice else lines)

    def recorded(self) -> Json:
        """Return the whole run so far, as a recording keeps it."""
        if self._film is None:
            return dict(self.run)
        return self._film.to_json(self.run["title"], self.run["source"])

    def ask(self, prompt: ServedPrompt) -> None:
        """Show a prompt that waits for its first step."""
        with self._lock:
            self._live().ask(prompt)
            self._push(prompts=[prompt_json(prompt)])

    def add(self, step: ServedStep) -> None:
        """Show a step; call it from whatever thread the server works in."""
        with self._lock:
            self._live().add(step)
            if monotonic() - self._last_sent >= SECONDS_BETWEEN:
                self._push()

    def begin(self, status: str = "running") -> None:
        """Say that a run is under way, or what it still waits for."""
        with self.hold_sync():
            self.notice = "" if status == "running" else self.notice
            self.status = status

    def named(self, source: str) -> None:
        """Say whose run this is, once the model is known."""
        self.run = self.run | {"source": source}

    def tell(self, notice: str) -> None:
        """Show a sentence above the answers."""
        self.notice = notice

    def stopped(self, num_free: int) -> None:
        """Show that everybody who is left was stopped."""
        with self._lock:
            self._live().end_all(num_free)

    def finish(self, status: str = "done") -> None:
        """Say that the run is over, and leave all of it in the notebook."""
        with self._lock:
            self._push()
            with self.hold_sync():
                self.run = self.recorded()
                self.status = status

    def receive(self, _widget: object, content: Json, _buffers: object) -> None:
        """Take a message of the browser: it lacks steps, asks a prompt, or stops."""
        kind = content.get("type")
        if kind == "from":
            with self._lock:
                first = int(content["first"])
                run = self.recorded()
                self.send(
                    {
                        "type": "steps",
                        "first": first,
                        "frames": run["frames"][first:],
                        "prompts": run["prompts"],
                    }
                )
        elif kind == "ask" and self._on_ask is not None:
            self._on_ask(str(content["text"]))
        elif kind == "stop" and self._on_stop is not None:
            self._on_stop()

    def _live(self) -> ServedFilm:
        if self._film is None:
            raise InvalidSize("this view plays a recording; nothing can be added to it")
        return self._film

    def _push(self, prompts: Sequence[Json] = ()) -> None:
        frames = self._live().frames
        self._last_sent = monotonic()
        first, self._num_sent = self._num_sent, len(frames)
        self.chunk = {
            "first": first,
            "frames": frames[first:],
            "prompts": list(prompts),
        }


def answer_texts(run: Json) -> dict[str, str]:
    """Return the text of each answer of a run, by its letter."""
    texts: dict[str, str] = {prompt["seq"]: "" for prompt in run["prompts"]}
    for frame in run["frames"]:
        for label, text in frame["new"]:
            texts[label] += text
    return texts


def live_view(
    film: ServedFilm,
    title: str,
    source: str,
    *,
    notice: str = "",
    on_ask: Callable[[str], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> LiveView:
    """Return a view of a run that is about to begin; give its steps to `add`."""
    run = film.to_json(title, source)
    return LiveView(run, film=film, notice=notice, on_ask=on_ask, on_stop=on_stop)


def load_run(path: Path) -> Json:
    """Return a recorded run; raise `InvalidSize` where the file holds none."""
    try:
        run: Json = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidSize(f"{path.name} is no recording: {error}") from None
    _require_run(run)
    return run


def export_run(run: Json, path: str | Path, title: str) -> Path:
    """Write a run as one HTML file that plays with no kernel and no network."""
    _require_run(run)
    path = Path(path)
    data = {"run": run, "status": "done", "start_at": 0}
    text = page(title, data, opened_by="openLivePage", scripts=SCRIPTS, styles=[STYLE])
    path.write_text(text, encoding="utf-8")
    return path


def _require_run(run: Json) -> None:
    missing = [name for name in NEEDED if name not in run]
    if missing:
        raise InvalidSize(f"this is no run of a server: {', '.join(missing)} missing")
