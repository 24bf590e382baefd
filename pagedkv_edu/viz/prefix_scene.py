"""Prompts served one after another from a prefix cache that is watched from outside."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.viz.prefix_moment import BlockView, MakeCache, Moment, NodeView
from pagedkv_edu.viz.prefix_told import (
    ghost,
    told_end,
    told_lookup,
    told_register,
    told_take,
)

Chain = tuple[str, ...]  # the words of a block and of all blocks before it


class PrefixScene:
    """A cache under study, and the prompts that may be served from it.

    What is findable is asked of the cache by lookups, and what it would forget next by
    allocating from a copy of it; so any class with the five methods can be watched.
    """

    def __init__(
        self,
        make_cache: MakeCache,
        prompts: Mapping[str, Sequence[str]],
        *,
        block_size: int,
        num_blocks: int,
        tail_first: bool = True,
    ) -> None:
        self.prompts = {name: tuple(words) for name, words in prompts.items()}
        self.block_size = block_size
        self.num_blocks = num_blocks
        self.cache = make_cache(num_blocks, block_size)
        self.tables: dict[str, list[int]] = {}  # of the unfinished prompts
        self.moments: list[Moment] = []
        self._tail_first = tail_first
        words = dict.fromkeys(w for text in self.prompts.values() for w in text)
        self._token_by_word = {word: token for token, word in enumerate(words, start=1)}
        self._held: dict[int, Chain] = {}  # what was written into each block
        self._registered: set[int] = set()
        self._found: dict[Chain, int] = {}  # by the newest lookups
        self._node_by_chain: dict[Chain, int] = {}

    def tokens(self, name: str) -> list[int]:
        """Return a prompt as tokens."""
        return [self._token_by_word[word] for word in self.prompts[name]]

    def chains(self, name: str) -> list[Chain]:
        """Return what each full block of a prompt stands for."""
        words, size = self.prompts[name], self.block_size
        return [words[:end] for end in range(size, len(words) + 1, size)]

    def twin(self) -> "PrefixScene":
        """Return a copy to try things on; it knows the present, not the past."""
        return deepcopy(self, {id(self.moments): []})

    def serve(self, name: str) -> bool:
        """Find, take and register a prompt's blocks; tell whether that was possible."""
        return self._try(name, self._serve)

    def end(self, name: str) -> bool:
        """Give back the blocks of a prompt."""
        return self._try(name, self._end)

    def _try(self, name: str, do: Callable[[str], bool]) -> bool:
        try:
            return do(name)
        except Exception as error:  # noqa: BLE001  (a learner's class may do anything)
            kind = type(error).__name__
            self.tables.pop(name, None)
            text = f"{kind}: {error}".rstrip(": ")
            self._note(Moment("refuse", name, f"{name} stops with {kind}", text))
            return False

    def _serve(self, name: str) -> bool:
        tokens, chains = self.tokens(name), self.chains(name)
        hit = list(self.cache.lookup(tokens))
        path = [self._node(chain) for chain in chains[: len(hit)]]
        stop = ghost(self.prompts[name], len(hit), self.block_size, self._found)
        headline, text = told_lookup(name, hit, len(tokens), self.block_size)
        self._note(
            Moment("lookup", name, headline, f"{text} {stop.why}", len(hit), path, stop)
        )
        num_new = -(-len(tokens) // self.block_size) - len(hit)
        revived = [b for b in dict.fromkeys(hit) if self.cache.ref_count(b) == 0]
        num_left = self.cache.num_free - len(revived)
        if num_new > num_left:
            text = (
                f"It needs {amount(num_new, 'more block')}. {num_left} would be left, "
                "once the blocks that it found are its own. Nothing was changed."
            )
            self._note(
                Moment("refuse", name, f"{name} must wait", text, len(hit), path)
            )
            return False
        self.cache.reuse(hit)
        new = [self.cache.allocate() for _ in range(num_new)]
        forgotten = [b for b in new if b in self._registered]
        self._registered -= set(new)
        self.tables[name] = [*hit, *new]
        headline, text = told_take(name, hit, revived, new, forgotten)
        moment = Moment("take", name, headline, text, len(hit), path)
        moment.touched, moment.forgotten = [*hit, *new], forgotten
        moment.damaged = [name] if self._reads_others(chains, hit) else []
        if moment.damaged:
            moment.text += f" {name} now reads words that it never wrote."
        self._note(moment)
        self._write(name, new, len(hit))
        self.cache.register(tokens, self.tables[name])
        self._look()
        full = self.tables[name][len(hit) : len(chains)]
        fresh = [b for b in full if b in self._found.values()]
        self._registered |= set(fresh)
        copies = {
            b: self._found[chain]
            for b, chain in zip(full, chains[len(hit) :], strict=True)
            if b not in fresh and chain in self._found
        }
        headline, text = told_register(name, fresh, copies)
        moment = Moment("register", name, headline, text, len(hit), path)
        moment.touched = fresh
        self._note(moment)
        return True

    def _end(self, name: str) -> bool:
        block_ids = self.tables[name]
        before = set(self._held_by_others(name))
        for block_id in reversed(block_ids) if self._tail_first else block_ids:
            self.cache.free(block_id)
        del self.tables[name]
        self._look()
        found = [b for b in block_ids if b in self._found.values()]
        headline, text = told_end(name, block_ids, before, found)
        moment = Moment("finish", name, headline, text)
        moment.touched = list(block_ids)
        self._note(moment)
        return True

    def _held_by_others(self, name: str) -> list[int]:
        return [b for other, ids in self.tables.items() if other != name for b in ids]

    def _write(self, name: str, new: Sequence[int], num_hit: int) -> None:
        words, size = self.prompts[name], self.block_size
        for index, block_id in enumerate(new, start=num_hit):
            self._held[block_id] = words[: (index + 1) * size]

    def _reads_others(self, chains: Sequence[Chain], hit: Sequence[int]) -> bool:
        return any(
            self._held.get(block_id) != chain
            for block_id, chain in zip(hit, chains, strict=False)
        )

    # --- what the cache answers ------------------------------------------------------

    def _look(self) -> None:
        """Ask the cache for every prompt: which chains can be found, and where."""
        self._found = {}
        for name in self.prompts:
            chains = self.chains(name)
            full = self.tokens(name)[: len(chains) * self.block_size]
            for chain, block_id in zip(
                chains, self.cache.lookup([*full, 0]), strict=False
            ):
                self._found.setdefault(chain, block_id)

    def eviction_order(self) -> list[int]:
        """Return the blocks that `allocate` would hand out, in that order."""
        order: list[int] = []
        try:
            twin = deepcopy(self.cache)
            while len(order) < self.num_blocks:
                order.append(twin.allocate())
        except PagedKVError:
            return order
        except Exception:  # noqa: BLE001  (a learner's class may hold anything)
            return []
        return order

    def _note(self, moment: Moment) -> None:
        before = self._found
        try:
            self._look()
        except Exception:  # noqa: BLE001
            self._found = {}
        moment.live = list(self.tables)
        moment.blocks = self.blocks()
        moment.nodes = self._nodes(before)
        self.moments.append(moment)

    def blocks(self) -> list[BlockView]:
        """Return every block as it is now."""
        findable = set(self._found.values())
        order = [b for b in self.eviction_order() if b in self._registered | findable]
        views: list[BlockView] = []
        for block_id in range(self.num_blocks):
            owners = tuple(n for n, ids in self.tables.items() if block_id in ids)
            count = self._count(block_id)
            free = "cached" if block_id in findable else "free"
            if free == "free" and block_id in self._registered:
                free = "lost"
            place = order.index(block_id) + 1 if block_id in order else None
            state = "held" if count else free
            views.append(BlockView(block_id, count, owners, state, place))
        return views

    def _count(self, block_id: int) -> int:
        try:
            return self.cache.ref_count(block_id)
        except Exception:  # noqa: BLE001  (a learner's class may do anything)
            return 0

    def _nodes(self, before: Mapping[Chain, int]) -> list[NodeView]:
        gone = {c: b for c, b in before.items() if c not in self._found}
        chains = sorted({**self._found, **gone}, key=self._node)
        return [
            NodeView(
                self._node(chain),
                self._node(parent) if (parent := chain[: -self.block_size]) else None,
                chain[-self.block_size :],
                {**gone, **self._found}[chain],
                gone=chain in gone,
            )
            for chain in chains
        ]

    def _node(self, chain: Chain) -> int:
        return self._node_by_chain.setdefault(chain, len(self._node_by_chain))
