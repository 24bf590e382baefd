"""The calls that the player's buttons stand for, and what each would do now."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.frames import Frame
from pagedkv_edu.replay.recording import RecordedManager
from pagedkv_edu.report import Json
from pagedkv_edu.sizes import cdiv


@dataclass(frozen=True, slots=True)
class Action:
    """One call of a manager, with the text of its button."""

    call: Literal["add", "append", "fork", "free"]
    seq_id: SeqId  # who acts; for a fork the parent
    label: str  # "Fork A"
    cost: str  # "shares 9 blocks, copies 0"
    child_id: SeqId = ""
    num_tokens: int = 1

    @property
    def key(self) -> str:
        """The name of this button; 1 and "1" are different sequences."""
        return f"{self.call} {self.seq_id!r}"

    def carry_out(self, manager: RecordedManager) -> None:
        """Make the call; what the manager raises goes through."""
        if self.call == "add":
            manager.add(self.seq_id, self.num_tokens)
        elif self.call == "append":
            manager.append(self.seq_id, self.num_tokens)
        elif self.call == "fork":
            manager.fork(self.seq_id, self.child_id)
        else:
            manager.free(self.seq_id)

    def to_json(self) -> Json:
        """Return what the browser shows."""
        kinds = {"add": "arrive", "append": "write", "fork": "fork", "free": "finish"}
        return {
            "key": self.key,
            "kind": kinds[self.call],
            "seq": None if self.call == "add" else str(self.seq_id),
            "label": self.label,
            "cost": self.cost,
        }


def offered(film: Sequence[Frame]) -> list[Action]:
    """Return the actions that the last state of a film allows.

    Their costs are a dry run, by the rules of the contract, on what was seen last. A
    wrong manager may do something else; the next frame then shows what it did.
    """
    last = film[-1]
    used = {seq_id for frame in film for seq_id in frame.tables}
    actions: list[Action] = []
    for seq_id, table in last.tables.items():
        child_id = next(i for i in _child_ids(seq_id, used) if i not in used)
        actions += [
            Action("fork", seq_id, f"Fork {seq_id}", fork_cost(table), child_id),
            Action("append", seq_id, f"Append to {seq_id}", append_cost(last, table)),
            Action("free", seq_id, f"Finish {seq_id}", finish_cost(last, table)),
        ]
    return [*actions, _add(last, used)]


def fork_cost(table: TableState) -> str:
    """Say what a fork does: it shares every block and takes none."""
    return f"shares {amount(len(table.block_ids), 'block')}, copies 0"


def append_cost(frame: Frame, table: TableState) -> str:
    """Say what appending one token does to a sequence's last block."""
    offset = table.seq_len % (frame.event.block_size or 1)
    if offset == 0:
        return _if_free(frame, 1, "takes 1 block")
    if not table.block_ids:
        return "its table is empty"
    last = table.block_ids[-1]
    if frame.ref_counts.get(last, 0) > 1:
        return _if_free(frame, 1, f"copies block {last}")
    return f"writes slot {offset} of block {last}"


def finish_cost(frame: Frame, table: TableState) -> str:
    """Say how many blocks become free, and how many others still hold."""
    held = Counter(table.block_ids)
    freed = sum(frame.ref_counts.get(b, 0) == times for b, times in held.items())
    kept = sum(frame.ref_counts.get(b, 0) > times for b, times in held.items())
    rest = f", {kept} {'stays' if kept == 1 else 'stay'} held" if kept else ""
    return f"frees {amount(freed, 'block')}{rest}"


def _add(last: Frame, used: set[SeqId]) -> Action:
    # one full block and a half: the smallest sequence that shows both kinds
    block_size = last.event.block_size or 1
    num_tokens = block_size + cdiv(block_size, 2)
    needed = cdiv(num_tokens, block_size)
    seq_id = next(i for i in _new_ids(used) if i not in used)
    cost = f"{amount(num_tokens, 'token')}, takes {amount(needed, 'block')}"
    label = f"Add {seq_id}"
    return Action(
        "add", seq_id, label, _if_free(last, needed, cost), num_tokens=num_tokens
    )


def _if_free(frame: Frame, needed: int, cost: str) -> str:
    num_free = frame.event.num_free
    if num_free >= needed:
        return cost
    return f"refused: needs {amount(needed, 'block')}, {num_free} free"


def _child_ids(parent_id: SeqId, used: set[SeqId]) -> Iterator[SeqId]:
    if isinstance(parent_id, int):
        yield from _new_ids(used)
    for number in range(1, len(used) + 2):
        yield f"{parent_id}.{number}"


def _new_ids(used: set[SeqId]) -> Iterator[SeqId]:
    """Yield letters, or numbers where the film's sequences have numbers."""
    numbers = [seq_id for seq_id in used if isinstance(seq_id, int)]
    if numbers:
        yield max(numbers) + 1
    yield from ascii_uppercase
    for number in range(len(used) + 1):
        yield f"S{number}"
