"""A learner's manager and ours, led through one history side by side."""

from collections.abc import Callable, Mapping

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.judging.guarded import GuardedManager, Snapshot
from pagedkv_edu.checks.judging.limits import Complaint, Guard
from pagedkv_edu.checks.judging.search import complained
from pagedkv_edu.checks.judging.topics import Advice, Difference, Finding, advised
from pagedkv_edu.checks.judging.wording import amount, counted, out_of
from pagedkv_edu.checks.managers import copies as manager_copies
from pagedkv_edu.checks.managers import errors as manager_errors
from pagedkv_edu.checks.managers import tables as manager_tables
from pagedkv_edu.checks.managers.steps import Side, Step
from pagedkv_edu.checks.managers.words import (
    Observed,
    Words,
    blocks_needed,
    named,
    slot_of,
)
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import frames
from pagedkv_edu.replay.recording import RecordedManager, RecordedPool
from pagedkv_edu.report import Json

MakeManager = Callable[..., object]  # a learner's class: nothing is certain yet

# In the order in which a learner can follow: errors, what should be gone, copies, and
# then what is held. Of a table that is still there no count can be right.
DONE = (
    manager_tables.still_there,
    manager_copies.num_copies_differ,
    manager_tables.no_such_block,
    manager_copies.copy_differs,
    manager_tables.counts_differ,
    manager_tables.length_differs,
    manager_tables.num_blocks_differ,
    manager_tables.other_table_differs,
    manager_tables.order_differs,
    manager_tables.words_differ,
)
REFUSED = (manager_errors.error_differs, manager_errors.changed_although_refused)


class ManagerRun:
    """One history on a new manager of the learner's and a new one of ours."""

    def __init__(
        self,
        make_manager: MakeManager,
        history: History,
        guard: Guard,
        advice: Mapping[str, Advice],
        *,
        recorded: bool = False,
        snapshots: bool = False,
    ) -> None:
        self.block_size = history.size("block_size")
        self.num_refused = 0
        self._advice = advice
        self._snapshots = snapshots
        self._words = Words()
        self._names: dict[str, None] = {}
        self._num_calls = 0
        self._last_wanted: Side | None = None
        self._steps: list[Step] = []
        self._written: list[list[int]] = []  # by the learner's manager, by step

        pools = [BlockPool(history.size("num_blocks")) for _ in range(2)]
        watched = [RecordedPool(pool) if recorded else pool for pool in pools]
        self._mine_guarded = GuardedManager(
            guard.ask("__init__", make_manager, watched[0], self.block_size), guard
        )
        self._ours = BlockManager(watched[1], self.block_size)
        managers: list[ManagerLike] = [self._mine_guarded, self._ours]
        self._films = [
            RecordedManager(manager, pool, self.block_size)
            for manager, pool in zip(managers, watched, strict=True)
            if isinstance(pool, RecordedPool)
        ]
        managers = [*self._films] or managers
        self._mine = Observed(managers[0], pools[0], self.block_size)
        self._wanted = Observed(managers[1], pools[1], self.block_size)

    def do(self, call: Call) -> Difference | None:
        """Make the call on both, and compare."""
        self._names |= dict.fromkeys(named(call))
        num_needed = blocks_needed(self._ours, call)
        wanted = self._wanted.make(call, self._names)
        self.num_refused += wanted.error is not None
        self._num_calls += 1
        self._last_wanted = wanted
        mine = self._mine.make(call, self._names)
        if wanted.error is None:
            self._words.follow(call)
        written = self._mine.write(call, mine, self._words)
        step = Step(
            call,
            self.block_size,
            mine,
            wanted,
            num_needed,
            {seq_id: self._mine.read(seq_id) for seq_id in self._words.by_seq},
            {seq_id: " ".join(words) for seq_id, words in self._words.by_seq.items()},
        )
        self._steps.append(step)
        self._written.append(written)
        return self._compare(step)

    def complain(self, call: Call, complaint: Complaint) -> Difference:
        """Say what was expected of a call that gave no proper answer."""
        advice = self._advice["raised"]
        return complained(
            call,
            complaint,
            wanted=self._wanted_word(complaint),
            expected=self._wanted_text(call),
            hint=advice.hint,
            reread=advice.reread,
        )

    def _wanted_word(self, complaint: Complaint) -> str:
        error = self._last_wanted.error if self._last_wanted else None
        if error is not None:
            return type(error).__name__
        if complaint.error:
            return "no error"
        return "a list of copies" if complaint.part == "append" else ""

    def _wanted_text(self, call: Call) -> str:
        wanted = self._last_wanted
        if wanted is not None and wanted.error is not None:
            return f"{type(wanted.error).__name__}: {wanted.error}."
        seq_id = named(call)[-1]
        table = wanted.after.tables.get(seq_id) if wanted else None
        if wanted is None or table is None:
            return f"no table for {seq_id}, and its references given back."
        held = f"{amount(len(table.block_ids), 'block')} of {self.block_size} slots"
        copies = f", and {counted(len(wanted.copies), 'copy')}"
        return (
            f"{seq_id} to have {amount(table.seq_len, 'token')} in {held}"
            f"{copies if call.name == 'append' else ''}."
        )

    def films(self) -> Json:
        """Return both films, if every call is one frame of each."""
        num_frames = [len(film.events) for film in self._films]
        if num_frames != [self._num_calls] * 2:
            return {}
        yours, reference = (encode(frames(film.events)) for film in self._films)
        return {"yours": yours, "reference": reference}

    def harm(self, calls: tuple[Call, ...]) -> str:
        """Say what the last calls led to: an error, wrong words, blocks that leak."""
        if len(self._steps) < self._num_calls:  # one call gave no proper answer
            return ""
        wrong, *more = self._steps[-len(calls) - 1 :]
        if len(more) < len(calls) or any(step.wanted.error for step in more):
            return ""
        if wrong.words != wrong.wanted_words:
            return ""
        done = ", then ".join(map(str, calls))
        last = [wrong, *more][-1]
        if any(step.mine.error for step in more[:-1]):
            return ""
        if more and last.mine.error:
            name = type(last.mine.error).__name__
            return f"{done} is refused. {name}: {last.mine.error}."
        for seq_id, wanted in last.wanted_words.items():
            found = last.words[seq_id]
            if found != wanted:
                where = self._where(seq_id, len(calls))
                return (
                    f'{done}{where} {seq_id} then reads "{found}"; expected "{wanted}".'
                )
        num_blocks, num_free = len(last.mine.after.counts), last.mine.after.num_free
        if last.wanted.after.tables or num_free == num_blocks:
            return ""
        lost = num_blocks - num_free
        return (
            f"{done}{': ' if done else ''}no sequence is left, and "
            f"{out_of(num_free, num_blocks)} free. "
            f"{counted(lost, 'block').capitalize()} can never be used again."
        )

    def _where(self, seq_id: str, num_calls: int) -> str:
        """Say into which slot the last call wrote, if it is a slot of this sequence."""
        written = set(self._written[-1])
        if any(written & set(slots) for slots in self._written[-num_calls - 1 : -1]):
            return " writes into the same slot."
        table = self._steps[-1].mine.after.tables.get(seq_id, TableState((), 0))
        for position in range(table.seq_len):
            slot = slot_of(table, position, self.block_size)
            if slot in written:
                block_id, offset = divmod(slot, self.block_size)
                return f" writes into slot {offset} of block {block_id}."
        return "."

    def _compare(self, step: Step) -> Difference | None:
        refused = step.mine.error or step.wanted.error
        for compare in REFUSED if refused else DONE:
            finding = compare(step)
            if finding:
                return advised(finding, self._advice)
        changed = self._mine_guarded.changed_snapshot if self._snapshots else None
        return advised(_snapshot(step, changed), self._advice) if changed else None


def _snapshot(step: Step, changed: Snapshot) -> Finding:
    old, new = changed.before, changed.after
    what, found, wanted = "seq_len", str(new.seq_len), str(old.seq_len)
    if found == wanted:
        what = "block_ids"
        found, wanted = str(list(new.block_ids)), str(list(old.block_ids))
    table = f'table("{changed.seq_id}")'
    return Finding(
        "snapshot",
        f"{step.call} changed what {table} had returned before it",
        f"a snapshot: what was returned keeps {what} {wanted}, come what may.",
        f"the table that {table} returned before: its {what} {wanted} -> {found}.",
        f"before.{what}",
        found,
        wanted,
        f"before = manager.{table}",
    )
