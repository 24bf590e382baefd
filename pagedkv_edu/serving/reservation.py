"""Four answers to "how many slots does a new request get?", compared."""

from collections.abc import Callable, Sequence
from functools import partial

from pagedkv_edu.errors import NeverFits, OutOfBlocks, OutOfSlots
from pagedkv_edu.memory.extents import ExtentAllocator, ExtentsLike
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike, SeqId
from pagedkv_edu.serving.shares import SlotMemory, SlotShares, slot_shares
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import cdiv, require_positive

POLICIES = ("maximum", "power of two", "oracle")


def reserved_slots(policy: str, request: Request, max_len: int) -> int:
    """Return what a contiguous cache reserves for a request when it is admitted.

    "maximum" is `max_len`. "power of two" is the prompt and the length of the answer
    rounded up to a power of two, at most `max_len`: a guess that is never short and
    less than twice too long. "oracle" is exactly what the request will use.

    >>> request = Request("A", num_prompt_tokens=34, num_output_tokens=90)
    >>> [reserved_slots(policy, request, max_len=2048) for policy in POLICIES]
    [2048, 162, 124]
    """
    num_prompt, num_output = request.num_prompt_tokens, request.num_output_tokens
    if policy == "maximum":
        return max_len
    if policy == "power of two":
        return min(num_prompt + (1 << (num_output - 1).bit_length()), max_len)
    return request.num_tokens


class ContiguousMemory:
    """One run of slots for each request, reserved when it is admitted."""

    def __init__(self, extents: ExtentsLike, policy: str, max_len: int) -> None:
        self.num_slots = extents.num_free
        self._extents = extents
        self._policy = policy
        self._max_len = max_len
        self._start_by_request: dict[SeqId, int] = {}

    def admit(self, request: Request, seq_len: int) -> int:
        """Reserve what the policy says, whatever the length is now."""
        if request.num_tokens > self._max_len:
            raise NeverFits(f"{request.num_tokens} tokens, at most {self._max_len}")
        num_slots = reserved_slots(self._policy, request, self._max_len)
        self._start_by_request[request.request_id] = self._extents.reserve(num_slots)
        return num_slots

    def grow(self, request: Request) -> int:
        """Refuse: what was reserved at admission is all there is."""
        raise OutOfSlots(f"request {request.request_id!r} has filled its reservation")

    def release(self, request: Request) -> None:
        """Release the request's extent."""
        self._extents.release(self._start_by_request.pop(request.request_id))


class PagedMemory:
    """A block whenever one is needed; an admission leaves `watermark` blocks free."""

    def __init__(
        self,
        manager: ManagerLike,
        pool: PoolLike,
        *,
        block_size: int,
        max_len: int,
        watermark: int,
    ) -> None:
        self.num_slots = pool.num_blocks * block_size
        self._manager = manager
        self._pool = pool
        self._block_size = block_size
        self._max_len = max_len
        self._watermark = watermark
        self._seq_len_by_request: dict[SeqId, int] = {}

    def admit(self, request: Request, seq_len: int) -> int:
        """Take the blocks of the tokens that are there."""
        usable = self._pool.num_blocks - self._watermark
        if request.num_tokens > min(self._max_len, usable * self._block_size):
            raise NeverFits(f"{request.num_tokens} tokens, at most {self._max_len}")
        needed = cdiv(seq_len, self._block_size)
        if self._pool.num_free < needed + self._watermark:
            raise OutOfBlocks(f"need {needed} blocks, {self._pool.num_free} free")
        self._manager.add(request.request_id, seq_len)
        self._seq_len_by_request[request.request_id] = seq_len
        return needed * self._block_size

    def grow(self, request: Request) -> int:
        """Append the tokens that filled the last block, and the one after them."""
        seq_len = self._seq_len_by_request[request.request_id]
        next_len = cdiv(seq_len, self._block_size) * self._block_size + 1
        self._manager.append(request.request_id, next_len - seq_len)
        self._seq_len_by_request[request.request_id] = next_len
        return self._block_size

    def release(self, request: Request) -> None:
        """Free the request's blocks."""
        self._manager.free(request.request_id)
        del self._seq_len_by_request[request.request_id]


def compare_reservations(
    requests: Sequence[Request],
    *,
    num_slots: int = 15_728,
    block_size: int = 16,
    max_len: int = 2048,
    on_step: Callable[[int, int], None] | None = None,
) -> dict[str, SlotShares]:
    """Serve the same requests by three contiguous policies and paged.

    The contiguous caches use a buddy allocator. The paged one admits a request only if
    1 % of its blocks stay free. A request longer than `max_len` is refused by all.
    `on_step(done, total)` is called as requests finish, over all four runs.
    """
    require_positive("max_len", max_len)
    pool = BlockPool(num_slots // require_positive("block_size", block_size))
    memories: dict[str, SlotMemory] = {
        policy: ContiguousMemory(ExtentAllocator(num_slots, "buddy"), policy, max_len)
        for policy in POLICIES
    }
    memories["paged"] = PagedMemory(
        BlockManager(pool, block_size),
        pool,
        block_size=block_size,
        max_len=max_len,
        watermark=max(1, pool.num_blocks // 100),
    )
    total = len(memories) * len(requests)
    shares: dict[str, SlotShares] = {}
    for name, memory in memories.items():
        before = len(shares) * len(requests)
        tell = on_step and partial(_tell, on_step, before, total)
        shares[name] = slot_shares(requests, memory, tell)
        if tell:
            tell(len(requests))  # the last ones finish after the last step that counts
    return shares


def _tell(
    on_step: Callable[[int, int], None], before: int, total: int, done: int
) -> None:
    on_step(before + done, total)
