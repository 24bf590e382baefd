"""Measure the engine beside transformers, in tokens per second and in memory.

Speed: the same prompts and limits, greedy, by the same model in float32.

- engine: all prompts together, on blocks of 16.
- padded: transformers' `generate` on one left-padded batch. It goes on until the
  longest answer is done; what others computed after their limit is not counted.
- one by one: `generate` for each prompt by itself.
- continuous: transformers' own continuous batching, through its manager, with the pool
  that the engine has.

Time is the processor's, over all threads, so other programs disturb little. All four
are measured in turn in each round; rates depend on the machine, ratios much less so.

Memory: how many requests run at once in the same KV bytes, with blocks taken as the
answer grows, against one contiguous cache for each request, as long as its prompt and
limit. Answers end where the model ends them.
"""

import gc
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib.metadata import version
from statistics import mean, median
from typing import Any

import torch
from transformers import ContinuousBatchingConfig, GenerationConfig

from pagedkv_edu.engine import generate, load_model
from pagedkv_edu.engine.model import LoadedModel, find_small_model
from pagedkv_edu.engine.tiny import tiny_model
from pagedkv_edu.serving.served import ServedStep
from pagedkv_edu.sizes import cdiv
from tools.bench_text import ratio_text

BLOCK_SIZE = 16
PROMPTS = (
    "The capital of France is",
    "Once upon a time there was a painter who",
    "def fibonacci(n):",
    "Water boils at one hundred degrees because",
    "My favourite recipe for bread: first,",
    "In 1969 two people walked on",
    "The three laws of motion say that",
    "Dear Sir or Madam, I am writing to",
)
EQUAL = (32,) * len(PROMPTS)
MIXED = (4, 48, 8, 24, 6, 64, 12, 16)
QUESTIONS = (
    "Name the largest planet.",
    "What is two plus two?",
    "Say hello in Spanish.",
    "Explain in three sentences why the sky is blue.",
    "List five fruits.",
    "Which river flows through Cairo?",
    "What does a thermometer measure?",
    "Write one line about the sea.",
)


@dataclass(frozen=True, slots=True)
class Load:
    """Prompts as token ids, and each answer's limit."""

    prompts: list[list[int]]
    limits: Sequence[int]

    @property
    def num_new(self) -> int:
        """Tokens that are wanted."""
        return sum(self.limits)


def bench_engine(num_rounds: int) -> None:
    """Print speed and memory, on the small model if it is there."""
    is_small = find_small_model() is not None
    model = load_model() if is_small else tiny_model()
    print(
        f"{model.name}, float32, {torch.get_num_threads()} threads, "
        f"torch {torch.__version__}, transformers {version('transformers')}"
    )
    if not is_small:
        print("the small model is not here (`make model`): figures of a tiny one")
    own = deepcopy(model.model)
    own.set_attn_implementation("sdpa")
    prompts = _ids(model, PROMPTS)
    for name, limits in (("equal", EQUAL), ("mixed", MIXED)):
        _bench_speed(name, model, own, Load(prompts, limits), num_rounds)
    _bench_memory(model)


def _ids(model: LoadedModel, texts: Sequence[str]) -> list[list[int]]:
    if model.tokenizer is None:
        return [[ord(letter) for letter in text] for text in texts]
    return [model.token_ids(text) for text in texts]


def _bench_speed(
    name: str, model: LoadedModel, own: Any, load: Load, num_rounds: int
) -> None:
    ways: dict[str, Callable[[Load], list[list[int]]]] = {
        "engine": lambda load: run_engine(model, load),
        "padded": lambda load: run_padded(own, load),
        "one by one": lambda load: run_one_by_one(own, load),
        "continuous": lambda load: run_continuous(own, load),
    }
    for run in ways.values():  # what is loaded or compiled at the first call
        run(Load(load.prompts, (2,) * len(load.prompts)))
    wanted = run_one_by_one(own, load)
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(num_rounds):
        for way, run in ways.items():
            gc.collect()
            start = time.process_time()
            answers = run(load)
            rates[way].append(load.num_new / (time.process_time() - start))
            same = sum(a == b for a, b in zip(answers, wanted, strict=True))
            if same < len(wanted):
                print(f"  {way}: {len(wanted) - same} answers differ by rounding")
    print(
        f"{name} lengths: {len(load.prompts)} prompts of {min(map(len, load.prompts))} "
        f"to {max(map(len, load.prompts))} tokens, answers of {min(load.limits)} to "
        f"{max(load.limits)}, {load.num_new} in all, {num_rounds} rounds"
    )
    for way in ways:
        against = "" if way == "engine" else ratio_text(rates[way], rates["engine"])
        against = against and f"   engine / {way}: {against}"
        print(f"  {way:11}{median(rates[way]):7.1f} tokens/s{against}")


def run_engine(model: LoadedModel, load: Load) -> list[list[int]]:
    """Serve all prompts together through block tables."""
    answers = generate(
        model,
        load.prompts,
        max_new_tokens=load.limits,
        stop=(),
        block_size=BLOCK_SIZE,
    )
    return [answer.token_ids for answer in answers]


def run_padded(own: Any, load: Load) -> list[list[int]]:
    """Answer in one batch, padded on the left; cut each answer at its limit."""
    width = max(map(len, load.prompts))
    ids = torch.tensor([[0] * (width - len(p)) + p for p in load.prompts])
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in load.prompts])
    tokens = _own_generate(own, ids, mask, max(load.limits))
    pairs = zip(tokens.tolist(), load.limits, strict=True)
    return [row[width : width + limit] for row, limit in pairs]


def run_one_by_one(own: Any, load: Load) -> list[list[int]]:
    """Answer each prompt by itself."""
    answers: list[list[int]] = []
    for prompt, limit in zip(load.prompts, load.limits, strict=True):
        ids = torch.tensor([prompt])
        tokens = _own_generate(own, ids, torch.ones_like(ids), limit)
        answers.append(tokens[0, len(prompt) :].tolist())
    return answers


def _own_generate(own: Any, ids: Any, mask: Any, limit: int) -> torch.Tensor:
    return own.generate(
        ids,
        attention_mask=mask,
        max_new_tokens=limit,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )


def run_continuous(own: Any, load: Load) -> list[list[int]]:
    """Answer through transformers' continuous batching."""
    longest = [
        len(p) + limit for p, limit in zip(load.prompts, load.limits, strict=True)
    ]
    config = ContinuousBatchingConfig(
        page_size=BLOCK_SIZE,
        num_blocks=sum(cdiv(length, BLOCK_SIZE) for length in longest),
        max_batch_tokens=512,
    )
    generation = GenerationConfig(do_sample=False, eos_token_id=-1, pad_token_id=0)
    answers: dict[str, list[int]] = {}
    with own.continuous_batching_context_manager(
        generation_config=generation, continuous_batching_config=config
    ) as manager:
        names = [
            manager.add_request(prompt, max_new_tokens=limit)
            for prompt, limit in zip(load.prompts, load.limits, strict=True)
        ]
        while len(answers) < len(names) and manager.is_running():
            result = manager.get_result(timeout=1)
            if result is not None and result.is_finished():
                answers[result.request_id] = list(result.generated_tokens)
    own.set_attn_implementation("sdpa")
    return [answers.get(name, []) for name in names]


def _bench_memory(model: LoadedModel) -> None:
    """Serve many questions in the bytes of a few contiguous caches."""
    limit, num_contiguous = 128, 4
    prompts = _ids(model, _as_chats(model, QUESTIONS * 3))
    longest = max(map(len, prompts)) + limit
    num_blocks = num_contiguous * cdiv(longest, BLOCK_SIZE)
    running: list[int] = []

    def count(step: ServedStep) -> None:
        running.append(len(step.plan.scheduled))

    answers = generate(
        model,
        prompts,
        max_new_tokens=limit,
        num_blocks=num_blocks,
        block_size=BLOCK_SIZE,
        on_step=count,
    )
    kv_bytes = num_blocks * model.spec(BLOCK_SIZE).bytes_per_block
    lengths = [len(answer.token_ids) for answer in answers]
    print(
        f"memory: {kv_bytes / 2**20:.0f} MiB of KV cache, {len(prompts)} questions of "
        f"{min(map(len, prompts))} to {max(map(len, prompts))} tokens, answers of "
        f"{min(lengths)} to {max(lengths)} (limit {limit})\n"
        f"  contiguous caches of {longest} tokens: {num_contiguous} requests at once\n"
        f"  blocks of {BLOCK_SIZE}: up to {max(running)} at once, {mean(running):.1f} "
        "on average over all steps"
    )


def _as_chats(model: LoadedModel, questions: Sequence[str]) -> list[str]:
    if getattr(model.tokenizer, "chat_template", None) is None:
        return list(questions)
    return [
        model.tokenizer.apply_chat_template(
            [{"role": "user", "content": question}],
            tokenize=False,
            add_generation_prompt=True,
        )
        for question in questions
    ]
