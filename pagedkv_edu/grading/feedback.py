"""One page of feedback for one submission; it needs no kernel and no network."""

import json
from html import escape
from typing import Any

from pagedkv_edu.grading.outcome import Outcome
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.verdict import SCRIPTS, STYLES

_STYLE = """
body { margin: 0; background: #fff; color: #1b1b1b;
  font: 15px/1.5 "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1000px; margin: 8px auto 48px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 36px 0 8px; display: flex; gap: 12px; }
h2 .points { margin-left: auto; font-weight: 400; white-space: nowrap; }
.whose { color: #595959; margin: 0 0 20px; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid #d5d5d5;
  vertical-align: top; }
th { font-weight: 600; font-size: 13px; color: #595959; }
td.number, th.number { text-align: right; padding-right: 0; white-space: nowrap; }
tr.sum td { font-weight: 700; border-bottom: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: inherit; }
.cells li { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #ececec; }
  .whose, th { color: #a6a6a6; }
  th, td { border-color: #444; }
}
@media print { .pkv-verdict button { display: none; } }
"""

_SCRIPT = """
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => { document.body.dataset.jpThemeLight = String(!dark.matches); };
dark.addEventListener("change", follow);
follow();
for (const seen of JSON.parse(document.getElementById("seen").textContent)) {
  const el = document.getElementById(seen.place);
  el.replaceChildren();
  renderVerdict({ model: { get: (name) => seen[name] }, el });
}
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="pkv-verdict-page">
<main>
<h1>{title}</h1>
{body}
</main>
<script type="application/json" id="seen">{seen}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def feedback_page(result: Outcome) -> str:
    """Return the page for one result."""
    questions: list[dict[str, Any]] = result["questions"]
    seen = [
        {
            "place": _place(question),
            "report": question["report"],
            "attempt": 2,  # the hints stand in the exercise too; here all open
            "lesson_url": "",  # the page does not lie beside the lessons
        }
        for question in questions
    ]
    script = assets.script(*SCRIPTS) + _SCRIPT
    return _PAGE.format(
        title=escape(_title(result)),
        style=assets.style(*STYLES) + _STYLE,
        body="\n".join([_whose(result), *_sections(result)]),
        seen=json.dumps(seen).replace("<", "\\u003c"),
        script=script.replace("</script", "<\\/script"),
    )


def _title(result: Outcome) -> str:
    if result["problem"]:
        return "Not graded"
    number, _, topic = result["exercise"].partition("_")
    points = f"{result['points']} of {result['most_points']} points"
    return f"Exercise {number}, {topic.replace('_', ' ')}: {points}"


def _whose(result: Outcome) -> str:
    return f'<p class="whose">{escape(result["submission"])}</p>'


def _sections(result: Outcome) -> list[str]:
    if result["problem"]:
        problem: str = result["problem"]
        return [f"<p>{escape(problem[:1].upper() + problem[1:].rstrip('.'))}.</p>"]
    return [
        _table(result),
        *_failed_cells(result),
        *map(_question, result["questions"]),
    ]


def _table(result: Outcome) -> str:
    rows = [
        f'<tr><td><a href="#{_place(q)}">{escape(q["id"])}</a></td>'
        f"<td>{escape(q['title'])}</td><td>{escape(_verdict(q))}</td>"
        f'<td class="number">{q["points"]} of {q["most_points"]}</td></tr>'
        for q in result["questions"]
    ]
    head = '<th>question</th><th></th><th>verdict</th><th class="number">points</th>'
    total = f"{result['points']} of {result['most_points']}"
    rows.append(
        '<tr class="sum"><td></td><td></td><td></td>'
        f'<td class="number">{total}</td></tr>'
    )
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _verdict(question: dict[str, Any]) -> str:
    words = {"passed": "passed", "failed": "not yet", "waiting": "not written yet"}
    report = question["report"]
    verdict = words[report["status"]]
    return verdict if report["status"] != "failed" else f"{verdict}: {report['title']}"


def _failed_cells(result: Outcome) -> list[str]:
    cells: list[dict[str, str]] = result["failed_cells"]
    if not cells:
        return []
    items = "".join(
        f"<li>{escape(c['cell'])}: {escape(c['failure'])}</li>" for c in cells
    )
    return [
        "<h2>Cells that failed</h2>",
        "<p>The notebook was run from top to bottom in a new Python process. "
        "These cells failed there, and the others ran on.</p>",
        f'<ul class="cells">{items}</ul>',
    ]


def _question(question: dict[str, Any]) -> str:
    points = f"{question['points']} of {question['most_points']} points"
    title = f"{question['id']} {question['title']}"
    text = escape(_report(question["report"]).text())
    return (
        f'<section><h2>{escape(title)}<span class="points">{points}</span></h2>'
        f'<div id="{_place(question)}"><pre>{text}</pre></div></section>'
    )


def _report(data: dict[str, Any]) -> Report:
    hints = [Hint(h["title"], tuple(h["layers"])) for h in data["hints"]]
    fields: dict[str, Any] = {**data, "hints": tuple(hints)}
    return Report(**fields)


def _place(question: dict[str, Any]) -> str:
    return f"question-{question['id'].replace('.', '-')}"
