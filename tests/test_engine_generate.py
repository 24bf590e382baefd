"""`generate`, `stream` and the background: what is given, seen and left behind."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.engine import generate, prepare, start, stream
from pagedkv_edu.engine.model import LoadedModel, MissingModel, adopt
from pagedkv_edu.errors import InvalidSize, NeverFits, WrongPool
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.served import ServedStep

PROMPTS = [[5, 6, 7, 8], [9, 10, 11], list(range(20, 40))]


class Letters:
    """A tokenizer whose token t is the letter t, or half of one that needs two."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) % 100 for letter in text]}

    def decode(self, token_ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        text = bytes(0xC3 if i % 7 == 0 else 0x61 + i % 7 for i in token_ids)
        return text.decode("utf-8", errors="replace")


@pytest.fixture(scope="module")
def model() -> Iterator[LoadedModel]:
    from transformers import LlamaConfig, LlamaForCausalLM

    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_hidden_layers=2,
        intermediate_size=64,
        vocab_size=100,
        max_position_embeddings=128,
    )
    yield adopt(LlamaForCausalLM(config), Letters())
    torch.set_num_threads(num_threads)


def tokens(model: LoadedModel, prompts: Any = PROMPTS, **options: Any) -> Any:
    options = {"max_new_tokens": 12, "stop": (), **options}
    return [answer.token_ids for answer in generate(model, prompts, **options)]


def test_one_prompt_is_text_or_ids(model: LoadedModel) -> None:
    by_text, by_ids = tokens(model, "ab"), tokens(model, [97, 98])

    assert by_text == by_ids
    assert tokens(model, ["ab", [5, 6, 7, 8]]) == [by_ids[0], tokens(model)[0]]


def test_stream_gives_the_tokens_and_texts_of_generate(model: LoadedModel) -> None:
    answers = generate(model, PROMPTS, max_new_tokens=12, stop=())
    texts = [""] * len(PROMPTS)
    ids: list[list[int]] = [[] for _ in PROMPTS]
    for new in stream(model, PROMPTS, max_new_tokens=12, stop=()):
        assert isinstance(new.seq_id, int)
        texts[new.seq_id] += new.text
        ids[new.seq_id].append(new.token_id)

    assert ids == [answer.token_ids for answer in answers]
    assert texts == [answer.text for answer in answers]
    letters = Letters()
    for answer in answers:
        whole = letters.decode(answer.token_ids, skip_special_tokens=True)
        assert answer.text == whole


def test_steps_tell_tokens_tables_and_answers(model: LoadedModel) -> None:
    steps: list[ServedStep] = []
    answers = generate(model, PROMPTS, max_new_tokens=3, stop=(), on_step=steps.append)

    assert [step.index for step in steps] == [0, 1, 2]
    assert [len(step.new) for step in steps] == [3, 3, 3]
    assert [step.tables[2].seq_len for step in steps] == [20, 21, 22]
    assert steps[0].num_free < steps[0].num_blocks == steps[-1].num_free
    assert [a.ended for a in steps[-1].answers] == ["length"] * 3
    assert [a.text for a in steps[-1].answers] == [a.text for a in answers]
    assert steps[-1].counters.new_tokens == 9
    assert steps[-1].counters.computed_tokens == 4 + 3 + 20 + 2 * 3


def test_each_prompt_may_have_a_limit_of_its_own(model: LoadedModel) -> None:
    assert [len(ids) for ids in tokens(model, max_new_tokens=[1, 5, 3])] == [1, 5, 3]
    with pytest.raises(InvalidSize, match="2 limits for 3 prompts"):
        generate(model, PROMPTS, max_new_tokens=[1, 2])


def test_an_answer_ends_with_a_stop_token_or_before_a_stop_text(
    model: LoadedModel,
) -> None:
    (free,) = generate(model, PROMPTS[0], max_new_tokens=12, stop=())
    third = free.token_ids[2]
    (by_token,) = generate(model, PROMPTS[0], max_new_tokens=12, stop=[third])
    text = free.text[4:6]
    (by_text,) = generate(model, PROMPTS[0], max_new_tokens=12, stop=[text])

    assert by_token.ended == by_text.ended == "stop"
    assert by_token.token_ids == free.token_ids[: free.token_ids.index(third) + 1]
    assert by_text.text == free.text[: free.text.index(text)]


def test_your_own_parts_are_used(model: LoadedModel) -> None:
    pool = BlockPool(6)
    manager = BlockManager(pool, block_size=8)
    scheduler = Scheduler(manager, pool, 8, token_budget=7)
    steps: list[ServedStep] = []
    ids = tokens(
        model,
        pool=pool,
        manager=manager,
        scheduler=scheduler,
        block_size=8,
        on_step=steps.append,
    )

    assert ids == tokens(model)
    assert max(sum(step.plan.scheduled.values()) for step in steps) == 7
    assert pool.num_free == 6


def test_a_prefix_cache_as_the_pool_shares_prefixes(model: LoadedModel) -> None:
    with pytest.raises(WrongPool, match="needs a PrefixCache as the pool"):
        generate(model, PROMPTS, pool=BlockPool(8), share_prefixes=True)
    steps: list[ServedStep] = []
    twice = [PROMPTS[2], [*PROMPTS[2][:16], 1]]
    cache = PrefixCache(8, 4)
    manager = BlockManager(cache, 4)
    scheduler = Scheduler(manager, cache, 4, max_running=1, cache=cache)
    ids = tokens(
        model,
        twice,
        pool=cache,
        manager=manager,
        scheduler=scheduler,
        block_size=4,
        on_step=steps.append,
    )

    assert ids == tokens(model, twice)
    assert steps[-1].counters.hit_tokens == 16


def test_parts_that_do_not_fit_together_are_refused(model: LoadedModel) -> None:
    pool = BlockPool(6)
    manager = BlockManager(pool, block_size=8)
    with pytest.raises(InvalidSize, match="8 in your BlockManager; pass block_size=8"):
        generate(model, PROMPTS, pool=pool, manager=manager)
    with pytest.raises(WrongPool, match="pass manager= and pool= too"):
        generate(model, PROMPTS, scheduler=Scheduler(manager, pool, 8))


def test_text_for_a_model_without_a_tokenizer_is_refused(model: LoadedModel) -> None:
    with pytest.raises(MissingModel, match="give token ids instead"):
        generate(LoadedModel(model.model, None, "tiny"), "ab")


def test_a_prompt_that_never_fits_leaves_the_others_unserved(
    model: LoadedModel,
) -> None:
    pool = BlockPool(4)
    with pytest.raises(NeverFits, match="request 2 needs 5 blocks, the pool has 4"):
        generate(model, PROMPTS, pool=pool, block_size=4)

    assert pool.num_free == 4


def test_an_interrupt_leaves_the_pool_clean(model: LoadedModel) -> None:
    pool = BlockPool(8)

    def interrupt(step: ServedStep) -> None:
        if step.index == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(model, PROMPTS, pool=pool, stop=(), on_step=interrupt)

    assert pool.num_free == 8


def test_a_reader_who_stops_early_leaves_the_pool_clean(model: LoadedModel) -> None:
    pool = BlockPool(8)
    tokens = stream(model, PROMPTS, pool=pool, stop=())
    next(tokens)
    assert pool.num_free < 8
    tokens.close()  # pyright: ignore[reportAttributeAccessIssue]

    assert pool.num_free == 8


def test_the_background_can_be_stopped(model: LoadedModel) -> None:
    server, answers = prepare(model, PROMPTS, max_new_tokens=100, stop=())
    seen = threading.Event()
    running = start(server, lambda step: seen.set())
    assert seen.wait(20)
    running.stop()

    assert running.wait(20)
    assert not running.is_running
    assert {answer.ended for answer in answers} <= {"cancelled", "length"}
    assert server.pool.num_free == server.pool.num_blocks


def test_the_background_keeps_an_error(model: LoadedModel) -> None:
    def fail(step: ServedStep) -> None:
        raise ValueError("the view is broken")

    server, _ = prepare(model, PROMPTS, stop=())
    running = start(server, fail)
    with pytest.raises(ValueError, match="the view is broken"):
        running.wait(20)

    assert isinstance(running.error, ValueError)
    assert server.pool.num_free == server.pool.num_blocks
