import json
from pathlib import Path
from typing import Any

import pytest

from pagedkv_edu.course.live import PROMPTS, recorded_run
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.viz.live import (
    LiveView,
    answer_texts,
    export_run,
    live_view,
    load_run,
)
from tests.served_steps import film_of, served_steps

MESSAGES: list[Any] = []


class Sent(LiveView):
    """A view that keeps what it sends to the browser, in a list for all of them."""

    def send(self, content: Any, buffers: Any = None) -> None:
        MESSAGES.append(content)


def started(num_prompts: int = 2) -> LiveView:
    film = ServedFilm(8, 4, 8)
    view = live_view(film, "title", "source")
    for seq_id in range(num_prompts):
        view.ask(ServedPrompt(seq_id, "ABCD"[seq_id], "Well?", ("x",) * 3))
    view.begin()
    return view


def test_steps_arrive_in_small_messages_and_the_whole_run_at_the_end():
    view = started()
    chunks: list[dict[str, Any]] = []

    def keep(change: dict[str, Any]) -> None:
        chunks.append(change["new"])

    view.observe(keep, "chunk")
    steps = list(served_steps([(3, 6), (3, 4)], num_blocks=8))
    for step in steps:
        view.add(step)

    assert view.status == "running"
    assert "'frames': []" in str(view.run)
    view.finish()
    frames = [frame for chunk in chunks for frame in chunk["frames"]]
    assert [frame["step"] for frame in frames] == list(range(len(steps)))
    assert view.recorded()["frames"] == frames
    assert str(frames[-1]["text"]) in str(view.run)
    assert view.status == "done"


def test_a_browser_that_came_late_gets_what_it_lacks():
    run = film_of([(3, 6)], num_blocks=4).to_json("title", "source")
    view = Sent(run)
    view.receive(view, {"type": "from", "first": 4}, None)
    message = MESSAGES.pop()

    assert message["first"] == 4
    assert [frame["step"] for frame in message["frames"]] == [4, 5]
    assert message["prompts"] == run["prompts"]


def test_a_typed_prompt_and_a_stop_reach_the_one_who_serves():
    heard: list[str] = []
    film = ServedFilm(8, 4, 8)
    view = live_view(
        film, "t", "s", on_ask=heard.append, on_stop=lambda: heard.append("stop!")
    )
    view.receive(view, {"type": "ask", "text": "Why?"}, None)
    view.receive(view, {"type": "stop"}, None)

    assert heard == ["Why?", "stop!"]
    assert view.can_ask
    assert view.can_stop
    assert not LiveView(recorded_run()).can_ask


def test_a_recording_cannot_be_added_to():
    view = LiveView(recorded_run())

    with pytest.raises(InvalidSize, match="plays a recording"):
        view.add(next(served_steps([(1, 1)], num_blocks=2)))


def test_the_recording_of_the_course_is_the_small_model_on_the_four_prompts():
    run = recorded_run()
    texts = answer_texts(run)

    assert [prompt["text"] for prompt in run["prompts"]] == list(PROMPTS)
    assert texts["A"] == "The capital of France is Paris."
    assert run["token_bytes"] == 2 * 30 * 3 * 64 * 4
    assert any(frame["freed_by"] for frame in run["frames"])


def test_where_no_widget_is_drawn_the_texts_stand():
    view = LiveView(recorded_run(), notice="This is a recording.")

    assert repr(view).startswith("This is a recording.\nFour prompts")
    assert "A  What is the capital of France?\n   The capital of" in repr(view)


def test_a_file_that_is_no_run_is_refused(tmp_path: Path):
    path = tmp_path / "run.json"
    path.write_text("{}")
    with pytest.raises(InvalidSize, match="title, source, num_blocks"):
        load_run(path)
    path.write_text("no json")
    with pytest.raises(InvalidSize, match=r"run\.json is no recording"):
        load_run(path)


def test_a_page_of_its_own_holds_the_run_and_asks_nobody(tmp_path: Path):
    path = export_run(recorded_run(), tmp_path / "run.html", "A run")
    text = path.read_text(encoding="utf-8")

    assert "The capital of" not in text  # it comes word by word
    assert '" capital"' in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert json.loads(json.dumps(recorded_run()))["block_size"] == 16
