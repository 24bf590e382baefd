"""Beam search over sequences that fork: the best answers by the sum of log-probs."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.engine.answer import Answer, TokenizerLike
from pagedkv_edu.engine.choosing import child_id
from pagedkv_edu.engine.hypotheses import Candidate, Hypotheses
from pagedkv_edu.engine.sequences import Sequences
from pagedkv_edu.engine.writer import Writer
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.served import NewToken


@dataclass(slots=True)
class _Beam:
    writer: Writer
    log_prob: float
    best: list[tuple[float, int]] | None = None  # next tokens, once they are known


class BeamSearch:
    """The beams of one prompt. They go on together, when the logits of all are there.

    A beam whose logits came first is held meanwhile. A beam that goes on in several
    ways is forked before one that is given up is freed, so nothing is computed twice.
    """

    def __init__(
        self,
        sequences: Sequences,
        first: Writer,
        num_beams: int,
        num_answers: int,
        tokenizer: TokenizerLike | None,
    ) -> None:
        self._sequences = sequences
        self._scheduler = sequences.require_forks()
        self._tokenizer = tokenizer
        self._base_id, self._num_forks = first.seq_id, 0
        self._beams: dict[SeqId, _Beam] = {first.seq_id: _Beam(first, 0.0)}
        self._hypotheses = Hypotheses(num_beams, first.sampling)
        self._is_over = self._is_lost = False
        prompt_ids = first.answer.prompt_ids
        self.answers = [
            Answer(
                self._base_id if rank == 0 else f"{self._base_id}/{rank}", prompt_ids
            )
            for rank in range(num_answers)
        ]

    def arrived(
        self, writer: Writer, logits: Float[Tensor, " vocab_size"]
    ) -> list[NewToken]:
        """Keep a beam's next tokens; go on if every beam has its own."""
        beam = self._beams[writer.seq_id]
        if self._is_lost:
            self._give_up(beam)
            return []
        beam.best = self._hypotheses.best_tokens(logits)
        if any(other.best is None for other in self._beams.values()):
            self._scheduler.hold(writer.seq_id)
            return []
        for seq_id in self._beams:
            self._scheduler.resume(seq_id)
        candidates = [
            Candidate(beam.log_prob + log_prob, seq_id, token_id)
            for seq_id, beam in self._beams.items()
            for log_prob, token_id in beam.best or ()
        ]
        token_ids = {i: b.writer.answer.token_ids for i, b in self._beams.items()}
        chosen = self._hypotheses.choose(candidates, token_ids)
        if not chosen:
            self._finish()
            return []
        return self._go_on(chosen)

    def lost(self, writer: Writer) -> None:
        """End the search: the pool is too small for one of the beams.

        Those that are computed in this step are given up when they arrive.
        """
        self._is_lost = True
        self._keep(self._beams.pop(writer.seq_id))
        for beam in list(self._beams.values()):
            if beam.best is not None:
                self._give_up(beam)
        if not self._beams and not self._is_over:
            self._finish("outgrew the pool")

    def shown(self, writer: Writer) -> list[Answer]:
        """Return the beam, or the best answers after the last step."""
        return self.answers if self._is_over else [writer.answer]

    def _go_on(self, chosen: list[Candidate]) -> list[NewToken]:
        """Fork what was chosen more than once, free what was not, write the tokens."""
        old, self._beams = self._beams, {}
        for candidate in chosen:
            writer = old[candidate.seq_id].writer
            if candidate.seq_id in self._beams:
                self._num_forks += 1
                name = child_id(self._base_id, self._num_forks)
                parent, writer = (
                    writer,
                    writer.child(Answer(name, writer.answer.prompt_ids)),
                )
                self._sequences.fork(parent, writer)
            self._beams[writer.seq_id] = _Beam(writer, candidate.log_prob)
        for seq_id, beam in old.items():
            if seq_id not in self._beams:
                self._sequences.end(beam.writer)
        beams = self._beams.values()
        return [
            beam.writer.put(candidate.token_id)
            for beam, candidate in zip(beams, chosen, strict=True)
        ]

    def _give_up(self, beam: _Beam) -> None:
        del self._beams[beam.writer.seq_id]
        self._keep(beam)
        self._sequences.end(beam.writer)
        if not self._beams:
            self._finish("outgrew the pool")

    def _keep(self, beam: _Beam) -> None:
        token_ids = beam.writer.answer.token_ids
        if token_ids:
            self._hypotheses.keep(beam.log_prob, token_ids)

    def _finish(self, ended: str = "") -> None:
        """Free every beam and fill in the answers, the best one first."""
        self._is_over = True
        for beam in self._beams.values():
            self._sequences.end(beam.writer)
        for rank, answer in enumerate(self.answers):
            found = self._hypotheses.ranked(rank)
            answer.ended = ended or "length"
            if found is None:
                continue
            answer.score, answer.token_ids[:] = found
            if not ended and self._hypotheses.is_stopped(answer.token_ids):
                answer.ended = "stop"
            if self._tokenizer is not None:
                answer.text = self._tokenizer.decode(
                    answer.token_ids, skip_special_tokens=True
                )
