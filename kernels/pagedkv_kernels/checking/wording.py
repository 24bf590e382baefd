"""Numbers and lists as a message of a check says them."""

from collections.abc import Sequence

NEXT_TO_NOTHING = 1e-30


def number(value: float) -> str:
    """Return a number with three digits, from 100 on with five; 0 for next to nothing.

    >>> number(0.18349), number(4.0), number(-0.0), number(2e-310), number(-999.687)
    ('0.183', '4', '0', '0', '-999.69')
    """
    if abs(value) < NEXT_TO_NOTHING:
        return "0"
    return f"{value:.5g}" if abs(value) >= 100 else f"{value:.3g}"


def joined(items: Sequence[object], last: str = "and") -> str:
    """Return "A", "A and B" or "A, B and C"."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def counted(count: int, noun: str) -> str:
    """Return "1 block", "2 blocks"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shown(value: object, width: int = 60) -> str:
    """Return a value as Python shows it, cut to fit into a sentence."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and len(shape) > 0:  # its numbers would fill the page
        return f"a tensor {list(shape)}"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001  (a learner's __repr__ may fail in any way)
        text = ""
    if not text or " at 0x" in text:  # an address says nothing, and changes
        return f"of type {type(value).__name__}"
    return text if len(text) <= width else f"{text[: width - 1]}…"
