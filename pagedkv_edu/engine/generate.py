"""Prompts in, answers out: what most readers of the course call."""

from collections.abc import Iterable, Iterator, Sequence

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.attention import DecodeAttention
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.engine.server import OnStep, Server
from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.serving.served import NewToken
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.sizes import cdiv

Prompt = str | Sequence[int]
Stop = int | str


def generate(
    model: LoadedModel,
    prompts: Prompt | Sequence[Prompt],
    *,
    attention: str | DecodeAttention | None = None,
    max_new_tokens: int | Sequence[int] = 64,
    temperature: float = 0.0,
    seed: int = 0,
    num_samples: int = 1,
    num_beams: int = 1,
    stop: Iterable[Stop] | None = None,
    pool: PoolLike | None = None,
    manager: ManagerLike | None = None,
    scheduler: SchedulerLike | None = None,
    num_blocks: int | None = None,
    block_size: int = 16,
    num_host_blocks: int = 0,
    share_prefixes: bool = False,
    on_step: OnStep | None = None,
) -> list[Answer]:
    """Answer all prompts together; return the answers in the order of the prompts.

    A prompt is text or token ids. `attention` is "torch", "cpu", "triton" or a function
    that takes what `paged_decode` takes; without it, what is fastest here.
    `max_new_tokens` is one limit for all, or one for each. A temperature of 0 takes the
    most likely token at each place. `stop` lists token ids and texts that end an
    answer; without it the model's own end tokens do, and an empty list stops at the
    limit only.

    With `num_samples` each prompt has several answers, one after another in the list;
    with `num_beams` they are the best ones that so many beams find. Without
    `num_blocks` and `pool` the pool has room for all answers at once. `on_step` is
    called with a `ServedStep`.
    """
    server, answers = prepare(
        model,
        prompts,
        attention=attention,
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        seed=seed,
        num_samples=num_samples,
        num_beams=num_beams,
        stop=stop,
        pool=pool,
        manager=manager,
        scheduler=scheduler,
        num_blocks=num_blocks,
        block_size=block_size,
        num_host_blocks=num_host_blocks,
        share_prefixes=share_prefixes,
    )
    server.run(on_step)
    return answers


def stream(
    model: LoadedModel,
    prompts: Prompt | Sequence[Prompt],
    *,
    attention: str | DecodeAttention | None = None,
    max_new_tokens: int | Sequence[int] = 64,
    temperature: float = 0.0,
    seed: int = 0,
    num_samples: int = 1,
    num_beams: int = 1,
    stop: Iterable[Stop] | None = None,
    pool: PoolLike | None = None,
    manager: ManagerLike | None = None,
    scheduler: SchedulerLike | None = None,
    num_blocks: int | None = None,
    block_size: int = 16,
    num_host_blocks: int = 0,
    share_prefixes: bool = False,
    on_step: OnStep | None = None,
) -> Iterator[NewToken]:
    """Answer all prompts together; yield each new token and its text as it is chosen.

    The arguments are those of `generate`. A reader who stops early leaves the pool
    clean.
    """
    server, _ = prepare(
        model,
        prompts,
        attention=attention,
        max_new_tokens=max_new_tokens,
        temperature=temperature,
        seed=seed,
        num_samples=num_samples,
        num_beams=num_beams,
        stop=stop,
        pool=pool,
        manager=manager,
        scheduler=scheduler,
        num_blocks=num_blocks,
        block_size=block_size,
        num_host_blocks=num_host_blocks,
        share_prefixes=share_prefixes,
    )
    return _new_tokens(server, on_step)


def _new_tokens(server: Server, on_step: OnStep | None) -> Iterator[NewToken]:
    try:
        while server.has_work:
            step = server.step()
            if on_step is not None:
                on_step(step)
            yield from step.new
    finally:
        server.cancel()


def prepare(
    model: LoadedModel,
    prompts: Prompt | Sequence[Prompt],
    *,
    attention: str | DecodeAttention | None = None,
    max_new_tokens: int | Sequence[int] = 64,
    temperature: float = 0.0,
    seed: int = 0,
    num_samples: int = 1,
    num_beams: int = 1,
    stop: Iterable[Stop] | None = None,
    pool: PoolLike | None = None,
    manager: ManagerLike | None = None,
    scheduler: SchedulerLike | None = None,
    num_blocks: int | None = None,
    block_size: int = 16,
    num_host_blocks: int = 0,
    share_prefixes: bool = False,
) -> tuple[Server, list[Answer]]:
    """Return a server with all prompts queued, and their answers, still empty.

    The arguments are those of `generate`; `start(server, on_step)` serves it in the
    background.
    """
    prompt_ids = [model.token_ids(prompt) for prompt in _as_list(prompts)]
    limits = _limits(max_new_tokens, len(prompt_ids))
    if num_blocks is None:
        longest = [len(p) + n for p, n in zip(prompt_ids, limits, strict=True)]
        num_each = max(num_samples, num_beams)
        num_blocks = max(1, num_each * sum(cdiv(n, block_size) for n in longest))
    server = Server(
        model,
        num_blocks=num_blocks,
        block_size=block_size,
        num_host_blocks=num_host_blocks,
        attention=attention,
        share_prefixes=share_prefixes,
        pool=pool,
        manager=manager,
        scheduler=scheduler,
    )
    stop_ids, stop_texts = _stops(model, stop)
    answers: list[Answer] = []
    try:
        for index, (ids, limit) in enumerate(zip(prompt_ids, limits, strict=True)):
            sampling = Sampling(limit, temperature, seed, stop_ids, stop_texts)
            if num_beams > 1:
                answers += server.submit_beams(
                    index, ids, sampling, num_beams, num_samples
                )
            else:
                answers += server.submit_samples(
                    index, ids, sampling, num_samples, stream=index * num_samples
                )
    except BaseException:
        server.cancel()
        raise
    return server, answers


def _as_list(prompts: Prompt | Sequence[Prompt]) -> list[Prompt]:
    if isinstance(prompts, str):
        return [prompts]
    many: list[Prompt] = []
    ids: list[int] = []
    for part in prompts:
        if isinstance(part, int):
            ids.append(part)
        else:
            many.append(part)
    if ids and many:
        raise InvalidSize("prompts mixes token ids with prompts; make each a list")
    return [ids] if ids else many


def _limits(max_new_tokens: int | Sequence[int], num_prompts: int) -> list[int]:
    if isinstance(max_new_tokens, int):
        return [max_new_tokens] * num_prompts
    if len(max_new_tokens) != num_prompts:
        raise InvalidSize(
            f"max_new_tokens has {len(max_new_tokens)} limits for {num_prompts} prompts"
        )
    return list(max_new_tokens)


def _stops(
    model: LoadedModel, stop: Iterable[Stop] | None
) -> tuple[frozenset[int], tuple[str, ...]]:
    if stop is None:
        return model.stop_ids, ()
    stops = [stop] if isinstance(stop, str) else list(stop)
    texts = tuple(s for s in stops if isinstance(s, str))
    if "" in texts:
        raise InvalidSize("an empty stop text would end every answer at once")
    return frozenset(s for s in stops if isinstance(s, int)), texts
