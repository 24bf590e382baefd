"""Watch a function make steps of beam search: what it asked, and what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pagedkv_edu.checks.histories import Call, History, Pairs
from pagedkv_edu.checks.judging.limits import Complaint
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import BlockCopy, ManagerLike, SeqId
from pagedkv_edu.replay.describe import amount, call_text, listed
from pagedkv_edu.replay.events import Event, TableState
from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import frames
from pagedkv_edu.replay.memory import WordMemory
from pagedkv_edu.replay.recording import RecordedManager, RecordedPool
from pagedkv_edu.report import Json

StepFunction = Callable[
    [ManagerLike, Sequence[str], Mapping[str, str]], list[BlockCopy]
]


@dataclass(frozen=True, slots=True)
class BeamSide:
    """What one function did in one step."""

    tables: Mapping[str, TableState]  # of every beam before or after the step
    copies: tuple[BlockCopy, ...]  # that the function returned
    made: tuple[BlockCopy, ...]  # that the manager returned to it
    asked: tuple[str, ...]  # the calls of the manager, in order
    num_free: int
    error: PagedKVError | None = None


class WatchedSearch:
    """A manager of ours that a beam search drives."""

    def __init__(self, history: History) -> None:
        self._pool = RecordedPool(BlockPool(history.size("num_blocks")))
        self._block_size = history.size("block_size")
        manager = BlockManager(self._pool, self._block_size)
        self._manager = RecordedManager(manager, self._pool)
        self._memory = WordMemory(self._block_size)
        self._ends: list[tuple[Call, int]] = []  # of each call, in the list of events
        self._complaint = ""  # of the last step, where it gave no proper answer

    def add(self, call: Call) -> None:
        """Begin the search with one beam, and write its words."""
        beam, count = call.arguments
        assert isinstance(beam, str), call
        assert isinstance(count, int), call
        self._manager.add(beam, count)
        self._ends.append((call, len(self._manager.events)))
        for position in range(count):
            self._write(beam, position)

    def make(self, call: Call, function: StepFunction) -> BeamSide:
        """Let a function make one step."""
        beams, parent_by_beam = step_arguments(call)
        begin = len(self._manager.events)
        copies: list[BlockCopy] = []
        error: PagedKVError | None = None
        try:
            copies = function(self._manager, beams, parent_by_beam)
        except PagedKVError as caught:
            error = caught
        except Complaint as complaint:
            self._complaint = f"{Complaint.__name__}: {complaint}"
            raise
        finally:
            self._ends.append((call, len(self._manager.events)))
        events = self._manager.events[begin:]
        tables = {
            beam: table
            for beam in dict.fromkeys((*beams, *parent_by_beam))
            if (table := self._table(beam))
        }
        return BeamSide(
            tables,
            tuple(copies),
            tuple(copy for event in events for copy in event.copies),
            tuple(call_text(event) for event in events),
            self._pool.num_free,
            error,
        )

    def write_next(
        self, words: Mapping[str, Sequence[str]], copies: Sequence[BlockCopy]
    ) -> None:
        """Carry out the copies; then each beam writes its newest word."""
        self._memory.copy(copies)
        for beam, own in words.items():
            self._write(beam, len(own) - 1)

    def read(self, beam: str) -> str:
        """Return what attention reads for a beam."""
        table = self._table(beam)
        return self._memory.read(table) if table else ""

    def film(self) -> Json:
        """Return the film, one frame for a call of the history."""
        begin, merged = 0, list[Event]()
        for call, end in self._ends:
            events = self._manager.events[begin:end]
            merged.append(self._merged(call, events))
            begin = end
        film = encode(frames(merged))
        begin = 0
        for frame, (call, end) in zip(film["frames"], self._ends, strict=True):
            if call.name != "add":
                frame |= _told(call, self._manager.events[begin:end])
            begin = end
        if self._complaint:
            film["frames"][-1] |= {"kind": "refuse", "error": self._complaint}
        return film

    def _merged(self, call: Call, events: Sequence[Event]) -> Event:
        if call.name == "add" and len(events) == 1:
            return events[0]
        tables: dict[SeqId, TableState | None] = {}
        counts: dict[int, int] = {}
        for event in events:
            tables |= dict(event.tables)
            counts |= dict(event.ref_counts)
        beams = step_arguments(call)[0]
        return Event(
            call.name,
            tuple(beams[:1]),
            num_blocks=self._pool.num_blocks,
            num_free=events[-1].num_free if events else self._pool.num_free,
            block_size=self._block_size,
            copies=tuple(copy for event in events for copy in event.copies),
            pool_calls=tuple(c for event in events for c in event.pool_calls),
            tables=tuple(tables.items()),
            ref_counts=tuple(counts.items()),
            error=next((event.error for event in events if event.error), ""),
        )

    def _write(self, beam: str, position: int) -> None:
        table = self._table(beam)
        if table is not None and position < table.seq_len:
            logical_block, offset = divmod(position, self._block_size)
            slot = table.block_ids[logical_block] * self._block_size + offset
            self._memory.write(slot, f"{beam}{position}")

    def _table(self, beam: str) -> TableState | None:
        try:
            table = self._manager.table(beam)
        except PagedKVError:
            return None
        return TableState(tuple(table.block_ids), table.seq_len)


def step_arguments(call: Call) -> tuple[list[str], dict[str, str]]:
    """Return the beams of a step, and the parent of each beam after it."""
    _, beams, pairs = call.arguments
    assert isinstance(beams, tuple), call
    assert isinstance(pairs, Pairs), call
    return [str(beam) for beam in beams], dict(pairs)


def _told(call: Call, events: Sequence[Event]) -> Json:
    """Return what a frame says of a whole step."""
    num_copies = sum(len(event.copies) for event in events)
    taken = any(event.blocks_taken for event in events)
    asked = listed([call_text(event) for event in events]) if events else "nothing"
    error = next((event.error for event in events if event.error), "")
    kind = "copy" if num_copies else "grow" if taken else "write"
    return {
        "kind": "refuse" if error else kind,
        "call": str(call),
        "headline": f"One step of beam search: {amount(num_copies, 'copy')}",
        "text": f"The function called {asked}.",
    }
