"""A check's verdict as a learner sees it: words, shortest history, hints, replay."""

import json
import re
from html import escape

import anywidget
import traitlets
from IPython.display import publish_display_data

from pagedkv_edu.report import Json, Report
from pagedkv_edu.viz import assets

SCRIPTS = (
    *assets.PLAYER_SCRIPTS,
    "verdict_words.js",
    "verdict_hints.js",
    "verdict_blocks.js",
    "verdict_extents.js",
    "verdict_replay.js",
    "verdict.js",
)
STYLES = (*assets.PLAYER_STYLES, "verdict.css")

LESSONS = (
    "00_start",
    "01_cost",
    "02_contiguous",
    "03_block_table",
    "04_block_pool",
    "05_copy_on_write",
    "06_paged_attention",
    "07_triton_kernel",
    "08_layouts",
    "09_block_size",
    "10_preemption",
    "11_prefix_cache",
    "12_failure_modes",
    "13_serve",
)


def verdict(report: Report, attempt: int = 1) -> "VerdictView":
    """Return a report as a widget; from the second attempt on the last hint opens.

    Displaying it also puts out the report as plain text, which is hidden as long as
    the widget is there. So a terminal, a page made by nbconvert and a notebook that is
    opened again without a kernel still say what was wrong.
    """
    return VerdictView(report, attempt)


def verdict_html(report: Report, attempt: int = 1) -> str:
    """Return the same view as one page that needs no kernel and no network."""
    seen = json.dumps(_seen(report, attempt)).replace("<", "\\u003c")
    script = assets.script(*SCRIPTS) + f"showVerdictPage({seen});\n"
    return _PAGE.format(
        title=escape(report.text().splitlines()[0]),
        css=assets.style(*STYLES),
        text=escape(report.text()),
        script=script.replace("</script", "<\\/script"),
    )


def lesson_url(reread: str) -> str:
    """Return the link to a heading, as seen from the folder of the exercises.

    >>> lesson_url('lesson 05, "The fix"')
    '../notebooks/05_copy_on_write.ipynb#The-fix'
    """
    named = re.match(r'lesson (\d\d)(?:, "(.+)")?', reread)
    if named is None or int(named[1]) >= len(LESSONS):
        return ""
    # JupyterLab's heading ids: the text, with a hyphen for each space
    heading = f"#{named[2].replace(' ', '-')}" if named[2] else ""
    return f"../notebooks/{LESSONS[int(named[1])]}.ipynb{heading}"


class VerdictView(anywidget.AnyWidget):
    """The widget: it holds the report, and its JavaScript does the rest."""

    _esm = assets.script(*SCRIPTS, render="renderVerdict")
    _css = assets.style(*STYLES)
    report = traitlets.Dict().tag(sync=True)
    attempt = traitlets.Int(1).tag(sync=True)
    lesson_url = traitlets.Unicode("").tag(sync=True)

    def __init__(self, report: Report, attempt: int = 1) -> None:
        super().__init__(**_seen(report, attempt))
        self._text = report.text()

    def __repr__(self) -> str:
        """Return the report as plain text."""
        return self._text

    def _ipython_display_(self) -> None:
        # Two outputs: where a page knows the type "widget", it shows nothing else of
        # the same output, even if it cannot draw the widget.
        publish_display_data(
            {"text/plain": self._text, "text/html": self._static_html()}
        )
        view = self._repr_mimebundle_()
        assert view is not None, "an AnyWidget has a view"
        data, metadata = view
        data["text/plain"] = ""  # said above; a page without widgets still wants one
        publish_display_data(data, metadata)

    def _static_html(self) -> str:
        link = (
            f'<p><a href="{escape(self.lesson_url)}">Reread {escape(self._reread)}</a>'
            "</p>"
            if self.lesson_url
            else ""
        )
        return (
            f'<div class="pagedkv-verdict-text"><pre>{escape(self._text)}</pre>'
            f"{link}</div>"
        )

    @property
    def _reread(self) -> str:
        return str(self.report["reread"])


def _seen(report: Report, attempt: int) -> Json:
    return {
        "report": report.to_json(),
        "attempt": attempt,
        "lesson_url": lesson_url(report.reread),
    }


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{css}</style>
</head>
<body class="pkv-verdict-page">
<noscript><pre>{text}</pre></noscript>
<main id="verdict"></main>
<script type="module">{script}</script>
</body>
</html>
"""
