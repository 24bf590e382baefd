"""What admission counts on, so that a request is let in only if it may go on."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pagedkv_edu.errors import InvalidSize, NeverFits
from pagedkv_edu.protocols import PoolLike, SeqId
from pagedkv_edu.serving.sequence import SequenceState
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv

Reserve = Literal["nothing", "prompt", "maximum"]


class Admission:
    """Answers never, later or now.

    With `reserve` "nothing" a request needs room for its first tokens; with "prompt"
    for every token known so far; with "maximum" for prompt and `max_tokens`. What is
    counted is promised, not taken: the promises of running sequences are kept free.
    `watermark` blocks are kept free too, while anything runs.
    """

    def __init__(
        self, pool: PoolLike, block_size: int, reserve: Reserve, watermark: int
    ) -> None:
        if reserve not in ("nothing", "prompt", "maximum"):
            raise InvalidSize(f"reserve nothing, prompt or maximum, got {reserve!r}")
        if type(watermark) is not int or watermark < 0:
            raise InvalidSize(f"watermark must be an int >= 0, got {watermark!r}")
        self.pool = pool
        self.block_size = block_size
        self.reserve = reserve
        self.watermark = watermark

    def require_possible(self, request: Request) -> None:
        """Raise `NeverFits` if the whole pool is too small for what is counted on."""
        needed = self._counted_blocks(request, request.num_prompt_tokens)
        if needed > self.pool.num_blocks:
            raise NeverFits(
                f"request {request.request_id!r} needs {needed} blocks, the pool has "
                f"{self.pool.num_blocks}; shorten it or make the pool larger"
            )

    def fits(
        self,
        seq: SequenceState,
        num_now: int,
        num_shared: int,
        *,
        num_promised: int,
        running: Mapping[SeqId, SequenceState],
        appending: Mapping[SeqId, int],
    ) -> bool:
        """Tell whether num_now blocks, and all that is counted on, are free.

        num_shared of its blocks are in use already and cost nothing; num_promised
        blocks will be taken in this step by the sequences that are appending.
        """
        wanted = num_now
        if self.reserve != "nothing":
            counted = self._counted_blocks(seq.request, seq.num_known)
            wanted = max(num_now, counted - num_shared)
        kept = self.watermark if running else 0
        kept += self._num_reserved(running.values(), appending)
        return wanted + kept <= self.pool.num_free - num_promised

    def _num_reserved(
        self, running: Iterable[SequenceState], appending: Mapping[SeqId, int]
    ) -> int:
        """Return the blocks that running sequences are promised and do not hold."""
        if self.reserve == "nothing":
            return 0
        num_reserved = 0
        for seq in running:
            held = seq.num_computed + appending.get(seq.seq_id, 0)
            counted = self._counted_blocks(seq.request, seq.num_known)
            num_reserved += max(0, counted - cdiv(held, self.block_size))
        return num_reserved

    def _counted_blocks(self, request: Request, num_known: int) -> int:
        if self.reserve != "maximum":
            return cdiv(num_known, self.block_size)
        if request.max_tokens is None:
            raise InvalidSize(
                f"request {request.request_id!r} has no max_tokens to reserve"
            )
        # the last token of an answer is never computed
        longest = request.num_prompt_tokens + request.max_tokens - 1
        return cdiv(max(num_known, longest), self.block_size)
