"""What one step of serving a real model did, as data that a view can draw."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagedkv_edu.protocols import SeqId, TableLike
from pagedkv_edu.serving.plan import StepPlan


@dataclass(frozen=True, slots=True)
class Counters:
    """What a server has done so far."""

    steps: int = 0
    computed_tokens: int = 0  # run through the model, those computed again too
    new_tokens: int = 0  # chosen, over all answers
    hit_tokens: int = 0  # found in the prefix cache instead of computed
    preemptions: int = 0
    swaps: int = 0  # preemptions that moved the blocks to the host
    copies: int = 0  # blocks copied inside the device pool, by copy on write
    forks: int = 0


@dataclass(frozen=True, slots=True)
class NewToken:
    """The token that a sequence got in a step, and the text that it adds.

    The text is empty while a character is spread over tokens that are still to come.
    """

    seq_id: SeqId
    token_id: int
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSoFar:
    """One answer after a step; `ended` is empty while it goes on."""

    seq_id: SeqId
    text: str
    num_tokens: int
    ended: str = ""


@dataclass(frozen=True, slots=True)
class ServedStep:
    """A step's decisions, its new tokens, and what stands where after it.

    `tables` are those that attention read: of the scheduled sequences, the new tokens
    of `plan.scheduled` included. `answers` holds every answer that was unfinished when
    the step began, in order of submission, and those that began in it by a fork.
    """

    index: int  # counted from 0
    plan: StepPlan
    new: tuple[NewToken, ...]
    tables: Mapping[SeqId, TableLike]
    answers: tuple[AnswerSoFar, ...]
    counters: Counters
    num_blocks: int
    num_free: int
