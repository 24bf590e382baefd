"""What a step of a served model did, in one sentence and in a few."""

from collections.abc import Iterator, Mapping, Sequence

from pagedkv_edu.report import Json

_WHY = {
    "stop": "has said all",
    "length": "reached its limit",
    "outgrew the pool": "outgrew the pool",
    "cancelled": "was stopped",
}


def headline(frame: Json) -> str:
    """Say the most telling thing of a step.

    >>> frame = {"dropped_by": {}, "admitted": [], "taken_by": {}, "new": []}
    >>> headline(frame | {"freed_by": {"A": [0, 1]}, "ended": {"A": ["stop", 7]}})
    'A has said all and gives 2 blocks back'
    """
    dropped, freed = frame["dropped_by"], frame["freed_by"]
    if any(why == "cancelled" for why, _ in frame["ended"].values()):
        return f"The model was stopped: {_joined(list(frame['ended']))} ended early"
    if dropped:
        return f"The pool is full: {_joined(list(dropped))} must give its blocks up"
    if freed:
        first, *others = freed
        why = _WHY.get(frame["ended"][first][0], "ends")
        more = f", and {_joined(others)} too" if others else ""
        return (
            f"{first} {why} and gives {_amount(len(freed[first]), 'block')} back{more}"
        )
    if frame["admitted"]:
        verb = "begins" if len(frame["admitted"]) == 1 else "begin"
        return f"{_joined(frame['admitted'])} {verb}: the prompt is written into blocks"
    taken: Mapping[str, list[int]] = frame["taken_by"]
    if taken:
        who, blocks = next(iter(taken.items()))
        if len(taken) > 1:
            return f"{_joined(list(taken))} each take a new block"
        return f"{who} takes block {blocks[0]} for its next token"
    writers = [label for label, _ in frame["new"]]
    if len(writers) == 1:
        return f"{writers[0]} writes one token"
    return f"{_joined(writers)} write one token each" if writers else "Nobody writes"


def tell(frame: Json, states: Mapping[str, str], token_bytes: int) -> str:
    """Say everything that a step did, and what it costs."""
    parts = [f"Step {frame['step']}:"]
    parts += [*_moved(frame, states), *_written(frame), *_ended(frame)]
    waiting = [label for label, state in states.items() if state == "waiting"]
    if waiting:
        verb = "waits" if len(waiting) == 1 else "wait"
        parts.append(f"{_joined(waiting)} {verb} for blocks.")
    if token_bytes and len(parts) < 4:
        parts.append(f"One token costs {token_bytes / 2**10:g} KiB here.")
    return " ".join(parts)


def _moved(frame: Json, states: Mapping[str, str]) -> Iterator[str]:
    """Say who came, who found something, who lost blocks, and what was copied."""
    if frame["admitted"]:
        yield f"{_joined(frame['admitted'])} came in."
    for label, num_hits in frame["hits"].items():
        yield f"{label} found {_amount(num_hits, 'token')} in the cache."
    for label, blocks in frame["dropped_by"].items():
        how = "moved to the host" if states.get(label) == "host" else "dropped"
        verb = "was" if len(blocks) == 1 else "were"
        yield f"{_amount(len(blocks), 'block')} of {label} {verb} {how}."
    if frame["swapped_in"]:
        yield f"{_joined(frame['swapped_in'])} came back from the host."
    num_copied = sum(kind == "copy" for _, _, kind in frame["copies"])
    if num_copied:
        verb = "was" if num_copied == 1 else "were"
        yield f"{_amount(num_copied, 'shared block')} {verb} copied before a write."


def _written(frame: Json) -> Iterator[str]:
    """Say what was computed, and who took which blocks for it."""
    prompts = [label for label, n in frame["computed"].items() if n > 1]
    if prompts:
        num = sum(frame["computed"][label] for label in prompts)
        verb = "was" if num == 1 else "were"
        yield f"{_amount(num, 'token')} {verb} computed for {_joined(prompts)}."
    writers = [label for label, _ in frame["new"]]
    if writers:
        each = "" if len(writers) == 1 else " each"
        yield f"{_joined(writers)} wrote one token{each}."
    for label, blocks in frame["taken_by"].items():
        if label not in frame["admitted"]:
            noun = "block" if len(blocks) == 1 else "blocks"
            yield f"{label} took {noun} {_joined(blocks)}."


def _ended(frame: Json) -> Iterator[str]:
    """Say who ended, why, and what it gave back."""
    for label, blocks in frame["freed_by"].items():
        why, length = frame["ended"][label]
        yield (
            f"{label} {_WHY.get(why, why)} after {_amount(length, 'token')} "
            f"and gave {_amount(len(blocks), 'block')} back."
        )


def _joined(items: Sequence[object]) -> str:
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
