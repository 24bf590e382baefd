"""The requests that the manager is measured with."""

from collections.abc import Callable
from math import ceil, log
from random import Random

from pagedkv_edu import cdiv
from pagedkv_edu.serving.workload import Lognormal

MAX_RUNNING = 64
BLOCK_SIZE = 16
PROMPT = Lognormal(mean=1000, sigma=1, longest=10**6)
MEAN_OUTPUT = 250

Requests = dict[str, tuple[int, int]]  # prompt and output tokens by id
Driver = Callable[[Requests, int], int]  # requests, num_blocks -> most blocks in use


def make_requests(num_requests: int, rng: Random) -> Requests:
    """Return requests with lognormal prompts and geometric outputs."""
    log_of_going_on = log(1 - 1 / MEAN_OUTPUT)
    return {
        f"request-{i}": (
            PROMPT.draw(rng),
            max(1, ceil(log(1 - rng.random()) / log_of_going_on)),
        )
        for i in range(num_requests)
    }


def blocks_for(requests: Requests) -> int:
    """Return a pool size that no 64 of the requests can exhaust."""
    sizes = sorted(
        cdiv(prompt + output, BLOCK_SIZE) for prompt, output in requests.values()
    )
    return sum(sizes[-MAX_RUNNING:])
