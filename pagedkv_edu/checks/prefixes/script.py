"""Histories of a prefix cache: calls that mean the same for every right cache."""

from collections.abc import Sequence

from pagedkv_edu.checks.histories import Call, History, Name
from pagedkv_edu.checks.prefixes.model import (
    PrefixModel,
    Tokens,
    names_in,
    registering,
    reusing,
    tokens_in,
)

NAMES = "abcdefghijklmnopqrstuvwxyz"
# Equal in their sum, and in their low byte: what a weak hash takes for the same.
CONTENTS = ((1, 2, 3), (4, 5, 6), (2, 1, 3), (257, 2, 3))
KINDS = (
    *["allocate"] * 3,
    *["free"] * 3,
    *["register"] * 2,
    "reuse",
    *["serve"] * 4,
    *["end"] * 4,
    *["visit"] * 3,
)
RARE = ("share", "again")
MOST_CALLS = 14  # more could not be made shorter in the time of a check


class Script:
    """Makes calls on the model, and keeps those whose meaning is certain.

    A block that is handed out again must not be called by its old name, and what is
    once written into a block stays there while somebody holds it or can find it.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.model = PrefixModel(num_blocks, block_size)
        self.calls: list[Call] = []
        self.num_misused: list[int] = []
        self._content: dict[str, Tokens] = {}
        self._begun: dict[str, Tokens] = {}  # of blocks that were not full yet
        self.tables: list[tuple[Tokens, list[str]]] = []

    def make(self, call: Call) -> None:
        """Make a call, unless its meaning would depend on the cache."""
        if not self._is_certain(call):
            return
        self.calls.append(call)
        if self.model.refusal(call):
            if call.name != "allocate":
                self.num_misused.append(len(self.calls) - 1)
            return
        if call.name == "register":
            self._note_table(tokens_in(call), names_in(call))
        self.model.follow(call)

    def _is_certain(self, call: Call) -> bool:
        model, names = self.model, names_in(call)
        if call.name == "allocate":
            return call.result not in model.count_by_name
        if len(set(names)) < len(names) or not names:
            return False
        if call.name == "register":
            return self._is_consistent(tokens_in(call), names)
        alive = (*model.held, *model.cached, *model.freed)
        return all(name in alive for name in names)

    def _is_consistent(self, tokens: Tokens, names: Sequence[str]) -> bool:
        size = self.model.block_size
        if -(-len(tokens) // size) != len(names):
            return False
        if any(name not in self.model.held for name in names):
            return False
        for index, name in enumerate(names):
            chain = tokens[: (index + 1) * size]
            begun = self._begun.get(name, ())
            if chain[: len(begun)] != begun or len(chain) < len(begun):
                return False
            if self._content.get(name, chain) != chain:
                return False
        return True

    def _note_table(self, tokens: Tokens, names: list[str]) -> None:
        size = self.model.block_size
        full = len(tokens) // size
        for index, name in enumerate(names[:full]):
            self._content[name] = tokens[: (index + 1) * size]
        for name in names[full:]:
            self._begun[name] = tokens
        table = tokens[: full * size], names[:full]
        if full and table not in self.tables:
            self.tables.append(table)

    def serve_two_and_visit_the_first(self) -> None:
        """Free two blocks in one order, and then in the other."""
        if self.model.num_blocks < 2:
            return
        for content, name in zip(CONTENTS, NAMES[:2], strict=False):
            self.make(Call("allocate", result=name))
            self.make(registering(content[: self.model.block_size], [name]))
            self.make(Call("free", (Name(name),)))
        self.make(reusing(NAMES[:1]))
        self.make(Call("free", (Name(NAMES[0]),)))

    # --- drawing -------------------------------------------------------------------

    def draw(self, first: int, second: int) -> None:
        """Make the call that two bytes stand for, if there is one."""
        kind = (*KINDS, *RARE, "again")[first % (len(KINDS) + 3)]
        model = self.model
        if kind == "register":
            self._draw_register(second)
        elif kind == "serve":
            self._serve(second)
        elif kind == "end":
            self._end(second)
        elif kind == "visit":
            self._visit(second)
        elif kind == "reuse" and model.chain_by_name:
            self._draw_reuse(second)
        elif kind == "again" and (gone := [*model.freed, *model.cached]):
            name = gone[second // 2 % len(gone)]
            calls = (
                Call("free", (Name(name),)),
                reusing([name]),
                reusing([*model.held[:1], name]),
            )
            self.make(calls[second // 8 % 3])
        elif kind in ("free", "share") and model.held:
            self.make(Call(kind, (Name(model.held[second % len(model.held)]),)))
        elif kind in ("allocate", "free") and len(model.count_by_name) < len(NAMES):
            self.make(Call("allocate", result=NAMES[len(model.count_by_name)]))

    def _serve(self, number: int) -> None:
        """Do with a prompt what an engine does: look up, reuse, allocate, register."""
        size = self.model.block_size
        content = CONTENTS[number % 2][:size]
        second = CONTENTS[number // 2 % len(CONTENTS)][:size]
        tokens = content if number // 8 % 2 else (*content, *second)
        if number // 16 % 4 == 0 and size > 1:
            tokens = (*tokens, CONTENTS[number // 4 % 2][0])
        names = self.model.lookup(tokens)
        num_new = -(-len(tokens) // size) - len(names)
        room = self.model.num_free - sum(n in self.model.cached for n in names)
        if num_new > room or len(self.model.count_by_name) + num_new > len(NAMES):
            return
        if names:
            self.make(reusing(names))
        for _ in range(num_new):
            names = [*names, NAMES[len(self.model.count_by_name)]]
            self.make(Call("allocate", result=names[-1]))
        self.make(registering(tokens, names))

    def _end(self, number: int) -> None:
        """Give back every block of a table, the last one first."""
        held = set(self.model.held)
        tables = [t for t in self.tables if held.issuperset(t[1])]
        if tables:
            for name in reversed(tables[number % len(tables)][1]):
                self.make(Call("free", (Name(name),)))

    def _visit(self, number: int) -> None:
        """Reuse what a prompt finds, and give it back at once."""
        chains = list(self.model.chain_by_name.values())
        if chains:
            names = self.model.lookup((*chains[number % len(chains)], 0))
            if self.model.freed and number // 8 % 3 == 0:
                self.make(reusing([*names, self.model.freed[0]]))  # must be refused
                return
            self.make(reusing(names))
            for name in reversed(names):
                self.make(Call("free", (Name(name),)))

    def _draw_register(self, number: int) -> None:
        model = self.model
        held = set(model.held)
        bases = [t for t in self.tables if held.issuperset(t[1])]
        bases.insert(0, ((), []))
        tokens, names = bases[number % len(bases)]
        number //= len(bases)
        new = [name for name in model.held if name not in self._content]
        if not new:
            self.make(registering(tokens, names))  # once more: must change nothing
            return
        tokens, names = tuple(tokens), list(names)
        for name in new[: 1 + number % 2]:
            begun = self._begun.get(name, ())[-1:]
            fitting = [c for c in CONTENTS if not begun or c[0] == begun[0]]
            content = fitting[number // 2 % len(fitting)]
            tokens, names = (*tokens, *content[: model.block_size]), [*names, name]
        rest = [name for name in new if name not in names]
        if rest and model.block_size > 1 and number // 8 % 3 == 0:
            # a block that is not full
            tokens, names = (*tokens, CONTENTS[number % 2][0]), [*names, rest[0]]
        self.make(registering(tokens, names))

    def _draw_reuse(self, number: int) -> None:
        chains = list(self.model.chain_by_name.values())
        names = self.model.lookup((*chains[number % len(chains)], 0))
        blank = self.model.freed[:1] if number // 4 % 3 == 0 else []
        self.make(reusing([*names, *blank]))


def drawn_history(num_blocks: int, block_size: int, choices: bytes) -> History:
    """Return the history that some bytes stand for, two of them a call."""
    script = Script(num_blocks, block_size)
    if choices[0] % 12 == 0:
        script.serve_two_and_visit_the_first()
    for i in range(0, len(choices) - 1, 2):
        if len(script.calls) < MOST_CALLS:
            script.draw(choices[i], choices[i + 1])
    return History(
        (("num_blocks", num_blocks), ("block_size", block_size)), tuple(script.calls)
    )


def played(history: History) -> Script:
    """Return a script that has made the calls of a history."""
    script = Script(history.size("num_blocks"), history.size("block_size"))
    for call in history.calls:
        script.make(call)
    return script
