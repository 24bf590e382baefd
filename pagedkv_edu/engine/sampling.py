"""Choose the next token from a row of logits."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.errors import InvalidSize


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is chosen and when it ends.

    A temperature of 0 takes the most likely token; above 0 the seed decides, and the
    same seed gives the same answer, whatever else is served beside it.
    """

    max_new_tokens: int = 64
    temperature: float = 0.0
    seed: int = 0
    stop_ids: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if type(self.max_new_tokens) is not int or self.max_new_tokens < 1:
            raise InvalidSize(
                f"max_new_tokens must be an int >= 1, got {self.max_new_tokens!r}"
            )
        if self.temperature < 0:
            raise InvalidSize(f"temperature must be >= 0, got {self.temperature}")


class Sampler:
    """Draws the tokens of one answer."""

    def __init__(self, sampling: Sampling, stream: int = 0) -> None:
        self.sampling = sampling
        self._generator = torch.Generator().manual_seed(sampling.seed * 1000 + stream)

    def choose(self, logits: Float[Tensor, " vocab_size"]) -> int:
        """Return the id of the next token."""
        if self.sampling.temperature == 0:
            return int(logits.argmax())
        weights = torch.softmax(logits.float().cpu() / self.sampling.temperature, -1)
        return int(torch.multinomial(weights, 1, generator=self._generator))
