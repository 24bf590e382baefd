"""Watch a model answer: live where it is installed, from a recording elsewhere."""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from pagedkv_edu.course.doctor import missing_for_model
from pagedkv_edu.course.model_file import FETCH, model_file
from pagedkv_edu.report import Json
from pagedkv_edu.viz.live import LiveView, load_run

RECORDING = "four_prompts.json"
PROMPTS = (
    "What is the capital of France?",
    "Why is the sky blue? Answer in one sentence.",
    "Count from one to ten.",
    "Write a short poem about a lighthouse.",
)


def why_no_model(start: Path | None = None) -> str:
    """Say why the model cannot run here; empty where it can."""
    if missing_for_model() or model_file(start) is None:
        return f"The small model is not on this machine. {FETCH}."
    return ""


def watch(
    questions: Sequence[str] = PROMPTS,
    *,
    num_blocks: int = 24,
    block_size: int = 16,
    max_new_tokens: int = 90,
    steps_per_second: float = 8,
) -> LiveView:
    """Return the view of a model that answers, in the background, beside its pool.

    Where the model is not on this machine, it plays a recording of the same model on
    `PROMPTS`, and says so.
    """
    reason = why_no_model()
    if reason:
        notice = (
            f"This is a recording. {reason} Then run this page again, and the model "
            "answers here, your own prompts too."
        )
        return LiveView(recorded_run(), notice=notice, start_at=0)
    session = import_module("pagedkv_edu.course.live_session")  # it loads torch
    start: Callable[..., LiveView] = session.start_small_model
    return start(
        questions,
        num_blocks=num_blocks,
        block_size=block_size,
        max_new_tokens=max_new_tokens,
        steps_per_second=steps_per_second,
    )


def recorded_run() -> Json:
    """Return the recorded run of the small model that comes with the course."""
    folder = files("pagedkv_edu.course") / "recordings"
    return load_run(Path(str(folder / RECORDING)))
