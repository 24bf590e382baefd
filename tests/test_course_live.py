"""Watching a model answer: where it is, where it is not, and when it is stopped."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic, sleep

import pytest

from pagedkv_edu.course.live import PROMPTS, watch, why_no_model
from pagedkv_edu.course.model_file import SMALL_MODEL, model_file

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu.course.live_session import LiveSession
from pagedkv_edu.engine import Server
from pagedkv_edu.engine import model as engine_model
from pagedkv_edu.engine.model import LoadedModel, adopt
from pagedkv_edu.replay.served_film import ServedFilm


class Letters:
    """A tokenizer whose token t is a letter."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) % 100 for letter in text[-20:]]}

    def decode(
        self, token_ids: Sequence[int], *, skip_special_tokens: bool = False
    ) -> str:
        return "".join(chr(97 + token_id % 26) for token_id in token_ids)


@pytest.fixture(scope="module")
def model() -> Iterator[LoadedModel]:
    from transformers import LlamaConfig, LlamaForCausalLM

    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_hidden_layers=2,
        intermediate_size=64,
        vocab_size=100,
        max_position_embeddings=4096,
        eos_token_id=None,
    )
    yield adopt(LlamaForCausalLM(config), Letters())
    torch.set_num_threads(num_threads)


def session_on(
    model: LoadedModel, *, num_blocks: int = 32, max_new_tokens: int = 20
) -> LiveSession:
    film = ServedFilm(num_blocks, 4, reserve=64)

    def make_server() -> Server:
        return Server(model, num_blocks=num_blocks, block_size=4)

    return LiveSession(make_server, film, max_new_tokens=max_new_tokens)


def until(true: Callable[[], bool]) -> None:
    end = monotonic() + 30
    while not true():
        assert monotonic() < end
        sleep(0.01)


def test_questions_are_answered_in_the_background(model: LoadedModel):
    session = session_on(model)
    session.ask("one")
    session.ask("two")
    session.wait()
    run = session.view.recorded()

    assert session.view.status == "done"
    assert [prompt["seq"] for prompt in run["prompts"]] == ["A", "B"]
    ended = {k: v for frame in run["frames"] for k, v in frame["ended"].items()}
    assert ended == {"A": ["length", 20], "B": ["length", 20]}
    assert run["frames"][-1]["num_free"] == 32
    assert "model on this CPU" in run["source"]


def test_a_question_typed_later_is_answered_on_the_same_pool(model: LoadedModel):
    session = session_on(model)
    session.ask("one")
    session.wait()
    num_frames = len(session.view.recorded()["frames"])
    session.view.receive(session.view, {"type": "ask", "text": "two"}, None)
    session.wait()

    assert len(session.view.recorded()["frames"]) > num_frames
    assert [p["text"] for p in session.view.recorded()["prompts"]] == ["one", "two"]
    assert session.view.status == "done"


def test_a_question_that_cannot_fit_is_refused_in_words(model: LoadedModel):
    session = session_on(model, num_blocks=4)
    session.ask("one")
    session.wait()

    assert "“one” was refused: " in session.view.notice
    assert session.view.recorded()["frames"] == []


def test_stopping_frees_the_pool_and_is_shown(model: LoadedModel):
    session = session_on(model, num_blocks=500, max_new_tokens=1500)
    session.ask("one")
    until(lambda: bool(session.view.chunk.get("frames")))
    session.view.receive(session.view, {"type": "stop"}, None)
    session.wait()
    last = session.view.recorded()["frames"][-1]

    assert session.view.status == "stopped"
    assert last["ended"]["A"][0] == "cancelled"
    assert last["num_free"] == 500
    session.ask("two")
    session.stop()
    session.wait()


def test_an_error_of_a_part_is_told_and_not_raised(model: LoadedModel):
    class FullError(Exception):
        pass

    def make_server() -> Server:
        raise FullError("my pool is broken")

    session = LiveSession(make_server, ServedFilm(8, 4, 8))
    session.ask("one")
    session.wait()

    assert session.view.notice == "The run ended: FullError: my pool is broken"
    assert session.view.status == "stopped"


def test_without_the_model_the_recording_plays_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    view = watch(["anything"])

    assert view.notice.startswith("This is a recording.")
    assert "`make model`" in view.notice
    assert [prompt["text"] for prompt in view.recorded()["prompts"]] == list(PROMPTS)
    assert not view.can_ask


def test_course_and_engine_look_for_the_same_file(tmp_path: Path):
    path = tmp_path / "work" / "model" / SMALL_MODEL
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    deep = tmp_path / "notebooks"
    deep.mkdir()

    assert model_file(deep) == engine_model.find_small_model(deep) == path
    assert SMALL_MODEL == engine_model.SMALL_MODEL
    assert why_no_model(deep) == ""


def test_a_lesson_that_serves_says_what_is_missing_and_what_to_do():
    code = (
        "import sys; sys.modules['transformers'] = None\n"
        "import pagedkv_edu.course.served"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("pagedkv_edu.errors.PagedKVError: serving needs transf")
    assert "`make model`" in last
