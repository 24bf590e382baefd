"""A film as a page of its own, which plays with no kernel and no network."""

from collections.abc import Sequence
from pathlib import Path

from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.page import page as page_of
from pagedkv_edu.viz.question import Question


def export(
    film: Sequence[Frame],
    path: str | Path,
    title: str,
    *,
    start_at: int = 0,
    question: Question | None = None,
) -> Path:
    """Write a film as one HTML file that needs nothing else; return its path.

    The page follows the reader's light or dark theme. With a question, the later
    frames are in the file and are shown only after the answer.
    """
    path = Path(path)
    path.write_text(page(film, title, start_at, question), encoding="utf-8")
    return path


def page(
    film: Sequence[Frame],
    title: str,
    start_at: int = 0,
    question: Question | None = None,
) -> str:
    """Return the text of that file."""
    return page_of(
        title,
        _data(film, start_at, question),
        opened_by="openPage",
        scripts=assets.PLAYER_SCRIPTS,
        styles=assets.PLAYER_STYLES,
        element="player",
    )


def _data(film: Sequence[Frame], start_at: int, question: Question | None) -> Json:
    if question is None:
        return {"film": encode(film), "startAt": start_at}
    return {
        "film": encode(film[: question.stop_before]),
        "startAt": start_at,
        "question": question.to_json(),
        "hidden": {
            "verdict": question.mark(None, film).to_json(),
            "frames": encode(question.covered(film))["frames"],
        },
    }
