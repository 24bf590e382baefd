"""What a learner's check is given: a pool, a cache or a server, seen from outside.

Whatever is behind it, the class is the same and has the same few methods. Every call is
noted, so that a history can be shown, and no check can go on for ever.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pagedkv_edu.checks.histories import Argument, Call, Name
from pagedkv_edu.checks.hunt.engine import Engine
from pagedkv_edu.checks.hunt.pools import RightPool
from pagedkv_edu.checks.hunt.servers import RightServer
from pagedkv_edu.sizes import require_positive

T = TypeVar("T")
Target = RightPool | Engine | RightServer
Make = Callable[[int, int], Target]  # num_blocks, block_size

# Of all objects that a check makes of one thing. Calls are counted, and not seconds, so
# that a check gets the same verdict where each call goes over a wire.
MOST_CALLS = 3000


class TooManyCalls(BaseException):
    """The check makes so many calls that it may never come to an end."""


class Budget:
    """The calls that a check may still make."""

    def __init__(self, num_calls: int = MOST_CALLS) -> None:
        self.num_left = num_calls

    def spend(self) -> None:
        """Count one call; raise where it is one too many."""
        if self.num_left == 0:
            raise TooManyCalls
        self.num_left -= 1


class Notes:
    """The calls that one object has got from a check."""

    def __init__(self, num_blocks: int, block_size: int, budget: Budget) -> None:
        self.sizes = num_blocks, block_size
        self.calls: list[Call] = []
        self.look = ("", "")  # the last one after the last call: its name, its value
        self._budget = budget
        self._name_by_id: dict[int, str] = {}

    def note(self, name: str, *arguments: Argument) -> None:
        """Note a call that may change something, before it is made."""
        named = tuple(map(self._named, arguments))
        self.calls.append(Call(name, named))
        self.look = ("", "")

    def note_block(self, block_id: int) -> None:
        """Give the block that the last call has returned a name for those to come."""
        name = _letters(sum(bool(call.result) for call in self.calls))
        self._name_by_id[block_id] = name
        self.calls[-1] = Call("allocate", (), name)

    def ask(self, function: Callable[..., T], *arguments: object) -> T:
        """Call the object, unless too many calls were made already."""
        self._budget.spend()
        return function(*arguments)

    def ask_for(self, name: str, function: Callable[..., T], *arguments: object) -> T:
        """Ask for something that changes nothing, and note what was found."""
        found = self.ask(function, *arguments)
        self.look = name, str(found)
        return found

    def _named(self, argument: Argument) -> Argument:
        if type(argument) is int and argument in self._name_by_id:
            return Name(self._name_by_id[argument])
        return argument


class _UnderTest:
    __slots__ = ("_notes",)

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def __getattr__(self, name: str) -> object:
        """Say what there is instead: what is behind a method may differ."""
        kind = type(self)
        there = ", ".join(n for n in vars(kind) if not n.startswith("_"))
        raise AttributeError(
            f"a {kind.__name__.lower()} under test has no {name!r}; it has {there}"
        )


class Pool(_UnderTest):
    """A block pool, right or broken."""

    __slots__ = ("_pool",)

    def __init__(self, pool: RightPool, notes: Notes) -> None:
        super().__init__(notes)
        self._pool = pool

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return self._notes.ask(lambda: self._pool.num_blocks)

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can still hand out."""
        return self._notes.ask_for("num_free", lambda: self._pool.num_free)

    def ref_count(self, block_id: int) -> int:
        """Return the number of references to a block; 0 if it is free."""
        return self._notes.ask_for("ref_count", self._pool.ref_count, block_id)

    def allocate(self) -> int:
        """Take a free block; raise `OutOfBlocks` if there is none."""
        self._notes.note("allocate")
        block_id = self._notes.ask(self._pool.allocate)
        self._notes.note_block(block_id)
        return block_id

    def share(self, block_id: int) -> None:
        """Add a reference; raise `NotAllocated` for a block that is not in use."""
        self._notes.note("share", block_id)
        self._notes.ask(self._pool.share, block_id)

    def free(self, block_id: int) -> None:
        """Drop a reference; raise `NotAllocated` for a block that is not in use."""
        self._notes.note("free", block_id)
        self._notes.ask(self._pool.free, block_id)


class Cache(_UnderTest):
    """A block manager and its memory, right or broken."""

    __slots__ = ("_engine",)

    def __init__(self, engine: Engine, notes: Notes) -> None:
        super().__init__(notes)
        self._engine = engine

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return self._notes.ask(lambda: self._engine.num_blocks)

    @property
    def num_free(self) -> int:
        """Blocks that are free."""
        return self._notes.ask_for("num_free", lambda: self._engine.num_free)

    @property
    def num_copies(self) -> int:
        """Block copies that were asked for so far."""
        return self._notes.ask_for("num_copies", lambda: self._engine.num_copies)

    def add(self, name: str, num_tokens: int) -> None:
        """Add a sequence; raise `OutOfBlocks` if too few blocks are free."""
        self._notes.note("add", name, num_tokens)
        self._notes.ask(self._engine.add, name, num_tokens)

    def append(self, name: str, num_tokens: int = 1) -> None:
        """Append tokens; raise `OutOfBlocks` if too few blocks are free."""
        many = () if num_tokens == 1 else (num_tokens,)
        self._notes.note("append", name, *many)
        self._notes.ask(self._engine.append, name, num_tokens)

    def fork(self, parent: str, child: str) -> None:
        """Start a child with the parent's blocks; take and copy nothing."""
        self._notes.note("fork", parent, child)
        self._notes.ask(self._engine.fork, parent, child)

    def free(self, name: str) -> None:
        """End a sequence."""
        self._notes.note("free", name)
        self._notes.ask(self._engine.free, name)

    def run(self) -> None:
        """End the step: carry out its copies in order, and write its new tokens."""
        self._notes.note("run")
        self._notes.ask(self._engine.run)

    def read(self, name: str) -> list[str]:
        """Return the words that attention reads for a sequence."""
        return self._notes.ask_for("read", self._engine.read, name)


class Server(_UnderTest):
    """A server, right or broken."""

    __slots__ = ("_server",)

    def __init__(self, server: RightServer, notes: Notes) -> None:
        super().__init__(notes)
        self._server = server

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return self._notes.ask(lambda: self._server.num_blocks)

    @property
    def num_free(self) -> int:
        """Blocks that are free, or that only the prefix cache holds."""
        return self._notes.ask_for("num_free", lambda: self._server.num_free)

    def submit(self, name: str, prompt: Sequence[int], num_output: int) -> None:
        """Queue a request; raise `NeverFits` if the whole pool is too small for it."""
        self._notes.note("submit", name, tuple(prompt), num_output)
        self._notes.ask(self._server.submit, name, list(prompt), num_output)

    def step(self) -> dict[str, list[int]]:
        """Serve one step; return the answers that are complete now, by name."""
        self._notes.note("step")
        return dict(self._notes.ask(self._server.step))


def put_under_test(
    make: Make, num_blocks: int, block_size: int = 1, budget: Budget | None = None
) -> tuple[Pool | Cache | Server, Notes]:
    """Make something, and return it as a check sees it, with the notes on it."""
    require_positive("num_blocks", num_blocks)
    require_positive("block_size", block_size)
    target = make(num_blocks, block_size)
    notes = Notes(num_blocks, block_size, budget or Budget())
    match target:
        case RightPool():
            return Pool(target, notes), notes
        case Engine():
            return Cache(target, notes), notes
        case RightServer():
            return Server(target, notes), notes


def _letters(number: int) -> str:
    """Return a, b, ... z, a1, b1, ...: names for blocks."""
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else f"{letter}{number // 26}"
