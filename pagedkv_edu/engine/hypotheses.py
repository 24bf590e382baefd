"""Which continuations a beam search keeps, which are finished, and when it is over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from pagedkv_edu.engine.sampling import Sampling
from pagedkv_edu.protocols import SeqId


@dataclass(frozen=True, slots=True)
class Candidate:
    """One more token for one beam, and the log-probability of all its tokens."""

    log_prob: float
    seq_id: SeqId
    token_id: int


class Hypotheses:
    """The finished answers of a search, and the rules by which beams go on.

    The rules are those of transformers 5.24.0 with its defaults (`_beam_search`,
    checked 30 November 2026). Of each step's best continuations, enough to leave
    `num_beams` that do not stop, those that stop are finished if they are among the
    first `num_beams`. A score is the sum of log-probabilities divided by the number of
    tokens. The search is over when no running beam scores above the worst of
    `num_beams` finished ones, or none can go on.
    """

    def __init__(self, num_beams: int, sampling: Sampling) -> None:
        self._num_beams = num_beams
        self._sampling = sampling
        self._num_kept = max(2, 1 + len(sampling.stop_ids)) * num_beams
        self._finished: list[tuple[float, list[int]]] = []  # best first

    def best_tokens(
        self, logits: Float[Tensor, " vocab_size"]
    ) -> list[tuple[float, int]]:
        """Return the tokens of a beam that can matter: (log-probability, id)."""
        log_probs = torch.log_softmax(logits.float(), -1)
        best = log_probs.topk(min(self._num_kept, len(log_probs)))
        return list(zip(best.values.tolist(), best.indices.tolist(), strict=True))

    def choose(
        self,
        candidates: Sequence[Candidate],
        token_ids: Mapping[SeqId, Sequence[int]],
    ) -> list[Candidate]:
        """Keep what is finished; return how the beams go on, nothing at the end."""
        ranked = sorted(candidates, key=lambda c: -c.log_prob)[: self._num_kept]
        num_tokens = 1 + len(next(iter(token_ids.values())))
        going: list[Candidate] = []
        for rank, candidate in enumerate(ranked):
            ids = [*token_ids[candidate.seq_id], candidate.token_id]
            if not self._ends(ids):
                going.append(candidate)
            elif rank < self._num_beams:
                self.keep(candidate.log_prob, ids)
        del self._finished[self._num_beams :]
        going = going[: self._num_beams]
        if len(self._finished) == self._num_beams and going:
            worst, _ = self._finished[-1]
            if going[0].log_prob / num_tokens <= worst:
                return []
        return going

    def keep(self, log_prob: float, token_ids: Sequence[int]) -> None:
        """Add a finished answer."""
        self._finished.append((log_prob / len(token_ids), list(token_ids)))
        self._finished.sort(key=lambda scored: -scored[0])

    def ranked(self, rank: int) -> tuple[float, list[int]] | None:
        """Return score and tokens of the best answer (rank 0) and those after it."""
        return self._finished[rank] if rank < len(self._finished) else None

    def is_stopped(self, token_ids: Sequence[int]) -> bool:
        """Tell whether an answer ended with a stop token."""
        return bool(token_ids) and token_ids[-1] in self._sampling.stop_ids

    def _ends(self, token_ids: Sequence[int]) -> bool:
        is_full = len(token_ids) == self._sampling.max_new_tokens
        return is_full or self.is_stopped(token_ids)
