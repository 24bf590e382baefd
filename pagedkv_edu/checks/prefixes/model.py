"""What is right for a prefix cache, in the names of a history."""

from collections.abc import Sequence

from pagedkv_edu.checks.histories import Argument, Call, Name, is_tuple
from pagedkv_edu.errors import NotAllocated, OutOfBlocks, PagedKVError

Tokens = tuple[int, ...]


class PrefixModel:
    """Counts and contents of blocks, which are called by the names of a history.

    A chain is all tokens up to the end of a block. The content of a block is its
    chain, so two blocks are equal if everything before them is equal too. A cached
    block is known and free; which blank block `allocate` hands out is not defined, and
    which cached one is.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.num_blank = num_blocks
        self.count_by_name: dict[str, int] = {}
        self.cached: list[str] = []  # the next to be forgotten first
        self.chain_by_name: dict[str, Tokens] = {}  # of the blocks that can be found
        self.name_by_chain: dict[Tokens, str] = {}
        self.copies: set[str] = set()  # full blocks equal to one that came first
        self.freed: list[str] = []  # unknown and free, since the last allocate
        self.forgotten_by: dict[Tokens, int] = {}  # number of the call
        self.num_calls = 0

    @property
    def num_free(self) -> int:
        """Blocks that nobody holds, cached ones included."""
        return self.num_blank + len(self.cached)

    @property
    def held(self) -> list[str]:
        """Blocks that somebody holds."""
        return [name for name, count in self.count_by_name.items() if count]

    @property
    def victim(self) -> str:
        """The block that the next allocate must forget; "" if it need not."""
        return self.cached[0] if self.cached and not self.num_blank else ""

    def refusal(self, call: Call) -> type[PagedKVError] | None:
        """Return the error that a call must raise; None if it must not."""
        if call.name == "allocate":
            return None if self.num_free else OutOfBlocks
        names = names_in(call)
        findable = self.cached if call.name == "reuse" else []
        if any(not self.count_by_name.get(n) and n not in findable for n in names):
            return NotAllocated
        return None

    def follow(self, call: Call) -> None:
        """Make a call that is not refused."""
        self.num_calls += 1
        if call.name == "allocate":
            self._allocate(call.result)
        elif call.name == "free":
            self._free(names_in(call)[0])
        elif call.name == "register":
            self._register(tokens_in(call), names_in(call))
        else:
            for name in names_in(call):
                if name in self.cached:
                    self.cached.remove(name)
                self.count_by_name[name] = self.count_by_name.get(name, 0) + 1

    def lookup(self, tokens: Sequence[int]) -> list[str]:
        """Return the blocks of the longest cached beginning, by name."""
        found: list[str] = []
        for end in range(self.block_size, len(tokens), self.block_size):
            name = self.name_by_chain.get(tuple(tokens[:end]))
            if name is None:
                break
            found.append(name)
        return found

    def _allocate(self, name: str) -> None:
        victim = self.victim
        if victim:
            self.cached.remove(victim)
            chain = self.chain_by_name.pop(victim)
            del self.name_by_chain[chain]
            self.forgotten_by[chain] = self.num_calls
        else:
            self.num_blank -= 1
        self.count_by_name[name] = 1
        self.freed = []

    def _free(self, name: str) -> None:
        self.count_by_name[name] -= 1
        if self.count_by_name[name]:
            return
        if name in self.chain_by_name:
            self.cached.append(name)
        else:
            self.num_blank += 1
            self.freed.append(name)
            self.copies.discard(name)

    def _register(self, tokens: Tokens, names: Sequence[str]) -> None:
        for index in range(len(tokens) // self.block_size):
            chain, name = tokens[: (index + 1) * self.block_size], names[index]
            if name in self.chain_by_name:
                continue
            if chain in self.name_by_chain:
                self.copies.add(name)
                continue
            self.chain_by_name[name] = chain
            self.name_by_chain[chain] = name
            self.copies.discard(name)
            self.forgotten_by.pop(chain, None)


def names_in(call: Call) -> list[str]:
    """Return the blocks that a call names, alone or in a list."""
    found: list[str] = []
    for argument in call.arguments:
        items: Sequence[object] = argument if is_tuple(argument) else [argument]
        found += [item for item in items if isinstance(item, Name)]
    return found


def tokens_in(call: Call) -> Tokens:
    """Return the tokens of a call of register."""
    first: Argument = call.arguments[0]
    items: Sequence[object] = first if is_tuple(first) else []
    return tuple(token for token in items if isinstance(token, int))


def registering(tokens: Sequence[int], names: Sequence[str]) -> Call:
    """Return a call of register."""
    return Call("register", (tuple(tokens), tuple(Name(name) for name in names)))


def reusing(names: Sequence[str]) -> Call:
    """Return a call of reuse."""
    return Call("reuse", (tuple(Name(name) for name in names),))
