"""One answer or several independent ones, from logits as they come."""

from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.engine.answer import Answer
from pagedkv_edu.engine.sampling import Sampler
from pagedkv_edu.engine.sequences import Sequences
from pagedkv_edu.engine.writer import Writer
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.served import NewToken


class Samples:
    """One or several answers to a prompt, each drawn by itself.

    The prompt is computed once. Then it is forked, and each sequence goes on with a
    token of its own; the block that they share in part is copied as they grow.
    """

    def __init__(
        self, sequences: Sequences, first: Writer, num_samples: int, stream: int
    ) -> None:
        self._sequences = sequences
        if num_samples > 1:
            sequences.require_forks()
        self._unborn = [
            Answer(child_id(first.seq_id, index), first.answer.prompt_ids)
            for index in range(1, num_samples)
        ]
        self.answers = [first.answer, *self._unborn]
        self._sampler_by_seq = {
            answer.seq_id: Sampler(first.sampling, stream + index)
            for index, answer in enumerate(self.answers)
        }

    def arrived(
        self, writer: Writer, logits: Float[Tensor, " vocab_size"]
    ) -> list[NewToken]:
        """Write a token of each answer that goes on from here."""
        writers = [writer]
        for answer in self._unborn:
            child = writer.child(answer)
            self._sequences.fork(writer, child)
            writers.append(child)
        self._unborn = []
        return [self._extend(writer, logits) for writer in writers]

    def lost(self, writer: Writer) -> None:
        """Note that the pool is too small for one of the answers."""
        for answer in (writer.answer, *self._unborn):
            answer.ended = "outgrew the pool"

    def shown(self, writer: Writer) -> list[Answer]:
        """Return the answer that the sequence writes."""
        return [writer.answer]

    def _extend(self, writer: Writer, logits: Tensor) -> NewToken:
        new = writer.put(self._sampler_by_seq[writer.seq_id].choose(logits))
        if writer.answer.ended:
            self._sequences.end(writer)
        return new


def child_id(seq_id: SeqId, number: int) -> str:
    """Return the name of a fork: "A.1" is the first one of "A"."""
    return f"{seq_id}.{number}"
