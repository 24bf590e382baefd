"""Recorded histories of right and wrong managers, and the truth after each event."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from pagedkv_edu import BlockPool
from pagedkv_edu.protocols import (
    ManagerLike,
    PoolLike,
    SeqId,
    SwappingManagerLike,
)
from pagedkv_edu.replay import (
    Event,
    RecordedManager,
    RecordedPool,
    RecordedSwappingManager,
)
from pagedkv_edu.replay.events import TableState
from tests.mutants import memory as mutants
from tests.plain_manager import PlainManager
from tests.steps import IDS, Build, Engine, History, random_history

WRONG_MANAGERS: list[type[PlainManager]] = [
    mutants.WritesInPlace,
    mutants.CopiesAFullBlock,
    mutants.CopiesWhatIsItsOwn,
    mutants.DropsTheCopy,
    mutants.ReturnsCopiesInTheWrongOrder,
    mutants.CopiesTheWrongWay,
    mutants.KeepsTheOldReference,
    mutants.SharesTheList,
    mutants.ForgetsToShare,
    mutants.FailsHalfway,
    mutants.FreesTheFirstBlocksOnly,
    mutants.GrowsOneTokenLate,
    mutants.WindowOfTwo,
]


@dataclass(frozen=True)
class State:
    """What the recorded objects say of themselves."""

    ref_counts: dict[int, int]  # of blocks in use
    num_free: int
    tables: dict[SeqId, TableState]


class Looking(list[Event]):
    """A list of events that looks at the recorded objects after each of them."""

    def __init__(self, look: Callable[[], State]) -> None:
        super().__init__()
        self.look = look
        self.start = look()
        self.states: list[State] = []

    def append(self, event: Event) -> None:
        super().append(event)
        self.states.append(self.look())


def record(
    history: History,
    build: Build,
    make_pool: Callable[[int], PoolLike] = BlockPool,
) -> Looking:
    """Record a history until it ends or the manager breaks down."""
    recordings: list[Looking] = []

    def build_recorded(
        pool: PoolLike, block_size: int, host_pool: PoolLike
    ) -> ManagerLike:
        recorded_pool = RecordedPool(pool)
        manager = build(recorded_pool, block_size, host_pool)
        recordings.append(Looking(lambda: look(pool, manager)))
        recorded_pool.events = recordings[0]
        if isinstance(manager, SwappingManagerLike):
            return RecordedSwappingManager(manager, recorded_pool)
        return RecordedManager(manager, recorded_pool)

    engine = Engine(history, build_recorded, make_pool=make_pool)
    try:
        for calls in history.steps:
            engine.step(calls)
    except Exception:  # noqa: BLE001  (a wrong manager may break down in any way)
        pass
    return recordings[0]


def record_random(build: Build, seed: int, *, swapping: bool = False) -> Looking:
    """Record a made-up history of a few dozen calls."""
    return record(random_history(Random(seed), swapping=swapping), build)


def look(pool: PoolLike, manager: ManagerLike) -> State:
    """Read counts and tables from the pool and the manager themselves."""
    tables: dict[SeqId, TableState] = {}
    for seq_id in IDS:
        try:
            table = manager.table(seq_id)
        except Exception:  # noqa: BLE001  (not live)
            continue
        tables[seq_id] = TableState(tuple(table.block_ids), table.seq_len)
    counts = {b: pool.ref_count(b) for b in range(pool.num_blocks)}
    in_use = {b: count for b, count in counts.items() if count}
    return State(in_use, pool.num_free, tables)
