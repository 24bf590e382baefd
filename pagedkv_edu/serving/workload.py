"""What is asked of a server: requests, and made-up sets of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log
from random import Random

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.sizes import cdiv, require_positive


@dataclass(frozen=True, slots=True)
class Request:
    """One request: how long its prompt is, and how long its answer turns out to be.

    A server learns `num_output_tokens` only when the answer ends; `max_tokens` is the
    limit that the client set, if any. `content` says which prompts are equal: it lists
    ids, each of which stands for `unit` tokens of the prompt, the last one perhaps for
    fewer. A request without content is equal to no other.

    >>> Request("A", num_prompt_tokens=34, num_output_tokens=90).num_tokens
    124
    """

    request_id: SeqId
    num_prompt_tokens: int
    num_output_tokens: int
    arrival_s: float = 0.0
    max_tokens: int | None = None
    content: tuple[int, ...] = ()
    unit: int = 1

    def __post_init__(self) -> None:
        require_positive("num_prompt_tokens", self.num_prompt_tokens)
        require_positive("num_output_tokens", self.num_output_tokens)
        require_positive("unit", self.unit)
        if not isfinite(self.arrival_s) or self.arrival_s < 0:
            raise InvalidSize(f"arrival_s must be at least 0, got {self.arrival_s}")
        if self.max_tokens is not None and self.max_tokens < self.num_output_tokens:
            raise InvalidSize(
                f"max_tokens is {self.max_tokens}, below the answer's "
                f"{self.num_output_tokens} tokens"
            )
        num_ids = cdiv(self.num_prompt_tokens, self.unit)
        if self.content and len(self.content) != num_ids:
            raise InvalidSize(
                f"a prompt of {self.num_prompt_tokens} tokens needs {num_ids} content "
                f"ids of {self.unit} tokens, got {len(self.content)}"
            )

    @property
    def num_tokens(self) -> int:
        """Tokens of prompt and answer together."""
        return self.num_prompt_tokens + self.num_output_tokens


@dataclass(frozen=True, slots=True)
class Lognormal:
    """Lengths that are mostly short and sometimes very long.

    `mean` is the mean in tokens before each length is clipped to 1..`longest`, and
    `sigma` the standard deviation of the logarithm of a length.
    """

    mean: float
    sigma: float
    longest: int = 1024

    def __post_init__(self) -> None:
        require_positive("longest", self.longest)
        if not (self.mean > 0 and self.sigma >= 0):
            raise InvalidSize(
                f"need mean > 0 and sigma >= 0, got {self.mean} and {self.sigma}"
            )

    def draw(self, rng: Random) -> int:
        """Return one length."""
        mu = log(self.mean) - self.sigma**2 / 2
        return min(max(round(rng.lognormvariate(mu, self.sigma)), 1), self.longest)


# Mean lengths from figure 11 of the PagedAttention paper (SOSP 2023); the shape of the
# distribution, the sigmas and the clipping are our choice.
SHAREGPT_PROMPT = Lognormal(mean=161.31, sigma=1.1)
SHAREGPT_OUTPUT = Lognormal(mean=337.99, sigma=0.9)
ALPACA_PROMPT = Lognormal(mean=19.31, sigma=0.35)
ALPACA_OUTPUT = Lognormal(mean=58.45, sigma=0.8)


def lognormal_workload(
    num_requests: int,
    *,
    prompt: Lognormal = SHAREGPT_PROMPT,
    output: Lognormal = SHAREGPT_OUTPUT,
    requests_per_s: float | None = None,
    limits: Sequence[int] = (),
    rng: Random,
) -> list[Request]:
    """Return requests with independent lengths, in order of arrival.

    They arrive one by one at this rate, at random times; without a rate all are there
    at second 0. Each client sets one of `limits`, if there are any, as `max_tokens`,
    and its answer ends there at the latest. The same `rng` state gives the same
    requests.

    >>> requests = lognormal_workload(1000, rng=Random(0))
    >>> max(request.num_prompt_tokens for request in requests)
    1024
    """
    require_positive("num_requests", num_requests)
    if requests_per_s is not None and not requests_per_s > 0:
        raise InvalidSize(f"requests_per_s must be above 0, got {requests_per_s}")
    requests: list[Request] = []
    arrival_s = 0.0
    for request_id in range(num_requests):
        num_prompt, num_output = prompt.draw(rng), output.draw(rng)
        if requests_per_s is not None:
            arrival_s += rng.expovariate(requests_per_s)
        limit = rng.choice(limits) if limits else None
        if limit is not None:
            num_output = min(num_output, limit)
        requests.append(
            Request(request_id, num_prompt, num_output, arrival_s, max_tokens=limit)
        )
    return requests
