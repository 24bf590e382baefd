"""What a prefix cache could find at best, if it knew which prompts will come."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from pagedkv_edu.serving.prefixes import block_items, items_per_block
from pagedkv_edu.serving.prompts import PromptHits
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.sizes import require_positive

ROOT = 0  # where every chain of blocks begins


def oracle_hits(
    requests: Iterable[Request], num_blocks: int, block_size: int
) -> PromptHits:
    """Count what a cache finds that evicts the block used again last of all.

    Only the end of a chain may go, as without its beginning nothing finds it. The
    oracle need not keep a block that is used again later than all others, and need
    not hold a prompt while it is computed. A server must, so it finds less.
    """
    visits = _with_next_use(_numbered(requests, block_size))
    oracle = _Oracle(require_positive("num_blocks", num_blocks))
    hits = sum(oracle.serve(visit) for visit in visits)
    total = sum(visit.num_tokens for visit in visits)
    return PromptHits(num_blocks, len(visits), total, hits * block_size)


@dataclass(slots=True)
class _Visit:
    """One prompt: its full blocks as nodes of the tree of all prompts."""

    num_tokens: int
    num_offered: int  # full blocks that may hit: the last token is always computed
    nodes: list[int]
    parents: list[int]
    next_use: list[int]  # for each node, the number of the next prompt with it


def _numbered(requests: Iterable[Request], block_size: int) -> list[_Visit]:
    node_by_step: dict[tuple[int, Sequence[int]], int] = {}
    visits: list[_Visit] = []
    for request in requests:
        visit = _Visit(
            request.num_prompt_tokens,
            (request.num_prompt_tokens - 1) // block_size,
            nodes=[],
            parents=[],
            next_use=[],
        )
        items = block_items(request, block_size)
        size, node = items_per_block(request.unit, block_size), ROOT
        for start in range(0, len(items) - size + 1, size):
            visit.parents.append(node)
            step = (node, tuple(items[start : start + size]))
            node = node_by_step.setdefault(step, len(node_by_step) + 1)
            visit.nodes.append(node)
        visits.append(visit)
    return visits


def _with_next_use(visits: list[_Visit]) -> list[_Visit]:
    next_by_node: dict[int, int] = {}
    never = len(visits)
    for index in range(len(visits) - 1, -1, -1):
        visit = visits[index]
        visit.next_use = [next_by_node.get(node, never) for node in visit.nodes]
        next_by_node.update(dict.fromkeys(visit.nodes, index))
    return visits


class _Oracle:
    """The cached nodes of the tree, and which of them is used again last."""

    def __init__(self, num_blocks: int) -> None:
        self._num_blocks = num_blocks
        self._next_use: dict[int, int] = {}  # of every cached node
        self._parent: dict[int, int] = {}
        self._num_children: Counter[int] = Counter()
        # (-next use, -node): the farthest first; entries that are no longer
        # true are passed over when they come up
        self._heap: list[tuple[int, int]] = []

    def serve(self, visit: _Visit) -> int:
        """Look a prompt up, and keep of it what is worth keeping."""
        num_found = 0
        for node, use in zip(visit.nodes, visit.next_use, strict=True):
            if node not in self._next_use:
                break
            num_found += 1
            self._keep(node, use)
        own = set(visit.nodes)
        rest = zip(visit.nodes, visit.parents, visit.next_use, strict=True)
        for node, parent, use in list(rest)[num_found:]:
            full = len(self._next_use) >= self._num_blocks
            if full and not self._evict(used_after=use, but_not=own):
                break
            self._parent[node] = parent
            self._num_children[parent] += 1
            self._keep(node, use)
        return min(num_found, visit.num_offered)

    def _keep(self, node: int, use: int) -> None:
        self._next_use[node] = use
        heappush(self._heap, (-use, -node))

    def _evict(self, used_after: int, but_not: set[int]) -> bool:
        """Drop the end of a chain that is used after that, if there is one."""
        passed: list[tuple[int, int]] = []
        found = False
        while self._heap and not found:
            use, node = -self._heap[0][0], -self._heap[0][1]
            if self._next_use.get(node) != use or self._num_children[node]:
                heappop(self._heap)  # not true any more, or not an end
            elif use <= used_after:
                break
            elif node in but_not:
                passed.append(heappop(self._heap))
            else:
                heappop(self._heap)
                self._drop(node)
                found = True
        for entry in passed:
            heappush(self._heap, entry)
        return found

    def _drop(self, node: int) -> None:
        del self._next_use[node]
        parent = self._parent.pop(node)
        self._num_children[parent] -= 1
        if parent in self._next_use and not self._num_children[parent]:
            heappush(self._heap, (-self._next_use[parent], -parent))
