"""The animated player of a film, as a Jupyter widget."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import anywidget
import traitlets

from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import Frame, frames
from pagedkv_edu.replay.recording import RecordedManager
from pagedkv_edu.report import Json
from pagedkv_edu.viz import actions, assets
from pagedkv_edu.viz.question import Question as Question
from pagedkv_edu.viz.question import Verdict as Verdict

# What each block holds, by frame and block id: "roses are red ,".
Words = Sequence[Mapping[int, str]]
# Told the learner's answer, None where the film was played without one, and whether it
# was right. What it returns stands in the panel: "2 of 2 right so far".
OnAnswer = Callable[[str | None, bool], str | None]


class Player(anywidget.AnyWidget):
    """Shows a film event by event, with pool, tables and track.

    Everything but new facts happens in the browser. With `controls` its buttons call
    that manager. With a `question` the later frames are not even sent before it is
    answered.
    """

    _esm = assets.script(*assets.PLAYER_SCRIPTS, render="renderPlayer")
    _css = assets.style(*assets.PLAYER_STYLES)

    film = traitlets.Dict().tag(sync=True)
    tail = traitlets.List().tag(sync=True)  # frames that came later
    start_at = traitlets.Int(0).tag(sync=True)
    index = traitlets.Int(-1).tag(sync=True)  # the event on the screen
    words = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    actions = traitlets.List().tag(sync=True)  # buttons that call the manager
    question = traitlets.Dict().tag(sync=True)
    verdict = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        film: Sequence[Frame],
        start_at: int = 0,
        controls: RecordedManager | None = None,
        *,
        question: Question | None = None,
        on_answer: OnAnswer | None = None,
        words: Words | None = None,
    ) -> None:
        self._all_frames = list(film)
        self._controls = controls
        self._asked = question
        self._on_answer = on_answer
        self._words = words
        self._action_by_key: dict[str, actions.Action] = {}
        shown = self._all_frames[: question.stop_before] if question else film
        super().__init__(
            film=encode(shown),
            start_at=start_at,
            words=self._words_of(shown),
            question=question.to_json() if question else {},
        )
        self._offer_actions()
        self.on_msg(self.receive)

    def __repr__(self) -> str:
        """Return what stands where no widget can be drawn."""
        shown = self.film["frames"]
        place = self.start_at + (len(shown) if self.start_at < 0 else 0)
        place = max(0, min(place, len(shown) - 1))
        return (
            f"Player at event {place + 1} of {len(shown)}: {shown[place]['headline']}"
        )

    @property
    def frames(self) -> list[Frame]:
        """Every frame so far: the film, and what the buttons added."""
        return list(self._all_frames)

    def answer(self, value: str | None) -> None:
        """Mark an answer, tell the callback, and send the covered frames.

        None means that the film is to be played without an answer.
        """
        if self._asked is None or self.verdict:
            return
        verdict = self._asked.mark(value, self._all_frames)
        score = self._on_answer(value, verdict.right) if self._on_answer else None
        with self.hold_sync():
            self.verdict = verdict.to_json() | {"score": score or self._asked.score}
            covered = self._asked.covered(self._all_frames)
            num_shown = self._asked.stop_before + len(covered)
            self.words = self._words_of(self._all_frames[:num_shown])
            self.tail = encode(covered)["frames"]

    def act(self, key: str) -> None:
        """Make the manager's call that a button stands for, and show its frames.

        A call that fails, for want of blocks or by a learner's mistake, was recorded
        as an event, so it is shown like any other.
        """
        action = self._action_by_key.get(key)
        if self._controls is None or action is None:
            return
        seen = len(self._controls.events)
        self._controls.step += 1
        # whatever a learner's manager raises, it is in the event by now
        with suppress(Exception):
            action.carry_out(self._controls)
        new = frames(self._controls.events)[seen:]
        self._all_frames += new
        with self.hold_sync():
            self.tail = [*self.tail, *(encode(new)["frames"] if new else [])]
            self._offer_actions()

    def _words_of(self, shown: Sequence[Frame]) -> list[dict[str, str]] | None:
        """Return the words that blocks hold at the frames that may be shown."""
        if self._words is None:
            return None
        return [
            {str(block_id): text for block_id, text in by_block.items()}
            for by_block in self._words[: len(shown)]
        ]

    def _offer_actions(self) -> None:
        if self._controls is None or self._asked is not None:
            return
        offered = actions.offered(self._all_frames)
        self._action_by_key = {action.key: action for action in offered}
        self.actions = [action.to_json() for action in offered]

    def receive(self, _widget: object, content: Json, _buffers: object) -> None:
        """Take a message of the browser: an answer, or a press of a button."""
        if content.get("type") == "answer":
            self.answer(content["value"])
        elif content.get("type") == "act":
            self.act(content["key"])


def show(
    film: Sequence[Frame],
    start_at: int = 0,
    controls: RecordedManager | None = None,
) -> Player:
    """Return a player of a film, paused at an event.

    A negative start counts from the end. With `controls`, the recorded manager whose
    events are the film, buttons call it.
    """
    return Player(film, start_at, controls)
