"""One block in six orders of its axes, and the sectors that a gather touches."""

import anywidget
import ipywidgets as widgets
import traitlets

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.sectors import block_strip
from pagedkv_edu.replay.wording import amount
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import KVCacheSpec
from pagedkv_edu.viz import assets
from pagedkv_edu.viz.gather import SPEC, encode_strip

SCRIPTS = ("sector_strips.js", "layout_strips.js")
STYLES = ("layout_strips.css",)

# inside a block, the outermost axis first; those with "kv" hold keys and values
ORDERS = {
    "K then V in each block": ("kv", "slot", "head", "dim"),
    "per-token interleave": ("slot", "head", "kv", "dim"),
    "head interleave": ("head", "slot", "kv", "dim"),
    "two arrays": ("slot", "head", "dim"),
    "head-major": ("head", "slot", "dim"),
    "dim-major": ("head", "dim", "slot"),
}
KINDS = {"keys": ("k",), "keys and values": ("k", "v")}


class LayoutDrawing(anywidget.AnyWidget):
    """The drawing: six strips at one scale of bytes."""

    _esm = assets.script(*SCRIPTS, render="renderLayoutStrips")
    _css = assets.style(*STYLES)
    picture = traitlets.Dict().tag(sync=True)


def layout_strips(
    spec: KVCacheSpec = SPEC,
    *,
    num_tokens: int = 6,
    head: int = 0,
    kinds: str = "keys",
) -> widgets.VBox:
    """Return six strips, and controls for the tokens, the head, and keys or both."""
    wide = widgets.Layout(width="340px")
    tokens = widgets.IntSlider(
        num_tokens, 1, spec.block_size, description="tokens", layout=wide
    )
    heads = widgets.Dropdown(
        options=range(spec.num_kv_heads), value=head, description="KV head"
    )
    what = widgets.Dropdown(options=list(KINDS), value=kinds, description="read")
    drawing = LayoutDrawing(picture=picture(spec, num_tokens, head, kinds))

    def redraw(_: object) -> None:
        drawing.picture = picture(
            spec, int(tokens.value or 1), int(heads.value or 0), str(what.value)
        )

    for control in (tokens, heads, what):
        control.observe(redraw, names="value")
    row = widgets.HBox([tokens, heads, what])
    row.layout.flex_flow = "row wrap"
    row.layout.margin = "8px 0 0"
    return widgets.VBox([drawing, row])


def picture(spec: KVCacheSpec, num_tokens: int, head: int, kinds: str) -> Json:
    """Return all that the drawing shows."""
    if not 1 <= num_tokens <= spec.block_size:
        raise InvalidSize(
            f"a block of {spec.block_size} slots cannot hold {num_tokens} tokens"
        )
    strips: list[Json] = []
    for name, axes in ORDERS.items():
        strip = block_strip(
            name, axes, spec, num_tokens=num_tokens, head=head, kinds=KINDS[kinds]
        )
        step = _step(axes, spec)
        shown = encode_strip(strip)
        two_arrays = "kv" not in axes and kinds != "keys"
        if two_arrays:  # one is drawn, and both are counted
            for count in ("needed_bytes", "fetched_bytes", "num_lines"):
                shown[count] *= 2
        told = f"from a token's key to the next one's: {step:,} bytes"
        strips.append(shown | {"step": told, "two_arrays": two_arrays})
    row = f"{spec.num_kv_heads} KV heads × {spec.head_dim} dims of {spec.dtype_bytes}"
    return {
        "strips": strips,
        "headline": (
            f"Reading the {kinds} of {amount(num_tokens, 'token')} for KV head {head}"
        ),
        "place": f"block_size {spec.block_size}  ·  {row} bytes",
        "text": _told(strips),
    }


def _step(axes: tuple[str, ...], spec: KVCacheSpec) -> int:
    """Return the bytes from one slot to the next."""
    size = {"head": spec.num_kv_heads, "dim": spec.head_dim, "kv": 2}
    step = spec.dtype_bytes
    for axis in axes[axes.index("slot") + 1 :]:
        step *= size[axis]
    return step


def _told(strips: list[Json]) -> str:
    """Say which orders fetch more than is asked for."""
    wasteful = [s for s in strips if s["needed_bytes"] < s["fetched_bytes"]]
    if not wasteful:
        return (
            "Every sector that is fetched is needed, in all six orders. "
            "A model: no hardware was asked."
        )
    parts = [
        f"{s['name']}: {s['fetched_bytes']:,} bytes fetched for {s['needed_bytes']:,}"
        for s in wasteful
    ]
    others = "" if len(wasteful) == len(strips) else " The others fetch what they need."
    return f"{'; '.join(parts)}.{others} A model: no hardware was asked."
