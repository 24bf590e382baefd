"""Exercise 2.1, first fit: which histories there are, and what is near a wrong one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.extents.drawn import NAMES, ClearCalls, drawn_history
from pagedkv_edu.checks.extents.findings import as_python
from pagedkv_edu.checks.extents.named import NamedExtents, Outcome
from pagedkv_edu.checks.extents.run import ExtentsRun, MakeExtents
from pagedkv_edu.checks.histories import Argument, Call, History, Name
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.pasted import pasted_test
from pagedkv_edu.checks.judging.topics import Advice, Difference, Nearby
from pagedkv_edu.errors import NotAllocated, PagedKVError
from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.report import Hint

LESSON_NUM_SLOTS = 12
MEMORIES = (LESSON_NUM_SLOTS, 8, 5, 3, 1)
MIN_CALLS = 4
MAX_CALLS = 12


@dataclass(frozen=True, eq=False)
class ExtentsTopic:
    """The exercise whose answer is a contiguous allocator with first fit."""

    exercise_id: str
    answer_name: str
    parts: tuple[str, ...]
    hints: tuple[Hint, ...]
    reread: str
    advice: Mapping[str, Advice]  # for every kind of finding

    def histories(self) -> SearchStrategy[History]:
        """Draw calls that are mostly possible, in memories with many holes."""
        # Two bytes a call: one draw for all of them takes a tenth of the time of many.
        return st.builds(
            drawn_history,
            st.sampled_from(MEMORIES),
            st.binary(min_size=2 * MIN_CALLS, max_size=2 * MAX_CALLS),
        )

    def start(
        self,
        answer: MakeExtents,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> ExtentsRun:
        """Make the learner's allocator and ours."""
        return ExtentsRun(answer, history, guard, self.advice, recorded=recorded)

    def num_misused(self, history: History) -> int:
        """Count releases of what is not held."""
        misused = [
            call
            for call, outcome in zip(history.calls, _outcomes(history), strict=True)
            if isinstance(outcome, NotAllocated)
        ]
        # a start out of nowhere explains less than an extent that is released twice
        return sum(1 if isinstance(c.arguments[0], Name) else 2 for c in misused)

    def size(self, history: History) -> tuple[int, ...]:
        """Prefer the lesson's memory, then short extents, then names in order."""
        num_slots = history.size("num_slots")
        arguments = [a for call in history.calls for a in call.arguments]
        return (
            0 if num_slots == LESSON_NUM_SLOTS else num_slots,
            sum(a for a in arguments if isinstance(a, int)),
            sum(NAMES.index(a) for a in arguments if isinstance(a, Name)),
        )

    def tidy(self, history: History) -> History:
        """Name the extents a, b, c; drop calls that a reader could misunderstand."""
        new_by_old: dict[str, str] = {}
        kept = ClearCalls(history.size("num_slots"))
        for call in history.calls:
            if call.name == "reserve":
                new_by_old[call.result] = NAMES[len(new_by_old)]
                kept.make(replace(call, result=new_by_old[call.result]))
            else:
                arguments = tuple(_renamed(a, new_by_old) for a in call.arguments)
                kept.make(replace(call, arguments=arguments))
        return history.with_calls(tuple(kept.calls))

    def smaller(self, history: History) -> Iterator[History]:
        """Yield other memories, shorter extents, and earlier names."""
        for num_slots in MEMORIES:
            old = history.size("num_slots")
            if num_slots != old:
                yield history.with_size("num_slots", num_slots)
                yield _stretched(history, num_slots)
        for index, call in enumerate(history.calls):
            for argument in call.arguments:
                for new in _smaller(argument):
                    yield _with(history, index, replace(call, arguments=(new,)))

    def go_on(self, history: History) -> Iterator[tuple[Call, ...]]:
        """Ask for each length that must fit now, the largest first."""
        named = NamedExtents(ExtentAllocator(history.size("num_slots")))
        for call in history.calls:
            named.make(call)
        name = NAMES[sum(call.name == "reserve" for call in history.calls)]
        lengths = {length for _, length in named.extents.holes}
        for length in sorted({*lengths, 1}, reverse=True):
            yield (Call("reserve", (length,), name),)

    def nearby(self, history: History) -> Nearby | None:
        """Vary the last length that was asked for, as far as it is answered alike."""
        lengths = [i for i, c in enumerate(history.calls) if c.name == "reserve"]
        if not lengths:
            return None
        last = lengths[-1]
        is_end = last == len(history.calls) - 1
        wanted = list(map(type, _outcomes(history)))
        histories = [
            (n, _with(history, last, replace(history.calls[last], arguments=(n,))))
            for n in range(1, history.size("num_slots") + 1)
        ]
        same = [
            (n, other)
            for n, other in histories
            if self.tidy(other) == other and list(map(type, _outcomes(other))) == wanted
        ]
        where = "ending with" if is_end else "with"
        return Nearby(f"{where} reserve(n)", tuple(same))

    def setting(self, history: History) -> str:
        """Return the size in words."""
        num_slots = history.size("num_slots")
        return f"memory of {num_slots} slots" if num_slots > 1 else "memory of one slot"

    def construction(self, history: History) -> str:
        """Return how the allocator is made."""
        return f"{self.answer_name}({history.size('num_slots')})"

    def as_test(self, history: History, difference: Difference) -> str:
        """Write the calls, the error that a call should raise, and one assertion."""
        calls: list[tuple[str, PagedKVError | None]] = []
        for call, outcome in zip(history.calls, _outcomes(history), strict=True):
            line = as_python(call)
            if isinstance(outcome, PagedKVError):
                calls.append((line, outcome))
            else:
                calls.append((f"{call.result} = {line}" if call.result else line, None))
        difference = _asserted(history.calls[-1:], difference)
        made = [f"slots = {self.construction(history)}"]
        return pasted_test(self.answer_name, made, calls, difference)


def _asserted(last: Sequence[Call], difference: Difference) -> Difference:
    """Say that a start is wrong in a way that can follow the call in a test."""
    for call in last:
        is_start = call.result and difference.expected_value.isdigit()
        if is_start and difference.compared == as_python(call):
            equal = f"{call.result} == {difference.expected_value}"
            return replace(
                difference, compared=equal, found_value="False", expected_value="True"
            )
    return difference


def _stretched(history: History, num_slots: int) -> History:
    """Return the history in another memory; what filled the old one fills the new."""
    old = history.size("num_slots")
    calls = [
        replace(call, arguments=(num_slots,)) if call.arguments == (old,) else call
        for call in history.calls
    ]
    return History((("num_slots", num_slots),), tuple(calls))


def _with(history: History, index: int, call: Call) -> History:
    calls = history.calls
    return history.with_calls((*calls[:index], call, *calls[index + 1 :]))


def _smaller(argument: Argument) -> Sequence[Argument]:
    if isinstance(argument, Name):
        return [Name(name) for name in NAMES[: NAMES.index(argument)]]
    return range(1, argument) if isinstance(argument, int) else ()


def _renamed(argument: Argument, new_by_old: Mapping[str, str]) -> Argument:
    if isinstance(argument, Name):
        return Name(new_by_old.get(argument, argument))
    return argument


def _outcomes(history: History) -> list[Outcome]:
    """Return what our allocator answers to each call."""
    named = NamedExtents(ExtentAllocator(history.size("num_slots")))
    return [named.make(call) for call in history.calls]
