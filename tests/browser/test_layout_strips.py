"""Six layouts of a block in a browser, with a model that only remembers."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagedkv_edu.sizes import KVCacheSpec
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.gather import SPEC
from pagedkv_edu.viz.layout_strips import SCRIPTS, STYLES, picture

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / "screenshots" / "layout_strips"
ODD = KVCacheSpec(1, num_kv_heads=8, head_dim=72, dtype_bytes=2, block_size=16)

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>layouts</title>
<style>{style}
body {{ margin: 12px; background: var(--jp-layout-color0); }}
body.light {{ --jp-layout-color0: #fff; --jp-content-font-color0: #000; }}
body.dark {{ --jp-layout-color0: #111; --jp-content-font-color0: #fff; }}</style>
<body class="{theme}" data-jp-theme-light="{is_light}"><div id="el"></div>
<script type="module">{script}
const traits = {{ picture: {picture} }};
renderLayoutStrips({{ el: document.getElementById("el"), model: {{
  get: (name) => traits[name], on() {{}}, off() {{}} }} }});</script>"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("spec", [SPEC, ODD], ids=["usual", "odd"])
def test_every_strip_is_drawn_inside_the_card_with_its_touched_sectors(
    chromium: Browser, tmp_path: Path, spec: KVCacheSpec, theme: str
):
    shown = picture(spec, 6, 1, "keys and values")
    path = tmp_path / "layouts.html"
    path.write_text(
        PAGE.format(
            style=assets.style(*STYLES),
            script=assets.script(*SCRIPTS),
            picture=json.dumps(shown),
            theme=theme,
            is_light=json.dumps(theme == "light"),
        ),
        encoding="utf-8",
    )
    complaints: list[str] = []
    page = chromium.new_page(viewport={"width": 1032, "height": 900})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    page.locator(".pagedkv").wait_for()
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    name = f"{spec.head_dim}-{theme}.png"
    page.locator(".pagedkv").screenshot(path=SCREENSHOTS / name)
    outside = page.evaluate(
        """() => {
          const card = document.querySelector(".pagedkv").getBoundingClientRect();
          return [...document.querySelectorAll("svg :is(text, rect)")]
            .filter((shape) => {
              const box = shape.getBoundingClientRect();
              return box.left < card.left || box.right > card.right
                || box.bottom > card.bottom;
            }).length;
        }"""
    )
    num_touched = page.locator("rect.level").count()
    page.close()

    assert complaints == []
    assert outside == 0
    assert num_touched == sum(len(strip["needed"]) for strip in shown["strips"])
