"""The exercise on a prefix cache: which histories there are, and what is near one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.histories import Argument, Call, History, Name, Pairs
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.pasted import pasted_test
from pagedkv_edu.checks.judging.topics import Advice, Difference, Nearby
from pagedkv_edu.checks.prefixes.run import MakeCache, PrefixRun
from pagedkv_edu.checks.prefixes.script import NAMES, Script, drawn_history, played
from pagedkv_edu.checks.prefixes.simpler import disorder, simpler, tokens_of
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Hint

LESSON_NUM_BLOCKS = 3
LESSON_BLOCK_SIZE = 2
POOLS = (1, 2, LESSON_NUM_BLOCKS, 4)
MIN_STEPS = 6
MAX_STEPS = 14


@dataclass(frozen=True, eq=False)
class PrefixTopic:
    """The exercise whose answer is a prefix cache."""

    exercise_id: str
    answer_name: str
    parts: tuple[str, ...]
    hints: tuple[Hint, ...]
    reread: str
    advice: Mapping[str, Advice]  # for every kind of finding

    def histories(self) -> SearchStrategy[History]:
        """Draw calls in pools that are often full, so that blocks are forgotten."""
        return st.builds(
            drawn_history,
            st.sampled_from((2, 2, 2, 3, 3, 1, 4)),
            st.sampled_from((2, 2, 2, 1, 3)),
            st.binary(min_size=2 * MIN_STEPS, max_size=2 * MAX_STEPS),
        )

    def start(
        self,
        answer: MakeCache,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> PrefixRun:
        """Make the learner's cache and ours."""
        return PrefixRun(answer, history, guard, self.advice, recorded=recorded)

    def num_misused(self, history: History) -> int:
        """Count calls about blocks that are free and unknown."""
        return len(played(history).num_misused)

    def size(self, history: History) -> tuple[int, ...]:
        """Prefer the lesson's sizes, few and different tokens, and names in order."""
        num_blocks, block_size = history.size("num_blocks"), history.size("block_size")
        tokens = tokens_of(history)
        return (
            0 if block_size == LESSON_BLOCK_SIZE else block_size,
            len(tokens),
            len(tokens) - len(set(tokens)),
            0 if num_blocks == LESSON_NUM_BLOCKS else num_blocks,
            *disorder(history),
            *tokens,
        )

    def tidy(self, history: History) -> History:
        """Name the blocks a, b, c; drop calls that would depend on the cache."""
        new_by_old: dict[str, str] = {}
        script = Script(history.size("num_blocks"), history.size("block_size"))
        for call in history.calls:
            if call.name == "allocate":
                new_by_old[call.result] = NAMES[len(new_by_old)]
                script.make(replace(call, result=new_by_old[call.result]))
            else:
                renamed = tuple(_renamed(a, new_by_old) for a in call.arguments)
                script.make(replace(call, arguments=renamed))
        return history.with_calls(tuple(script.calls))

    def smaller(self, history: History) -> Iterator[History]:
        """Yield other pools, smaller tokens, shorter tables and earlier blocks."""
        for num_blocks in POOLS:
            if num_blocks != history.size("num_blocks"):
                yield history.with_size("num_blocks", num_blocks)
        yield from simpler(history)

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
        """Vary the size of the pool."""
        wanted = _refusals(history)
        histories = [(n, history.with_size("num_blocks", n)) for n in range(1, 6)]
        same = [
            (n, other)
            for n, other in histories
            if self.tidy(other) == other and _refusals(other) == wanted
        ]
        return Nearby("in a pool of n blocks", tuple(same))

    def setting(self, history: History) -> str:
        """Return the sizes in words."""
        num_blocks = history.size("num_blocks")
        pool = f"pool of {num_blocks} blocks" if num_blocks > 1 else "pool of one block"
        return f"{pool}, block_size {history.size('block_size')}"

    def construction(self, history: History) -> str:
        """Return how the cache is made."""
        sizes = history.size("num_blocks"), history.size("block_size")
        return f"{self.answer_name}({sizes[0]}, {sizes[1]})"

    def as_test(self, history: History, difference: Difference) -> str:
        """Write the calls, the error that a call should raise, and one assertion."""
        script = Script(history.size("num_blocks"), history.size("block_size"))
        calls: list[tuple[str, PagedKVError | None]] = []
        for call in history.calls:
            refusal = script.model.refusal(call)
            script.make(call)
            line = f"cache.{replace(call, result='')}"
            named = f"{call.result} = {line}" if call.result and not refusal else line
            calls.append((named, refusal() if refusal else None))
        made = [f"cache = {self.construction(history)}"]
        return pasted_test(self.answer_name, made, calls, difference)


def _renamed(argument: Argument, new_by_old: Mapping[str, str]) -> Argument:
    if isinstance(argument, Name):
        return Name(new_by_old.get(argument, argument))
    if isinstance(argument, tuple) and not isinstance(argument, Pairs):
        return tuple(_renamed(item, new_by_old) for item in argument)
    return argument


def _refusals(history: History) -> list[bool]:
    script = Script(history.size("num_blocks"), history.size("block_size"))
    refused: list[bool] = []
    for call in history.calls:
        refused.append(script.model.refusal(call) is not None)
        script.make(call)
    return refused
