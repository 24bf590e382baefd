"""A film as a page of its own, which plays with no kernel and no network."""

import html
import json
from collections.abc import Sequence
from pathlib import Path

from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.question import Question

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
body {{ margin: 0; padding: 16px; background: #fff; }}
body.dark {{ background: #111; }}
main {{ max-width: 1000px; margin: 0 auto; }}
h1 {{ font: 700 20px/1.3 "Segoe UI", Helvetica, Arial, sans-serif; color: #1b1b1b; }}
body.dark h1 {{ color: #ececec; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<div id="player"></div>
</main>
<script type="application/json" id="film">{data}</script>
<script>
(() => {{
{script}
openPage(document, JSON.parse(document.getElementById("film").textContent));
}})();
</script>
</body>
</html>
"""


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
    return _PAGE.format(
        title=html.escape(title),
        style=assets.style(*assets.PLAYER_STYLES),
        script=assets.script(*assets.PLAYER_SCRIPTS),
        # "</script>" inside the data would end it
        data=json.dumps(_data(film, start_at, question)).replace("</", "<\\/"),
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
