"""Small pieces of the sentences that describe a frame."""

from collections.abc import Sequence

from pagedkv_edu.protocols import BlockCopy, SeqId
from pagedkv_edu.replay.events import Event, TableState

Told = tuple[str, str]  # a headline, and a sentence or a few


def call_text(event: Event) -> str:
    """Return the call as a learner would type it: append("A"), add("A", 6)."""
    arguments: list[object] = list(event.arguments)
    if event.call == "append" and event_tokens(event) == 1:
        arguments = arguments[:1]  # 1 is what append assumes
    texts = [_quoted(argument) for argument in arguments]
    texts += [f"prefix={_ids(event.prefix)}"] if event.prefix else []
    return f"{event.call}({', '.join(texts)})"


def amount(count: int, noun: str) -> str:
    """Return "no blocks", "1 block", "2 blocks" or "2 copies"."""
    many = f"{noun[:-1]}ies" if noun.endswith("py") else f"{noun}s"
    return f"{count or 'no'} {noun if count == 1 else many}"


def listed(items: Sequence[object]) -> str:
    """Return "0", "0 and 1", "0, 1 and 2", or "0, 1, … and 7" for a long list."""
    texts = [str(item) for item in items]
    if len(texts) > 6:
        texts = [*texts[:3], "…", texts[-1]]
    if len(texts) <= 1:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def blocks(block_ids: Sequence[int]) -> str:
    """Return "no block", "block 3" or "2 blocks: 0 and 1"."""
    if not block_ids:
        return "no block"
    if len(block_ids) == 1:
        return f"block {block_ids[0]}"
    return f"{len(block_ids)} blocks: {listed(block_ids)}"


def still(seq_ids: Sequence[SeqId], verb: str) -> str:
    """Return "B still reads" or "B and C still read"."""
    return f"{listed(seq_ids)} still {verb}{'s' if len(seq_ids) == 1 else ''}"


def copies_text(copies: Sequence[BlockCopy]) -> str:
    """Return "1 copy: block 0 to block 1" or "2 copies: block 0 to 1 and 3 to 2"."""
    if len(copies) == 1:
        return f"1 copy: block {copies[0].source} to block {copies[0].target}"
    pairs = listed([f"{copy.source} to {copy.target}" for copy in copies])
    return f"{len(copies)} copies: block {pairs}"


def event_tokens(event: Event) -> int:
    """Return how many tokens an add or an append asked for, 0 for other calls."""
    if event.call not in ("add", "append") or len(event.arguments) < 2:
        return 0
    num_tokens = event.arguments[1]
    return num_tokens if type(num_tokens) is int else 0


def table_text(table: TableState) -> str:
    """Return "[0, 2] with 7 tokens"; of a long table the ends."""
    return f"{_ids(table.block_ids)} with {amount(table.seq_len, 'token')}"


def _ids(block_ids: Sequence[int]) -> str:
    texts = [str(block_id) for block_id in block_ids]
    if len(texts) > 6:
        texts = [*texts[:3], "…", texts[-1]]
    return f"[{', '.join(texts)}]"


def _quoted(argument: object) -> str:
    return f'"{argument}"' if isinstance(argument, str) else repr(argument)
