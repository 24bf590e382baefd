"""Checks of lesson 04: a pool of blocks, growth at the boundary, and what is wasted."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import block_pool as hint
from pagedkv_edu.checks.judging.functions import (
    NearbyCases,
    Right,
    Wrong,
    judge_function,
)
from pagedkv_edu.checks.judging.judge import judge
from pagedkv_edu.checks.judging.reports import wrong_parameters
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.managers.run import MakeManager
from pagedkv_edu.checks.managers.topic import ManagerTopic
from pagedkv_edu.checks.pools.run import MakePool
from pagedkv_edu.checks.pools.topic import PoolTopic
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.sizes import cdiv

HINTS = hint.HINTS

_POOL = PoolTopic(
    "4.1",
    "MyBlockPool",
    ("__init__", "num_free", "ref_count", "allocate", "free"),
    HINTS["4.1"],
    hint.FREE_LIST,
    hint.POOL_ADVICE,
    with_share=False,
)

_GROWING = ManagerTopic(
    "4.2",
    "MyGrowingManager",
    ("add", "append", "free"),
    HINTS["4.2"],
    hint.BOUNDARY,
    hint.GROWING_ADVICE,
    with_fork=False,
    snapshots=True,
)


def check_block_pool(answer: MakePool, *, seed: int = 0) -> Report:
    """Check a pool without sharing: `MyBlockPool(num_blocks)`."""
    return judge(_POOL, answer, seed=seed)


def check_growing_manager(answer: MakeManager, *, seed: int = 0) -> Report:
    """Check a manager without sharing: `MyGrowingManager(pool, block_size)`."""
    return judge(_GROWING, answer, seed=seed)


def check_wasted_slots(answer: object, *, seed: int = 0) -> Report:
    """Check `my_wasted_slots(seq_lens, block_size)`."""
    topic = WastedTopic()
    unlike = wrong_parameters(topic, answer, ("seq_lens", "block_size"))
    return unlike or judge_function(topic, answer, seed=seed)


WastedCase = tuple[list[int], int]  # seq_lens, block_size


@dataclass(frozen=True)
class WastedTopic:
    """What `my_wasted_slots` should return."""

    exercise_id: str = "4.3"
    answer_name: str = "my_wasted_slots"
    hints: tuple[Hint, ...] = HINTS["4.3"]
    reread: str = hint.WASTE

    def edges(self) -> Iterable[WastedCase]:
        """Return no sequence, one of any length up to two blocks, and small pairs."""
        yield from (([], size) for size in (4, 1))
        for size in (4, 2, 1, 3):
            lengths = range(1, 2 * size + 2)
            yield from (([seq_len], size) for seq_len in lengths)
            yield from (([a, b], size) for a in lengths for b in lengths if a <= b)

    def cases(self) -> SearchStrategy[WastedCase]:
        """Draw a few sequences and a block size."""
        lengths = st.lists(st.integers(1, 100), max_size=6)
        return st.tuples(lengths, st.integers(1, 32))

    def right(self, case: WastedCase) -> Right:
        """Return the empty slots, and where they are."""
        seq_lens, block_size = case
        held = [cdiv(seq_len, block_size) * block_size for seq_len in seq_lens]
        return Right(sum(held) - sum(seq_lens), _why_wasted(seq_lens, block_size))

    def size(self, case: WastedCase) -> tuple[int, ...]:
        """Prefer one short sequence and the lesson's block size."""
        seq_lens, block_size = case
        return (
            len(seq_lens) != 1,
            len(seq_lens),
            block_size != 4,
            sum(seq_lens),
            block_size,
        )

    def hint(self, case: WastedCase, wrong: Wrong) -> str:
        """Choose by which lengths are wrong."""
        seq_lens, block_size = case
        if wrong.changed:
            return hint.CHANGES
        if isinstance(wrong.value, float):
            return hint.NOT_INT
        if type(wrong.value) is not int:
            return hint.BEGIN
        if len(seq_lens) > 1:
            return hint.ONE_BY_ONE
        if any(seq_len % block_size == 0 for seq_len in seq_lens):
            return hint.FULL_BLOCK
        return hint.TOKENS

    def nearby(self, case: WastedCase) -> NearbyCases[WastedCase] | None:
        """Vary the last sequence's length over two blocks."""
        seq_lens, block_size = case
        if not seq_lens or max(seq_lens[-1], block_size) > 16:
            return None
        *before, last = seq_lens
        text = f"my_wasted_slots([{', '.join([*map(str, before), 'n'])}], {block_size})"
        lengths = range(1, max(2 * block_size, last) + 1)
        return NearbyCases(
            text, tuple((n, ([*before, n], block_size)) for n in lengths)
        )


def _why_wasted(seq_lens: list[int], block_size: int) -> str:
    if not seq_lens:
        return "no sequence holds a block."
    parts: list[str] = []
    for seq_len in seq_lens:
        held = cdiv(seq_len, block_size) * block_size
        tokens, slots = amount(seq_len, "token"), amount(held, "slot")
        parts.append(f"{tokens} in {slots}, {held - seq_len or 'none'} empty")
    return f"{'; '.join(parts)}."
