"""Questions about a film, made from its frames, so that the answer is never wrong."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay import Frame, describe
from pagedkv_edu.replay.describe import amount, call_text, listed

NUM_CHOICES = 4
NONE = "none"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question with one right answer."""

    text: str
    choices: tuple[str, ...]  # empty: a number is typed
    answer: str
    why: str = ""  # shown with the mark


@dataclass(frozen=True, slots=True)
class _Scene:
    """What is asked about: some calls, the frame before them, if any, and after."""

    before: Frame | None
    covered: Sequence[Frame]

    @property
    def after(self) -> Frame:
        return self.covered[-1]

    @property
    def calls(self) -> str:
        """Return the calls as text, equal neighbours counted."""
        texts = [_call(frame) for frame in self.covered]
        runs = [(text, len(list(equal))) for text, equal in groupby(texts)]
        return listed([text if n == 1 else f"{n} calls of {text}" for text, n in runs])

    def verb(self, one: str, several: str) -> str:
        """Return "does ... take" or "do ... together take"."""
        if len(self.covered) == 1:
            return f"does {self.calls} {one}"
        together = "together " if len(set(map(_call, self.covered))) > 1 else ""
        return f"do {self.calls} {together}{several}"

    def own_blocks(self) -> list[int]:
        """Return the blocks of the sequences that act, as they are before the calls.

        All blocks in use, if only new sequences act.
        """
        if self.before is None:
            return []
        actors = [frame.event.arguments[0] for frame in self.covered]
        tables = [self.before.tables.get(actor) for actor in dict.fromkeys(actors)]
        held = [block_id for table in tables if table for block_id in table.block_ids]
        return list(dict.fromkeys(held)) or sorted(self.before.ref_counts)


def question_about(
    film: Sequence[Frame],
    *,
    before: int,
    calls: int = 1,
    ask: str = "blocks_taken",
    block_id: int | None = None,
) -> Prompt:
    """Return a question about film[before : before + calls].

    A negative `before` counts from the end. `ask` is one of "blocks_taken",
    "blocks_freed", "num_copies", "block_copied", "num_free", "ref_count", "num_held"
    and "refused". "ref_count" asks about `block_id`, or about the last block of the
    sequence that acts.

    >>> from pagedkv_edu import BlockManager, BlockPool
    >>> from pagedkv_edu.replay import RecordedManager, RecordedPool, frames
    >>> pool = RecordedPool(BlockPool(8))
    >>> RecordedManager(BlockManager(pool, 4), pool).add("A", 6)
    >>> question_about(frames(pool.events), before=0, ask="blocks_taken").text
    'How many blocks does add("A", 6) take from the pool?'
    """
    start = before + len(film) if before < 0 else before
    if not 0 <= start < len(film) or not 1 <= calls <= len(film) - start:
        raise PagedKVError(
            f"the film has {len(film)} frames; there are no {calls} from {before} on"
        )
    if ask not in _ASK:
        raise PagedKVError(f"cannot ask {ask!r}; there are {', '.join(_ASK)}")
    scene = _Scene(film[start - 1] if start else None, film[start : start + calls])
    if ask == "ref_count":
        return _ref_count(scene, block_id)
    return _ASK[ask](scene)


def _call(frame: Frame) -> str:
    return call_text(frame.event)


def _sum(scene: _Scene, count: Callable[[Frame], int]) -> int:
    return sum(count(frame) for frame in scene.covered)


def _blocks_taken(scene: _Scene) -> Prompt:
    taken = _sum(scene, lambda frame: len(frame.event.blocks_taken))
    text = f"How many blocks {scene.verb('take', 'take')} from the pool?"
    return _number(scene, text, taken)


def _blocks_freed(scene: _Scene) -> Prompt:
    freed = _sum(scene, lambda frame: len(frame.event.blocks_freed))
    return _number(scene, f"How many blocks become free with {scene.calls}?", freed)


def _num_copies(scene: _Scene) -> Prompt:
    copies = _sum(scene, lambda frame: len(frame.event.copies))
    return _number(scene, f"How many blocks {scene.verb('copy', 'copy')}?", copies)


def _num_free(scene: _Scene) -> Prompt:
    text = f"How many blocks are free after {scene.calls}?"
    total = scene.after.event.num_blocks
    now = scene.before.event.num_free if scene.before else total
    return _number(scene, text, scene.after.event.num_free, now, at_most=total)


def _num_held(scene: _Scene) -> Prompt:
    text = f"How many blocks are in use after {scene.calls}?"
    now = scene.before.num_held if scene.before else 0
    total = scene.after.event.num_blocks
    return _number(scene, text, scene.after.num_held, now, at_most=total)


def _ref_count(scene: _Scene, block_id: int | None) -> Prompt:
    if block_id is None:
        held = scene.own_blocks()
        if not held:
            raise PagedKVError("no block to ask about: name one, as in block_id=0")
        block_id = held[-1]
    text = f"What is the ref_count of block {block_id} after {scene.calls}?"
    now = scene.before.ref_counts.get(block_id, 0) if scene.before else 0
    return _number(scene, text, scene.after.ref_counts.get(block_id, 0), now)


def _block_copied(scene: _Scene) -> Prompt:
    sources = [copy.source for frame in scene.covered for copy in frame.event.copies]
    if len(sources) > 1:
        raise PagedKVError(f"{len(sources)} blocks are copied; ask for num_copies")
    answer = f"block {sources[0]}" if sources else NONE
    own = [f"block {block_id}" for block_id in scene.own_blocks()]
    if not own:
        raise PagedKVError("no sequence has a block yet; ask about a later call")
    text = f"Which block {scene.verb('copy', 'copy')}?"
    near = own if len(own) < 6 else [own[0], own[1], own[-2], own[-1]]
    choices = near if answer in (*near, NONE) else [*near, answer]
    return Prompt(text, (*choices, NONE), answer, _why(scene))


def _refused(scene: _Scene) -> Prompt:
    refused = any(frame.event.error for frame in scene.covered)
    is_refused = "Is" if len(scene.covered) == 1 else "Is one of"
    text = f"{is_refused} {scene.calls} refused?"
    return Prompt(text, ("yes", "no"), "yes" if refused else "no", _why(scene))


_ASK: dict[str, Callable[[_Scene], Prompt]] = {
    "blocks_taken": _blocks_taken,
    "blocks_freed": _blocks_freed,
    "num_copies": _num_copies,
    "block_copied": _block_copied,
    "num_free": _num_free,
    "num_held": _num_held,
    "ref_count": lambda scene: _ref_count(scene, None),
    "refused": _refused,
}


def _number(
    scene: _Scene, text: str, answer: int, now: int = 0, *, at_most: int | None = None
) -> Prompt:
    """Return a question with numbers to choose from, the likely mistakes among them."""
    num_own = len(scene.own_blocks())
    likely = [answer, now, num_own, now + 1, now - 1, answer + 1, answer - 1]
    likely += [now - num_own, len(scene.covered), *range(NUM_CHOICES)]
    limit = max(answer, at_most or scene.after.event.num_blocks)
    numbers = _first_few(number for number in likely if 0 <= number <= limit)
    choices = tuple(str(number) for number in sorted(numbers))
    return Prompt(text, choices, str(answer), _why(scene))


def _first_few(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))[:NUM_CHOICES]


def _why(scene: _Scene) -> str:
    if len(scene.covered) <= 3:
        return " ".join(describe(frame) for frame in scene.covered)
    copies = _sum(scene, lambda frame: len(frame.event.copies))
    taken = _sum(scene, lambda frame: len(frame.event.blocks_taken))
    return (
        f"Together the {len(scene.covered)} calls take {amount(taken, 'block')} and "
        f"copy {amount(copies, 'block')}."
    )
