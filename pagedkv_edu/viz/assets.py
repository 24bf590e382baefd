"""The JavaScript and CSS of a widget as one text, as anywidget and a page want it."""

from pathlib import Path

from pagedkv_edu.viz import palette

# createPlayer and all it needs, in an order in which constants come before their use.
PLAYER_SCRIPTS = (
    "player_events.js",
    "player_layout.js",
    "player_tables.js",
    "player_pool.js",
    "player_overview.js",
    "player_arrows.js",
    "player_aside.js",
    "player_track.js",
    "player_panels.js",
    "player_keys.js",
    "player.js",
    "player_hosts.js",
)
PLAYER_STYLES = ("player.css",)

_FOLDER = Path(__file__).parent
_SHARED_SCRIPTS = ("film.js", "drawing.js", "blocks.js")
_SHARED_STYLE = "blocks.css"


def script(*names: str, render: str = "") -> str:
    """Return the palette, the shared drawing code and the named files as one module.

    The files share one scope and have no import statements. `render` names the
    function that anywidget calls; without it nothing is exported, and the text can
    stand in a page.
    """
    files = [_read(name) for name in (*_SHARED_SCRIPTS, *names)]
    export = f"export default {{ render: {render} }};\n" if render else ""
    return "\n".join([palette.as_javascript(), *files, export])


def style(*names: str) -> str:
    """Return blocks.css and the named files as one style sheet."""
    return "\n".join(_read(name) for name in (_SHARED_STYLE, *names))


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
