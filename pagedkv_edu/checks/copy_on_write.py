"""Checks of lesson 05: sharing, copy on write, and one step of beam search."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.beams.run import BeamFunction
from pagedkv_edu.checks.beams.topic import BeamTopic
from pagedkv_edu.checks.hints import copy_on_write as hint
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

HINTS = hint.HINTS

_SHARED_POOL = PoolTopic(
    "5.1",
    "MySharedPool",
    ("share", "free"),
    HINTS["5.1"],
    hint.SHARE,
    hint.SHARED_POOL_ADVICE,
    with_share=True,
)

_MANAGER = ManagerTopic(
    "5.3",
    "MyBlockManager",
    ("fork", "append"),
    HINTS["5.3"],
    hint.FIX,
    hint.MANAGER_ADVICE,
    with_fork=True,
    snapshots=False,
)

_BEAM_STEP = BeamTopic("5.4", "my_beam_step", HINTS["5.4"], hint.BEAM, hint.BEAM_ADVICE)


def check_shared_pool(answer: MakePool, *, seed: int = 0) -> Report:
    """Check a pool with reference counts: `MySharedPool(num_blocks)`."""
    return judge(_SHARED_POOL, answer, seed=seed)


def check_must_copy(answer: object, *, seed: int = 0) -> Report:
    """Check `my_must_copy(seq_len, block_size, ref_count)`."""
    topic = MustCopyTopic()
    names = ("seq_len", "block_size", "ref_count")
    unlike = wrong_parameters(topic, answer, names)
    return unlike or judge_function(topic, answer, seed=seed)


def check_block_manager(answer: MakeManager, *, seed: int = 0) -> Report:
    """Check fork and append with copy on write: `MyBlockManager(pool, block_size)`."""
    return judge(_MANAGER, answer, seed=seed)


def check_beam_step(answer: BeamFunction, *, seed: int = 0) -> Report:
    """Check `my_beam_step(manager, beams, parent_by_beam)`."""
    names = ("manager", "beams", "parent_by_beam")
    unlike = wrong_parameters(_BEAM_STEP, answer, names)
    return unlike or judge(_BEAM_STEP, answer, seed=seed)


MustCopyCase = tuple[int, int, int]  # seq_len, block_size, ref_count


@dataclass(frozen=True)
class MustCopyTopic:
    """What `my_must_copy` should return."""

    exercise_id: str = "5.2"
    answer_name: str = "my_must_copy"
    hints: tuple[Hint, ...] = HINTS["5.2"]
    reread: str = hint.FIX

    def edges(self) -> Iterable[MustCopyCase]:
        """Return every length up to two blocks, with one to three owners."""
        return [
            (seq_len, block_size, ref_count)
            for block_size in (4, 1, 2, 3)
            for seq_len in range(1, 2 * block_size + 2)
            for ref_count in (1, 2, 3)
        ]

    def cases(self) -> SearchStrategy[MustCopyCase]:
        """Draw a length, a block size and a count."""
        return st.tuples(st.integers(1, 500), st.integers(1, 64), st.integers(1, 6))

    def right(self, case: MustCopyCase) -> Right:
        """Return whether the block is partly filled and shared."""
        seq_len, block_size, ref_count = case
        filled = seq_len % block_size
        owners = amount(ref_count, "reference")
        if not filled:
            why = "the last block is full; the next token goes into a new one."
        elif ref_count == 1:
            why = "the last block has 1 reference; nobody else reads it."
        else:
            why = (
                f"the last block is partly filled ({filled} of {block_size} slots) "
                f"and has {owners}."
            )
        return Right(filled != 0 and ref_count > 1, why)

    def size(self, case: MustCopyCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, a short sequence, few owners."""
        seq_len, block_size, ref_count = case
        return (block_size != 4, seq_len, ref_count, block_size)

    def hint(self, case: MustCopyCase, wrong: Wrong) -> str:
        """Choose by what came back, and whether the block is full or has one owner."""
        seq_len, block_size, _ = case
        if type(wrong.value) is int:
            return hint.NOT_BOOL
        if type(wrong.value) is not bool:
            return hint.BEGIN
        if wrong.value is False:
            return hint.COPY_MISSING
        full = seq_len % block_size == 0
        return hint.COPY_TOO_MANY if full else hint.LAST_OWNER

    def nearby(self, case: MustCopyCase) -> NearbyCases[MustCopyCase] | None:
        """Vary the length over two blocks."""
        seq_len, block_size, ref_count = case
        if max(seq_len, 2 * block_size) > 16:
            return None
        lengths = range(1, max(seq_len, 2 * block_size) + 1)
        return NearbyCases(
            f"my_must_copy(n, {block_size}, {ref_count})",
            tuple((n, (n, block_size, ref_count)) for n in lengths),
        )
