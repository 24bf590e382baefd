"""Take the picture of the README: the player, at the end of a copy.

    python tools/player_picture.py docs/player.png

It needs chromium. The film is a real one: a manager of ours on a pool of 64 blocks.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, frames
from pagedkv_edu.viz import static


def film() -> tuple[list[Frame], int]:
    """Return a film with a fork and a copy, and the frame of the copy."""
    pool = RecordedPool(BlockPool(64))
    manager = RecordedManager(BlockManager(pool, block_size=16), pool)
    for seq_id, num_tokens in {"A": 134, "B": 70, "C": 101}.items():
        manager.add(seq_id, num_tokens)
    manager.append("B")
    manager.fork("A", "A.1")
    manager.append("C", 12)
    manager.append("A")
    manager.append("A.1")
    manager.free("B")
    shown = frames(manager.events)
    return shown, next(i for i, frame in enumerate(shown) if frame.event.copies)


def take(path: Path) -> None:
    """Write the picture."""
    shown, start_at = film()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder) / "player.html"
        static.export(shown, page_path, "The player", start_at=start_at)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1032, "height": 900})
        page.emulate_media(reduced_motion="reduce")
        page.goto(page_path.as_uri())
        page.wait_for_timeout(1000)  # until the last beat is drawn
        path.parent.mkdir(parents=True, exist_ok=True)
        page.locator(".player").screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
