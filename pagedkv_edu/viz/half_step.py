"""A step for three sequences in a pool with room for two: what is left of it."""

from collections.abc import Callable, Mapping

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.growing import Grow, GrowingManager
from pagedkv_edu.memory.pool import BlockPool
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.replay.memory import WordMemory
from pagedkv_edu.sizes import cdiv, locate
from pagedkv_edu.viz.beside import Beside, Box, Cell, Look, Moment, Row, Step, beside

# Makes room for the new tokens of every sequence; raises OutOfBlocks if it cannot.
RunStep = Callable[[GrowingManager, PoolLike, Mapping[str, int]], None]

BLOCK_SIZE = 2
NUM_BLOCKS = 6
WORDS = {
    "A": ["roses", "are", "red"],
    "B": ["the", "sea", "is"],
    "C": ["one", "two", "three", "four", "five"],
}
NEW_TOKENS = {"A": 1, "B": 1, "C": 3}
TITLES = (
    "Three sequences, three free blocks",
    "A step: one token for A, one for B, three for C",
    "C is preempted: its blocks go back",
    "The step again, for A and B",
)


def show_half_step(
    left: tuple[RunStep, Grow],
    right: tuple[RunStep, Grow],
    *,
    names: tuple[str, str] = ("call by call", "counted first"),
    start_at: int = 0,
) -> Beside:
    """Return two ways to run one step beside each other, and what each leaves behind.

    Each side is a function that runs a step and one that lets a table grow. The words
    of a step are written only if the whole step went through.
    """
    sides = [_run(*functions) for functions in (left, right)]
    steps = [
        Step(title, *moments) for title, *moments in zip(TITLES, *sides, strict=True)
    ]
    return beside(names, steps, start_at=start_at)


class _Side:
    """One run: pool, manager, memory, and the words that each sequence should read."""

    def __init__(self, step: RunStep, grow: Grow) -> None:
        self.step = step
        self.pool = BlockPool(NUM_BLOCKS)
        self.manager = GrowingManager(self.pool, BLOCK_SIZE, grow)
        self.memory = WordMemory(BLOCK_SIZE)
        self.right: dict[str, list[str]] = {}
        for seq_id, words in WORDS.items():
            self.manager.add(seq_id, BLOCK_SIZE)
            self.right[seq_id] = words[:BLOCK_SIZE]
            for position, word in enumerate(self.right[seq_id]):
                self.write(seq_id, position, word)

    def write(self, seq_id: str, position: int, word: str) -> None:
        logical_block, offset = locate(position, BLOCK_SIZE)
        block_ids = self.manager.table(seq_id).block_ids
        if logical_block < len(block_ids):
            self.memory.write(block_ids[logical_block] * BLOCK_SIZE + offset, word)

    def run_step(self, new_tokens: Mapping[str, int]) -> str:
        """Run a step and write its words; return what was raised, as text."""
        try:
            self.step(self.manager, self.pool, new_tokens)
        except Exception as caught:  # noqa: BLE001  (a learner's code may fail)
            verb = "Refused" if isinstance(caught, PagedKVError) else "Failed"
            return f"{verb} with {type(caught).__name__}: {caught}."
        for seq_id, num_tokens in new_tokens.items():
            seq_len = self.manager.table(seq_id).seq_len
            first = len(self.right[seq_id])
            new = WORDS[seq_id][first : first + num_tokens]
            self.right[seq_id] += new
            for k, word in enumerate(new):
                self.write(seq_id, seq_len - num_tokens + k, word)
        return ""


def _run(step: RunStep, grow: Grow) -> list[Moment]:
    side = _Side(step, grow)
    moments = [_moment(side, "")]
    moments.append(_moment(side, side.run_step(NEW_TOKENS)))
    side.manager.free("C")
    del side.right["C"]
    moments.append(_moment(side, ""))
    again = {seq_id: n for seq_id, n in NEW_TOKENS.items() if seq_id != "C"}
    moments.append(_moment(side, side.run_step(again)))
    return moments


def _moment(side: _Side, error: str) -> Moment:
    told = [error] if error else []
    rows: list[Row] = []
    for k, seq_id in enumerate(WORDS):
        if seq_id not in side.right:
            continue
        rows.append(_sequence(side, seq_id, k))
        told += _complaints(side, seq_id)
    lost = _lost(side)
    rows.append(_pool(side, lost))
    if lost:
        told.append(f"{_amount(len(lost), 'block')} held, and in no table.")
    is_wrong = len(told) > bool(error)
    if not is_wrong:
        told.append("Every token has a slot, and every block an owner.")
    free = f"{_amount(side.pool.num_free, 'block')} free."
    return Moment(tuple(rows), " ".join([*told, free]), is_wrong=is_wrong)


def _complaints(side: _Side, seq_id: str) -> list[str]:
    table = side.manager.table(seq_id)
    num_slots = len(table.block_ids) * BLOCK_SIZE
    told: list[str] = []
    if table.seq_len > num_slots:
        told.append(
            f"{seq_id} counts {table.seq_len} tokens and has {num_slots} slots."
        )
    if side.memory.words(table) != side.right[seq_id] and not told:
        told.append(f"{seq_id} reads “{side.memory.read(table)}”.")
    return told


def _sequence(side: _Side, seq_id: str, hue: int) -> Row:
    table = side.manager.table(seq_id)
    words, right = side.memory.words(table), side.right[seq_id]
    boxes: list[Box] = []
    for k in range(max(cdiv(table.seq_len, BLOCK_SIZE), len(table.block_ids))):
        has_block = k < len(table.block_ids)
        cells: list[Cell] = []
        for position in range(k * BLOCK_SIZE, (k + 1) * BLOCK_SIZE):
            if position >= table.seq_len:
                cells.append(Cell("", "empty"))
            elif not has_block:
                cells.append(Cell("?", "wrong", "no slot"))
            else:
                same = position < len(right) and words[position] == right[position]
                unwritten = words[position] == WordMemory.UNWRITTEN
                tag = "" if same else "unwritten" if unwritten else "moved"
                cells.append(Cell(words[position], "" if same else "wrong", tag))
        name = f"block {table.block_ids[k]}" if has_block else "no block"
        look: Look = "" if has_block else "wrong"
        boxes.append(Box(tuple(cells), name, hue if has_block else None, look))
    return Row(f"{seq_id} reads", tuple(boxes), hue)


def _lost(side: _Side) -> list[int]:
    held = {b for s in side.right for b in side.manager.table(s).block_ids}
    blocks = range(side.pool.num_blocks)
    return [b for b in blocks if side.pool.ref_count(b) and b not in held]


def _pool(side: _Side, lost: list[int]) -> Row:
    owner = {b: s for s in side.right for b in side.manager.table(s).block_ids}
    names = list(WORDS)
    boxes: list[Box] = []
    for block_id in range(side.pool.num_blocks):
        seq_id = owner.get(block_id)
        if seq_id is not None:
            boxes.append(Box((Cell(seq_id),), str(block_id), names.index(seq_id)))
        elif block_id in lost:
            boxes.append(Box((Cell("?", "wrong"),), str(block_id), look="wrong"))
        else:
            boxes.append(Box((Cell("free", "empty"),), str(block_id), look="empty"))
    return Row("pool", tuple(boxes))


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'} {'is' if count == 1 else 'are'}"
