"""Exercises on a manager: which histories there are, and what is near a wrong one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.pasted import pasted_test
from pagedkv_edu.checks.judging.topics import Advice, Difference, Nearby
from pagedkv_edu.checks.managers.drawing import (
    NAMES,
    append_call,
    error_of,
    is_live,
    manager_histories,
    new_manager,
    replayed,
)
from pagedkv_edu.checks.managers.run import MakeManager, ManagerRun
from pagedkv_edu.checks.managers.words import named, num_tokens
from pagedkv_edu.errors import OutOfBlocks
from pagedkv_edu.report import Hint

LESSON_BLOCK_SIZE = 4
LESSON_NUM_BLOCKS = 8
POOLS = (1, 2, 3, LESSON_NUM_BLOCKS)


@dataclass(frozen=True, eq=False)
class ManagerTopic:
    """One exercise whose answer is a manager."""

    exercise_id: str
    answer_name: str
    parts: tuple[str, ...]
    hints: tuple[Hint, ...]
    reread: str
    advice: Mapping[str, Advice]  # for every kind of finding
    with_fork: bool
    snapshots: bool  # whether the learner writes `table` too

    def histories(self) -> SearchStrategy[History]:
        """Draw calls that are mostly possible, in pools that are sometimes full."""
        return manager_histories(with_fork=self.with_fork)

    def start(
        self,
        answer: MakeManager,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> ManagerRun:
        """Make the learner's manager and ours, each on a pool of its own."""
        return ManagerRun(
            answer,
            history,
            guard,
            self.advice,
            recorded=recorded,
            snapshots=self.snapshots,
        )

    def num_misused(self, history: History) -> int:
        """Count calls of unknown or duplicate sequences."""
        manager = new_manager(history)
        errors = [error_of(manager, call) for call in history.calls]
        return sum(e is not None and not isinstance(e, OutOfBlocks) for e in errors)

    def size(self, history: History) -> tuple[int, ...]:
        """Prefer the lesson's block_size, then few tokens, then the lesson's pool."""
        num_blocks = history.size("num_blocks")
        return (
            history.size("block_size") != LESSON_BLOCK_SIZE,
            sum(num_tokens(call) for call in history.calls if _grows(call)),
            sum(num_tokens(call) for call in history.calls if call.name == "append"),
            0 if num_blocks == LESSON_NUM_BLOCKS else 1 + num_blocks,
            sum(NAMES.index(s) for call in history.calls for s in named(call)),
        )

    def tidy(self, history: History) -> History:
        """Rename the sequences A, B, C in the order in which they appear."""
        found = dict.fromkeys(s for call in history.calls for s in named(call))
        new_by_old = dict(zip(found, NAMES, strict=False))
        return history.with_calls(
            tuple(
                replace(
                    call,
                    arguments=tuple(
                        new_by_old[a] if isinstance(a, str) else a
                        for a in call.arguments
                    ),
                )
                for call in history.calls
            )
        )

    def smaller(self, history: History) -> Iterator[History]:
        """Yield other sizes of pool and block, and other numbers of tokens."""
        for sized in (*_other_sizes(history), history):
            yield sized
            yield from _fewer_tokens(sized)
        yield from _tokens_at_first(history)
        yield from _earlier_names(history)

    def go_on(self, history: History) -> Iterator[tuple[Call, ...]]:
        """Let others write, then write twice, free and reuse, free everything."""
        live = _live_after(history)
        actor = named(history.calls[-1])[-1]
        others = [seq_id for seq_id in live if seq_id != actor]
        new_id = next(name for name in "ABCDEFGHIJ" if name not in live)
        appends = [Call("append", (seq_id,)) for seq_id in (*others, actor)]
        yield from ((call,) for call in appends if call.arguments[0] in live)
        yield from ((a, b) for a in appends for b in appends if a != b)
        for seq_id in live:
            yield Call("free", (seq_id,)), Call("add", (new_id, 1))
        yield tuple(Call("free", (seq_id,)) for seq_id in reversed(live))

    def nearby(self, history: History) -> Nearby | None:
        """Vary the first sequence's length over the fillings of its first block."""
        first, *rest = history.calls
        if first.name != "add":
            return None
        block_size = history.size("block_size")
        full = block_size if num_tokens(first) <= block_size else 2 * block_size
        seq_id = first.arguments[0]
        return Nearby(
            f'begun with add("{seq_id}", n)',
            tuple(
                (n, history.with_calls((Call("add", (seq_id, n)), *rest)))
                for n in range(1, full + 1)
            ),
        )

    def setting(self, history: History) -> str:
        """Return the sizes in words."""
        num_blocks = history.size("num_blocks")
        number = num_blocks if num_blocks > 1 else "one"
        blocks = f"pool of {number} block{'s' if num_blocks > 1 else ''}"
        return f"{blocks}, block_size {history.size('block_size')}"

    def construction(self, history: History) -> str:
        """Return how the manager is made."""
        return f"{self.answer_name}(pool, {history.size('block_size')})"

    def as_test(self, history: History, difference: Difference) -> str:
        """Write the calls, the error that a call should raise, and one assertion."""
        num_blocks, block_size = history.size("num_blocks"), history.size("block_size")
        manager = new_manager(history)
        made = (
            f"pool = BlockPool({num_blocks})",
            f"manager = {self.answer_name}(pool, {block_size})",
        )
        calls = [(f"manager.{call}", error_of(manager, call)) for call in history.calls]
        return pasted_test(self.answer_name, made, calls, difference)


def _grows(call: Call) -> bool:
    return call.name in ("add", "append")


def _live_after(history: History) -> list[str]:
    """Return the sequences that are live after a history, by our manager."""
    manager = replayed(history)
    names = dict.fromkeys(s for call in history.calls for s in named(call))
    return [seq_id for seq_id in names if is_live(manager, seq_id)]


def _other_sizes(history: History) -> Iterator[History]:
    block_size = history.size("block_size")
    if block_size != LESSON_BLOCK_SIZE:
        yield history.with_size("block_size", LESSON_BLOCK_SIZE)
        yield _scaled(history, LESSON_BLOCK_SIZE)
    for num_blocks in POOLS:
        if num_blocks != history.size("num_blocks"):
            yield history.with_size("num_blocks", num_blocks)


def _scaled(history: History, block_size: int) -> History:
    """Return the history with as many full blocks, and as many tokens beyond them."""
    old = history.size("block_size")
    calls = history.calls
    for index, call in enumerate(calls):
        if _grows(call):
            full, rest = divmod(num_tokens(call), old)
            calls = _with_tokens(calls, index, full * block_size + rest)
    return history.with_calls(calls).with_size("block_size", block_size)


def _fewer_tokens(history: History) -> Iterator[History]:
    for index, call in enumerate(history.calls):
        if _grows(call):
            for count in range(1, num_tokens(call)):
                yield history.with_calls(_with_tokens(history.calls, index, count))


def _tokens_at_first(history: History) -> Iterator[History]:
    """Let a sequence begin with tokens that were appended: append("A") is plainest."""
    for index, call in enumerate(history.calls):
        if call.name == "append":
            for first, add in enumerate(history.calls[:index]):
                for count in range(1, num_tokens(call)):
                    if add.name == "add":
                        longer = num_tokens(add) + num_tokens(call) - count
                        calls = _with_tokens(history.calls, first, longer)
                        yield history.with_calls(_with_tokens(calls, index, count))


def _earlier_names(history: History) -> Iterator[History]:
    """Let an earlier sequence act: append("A") is easier to follow than append("B")."""
    for index, call in enumerate(history.calls):
        old = named(call)[0]
        for new in NAMES[: NAMES.index(old)]:
            acting = replace(call, arguments=(new, *call.arguments[1:]))
            yield history.with_calls(
                (*history.calls[:index], acting, *history.calls[index + 1 :])
            )


def _with_tokens(calls: tuple[Call, ...], index: int, count: int) -> tuple[Call, ...]:
    seq_id = named(calls[index])[0]
    add = calls[index].name == "add"
    call = Call("add", (seq_id, count)) if add else append_call(seq_id, count)
    return (*calls[:index], call, *calls[index + 1 :])
