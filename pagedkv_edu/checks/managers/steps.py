"""What one call did to a learner's manager, and what it did to ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.wording import amount, joined
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import BlockCopy
from pagedkv_edu.replay.events import TableState


@dataclass(frozen=True, slots=True)
class State:
    """Tables and counts as they were seen between two calls."""

    counts: tuple[int, ...]  # by block, as the pool says
    num_free: int
    tables: Mapping[str, TableState] = field(default_factory=dict[str, TableState])

    def owners(self, block_id: int) -> list[str]:
        """Return the sequences whose tables hold a block."""
        return [s for s, table in self.tables.items() if block_id in table.block_ids]


@dataclass(frozen=True, slots=True)
class Side:
    """One manager's part in a step."""

    before: State
    after: State
    copies: tuple[BlockCopy, ...] = ()
    error: PagedKVError | None = None

    @property
    def num_taken(self) -> int:
        """Free blocks that are not free any more."""
        return self.before.num_free - self.after.num_free


@dataclass(frozen=True, slots=True)
class Step:
    """One call, made on both."""

    call: Call
    block_size: int
    mine: Side
    wanted: Side
    num_needed: int  # free blocks, for the call to succeed
    words: Mapping[str, str]  # what attention reads through the learner's tables
    wanted_words: Mapping[str, str]

    @property
    def seq_id(self) -> str:
        """The sequence that acts; for a fork the child."""
        return str(self.call.arguments[1 if self.call.name == "fork" else 0])

    @property
    def before(self) -> TableState:
        """The learner's table of it before the call; empty if there was none."""
        return self.mine.before.tables.get(self.seq_id, TableState((), 0))

    @property
    def after(self) -> TableState:
        """The learner's table of it after the call; empty if there is none."""
        return self.mine.after.tables.get(self.seq_id, TableState((), 0))

    @property
    def wanted_after(self) -> TableState:
        """Our table of it after the call; empty if there is none."""
        return self.wanted.after.tables.get(self.seq_id, TableState((), 0))


def now(step: Step) -> str:
    """Say what the learner's sequence holds after the call."""
    if step.seq_id not in step.mine.after.tables:
        return f"{step.seq_id} has no table now."
    ids, seq_len = list(step.after.block_ids), step.after.seq_len
    return f"{step.seq_id}'s table is now {ids}, with {amount(seq_len, 'token')}."


def tables_of(seq_ids: Sequence[str]) -> str:
    """Return "no table", "A's table" or "the tables of A and B"."""
    if len(seq_ids) == 1:
        return f"{seq_ids[0]}'s table"
    return f"the tables of {joined(seq_ids)}" if seq_ids else "no table"
