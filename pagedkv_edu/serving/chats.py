"""Made-up conversations: each turn sends all that was said before once more."""

from dataclasses import dataclass
from random import Random

from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import require_positive

UNIT = 16  # tokens that one id of the content stands for


@dataclass(slots=True)
class _Chat:
    first_id: int  # of its content, after the system prompt
    num_tokens: int


def chat_turns(
    num_requests: int,
    *,
    system_tokens: int = 256,
    mean_tokens: float = 200,
    mean_turns: float = 6,
    num_open: int = 20,
    rng: Random,
) -> list[Request]:
    """Return the requests of conversations that are held at the same time.

    All begin with one system prompt. In each turn one of the `num_open` open
    conversations, chosen at random, goes on: its prompt is all that was said before,
    and a new question. It ends after `mean_turns` turns on average, and another one
    begins. Questions and answers have exponential lengths of `mean_tokens`.

    >>> requests = chat_turns(2, num_open=1, mean_turns=2, rng=Random(0))
    >>> requests[0].content[:16] == requests[1].content[:16]  # the system prompt
    True
    """
    require_positive("num_requests", num_requests)
    require_positive("num_open", num_open)
    system = system_tokens // UNIT
    next_id = system
    chats: list[_Chat | None] = [None] * num_open
    requests: list[Request] = []
    for request_id in range(num_requests):
        place = rng.randrange(num_open)
        chat = chats[place]
        if chat is None:
            chat = _Chat(next_id, system * UNIT)
            next_id += 100_000
        question, answer = (1 + int(rng.expovariate(1 / mean_tokens)) for _ in "qa")
        chat.num_tokens += question
        full, rest = divmod(chat.num_tokens, UNIT)
        own = range(chat.first_id, chat.first_id + full - system)
        # what a last part goes on with differs from turn to turn, so its id does too
        last = (-1 - request_id,) if rest else ()
        content = (*range(system), *own, *last)
        requests.append(
            Request(
                request_id,
                chat.num_tokens,
                answer,
                arrival_s=float(request_id),
                content=content,
                unit=UNIT,
            )
        )
        chat.num_tokens += answer
        chats[place] = None if rng.random() < 1 / mean_turns else chat
    return requests
