"""The unfinished sequences of a server, known to it and to the scheduler alike."""

from dataclasses import dataclass
from typing import Protocol

from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.writer import Writer
from pagedkv_edu.errors import DuplicateSequence, PagedKVError
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.branches import ForkingScheduler
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.served import NewToken
from pagedkv_edu.serving.simulation import SchedulerLike


class CannotFork(PagedKVError):  # noqa: N818
    """The scheduler cannot let one sequence become several."""


class Chooser(Protocol):
    """Decides on the tokens of all answers to one prompt."""

    answers: list[Answer]

    def arrived(
        self, writer: Writer, logits: Float[Tensor, " vocab_size"]
    ) -> list[NewToken]:
        """Go on with a sequence whose known tokens are all computed."""
        ...

    def lost(self, writer: Writer) -> None:
        """End an answer whose sequence was dropped: it outgrew the pool."""
        ...

    def shown(self, writer: Writer) -> list[Answer]:
        """Return what a view shows for a sequence: usually its own answer."""
        ...


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A live sequence: who writes it, and who chooses its tokens."""

    writer: Writer
    chooser: Chooser


class Sequences:
    """Keeps the server's sequences in step with the scheduler's."""

    def __init__(self, scheduler: SchedulerLike) -> None:
        self.scheduler = scheduler
        self.num_forks = 0
        self._by_id: dict[SeqId, Unfinished] = {}

    def __getitem__(self, seq_id: SeqId) -> Unfinished:
        return self._by_id[seq_id]

    @property
    def unfinished(self) -> dict[SeqId, Unfinished]:
        """The live sequences, in order of submission."""
        return dict(self._by_id)

    def require_new(self, seq_id: SeqId) -> None:
        """Raise `DuplicateSequence` if the id is that of an unfinished answer."""
        if seq_id in self._by_id:
            raise DuplicateSequence(f"the answer {seq_id!r} is not finished yet")

    def require_forks(self) -> ForkingScheduler:
        """Return the scheduler as one that can fork, or raise `CannotFork`."""
        if isinstance(self.scheduler, ForkingScheduler):
            return self.scheduler
        raise CannotFork(
            f"{type(self.scheduler).__name__} has no fork, hold and resume; several "
            "samples and beams need them"
        )

    def add(self, writer: Writer, chooser: Chooser) -> None:
        """Note a sequence whose request was submitted."""
        self._by_id[writer.seq_id] = Unfinished(writer, chooser)

    def fork(self, parent: Writer, child: Writer) -> None:
        """Let a sequence go on as two, which share their blocks until they differ."""
        self.require_forks().fork(parent.seq_id, child.seq_id)
        self.num_forks += 1
        self.add(child, self._by_id[parent.seq_id].chooser)

    def end(self, writer: Writer) -> None:
        """Free a sequence that is complete, or not wanted any more."""
        self.scheduler.finish(writer.seq_id)
        del self._by_id[writer.seq_id]

    def cancel(self, writer: Writer) -> None:
        """Free a sequence whose last step may not have been written."""
        if isinstance(self.scheduler, Scheduler):
            self.scheduler.cancel(writer.seq_id)
        else:
            self.scheduler.finish(writer.seq_id)
        del self._by_id[writer.seq_id]

    def drop(self, seq_id: SeqId) -> None:
        """Forget a sequence that the scheduler has refused to go on with."""
        if seq_id in self._by_id:  # its family may have ended with another one
            lost = self._by_id.pop(seq_id)
            lost.chooser.lost(lost.writer)
