"""A service without a model: words for keys and values, and a rule for what is next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import BlockCopy, ManagerLike, SeqId, TableLike
from pagedkv_edu.replay.memory import WordMemory
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.stepping import Row
from pagedkv_edu.serving.workload import Request


@dataclass(frozen=True, slots=True)
class Scene:
    """What is asked, and of how large a pool."""

    requests: tuple[tuple[int, int], ...]  # tokens of prompt, and new ones, of A, B, …
    num_blocks: int
    block_size: int = 4
    budget: int = 16  # tokens a step
    num_host_blocks: int = 0

    def text(self) -> str:
        """Return the scene in words."""
        asked = ", ".join(
            f"{'ABCDEFGH'[i]} {prompt} + {new}"
            for i, (prompt, new) in enumerate(self.requests)
        )
        host = f", {self.num_host_blocks} on the host" if self.num_host_blocks else ""
        return (
            f"{asked} tokens; {self.num_blocks} blocks of {self.block_size}{host}, "
            f"{self.budget} tokens a step"
        )

    def code(self) -> str:
        """Return the scene as Python."""
        host = self.num_host_blocks
        return (
            f"Scene({self.requests}, {self.num_blocks}, {self.block_size}, "
            f"{self.budget}, {host})"
        )


class WatchedScheduler:
    """The course's scheduler, which notes how it was called."""

    def __init__(self, scheduler: Scheduler, log: list[str]) -> None:
        self._scheduler = scheduler
        self._log = log
        self.plans: list[StepPlan] = []
        self.finished: list[SeqId] = []

    @property
    def has_work(self) -> bool:
        """Whether a request is waiting or running."""
        return self._scheduler.has_work

    def submit(self, request: Request) -> None:
        """Queue a request."""
        self._scheduler.submit(request)

    def step(self) -> StepPlan:
        """Decide a step."""
        self._log.append("plan")
        self.plans.append(self._scheduler.step())
        return self.plans[-1]

    def finish(self, seq_id: SeqId) -> None:
        """Free a sequence."""
        self._log.append("finish")
        self.finished.append(seq_id)
        self._scheduler.finish(seq_id)


class ToyEngine:
    """Keeps the words of tokens in slots; what comes next follows from all it reads.

    A copy left out or made too late, a wrong table or wrong tokens change what it
    reads, and so what comes next, as with a model.
    """

    def __init__(self, block_size: int, log: list[str]) -> None:
        self._block_size = block_size
        self._memory = WordMemory(block_size)
        self._log = log
        self.copies: list[BlockCopy] = []
        self.rows: list[tuple[TableLike, list[int]]] = []

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Carry out copies, in order."""
        copies = list(copies)
        if copies:
            self._log.append("copy")
        self.copies += copies
        self._memory.copy(copies)

    def compute(self, rows: Sequence[Row]) -> list[int]:
        """Write the rows, read their tables, and return what comes next."""
        self._log.append("compute")
        rows = [(table, list(token_ids)) for table, token_ids in rows]
        self.rows += rows
        for table, token_ids in rows:
            first = table.seq_len - len(token_ids)
            for position, token in enumerate(token_ids, first):
                block, offset = divmod(position, self._block_size)
                if 0 <= block < len(table.block_ids):  # a learner's row may be wrong
                    slot = table.block_ids[block] * self._block_size + offset
                    self._memory.write(slot, str(token))
        return [self._next(table) for table, _ in rows]

    def _next(self, table: TableLike) -> int:
        total = 7
        for word in self._memory.words(table):
            token = int(word) if word.isdigit() else 500
            total = (total * 31 + token) % 997
        return 100 + total % 400


@dataclass
class Service:
    """One service: its scheduler, manager, engine, and the tokens that are known."""

    scene: Scene
    log: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        """Make the parts, and submit what is asked."""
        scene = self.scene
        pool = BlockPool(scene.num_blocks)
        host = BlockPool(scene.num_host_blocks) if scene.num_host_blocks else None
        self.manager: ManagerLike = BlockManager(pool, scene.block_size, host)
        self.scheduler = WatchedScheduler(
            Scheduler(
                self.manager,
                pool,
                scene.block_size,
                token_budget=scene.budget,
                preempt_by="swap" if host else "recompute",
            ),
            self.log,
        )
        self.engine = ToyEngine(scene.block_size, self.log)
        self.known: dict[SeqId, list[int]] = {}
        self._most: dict[SeqId, int] = {}
        for seq_id, (num_prompt, num_new) in zip(
            "ABCDEFGH", scene.requests, strict=False
        ):
            self.scheduler.submit(
                Request(seq_id, num_prompt, num_new, max_tokens=num_new)
            )
            first = 10 * (ord(seq_id) - ord("A") + 1)
            self.known[seq_id] = [first + i for i in range(num_prompt)]
            self._most[seq_id] = num_prompt + num_new

    def is_over(self, seq_id: SeqId) -> bool:
        """Tell whether a sequence has its last token."""
        return len(self.known[seq_id]) >= self._most[seq_id]

    def begin_step(self) -> None:
        """Forget what was noted, so that the next step is seen by itself."""
        self.log.clear()
        self.scheduler.plans.clear()
        self.scheduler.finished.clear()
        self.engine.copies.clear()
        self.engine.rows.clear()
