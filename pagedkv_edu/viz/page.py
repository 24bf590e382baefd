"""A page of its own for a view: one HTML file, no kernel and no network."""

import html
import json
from collections.abc import Sequence

from pagedkv_edu.report import Json
from pagedkv_edu.viz import assets

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
<div id="{element}"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script>
(() => {{
{script}
{opened_by}(document, JSON.parse(document.getElementById("data").textContent));
}})();
</script>
</body>
</html>
"""


def page(
    title: str,
    data: Json,
    *,
    opened_by: str,
    scripts: Sequence[str],
    styles: Sequence[str],
    element: str = "view",
) -> str:
    """Return a page that calls `opened_by(document, data)`, a function of a script."""
    return _PAGE.format(
        title=html.escape(title),
        style=assets.style(*styles),
        script=assets.script(*scripts),
        # "</script>" inside the data would end it
        data=json.dumps(data).replace("</", "<\\/"),
        opened_by=opened_by,
        element=element,
    )
