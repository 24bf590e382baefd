"""A formula that stands for a language model, and a request that it answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field


def keys_and_values(tokens: Sequence[int], start: int) -> list[int]:
    """Return what the cache holds of each token from start on, as one number.

    In a model it depends on all tokens before it too.
    """
    before = sum(place * token for place, token in enumerate(tokens[:start], 3))
    held: list[int] = []
    for place, token in enumerate(tokens[start:], 3 + start):
        before += place * token
        held.append(before % 997)
    return held


def next_token(held: Sequence[int]) -> int:
    """Return what a model answers that reads this from the cache."""
    return sum(place * number for place, number in enumerate(held, 1)) % 997


def answer_alone(prompt: Sequence[int], num_output: int) -> list[int]:
    """Return the answer to a prompt on a server that has nothing else to do."""
    tokens = list(prompt)
    for _ in range(num_output):
        tokens.append(next_token(keys_and_values(tokens, 0)))
    return tokens[len(prompt) :]


@dataclass(eq=False)
class Served:
    """A request, and how far it is."""

    name: str
    prompt: list[int]
    num_output: int
    order: int  # of arrival
    answer: list[int] = field(default_factory=list[int])
    num_computed: int = 0

    @property
    def tokens(self) -> list[int]:
        """What is known: the prompt, and the answer so far."""
        return self.prompt + self.answer
