"""Choose the next token from a row of logits."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import require_positive


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is chosen and when it ends.

    A temperature of 0 takes the most likely token; above 0 the seed decides, and the
    same seed gives the same answer, whatever else is served beside it. An answer ends
    with a token of `stop_ids`, before a text of `stop_texts`, or with its last token.
    """

    max_new_tokens: int = 64
    temperature: float = 0.0
    seed: int = 0
    stop_ids: frozenset[int] = frozenset()
    stop_texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_positive("max_new_tokens", self.max_new_tokens)
        if not self.temperature >= 0:
            raise InvalidSize(f"temperature must be >= 0, got {self.temperature}")


class Sampler:
    """Draws the tokens of one answer; each stream of a seed is one of its own."""

    def __init__(self, sampling: Sampling, stream: int = 0) -> None:
        self.sampling = sampling
        seed = sampling.seed * 1_000_003 + stream
        self._generator = torch.Generator().manual_seed(seed)

    def choose(self, logits: Float[Tensor, " vocab_size"]) -> int:
        """Return the id of the next token."""
        if self.sampling.temperature == 0:
            return int(logits.argmax())
        weights = torch.softmax(logits.float().cpu() / self.sampling.temperature, -1)
        return int(torch.multinomial(weights, 1, generator=self._generator))
