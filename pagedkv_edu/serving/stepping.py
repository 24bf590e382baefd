"""One step of continuous batching, with everything that it needs passed in."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pagedkv_edu.protocols import BlockCopy, ManagerLike, SeqId, TableLike
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.simulation import SchedulerLike

# A sequence's table, and the tokens that this step computes: the last ones in it.
Row = tuple[TableLike, list[int]]


class EngineLike(Protocol):
    """The memory and the model: it does what a step has decided."""

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Carry out copies of blocks, one by one, in this order."""
        ...

    def compute(self, rows: Sequence[Row]) -> list[int]:
        """Write the rows' tokens into their slots, attend, and choose.

        Returns the token that comes after each row, in the same order.
        """
        ...


IsOver = Callable[[SeqId], bool]
Step = Callable[
    [SchedulerLike, ManagerLike, EngineLike, dict[SeqId, list[int]], IsOver], StepPlan
]


def step(
    scheduler: SchedulerLike,
    manager: ManagerLike,
    engine: EngineLike,
    known: dict[SeqId, list[int]],
    is_over: IsOver,
) -> StepPlan:
    """Do one step: plan, copy, compute, append what is new, and finish who is over.

    `known` holds the tokens of each prompt and of its answer so far. A sequence of
    whose known tokens some are not computed yet gets no new one in this step.
    """
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables = {seq_id: manager.table(seq_id) for seq_id in plan.scheduled}
    rows: list[Row] = []
    for seq_id, num_tokens in plan.scheduled.items():
        stop = tables[seq_id].seq_len
        rows.append((tables[seq_id], known[seq_id][stop - num_tokens : stop]))
    for seq_id, token in zip(tables, engine.compute(rows), strict=True):
        if tables[seq_id].seq_len < len(known[seq_id]):
            continue
        known[seq_id].append(token)
        if is_over(seq_id):
            scheduler.finish(seq_id)
    return plan
