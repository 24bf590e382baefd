import json
import re
from pathlib import Path

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, encode, frames
from pagedkv_edu.viz import static
from pagedkv_edu.viz.player import Question


def film() -> list[Frame]:
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, 4), pool)
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.append("A")
    return frames(pool.events)


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def test_the_page_contains_the_film() -> None:
    page = static.page(film(), "A copy")

    assert data_of(page) == {"film": encode(film()), "startAt": 0}


def test_the_page_asks_nobody_for_anything() -> None:
    page = static.page(film(), "A copy")

    addresses = set(re.findall(r"https?://[^\"'\s)<]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG
    for request in ("<link", " src=", "@import", "url(http", "fetch(", "import("):
        assert request not in page, request


def test_text_of_the_film_cannot_end_its_script() -> None:
    pool = RecordedPool(BlockPool(2))
    manager = RecordedManager(BlockManager(pool, 4), pool)
    manager.add("</script><b>", 1)

    page = static.page(frames(pool.events), "<i>title</i>")

    assert "</script><b>" not in page
    assert "<i>title" not in page
    assert data_of(page)["film"] == encode(frames(pool.events))


def test_export_writes_the_page(tmp_path: Path) -> None:
    path = static.export(film(), tmp_path / "copy.html", "A copy", start_at=2)

    assert path.read_text(encoding="utf-8") == static.page(film(), "A copy", 2)


def test_a_question_covers_the_later_frames_in_the_page() -> None:
    question = Question("q", "?", answer="1", stop_before=2, choices=("0", "1"))

    data = data_of(static.page(film(), "A copy", question=question))

    assert data["film"] == encode(film()[:2])
    assert "answer" not in json.dumps(data["question"])
    assert data["hidden"] == {
        "verdict": question.mark(None, film()).to_json(),
        "frames": encode(film()[2:])["frames"],
    }
