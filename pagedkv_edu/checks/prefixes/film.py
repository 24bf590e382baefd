"""A history of a prefix cache as a film: a pool by itself, and what can be found."""

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.limits import Complaint, Unwritten
from pagedkv_edu.checks.prefixes.guarded import NamedCache
from pagedkv_edu.checks.prefixes.model import PrefixModel, Tokens, names_in
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay.events import Event, PoolCall
from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import frames
from pagedkv_edu.report import Json


class PrefixFilm:
    """Notes what a cache shows after each call of a history."""

    def __init__(self, named: NamedCache) -> None:
        self._named = named
        self._counts: dict[int, int] = {}
        self.events: list[Event] = []
        self._texts: list[tuple[str, str]] = []
        self._cached: list[list[int]] = []  # free blocks that can be found, by frame

    def add(
        self, call: Call, outcome: int | PagedKVError | None, model: PrefixModel
    ) -> None:
        """Add one frame for a finished call."""
        cache = self._named.cache
        error = ""
        if isinstance(outcome, PagedKVError):
            error = f"{type(outcome).__name__}: {outcome}"
        now = {b: self._count(b) for b in range(model.num_blocks)}
        changed = tuple((b, n) for b, n in now.items() if n != self._counts.get(b, 0))
        pool_calls = tuple(
            PoolCall(kind, block_id, now.get(block_id, 0))
            for kind, block_id in self._pool_calls(call, outcome)
        )
        self._counts = now
        self.events.append(
            Event(
                call.name,
                (),
                num_blocks=model.num_blocks,
                num_free=cache.num_free,
                pool_calls=() if error else pool_calls,
                ref_counts=changed,
                error=error,
            )
        )
        what = f"{call} was refused. {error}." if error else f"{call}."
        head = f"{call} is refused" if error else str(call)
        if isinstance(outcome, int):
            what, head = f"{call}: block {outcome}.", f"{call}: block {outcome}"
        found_by_chain = self._findable(model)
        told = "" if found_by_chain is None else f" {_told(found_by_chain)}"
        self._texts.append((head, what + told))
        found = {b for blocks in (found_by_chain or {}).values() for b in blocks}
        self._cached.append(sorted(b for b in found if not now.get(b)))

    def encoded(self) -> Json:
        """Return the film as JSON; "cached" are the free blocks that can be found."""
        film = encode(frames(self.events))
        told = zip(film["frames"], self._texts, self._cached, strict=True)
        for frame, (head, text), cached in told:
            frame["call"], frame["headline"], frame["text"] = head, head, text
            frame["cached"] = cached
        return film

    def _count(self, block_id: int) -> int:
        try:
            return self._named.cache.ref_count(block_id)
        except (PagedKVError, Complaint):
            return 0

    def _pool_calls(
        self, call: Call, outcome: int | PagedKVError | None
    ) -> list[tuple[str, int]]:
        if isinstance(outcome, int):
            return [("allocate", outcome)]
        if call.name == "register":
            return []
        kind = "free" if call.name == "free" else "share"
        return [(kind, self._named.id_by_name[name]) for name in names_in(call)]

    def _findable(self, model: PrefixModel) -> dict[Tokens, list[int]] | None:
        """Return the blocks of every known chain that is found; None if it raises."""
        whole: dict[Tokens, list[int]] = {}
        known = {*model.name_by_chain, *model.forgotten_by}
        for chain in sorted(known, key=lambda c: (len(c), c)):
            try:
                found = self._named.cache.lookup((*chain, 0))
            except (PagedKVError, Complaint, Unwritten):
                return None
            if len(found) * model.block_size == len(chain):
                whole[chain] = found
        return whole


def _told(found_by_chain: dict[Tokens, list[int]]) -> str:
    parts = [f"{list(chain)} in {found}" for chain, found in found_by_chain.items()]
    return f"Can be found: {'; '.join(parts) or 'nothing'}."
