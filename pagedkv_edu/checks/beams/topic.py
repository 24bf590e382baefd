"""The exercise on beam search: which searches there are, and what is near one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.beams.run import BeamFunction, BeamRun, beam_step
from pagedkv_edu.checks.beams.watch import step_arguments
from pagedkv_edu.checks.histories import Call, Given, History, Pairs
from pagedkv_edu.checks.judging.limits import Guard
from pagedkv_edu.checks.judging.pasted import pasted_test
from pagedkv_edu.checks.judging.topics import Advice, Difference, Nearby
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.report import Hint

LESSON_BLOCK_SIZE = 4
NUM_BLOCKS = 8
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_BEAMS = 3
MAX_STEPS = 3


@dataclass(frozen=True, eq=False)
class BeamTopic:
    """The exercise whose answer is one step of beam search."""

    exercise_id: str
    answer_name: str
    hints: tuple[Hint, ...]
    reread: str
    advice: Mapping[str, Advice]

    @property
    def parts(self) -> tuple[str, ...]:
        """Return what the learner writes."""
        return (self.answer_name,)

    def histories(self) -> SearchStrategy[History]:
        """Draw searches of up to three steps that fit into the pool."""
        # Each byte chooses the parent of one beam, and whether it keeps its name.
        step = st.binary(min_size=1, max_size=MAX_BEAMS)
        return st.builds(
            _history,
            st.sampled_from((4, 4, 2, 3)),
            st.integers(1, 8),
            st.lists(step, min_size=1, max_size=MAX_STEPS),
        ).map(self.tidy)

    def start(
        self,
        answer: BeamFunction,
        history: History,
        guard: Guard,
        *,
        recorded: bool = False,
    ) -> BeamRun:
        """Begin a search; it is always recorded, to see what the function asked."""
        return BeamRun(answer, history, guard, self.advice)

    def num_misused(self, history: History) -> int:
        """Return 0: only possible searches are made."""
        return 0

    def size(self, history: History) -> tuple[int, ...]:
        """Prefer the lesson's block_size, few beams, then few tokens."""
        steps = [step_arguments(call)[1] for call in history.calls[1:]]
        return (
            history.size("block_size") != LESSON_BLOCK_SIZE,
            sum(map(len, steps)),
            _num_tokens(history),
            sum(beam != parent for step in steps for beam, parent in step.items()),
            sum(a > b for step in steps for a, b in pairwise(step)),
        )

    def tidy(self, history: History) -> History:
        """Follow the search: leave out what is not possible, and name beams A, B, C."""
        if not history.calls or history.calls[0].name != "add":
            return history.with_calls(())
        manager = _new_manager(history)
        manager.add("A", _num_tokens(history))
        calls = [Call("add", ("A", _num_tokens(history)))]
        new_by_old, num_named = {str(history.calls[0].arguments[0]): "A"}, 1
        for call in history.calls[1:]:
            beams = list(new_by_old.values())
            wanted: dict[str, str] = {}
            names: dict[str, str] = {}
            for old, old_parent in step_arguments(call)[1].items():
                if old_parent not in new_by_old:
                    continue
                parent = new_by_old[old_parent]
                stays = old == old_parent and parent not in wanted
                name = parent if stays else NAMES[num_named]
                num_named += not stays
                wanted[name], names[old] = parent, name
            if not wanted or not _possible(manager, beams, wanted):
                continue
            calls.append(_step(beams, wanted))
            new_by_old = names
        return history.with_calls(tuple(calls))

    def smaller(self, history: History) -> Iterator[History]:
        """Yield fewer tokens, fewer continuations, beams that keep their names."""
        add, *steps = history.calls
        lesson = history.with_size("block_size", LESSON_BLOCK_SIZE)
        for count in range(1, 2 * LESSON_BLOCK_SIZE + 1):
            yield lesson.with_calls((Call("add", (add.arguments[0], count)), *steps))
        for index, call in enumerate(steps):
            beams, pairs = step_arguments(call)
            for beam, parent in pairs.items():
                fewer = {b: p for b, p in pairs.items() if b != beam}
                named = {(parent if b == beam else b): p for b, p in pairs.items()}
                for other in (fewer, named, dict(sorted(pairs.items()))):
                    changed = [*steps]
                    changed[index] = _step(beams, other)
                    yield history.with_calls((add, *changed))

    def go_on(self, history: History) -> Iterator[tuple[Call, ...]]:
        """Yield nothing: the damage of a wrong step shows at once."""
        return iter(())

    def nearby(self, history: History) -> Nearby:
        """Vary the length of the first beam over the fillings of its first block."""
        block_size = history.size("block_size")
        full = block_size if _num_tokens(history) <= block_size else 2 * block_size
        _, *steps = history.calls
        return Nearby(
            'begun with add("A", n)',
            tuple(
                (n, history.with_calls((Call("add", ("A", n)), *steps)))
                for n in range(1, full + 1)
            ),
        )

    def setting(self, history: History) -> str:
        """Return the sizes in words."""
        num_blocks, block_size = history.size("num_blocks"), history.size("block_size")
        return f"pool of {num_blocks} blocks, block_size {block_size}"

    def construction(self, history: History) -> str:
        """Return the name of the function: nothing is made."""
        return self.answer_name

    def as_test(self, history: History, difference: Difference) -> str:
        """Write the search as a test."""
        num_blocks, block_size = history.size("num_blocks"), history.size("block_size")
        made = [
            f"pool = BlockPool({num_blocks})",
            f"manager = BlockManager(pool, {block_size})",
        ]
        calls: list[tuple[str, PagedKVError | None]] = [
            (f"manager.{call}" if call.name == "add" else str(call), None)
            for call in history.calls
        ]
        return pasted_test(self.answer_name, made, calls, difference)


def _num_tokens(history: History) -> int:
    count = history.calls[0].arguments[1] if history.calls else 0
    assert isinstance(count, int), history
    return count


def _new_manager(history: History) -> BlockManager:
    pool = BlockPool(history.size("num_blocks"))
    return BlockManager(pool, history.size("block_size"))


def _step(beams: Sequence[str], parent_by_beam: Mapping[str, str]) -> Call:
    pairs = Pairs(parent_by_beam.items())
    return Call("my_beam_step", (Given("manager"), tuple(beams), pairs))


def _possible(
    manager: BlockManager, beams: Sequence[str], parent_by_beam: Mapping[str, str]
) -> bool:
    """Make a step, if the pool has enough blocks for it."""
    needed = sum(len(manager.table(p).block_ids) for p in parent_by_beam.values())
    if needed + len(parent_by_beam) > manager.pool.num_blocks:
        return False
    beam_step(manager, beams, parent_by_beam)
    return True


def _history(block_size: int, count: int, steps: Sequence[bytes]) -> History:
    """Decode a search: the tokens of the first beam, then the parents of each step."""
    sizes = (("num_blocks", NUM_BLOCKS), ("block_size", block_size))
    calls = [Call("add", ("A", count))]
    beams, num_named = ["A"], 1
    for choices in steps:
        wanted: dict[str, str] = {}
        for choice in choices:
            parent = beams[choice % len(beams)]
            stays = choice >= 128 and parent not in wanted
            name = parent if stays else NAMES[num_named]
            num_named += not stays
            wanted[name] = parent
        calls.append(_step(beams, wanted))
        beams = list(wanted)
    return History(sizes, tuple(calls))
