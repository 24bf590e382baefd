"""How many blocks several answers to one prompt save by sharing them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive


@dataclass(frozen=True, slots=True)
class Sharing:
    """Blocks in use, summed over all steps of all requests."""

    num_held: int
    num_alone: int  # what the same answers need if none shares a block

    @property
    def saved(self) -> float:
        """The share of the blocks that sharing saves, 0 to 1."""
        return 1 - self.num_held / self.num_alone


def measure_sharing(
    requests: Iterable[Request],
    num_answers: int,
    parents: Callable[[int], Sequence[int]] | None = None,
    *,
    block_size: int = 16,
    make_manager: Callable[[PoolLike, int], ManagerLike] = BlockManager,
) -> Sharing:
    """Let every request have several answers, one request after the other.

    All answers of a request have the length that the request says. Without `parents`
    they are parallel samples: forked from the prompt, then each on its own. With it
    they are beams: before each step but the first, `parents(num_answers)` names for
    each beam of the next step the beam that it goes on from, as an index.

    >>> requests = [Request(0, num_prompt_tokens=16, num_output_tokens=16)]
    >>> measure_sharing(requests, 2)  # 3 blocks for 16 steps; 4 without sharing
    Sharing(num_held=48, num_alone=64)
    """
    require_positive("num_answers", num_answers)
    num_held = num_alone = 0
    for request in requests:
        most = num_answers * (cdiv(request.num_tokens, block_size) + 1)
        pool = BlockPool(most)
        answers = _Answers(make_manager(pool, block_size), request, num_answers)
        for seq_len in range(request.num_prompt_tokens + 1, request.num_tokens + 1):
            if parents and seq_len > request.num_prompt_tokens + 1:
                answers.go_on_from(parents(num_answers))
            answers.append()
            num_held += pool.num_blocks - pool.num_free
            num_alone += num_answers * cdiv(seq_len, block_size)
    return Sharing(num_held, num_alone)


class _Answers:
    """The unfinished answers of one request."""

    def __init__(self, manager: ManagerLike, request: Request, num_answers: int):
        self._manager = manager
        self._new_ids = count()
        first = next(self._new_ids)
        manager.add(first, request.num_prompt_tokens)
        self._live = [first, *(self._fork(first) for _ in range(num_answers - 1))]

    def go_on_from(self, parents: Sequence[int]) -> None:
        """Fork what is chosen more than once, then free what is not chosen."""
        if len(parents) != len(self._live):
            raise InvalidSize(f"{len(self._live)} beams, {len(parents)} parents named")
        kept: list[int] = []
        for index in parents:
            chosen = self._live[index]
            kept.append(self._fork(chosen) if chosen in kept else chosen)
        for seq_id in self._live:
            if seq_id not in kept:
                self._manager.free(seq_id)
        self._live = kept

    def append(self) -> None:
        """Let each answer grow by a token."""
        for seq_id in self._live:
            self._manager.append(seq_id)

    def _fork(self, parent_id: int) -> int:
        child_id = next(self._new_ids)
        self._manager.fork(parent_id, child_id)
        return child_id
