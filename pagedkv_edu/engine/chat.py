"""A question in the form that the course's small model was trained on."""

from pagedkv_edu.engine.model import LoadedModel


def chat_prompt(question: str, system: str = "") -> str:
    """Return the prompt of one question; `system` comes before it, in every chat alike.

    >>> chat_prompt("Who are you?").splitlines()[0]
    '<|im_start|>user'
    """
    before = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    return f"{before}<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


def pieces(model: LoadedModel, token_ids: list[int]) -> tuple[str, ...]:
    """Return the text of each token by itself, special ones as they are written.

    A model without a tokenizer has numbers for words.
    """
    if model.tokenizer is None:
        return tuple(f" {token_id}" for token_id in token_ids)
    return tuple(model.tokenizer.decode([token_id]) for token_id in token_ids)
