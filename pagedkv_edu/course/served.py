"""What a lesson needs to serve prompts by hand: a model, token ids, and a film."""

from collections.abc import Sequence

from pagedkv_edu.course.live import why_no_model
from pagedkv_edu.course.page import say
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.viz.live import LiveView

try:
    from pagedkv_edu.course.live_session import LETTERS
    from pagedkv_edu.engine import load_model
    from pagedkv_edu.engine.chat import chat_prompt, pieces
    from pagedkv_edu.engine.model import LoadedModel
    from pagedkv_edu.engine.tiny import tiny_model
except ModuleNotFoundError as missing:
    raise PagedKVError(
        f"serving needs {missing.name}, which is not installed; `make model` in a "
        "terminal installs it, and fetches the small model"
    ) from None


def a_model() -> LoadedModel:
    """Return the small model, or a tiny random one where it is not here; say which."""
    reason = why_no_model()
    if reason:
        say(f"{reason} Until then a tiny random model serves: its words are numbers.")
        return tiny_model()
    model = load_model()
    say(f"The model is {model.name}.")
    return model


def prompt_of(model: LoadedModel, question: str, system: str = "") -> list[int]:
    """Return a question as token ids; without a tokenizer a number for each word."""
    text = chat_prompt(question, system)
    if model.tokenizer is not None:
        return model.token_ids(text)
    words = text.replace("<|im_end|>", " . ").split()
    return [sum(map(ord, word)) % 1000 for word in words]


def film_of(
    model: LoadedModel,
    questions: Sequence[str],
    prompts: Sequence[list[int]],
    *,
    num_blocks: int,
    block_size: int,
    reserve: int = 128,
) -> ServedFilm:
    """Return a film that is ready for the steps in which these prompts are served."""
    token_bytes = model.spec(block_size).bytes_per_token
    film = ServedFilm(num_blocks, block_size, reserve, token_bytes)
    for seq_id, (question, ids) in enumerate(zip(questions, prompts, strict=True)):
        label = LETTERS[seq_id % 26] + "'" * (seq_id // 26)
        film.ask(ServedPrompt(seq_id, label, question, pieces(model, ids)))
    return film


def view_of(film: ServedFilm, model: LoadedModel, title: str = "A run") -> LiveView:
    """Return the view of a run that is over, at its first step."""
    return LiveView(film.to_json(title, f"served by {model.name}"), start_at=0)
