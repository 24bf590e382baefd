"""The decisions of one step, while they are made and when they are final."""

from dataclasses import dataclass, field

from pagedkv_edu.protocols import BlockCopy, SeqId


@dataclass(frozen=True, slots=True)
class StepPlan:
    """What one step does: every decision, as data.

    The engine carries out `copies` in order, writes the keys and values of the
    scheduled tokens, then runs attention. A sequence whose last known token was
    scheduled has one more token after the step.
    """

    scheduled: dict[SeqId, int]  # tokens to compute, by sequence
    admitted: tuple[SeqId, ...] = ()
    preempted: tuple[SeqId, ...] = ()  # dropped, to be computed again
    swapped_out: tuple[SeqId, ...] = ()
    swapped_in: tuple[SeqId, ...] = ()
    refused: tuple[SeqId, ...] = ()  # outgrew the whole pool, and end here
    copies: tuple[BlockCopy, ...] = ()
    # tokens of the admitted that were found in the prefix cache, where there were any
    hit_tokens: dict[SeqId, int] = field(default_factory=dict[SeqId, int])


@dataclass(slots=True)
class Draft:
    """A step's decisions so far, and what they leave of the token budget."""

    budget: int  # tokens
    added: dict[SeqId, int] = field(default_factory=dict[SeqId, int])
    appending: dict[SeqId, int] = field(default_factory=dict[SeqId, int])
    growth: dict[SeqId, int] = field(default_factory=dict[SeqId, int])
    num_promised: int = 0  # blocks that appending will take: the sum of growth
    preempted: list[SeqId] = field(default_factory=list[SeqId])
    swapped_out: list[SeqId] = field(default_factory=list[SeqId])
    swapped_in: list[SeqId] = field(default_factory=list[SeqId])
    refused: list[SeqId] = field(default_factory=list[SeqId])
    copies: list[BlockCopy] = field(default_factory=list[BlockCopy])
    hit_tokens: dict[SeqId, int] = field(default_factory=dict[SeqId, int])

    def append(self, seq_id: SeqId, num_tokens: int, growth: int) -> None:
        """Give a sequence tokens, for which it will take growth blocks."""
        self.appending[seq_id] = num_tokens
        self.growth[seq_id] = growth
        self.num_promised += growth
        self.budget -= num_tokens

    def take_back(self, seq_id: SeqId) -> None:
        """Give a sequence no tokens after all."""
        self.budget += self.appending.pop(seq_id, 0)
        self.num_promised -= self.growth.pop(seq_id, 0)

    def final(self) -> StepPlan:
        """Return the decisions as a plan that nobody changes any more."""
        return StepPlan(
            self.appending | self.added,
            tuple(self.added),
            tuple(self.preempted),
            tuple(self.swapped_out),
            tuple(self.swapped_in),
            tuple(self.refused),
            tuple(self.copies),
            self.hit_tokens,
        )
