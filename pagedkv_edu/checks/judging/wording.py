"""Numbers and lists as a message says them."""

from collections.abc import Sequence

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def counted(count: int, noun: str) -> str:
    """Return "no copy", "one copy", "two copies", "12 copies"."""
    word = _WORDS[count] if 0 <= count < len(_WORDS) else str(count)
    return f"{word} {noun if count in (0, 1) else plural(noun)}"


def amount(count: int, noun: str) -> str:
    """Return "0 blocks", "1 block", "2 blocks": where numbers are compared."""
    return f"{count} {noun if count == 1 else plural(noun)}"


def out_of(count: int, total: int) -> str:
    """Return "0 of 1 block is", "1 of 8 blocks is", "7 of 8 blocks are"."""
    return f"{count} of {amount(total, 'block')} {be(1 if total == 1 else count)}"


def be(count: int) -> str:
    """Return "is" or "are"."""
    return "is" if count == 1 else "are"


def plural(noun: str) -> str:
    """Return the noun's plural; the last word changes."""
    return f"{noun[:-1]}ies" if noun.endswith("py") else f"{noun}s"


def joined(items: Sequence[object], last: str = "and") -> str:
    """Return "A", "A and B" or "A, B and C"."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def numbers(values: Sequence[int]) -> str:
    """Return numbers in order, long runs as one: "1, 2, 3", "1 to 8", "1 to 4, 7"."""
    ordered = sorted(values)
    texts: list[str] = []
    while ordered:
        length = 1
        while length < len(ordered) and ordered[length] == ordered[0] + length:
            length += 1
        run, ordered = ordered[:length], ordered[length:]
        texts += [f"{run[0]} to {run[-1]}"] if length > 3 else [str(n) for n in run]
    return ", ".join(texts)


def which_pass(
    text: str,
    passing: dict[int, bool],
    name: str = "n",
    verbs: tuple[str, str] = ("pass", "fail"),
) -> str:
    """Say for which numbers the same calls pass: the contrast points at the cause.

    >>> by_n = {1: False, 2: False, 4: True}
    >>> which_pass("my_slot(n, 4)", by_n, verbs=("passes", "fails"))
    'my_slot(n, 4) passes for n = 4 and fails for n = 1, 2.'
    """
    right = [n for n, passes in passing.items() if passes]
    wrong = [n for n, passes in passing.items() if not passes]
    if len(passing) < 2 or not wrong:
        return ""
    passes, fails = verbs
    if not right:
        return f"{text} {fails} for every {name} from {min(wrong)} to {max(wrong)}."
    return (
        f"{text} {passes} for {name} = {numbers(right)} "
        f"and {fails} for {name} = {numbers(wrong)}."
    )
