"""What is served is what the model says by itself, under random and tight conditions.

Two tokens may be so nearly equal that rounding decides between them. Where ours differs
from the model's own, both tokens' logits must be equal within `NEAR`.
"""

import os
import signal
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.engine import Sampling, Server, generate, load_model
from pagedkv_edu.engine.attention import torch_decode
from pagedkv_edu.engine.model import (
    LoadedModel,
    MissingModel,
    adopt,
    find_small_model,
)
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.sequence import SequenceState

NEAR = 1e-4
NUM_NEW = 10
BEGINNING = tuple(range(30, 50))


@cache
def pair(num_heads: int, num_kv_heads: int, head_dim: int) -> tuple[Any, LoadedModel]:
    """Return a random model as it is, and the same one to be served."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(num_heads * head_dim)
    own, served = (
        LlamaForCausalLM(
            LlamaConfig(
                hidden_size=16 * num_heads,
                num_attention_heads=num_heads,
                num_key_value_heads=num_kv_heads,
                head_dim=head_dim,
                num_hidden_layers=2,
                intermediate_size=48,
                vocab_size=64,
                max_position_embeddings=256,
                initializer_range=0.3,
            )
        ).eval()
        for _ in range(2)
    )
    served.load_state_dict(own.state_dict())
    return own, adopt(served, None)


@cache
def own_answer(
    sizes: tuple[int, int, int], prompt: tuple[int, ...], num_new: int
) -> list[int]:
    tokens = pair(*sizes)[0].generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones((1, len(prompt)), dtype=torch.int64),
        max_new_tokens=num_new,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    return tokens[0, len(prompt) :].tolist()


def assert_own(
    sizes: tuple[int, int, int], prompt: Sequence[int], ours: list[int]
) -> None:
    wanted = own_answer(sizes, tuple(prompt), len(ours))
    if ours == wanted:
        return
    pairs = zip(ours, wanted, strict=True)
    place = next(i for i, (our, own) in enumerate(pairs) if our != own)
    known = torch.tensor([[*prompt, *wanted[:place]]])
    with torch.inference_mode():
        logits = pair(*sizes)[0](known).logits[0, -1]
    difference = float(logits[ours[place]] - logits[wanted[place]])
    assert abs(difference) < NEAR, f"token {place}: logits differ by {difference}"


SIZES = (4, 2, 8)
MIXED = [
    [5, 6, 7],
    [*BEGINNING, 1],
    [*BEGINNING[:9], 2, 3],
    [*BEGINNING, *BEGINNING, 4],
    [9],
]


@pytest.mark.parametrize("share_prefixes", [False, True])
@pytest.mark.parametrize("block_size", [1, 7, 16, 256])
def test_mixed_prompts_twice_say_the_same_for_every_block_size(
    *, block_size: int, share_prefixes: bool
) -> None:
    server = Server(
        pair(*SIZES)[1],
        num_blocks=-(-300 // block_size) + 5,
        block_size=block_size,
        share_prefixes=share_prefixes,
    )
    for _ in range(2):  # the second time from the cache, if there is one
        answers = [
            server.submit(i, prompt, Sampling(NUM_NEW))
            for i, prompt in enumerate(MIXED)
        ]
        server.run()
        for prompt, answer in zip(MIXED, answers, strict=True):
            assert_own(SIZES, prompt, answer.token_ids)

    assert (server.counters.hit_tokens > 0) == (share_prefixes and block_size < 256)


@pytest.mark.parametrize("share_prefixes", [False, True])
@pytest.mark.parametrize("num_host_blocks", [0, 40])
def test_every_request_is_preempted_and_says_the_same(
    *, num_host_blocks: int, share_prefixes: bool
) -> None:
    from pagedkv_edu.memory.prefix import PrefixCache

    times: Counter[object] = Counter()

    def least_often(
        requester: SequenceState, candidates: Sequence[SequenceState]
    ) -> SequenceState:
        victim = min(candidates, key=lambda seq: times[seq.seq_id])
        times[victim.seq_id] += 1
        return victim

    pool = PrefixCache(24, 4) if share_prefixes else BlockPool(24)
    host = BlockPool(num_host_blocks) if num_host_blocks else None
    manager = BlockManager(pool, 4, host)
    scheduler = Scheduler(
        manager,
        pool,
        4,
        victim=least_often,
        preempt_by="swap" if host else "recompute",
        cache=pool if isinstance(pool, PrefixCache) else None,
    )
    server = Server(
        pair(*SIZES)[1],
        pool=pool,
        manager=manager,
        scheduler=scheduler,
        block_size=4,
    )
    prompts = {"oldest": [8, 9], **dict(enumerate(MIXED))}  # the oldest is no victim
    answers = {
        seq_id: server.submit(
            seq_id, prompt, Sampling(60 if seq_id == "oldest" else 30)
        )
        for seq_id, prompt in prompts.items()
    }
    server.run()

    assert set(times) == set(range(len(MIXED)))
    assert server.counters.preemptions >= len(MIXED)
    assert (server.counters.swaps > 0) == (num_host_blocks > 0)
    for seq_id, answer in answers.items():
        assert_own(SIZES, prompts[seq_id], answer.token_ids)
    assert pool.num_free == 24
    if host:
        assert host.num_free == num_host_blocks


@settings(max_examples=20, deadline=None)
@given(
    sizes=st.sampled_from([(4, 2, 8), (3, 1, 16), (2, 2, 4)]),
    prompts=st.lists(
        st.tuples(st.integers(0, 40), st.lists(st.integers(0, 63), max_size=9)),
        min_size=1,
        max_size=5,
    ),
    block_size=st.sampled_from([1, 2, 3, 4, 8, 16]),
    num_spare=st.integers(0, 12),
    num_host_blocks=st.sampled_from([0, 10]),
    share_prefixes=st.booleans(),
    token_budget=st.sampled_from([3, 16, 2048]),
    attention=st.sampled_from(["cpu", "torch"]),
)
def test_random_models_prompts_and_pools(
    *,
    sizes: tuple[int, int, int],
    prompts: list[tuple[int, list[int]]],
    block_size: int,
    num_spare: int,
    num_host_blocks: int,
    share_prefixes: bool,
    token_budget: int,
    attention: str,
) -> None:
    from pagedkv_edu.memory.prefix import PrefixCache

    ids = [[*BEGINNING, *BEGINNING][:shared] + own for shared, own in prompts]
    ids = [prompt or [0] for prompt in ids]
    longest = max(map(len, ids)) + NUM_NEW
    num_blocks = -(-longest // block_size) + num_spare
    pool = PrefixCache(num_blocks, block_size) if share_prefixes else None
    pool = pool or BlockPool(num_blocks)
    host = BlockPool(num_host_blocks) if num_host_blocks else None
    manager = BlockManager(pool, block_size, host)
    scheduler = Scheduler(
        manager,
        pool,
        block_size,
        token_budget=token_budget,
        preempt_by="swap" if host else "recompute",
        cache=pool if isinstance(pool, PrefixCache) else None,
    )
    answers = generate(
        pair(*sizes)[1],
        ids,
        attention=attention,
        max_new_tokens=NUM_NEW,
        stop=(),
        pool=pool,
        manager=manager,
        scheduler=scheduler,
        block_size=block_size,
    )

    for prompt, answer in zip(ids, answers, strict=True):
        assert answer.ended == "length"
        assert_own(sizes, prompt, answer.token_ids)
    manager.check()
    assert pool.num_free == num_blocks


def test_an_interrupt_waits_for_the_end_of_its_step() -> None:
    layers_after: list[int] = []

    def interrupted(*tensors: Any, **options: Any) -> torch.Tensor:
        layers_after.append(len(layers_after))
        if len(layers_after) == 5:  # the first layer of the third decode
            os.kill(os.getpid(), signal.SIGINT)
        return torch_decode(*tensors, **options)

    pool = BlockPool(8)
    with pytest.raises(KeyboardInterrupt):
        generate(pair(*SIZES)[1], [5, 6, 7], pool=pool, attention=interrupted)

    assert len(layers_after) == 6  # the second layer of that step was computed too
    assert pool.num_free == 8


def test_without_the_small_model_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingModel, match="run `make model` once"):
        load_model()
    with pytest.raises(MissingModel, match=r"no file .*other\.gguf"):
        load_model(tmp_path / "other.gguf")


@pytest.mark.slow
@pytest.mark.skipif(find_small_model() is None, reason="`make model` was not run")
def test_the_small_model_knows_the_capital_of_france() -> None:
    from transformers import AutoModelForCausalLM

    path = find_small_model()
    assert path is not None
    prompts = ["The capital of France is", "Once upon a time", "def add(a, b):"]
    answers = generate(load_model(), prompts, max_new_tokens=16)
    own: Any = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name)
    own = own.float()

    assert answers[0].text.startswith(" Paris")
    for answer in answers:
        prompt = torch.tensor([answer.prompt_ids])
        tokens = own.generate(prompt, max_new_tokens=16, do_sample=False)
        assert answer.token_ids == tokens[0, prompt.shape[1] :].tolist()
