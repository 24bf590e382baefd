"""A table row of fixed width, a sequence that outgrows it, and who is damaged."""

from collections.abc import Callable, Sequence

from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.memory.manager import BlockManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay.memory import WordMemory
from pagedkv_edu.sizes import cdiv, locate
from pagedkv_edu.viz.beside import Beside, Box, Cell, Moment, Row, Step, beside

# Makes room for one more token of a sequence, and writes its row of the flat table.
GrowRow = Callable[[ManagerLike, list[int], int, str], None]
MakeManager = Callable[[PoolLike, int], ManagerLike]

NO_ENTRY = -1
POEM = "roses are red , violets are blue , sugar is sweet , and so are you"
WORDS = {
    "A": POEM.split(),
    "B": ["the", "sea", "is"],
}
FEWEST, MOST = len(WORDS["B"]), len(WORDS["A"]) - 1  # tokens that a row may hold


def show_overflow(
    left: GrowRow,
    right: GrowRow,
    *,
    names: tuple[str, str] = ("no check", "checked first"),
    width: int = 2,
    block_size: int = 2,
    make_manager: MakeManager = BlockManager,
    start_at: int = 0,
) -> Beside:
    """Return two runs of one story beside each other, with a growth function each.

    A fills its row and grows beyond it, then B's row is written again. Both read
    through the flat table, as a kernel does. What a growth function raises is shown.
    """
    full = width * block_size
    if not FEWEST <= full <= MOST:
        raise InvalidSize(
            f"the story is told for rows that hold {FEWEST} to {MOST} tokens; "
            f"{width} entries of {block_size} hold {full}"
        )
    titles = (
        "A and B are in the cache",
        f"A grows to {full} tokens: its row is full",
        f"A grows to {full + 1} tokens",
        "The row of B is written again",
    )
    sides = [
        _run(grow, _Side(width, block_size, make_manager)) for grow in (left, right)
    ]
    steps = [
        Step(title, *moments) for title, *moments in zip(titles, *sides, strict=True)
    ]
    return beside(names, steps, start_at=start_at)


class _Side:
    """One run: a manager, a flat table, and the words in memory."""

    def __init__(self, width: int, block_size: int, make_manager: MakeManager) -> None:
        self.width = width
        self.block_size = block_size
        story = {"A": width * block_size - 1, "B": FEWEST}
        num_blocks = 2 * (width + 1)
        self.manager = make_manager(BlockPool(num_blocks), block_size)
        self.memory = WordMemory(block_size)
        self.flat = [NO_ENTRY] * (len(WORDS) * width)
        self.seq_lens: dict[str, int] = {}
        self.names = list(WORDS)
        for seq_id, length in story.items():
            self.manager.add(seq_id, length)
            self.write_row(seq_id)
            for position in range(length):
                self.write_word(seq_id, position)

    def write_row(self, seq_id: str) -> None:
        first = self.names.index(seq_id) * self.width
        block_ids = self.manager.table(seq_id).block_ids[: self.width]
        self.flat[first : first + len(block_ids)] = block_ids

    def block_of(self, seq_id: str, logical_block: int) -> int:
        """Return the entry that a kernel finds: by arithmetic alone."""
        place = self.names.index(seq_id) * self.width + logical_block
        return self.flat[place] if place < len(self.flat) else NO_ENTRY

    def write_word(self, seq_id: str, position: int) -> None:
        logical_block, offset = locate(position, self.block_size)
        block_id = self.block_of(seq_id, logical_block)
        if block_id != NO_ENTRY:
            slot = block_id * self.block_size + offset
            self.memory.write(slot, WORDS[seq_id][position])
        self.seq_lens[seq_id] = position + 1

    def owner(self, block_id: int) -> str:
        for seq_id in self.names:
            if block_id in self.manager.table(seq_id).block_ids:
                return seq_id
        return ""

    def reads(self, seq_id: str) -> list[tuple[str, str]]:
        """Return, for each token, the word that is read and the one it should be."""
        found: list[tuple[str, str]] = []
        for position in range(self.seq_lens[seq_id]):
            logical_block, offset = locate(position, self.block_size)
            block_id = self.block_of(seq_id, logical_block)
            words = self.memory.block(block_id).split() if block_id >= 0 else ["?"] * 99
            found.append((words[offset], WORDS[seq_id][position]))
        return found


def _run(grow: GrowRow, side: _Side) -> list[Moment]:
    moments = [_moment(side, "")]
    for _ in range(2):
        before = side.flat.copy()
        error = _grown(side, grow)
        moments.append(_moment(side, error, before))
    before = side.flat.copy()
    side.write_row("B")
    moments.append(_moment(side, "", before))
    return moments


def _grown(side: _Side, grow: GrowRow) -> str:
    """Let A grow by one token; return what was raised, as text."""
    try:
        grow(side.manager, side.flat, side.names.index("A"), "A")
    except Exception as caught:  # noqa: BLE001  (a learner's code may fail in any way)
        verb = "Refused" if isinstance(caught, PagedKVError) else "Failed"
        return f"{verb} with {type(caught).__name__}: {caught}."
    side.write_word("A", side.seq_lens["A"])
    return ""


def _moment(side: _Side, error: str, before: Sequence[int] | None = None) -> Moment:
    rows = [_table_row(side, before)]
    wrong: list[str] = []
    for seq_id in side.names:
        rows.append(_read_row(side, seq_id))
        if any(word != right for word, right in side.reads(seq_id)):
            wrong.append(seq_id)
    told = [error] if error else []
    for seq_id in side.names:
        text = " ".join(word for word, _ in side.reads(seq_id))
        told.append(
            f"{seq_id} reads “{text}”{', not what it wrote' * (seq_id in wrong)}."
        )
    return Moment(tuple(rows), " ".join(told), is_wrong=bool(wrong))


def _table_row(side: _Side, before: Sequence[int] | None) -> Row:
    boxes: list[Box] = []
    for k, seq_id in enumerate(side.names):
        cells: list[Cell] = []
        for place in range(k * side.width, (k + 1) * side.width):
            block_id = side.flat[place]
            if block_id == NO_ENTRY:
                cells.append(Cell("–", "empty"))
                continue
            owner = side.owner(block_id)
            changed = before is not None and before[place] != block_id
            look = "wrong" if owner != seq_id else "new" if changed else ""
            cells.append(Cell(str(block_id), look, f"{owner}’s" if owner else ""))
        boxes.append(Box(tuple(cells), f"row of {seq_id}", k))
    return Row("table memory", tuple(boxes))


def _read_row(side: _Side, seq_id: str) -> Row:
    found = side.reads(seq_id)
    boxes: list[Box] = []
    for k in range(cdiv(len(found), side.block_size)):
        part = found[k * side.block_size : (k + 1) * side.block_size]
        block_id = side.block_of(seq_id, k)
        owner = side.owner(block_id)
        cells = tuple(
            Cell(word, "wrong", "wrong") if word != right else Cell(word)
            for word, right in part
        )
        hue = side.names.index(owner) if owner else None
        boxes.append(Box(cells, f"block {block_id}", hue))
    return Row(f"{seq_id} reads", tuple(boxes), side.names.index(seq_id))
