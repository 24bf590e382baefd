"""The rows of two blocks in the order in which address functions put them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise, product

from pagedkv_edu.sizes import KVCacheSpec

# (spec, "k" or "v", block_id, slot, head) -> the byte where the row begins
Address = Callable[[KVCacheSpec, str, int, int, int], int]
NUM_BLOCKS = 2
INK = "var(--jp-content-font-color1, inherit)"
LINE = "var(--jp-border-color1, #8a9099)"
PAPER = "var(--jp-layout-color0, transparent)"
SHADE = "var(--jp-layout-color2, rgba(128, 128, 128, 0.2))"


@dataclass(frozen=True, slots=True)
class Row:
    """One token's key or value for one head: `head_dim` numbers side by side."""

    kind: str
    block_id: int
    slot: int
    head: int

    @property
    def is_marked(self) -> bool:
        """Whether a loop over the keys of head 0 reads it."""
        return self.kind == "k" and self.head == 0

    @property
    def text(self) -> str:
        """Return "k · block 0 · slot 1 · head 0"."""
        return f"{self.kind} · {self.place}"

    @property
    def place(self) -> str:
        """Return "block 0 · slot 1 · head 0"."""
        return f"block {self.block_id} · slot {self.slot} · head {self.head}"


@dataclass(frozen=True, slots=True)
class Order:
    """What one address function makes of all rows, or why it made nothing."""

    name: str
    rows_by_byte: dict[int, list[Row]]
    trouble: str = ""

    @property
    def steps(self) -> list[int]:
        """Bytes from each marked row to the next one that a loop reads."""
        place = {
            row: byte
            for byte, rows in self.rows_by_byte.items()
            for row in rows
            if row.is_marked
        }
        in_turn = sorted(place, key=lambda row: (row.block_id, row.slot))
        return [place[b] - place[a] for a, b in pairwise(in_turn)]


@dataclass(frozen=True, slots=True)
class MemoryOrder:
    """Several orders beside each other; a notebook draws them."""

    orders: tuple[Order, ...]

    def __repr__(self) -> str:
        return "\n\n".join("\n".join(_lines(order)) for order in self.orders)

    def _repr_html_(self) -> str:
        columns = "".join(_column(order) for order in self.orders)
        side_by_side = "display: flex; flex-wrap: wrap; gap: 8px 28px"
        return f'<div style="{side_by_side}">{columns}</div>'


def memory_order(spec: KVCacheSpec, *functions: Address) -> MemoryOrder:
    """Return the rows of two blocks as each function orders them, for a notebook.

    Keys of head 0 are marked: they are what a loop over the tokens of that head reads.
    A function that is not written yet, or fails, is said to.
    """
    return MemoryOrder(tuple(_order(spec, function) for function in functions))


def _order(spec: KVCacheSpec, address: Address) -> Order:
    name = getattr(address, "__name__", "the function")
    rows_by_byte: dict[int, list[Row]] = {}
    try:
        for row in _rows(spec):
            byte = address(spec, row.kind, row.block_id, row.slot, row.head)
            rows_by_byte.setdefault(int(byte), []).append(row)
    except NotImplementedError:
        return Order(name, {}, "is not written yet")
    except Exception as error:  # noqa: BLE001  (a learner's code may raise anything)
        return Order(name, {}, f"raised {type(error).__name__}: {error}")
    return Order(name, dict(sorted(rows_by_byte.items())))


def _rows(spec: KVCacheSpec) -> Iterator[Row]:
    slots, heads = range(spec.block_size), range(spec.num_kv_heads)
    for kind, block_id, slot, head in product("kv", range(NUM_BLOCKS), slots, heads):
        yield Row(kind, block_id, slot, head)


def _lines(order: Order) -> list[str]:
    if order.trouble:
        return [f"{order.name} {order.trouble}"]
    lines = [order.name]
    for byte, rows in order.rows_by_byte.items():
        mark = "*" if any(row.is_marked for row in rows) else " "
        lines.append(f"{byte:6} {mark} {_named(rows)}")
    return [*lines, _told(order)]


def _named(rows: list[Row]) -> str:
    """Say which rows begin at a byte: one, or a key and a value in an array each."""
    if len(rows) == 2 and rows[0].place == rows[1].place:
        return f"k, v · {rows[0].place}"
    return " and ".join(row.text for row in rows)


def _told(order: Order) -> str:
    steps = ", ".join(map(str, order.steps))
    return f"mark to mark: {steps} bytes"


def _column(order: Order) -> str:
    head = f'<div style="font-weight: 600; color: {INK}">{escape(order.name)}</div>'
    if order.trouble:
        return f"<div>{head}{_line(order.trouble)}</div>"
    body = "".join(_box(byte, rows) for byte, rows in order.rows_by_byte.items())
    table = f'<table style="border-collapse: collapse; margin: 4px 0">{body}</table>'
    return f"<div>{head}{table}{_line(_told(order))}</div>"


def _line(text: str) -> str:
    return f'<div style="color: {INK}">{escape(text)}</div>'


def _box(byte: int, rows: list[Row]) -> str:
    # JupyterLab shades every other row of a table; here shade is a mark
    cell = f"padding: 1px 8px; color: {INK}; background: {PAPER}"
    style = f"{cell}; border: 1px solid {LINE}; text-align: left"
    if any(row.is_marked for row in rows):
        style += f"; background: {SHADE}; border-left: 5px solid currentColor"
    text = escape(_named(rows))
    number = f'<td style="{cell}; text-align: right">{byte}</td>'
    return f'<tr>{number}<td style="{style}">{text}</td></tr>'
