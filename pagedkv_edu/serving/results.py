"""What a simulation saw, as plain data."""

from dataclasses import asdict, dataclass, field

from pagedkv_edu.protocols import SeqId
from pagedkv_edu.report import Json

Column = list[int]


@dataclass(slots=True)
class StepColumns:
    """One number per step in each list; a step that does nothing is not listed."""

    step: Column = field(default_factory=list[int])
    running: Column = field(default_factory=list[int])  # sequences that got tokens
    waiting: Column = field(default_factory=list[int])
    scheduled_tokens: Column = field(default_factory=list[int])
    hit_tokens: Column = field(default_factory=list[int])  # found, not computed
    blocks_used: Column = field(default_factory=list[int])
    shared_blocks: Column = field(default_factory=list[int])  # table entries saved
    wasted_slots: Column = field(default_factory=list[int])  # empty, in held blocks
    copies: Column = field(default_factory=list[int])
    preemptions: Column = field(default_factory=list[int])
    recomputed_tokens: Column = field(default_factory=list[int])
    swapped_tokens: Column = field(default_factory=list[int])  # out and in
    refusals: Column = field(default_factory=list[int])


@dataclass(slots=True)
class RequestOutcome:
    """What became of one request; steps that were not reached are None."""

    request_id: SeqId
    arrival_step: int
    admitted_step: int | None = None
    first_token_step: int | None = None
    finished_step: int | None = None
    num_preemptions: int = 0
    outcome: str = "running"  # then "finished", "never fits" or "outgrew the pool"

    @property
    def wait_steps(self) -> int | None:
        """Steps from arrival to admission."""
        if self.admitted_step is None:
            return None
        return self.admitted_step - self.arrival_step


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Every step and every request of a simulation."""

    num_blocks: int
    block_size: int
    seconds_per_step: float
    steps: StepColumns
    requests: list[RequestOutcome]

    @property
    def num_steps(self) -> int:
        """Steps in which something was scheduled, preempted or refused."""
        return len(self.steps.step)

    @property
    def num_seq_steps(self) -> int:
        """Sequences that got tokens, summed over all steps."""
        return sum(self.steps.running)

    @property
    def waste_share(self) -> float:
        """Empty slots as a share of all held slots, every step counted."""
        held = sum(self.steps.blocks_used) * self.block_size
        return sum(self.steps.wasted_slots) / held if held else 0.0

    @property
    def utilisation(self) -> float:
        """Held blocks as a share of the pool, every step counted."""
        pool_steps = self.num_steps * self.num_blocks
        return sum(self.steps.blocks_used) / pool_steps if pool_steps else 0.0

    def to_json(self) -> Json:
        """Return everything as JSON."""
        return asdict(self)
