"""Exercises on a pool: which histories there are, and what is near a wrong one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.histories import Argument, Call, History, Name
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.pasted import pasted_test
from pagedkv_edu.checks.judging.topics import Advice, Difference, Nearby
from pagedkv_edu.checks.pools.model import NamedBlocks
from pagedkv_edu.checks.pools.run import MakePool, PoolRun
from pagedkv_edu.errors import NotAllocated, PagedKVError
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.report import Hint

LESSON_NUM_BLOCKS = 4
POOLS = (1, 2, 3, LESSON_NUM_BLOCKS)
NAMES = "abcdefghijklmnopqrstuvwxyz"
MIN_CALLS = 4
MAX_CALLS = 12


@dataclass(frozen=True, eq=False)
class PoolTopic:
    """One exercise whose answer is a pool."""

    exercise_id: str
    answer_name: str
    parts: tuple[str, ...]
    hints: tuple[Hint, ...]
    reread: str
    advice: Mapping[str, Advice]  # for every kind of finding
    with_share: bool

    def histories(self) -> SearchStrategy[History]:
        """Draw calls that are mostly possible, in pools that are often full."""
        kinds = ("allocate",) * 5 + ("free",) * 4 + ("share",) * 4 * self.with_share
        # Two bytes a call: one draw for all of them takes a tenth of the time of many.
        return st.builds(
            partial(_history, (*kinds, "again", "foreign")),
            st.sampled_from((4, 4, 3, 2, 1, 8)),
            st.binary(min_size=2 * MIN_CALLS, max_size=2 * MAX_CALLS),
        )

    def start(
        self,
        answer: MakePool,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> PoolRun:
        """Make the learner's pool and ours."""
        return PoolRun(answer, history, guard, self.advice, recorded=recorded)

    def num_misused(self, history: History) -> int:
        """Count calls about blocks that are free, or are not there."""
        misused = [
            call
            for call, outcome in zip(history.calls, _outcomes(history), strict=True)
            if isinstance(outcome, NotAllocated)
        ]
        # an id out of nowhere explains less than a block that is freed twice
        return sum(1 if isinstance(c.arguments[0], Name) else 2 for c in misused)

    def size(self, history: History) -> tuple[int, ...]:
        """Prefer the lesson's pool, then names in order."""
        num_blocks = history.size("num_blocks")
        named = [a for call in history.calls for a in call.arguments]
        return (
            0 if num_blocks == LESSON_NUM_BLOCKS else num_blocks,
            sum(NAMES.index(a) for a in named if isinstance(a, Name)),
        )

    def tidy(self, history: History) -> History:
        """Name the blocks a, b, c; drop calls that would depend on the pool's order."""
        new_by_old: dict[str, str] = {}
        kept = _Names(history.size("num_blocks"))
        for call in history.calls:
            if call.name == "allocate":
                new_by_old[call.result] = NAMES[len(new_by_old)]
                kept.make(replace(call, result=new_by_old[call.result]))
            else:
                arguments = tuple(_renamed(a, new_by_old) for a in call.arguments)
                kept.make(replace(call, arguments=arguments))
        return history.with_calls(tuple(kept.calls))

    def smaller(self, history: History) -> Iterator[History]:
        """Yield other pools, and earlier blocks."""
        for num_blocks in POOLS:
            if num_blocks != history.size("num_blocks"):
                yield history.with_size("num_blocks", num_blocks)
        for index, call in enumerate(history.calls):
            for old in call.arguments:
                if isinstance(old, Name):
                    for new in NAMES[: NAMES.index(old)]:
                        other = replace(call, arguments=(Name(new),))
                        calls = history.calls
                        yield history.with_calls(
                            (*calls[:index], other, *calls[index + 1 :])
                        )

    def go_on(self, history: History) -> Iterator[tuple[Call, ...]]:
        """Allocate until it shows."""
        num_named = sum(call.name == "allocate" for call in history.calls)
        more = [
            Call("allocate", result=name)
            for name in NAMES[num_named : num_named + history.size("num_blocks") + 1]
        ]
        for count in range(1, len(more) + 1):
            yield tuple(more[:count])

    def nearby(self, history: History) -> Nearby | None:
        """Vary the number of owners; without sharing, the size of the pool."""
        return _shared_n_times(history) if self.with_share else self._in_n(history)

    def _in_n(self, history: History) -> Nearby:
        wanted = list(map(type, _outcomes(history)))
        histories = [
            (n, history.with_size("num_blocks", n))
            for n in range(1, LESSON_NUM_BLOCKS + 2)
        ]
        same = [
            (n, other)
            for n, other in histories
            if self.tidy(other) == other and list(map(type, _outcomes(other))) == wanted
        ]
        return Nearby("in a pool of n blocks", tuple(same))

    def setting(self, history: History) -> str:
        """Return the size in words."""
        num_blocks = history.size("num_blocks")
        return f"pool of {num_blocks} blocks" if num_blocks > 1 else "pool of one block"

    def construction(self, history: History) -> str:
        """Return how the pool is made."""
        return f"{self.answer_name}({history.size('num_blocks')})"

    def as_test(self, history: History, difference: Difference) -> str:
        """Write the calls, the error that a call should raise, and one assertion."""
        calls: list[tuple[str, PagedKVError | None]] = []
        for call, outcome in zip(history.calls, _outcomes(history), strict=True):
            line = f"pool.{replace(call, result='')}"
            if isinstance(outcome, PagedKVError):
                calls.append((line, outcome))
            else:
                calls.append((f"{call.result} = {line}" if call.result else line, None))
        made = [f"pool = {self.construction(history)}"]
        return pasted_test(self.answer_name, made, calls, difference)


def _shared_n_times(history: History) -> Nearby | None:
    first, *rest = history.calls
    if first.name != "allocate":
        return None
    share = Call("share", (Name(first.result),))
    while rest and rest[0] == share:
        rest = rest[1:]
    return Nearby(
        f"with {share} n times after call 1",
        tuple((n, history.with_calls((first, *[share] * n, *rest))) for n in range(4)),
    )


def _renamed(argument: Argument, new_by_old: Mapping[str, str]) -> Argument:
    if isinstance(argument, Name):
        return Name(new_by_old.get(argument, argument))
    return argument


def _outcomes(history: History) -> list[int | PagedKVError | None]:
    """Return what our pool answers to each call."""
    pool = NamedBlocks(BlockPool(history.size("num_blocks")))
    return [pool.make(call) for call in history.calls]


class _Names:
    """Makes calls on our pool, and keeps those that mean the same in every pool.

    A block that is freed may be the next one handed out, or not; so a stale name is
    used only as long as nothing has been allocated since.
    """

    def __init__(self, num_blocks: int) -> None:
        self.pool = NamedBlocks(BlockPool(num_blocks))
        self.calls: list[Call] = []
        self.held: Counter[str] = Counter()
        self.freed: list[str] = []  # since the last allocate

    def make(self, call: Call) -> None:
        """Make a call, unless its meaning would depend on the pool."""
        names = [a for a in call.arguments if isinstance(a, Name)]
        if any(not self.held[name] and name not in self.freed for name in names):
            return
        self.calls.append(call)
        outcome = self.pool.make(call)
        if call.name == "allocate":
            self.held[call.result] = 1 if isinstance(outcome, int) else 0
            self.freed = []
        elif outcome is None:
            self.held[names[0]] += 1 if call.name == "share" else -1
            if not self.held[names[0]]:
                self.freed.append(names[0])


def _history(kinds: Sequence[str], num_blocks: int, choices: bytes) -> History:
    names = _Names(num_blocks)
    for i in range(0, len(choices) - 1, 2):
        names.make(_call(kinds, choices[i], choices[i + 1], names))
    return History((("num_blocks", num_blocks),), tuple(names.calls))


def _call(kinds: Sequence[str], first: int, second: int, names: _Names) -> Call:
    kind = kinds[first % len(kinds)]
    held = [name for name, count in names.held.items() if count]
    change = "share" if "share" in kinds and second % 3 == 0 else "free"
    if kind == "foreign" and second % 4 == 0:
        ids = [-1, names.pool.pool.num_blocks] + [0] * (not names.held)
        return Call(change, (ids[second // 4 % len(ids)],))
    if kind == "again" and names.freed:
        return Call(change, (Name(names.freed[second % len(names.freed)]),))
    if kind in ("free", "share") and held:
        return Call(kind, (Name(held[second % len(held)]),))
    return Call("allocate", result=NAMES[len(names.held)])
