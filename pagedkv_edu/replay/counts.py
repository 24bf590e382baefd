"""Reference counts that many frames keep, each a little different from the last."""

from collections.abc import Iterable, Iterator, Mapping

_PART = 128


class Counts(Mapping[int, int]):
    """The blocks in use and their counts; cheap to keep a changed copy of.

    Blocks are kept in parts of 128, and a changed copy shares every part that it does
    not change. A film of a thousand frames over 16,384 blocks would need hundreds of
    megabytes otherwise.

    >>> Counts().changed([(3, 1), (7, 2)]).changed([(3, 0)])
    {7: 2}
    """

    __slots__ = ("_length", "_parts")

    def __init__(self) -> None:
        self._parts: dict[int, dict[int, int]] = {}
        self._length = 0

    def changed(self, changes: Iterable[tuple[int, int]]) -> "Counts":
        """Return a copy with these counts; 0 takes a block out."""
        after = Counts()
        after._parts = dict(self._parts)
        after._length = self._length
        own: set[int] = set()
        for block_id, count in changes:
            number = block_id // _PART
            if number not in own:
                after._parts[number] = dict(after._parts.get(number, {}))
                own.add(number)
            part = after._parts[number]
            after._length -= part.pop(block_id, None) is not None
            if count:
                part[block_id] = count
                after._length += 1
        return after

    def __getitem__(self, block_id: int) -> int:
        return self._parts[block_id // _PART][block_id]

    def __iter__(self) -> Iterator[int]:
        for part in self._parts.values():
            yield from part

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return repr(dict(self))
