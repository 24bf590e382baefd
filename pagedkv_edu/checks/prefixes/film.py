"""A history of a prefix cache as a film: a pool by itself, and what can be found."""

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.limits import Complaint, Unwritten
from pagedkv_edu.checks.prefixes.guarded import NamedCache
from pagedkv_edu.checks.prefixes.model import PrefixModel, names_in
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
        self._texts.append((head, f"{what} {self._findable(model)}"))

    def encoded(self) -> Json:
        """Return the film as JSON."""
        film = encode(frames(self.events))
        for frame, (head, text) in zip(film["frames"], self._texts, strict=True):
            frame["call"], frame["headline"], frame["text"] = head, head, text
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

    def _findable(self, model: PrefixModel) -> str:
        """Say what a lookup finds now, of all that was ever registered."""
        parts: list[str] = []
        known = {*model.name_by_chain, *model.forgotten_by}
        for chain in sorted(known, key=lambda c: (len(c), c)):
            try:
                found = self._named.cache.lookup((*chain, 0))
            except (PagedKVError, Complaint, Unwritten):
                return ""
            if len(found) * model.block_size == len(chain):
                parts.append(f"{list(chain)} in {found}")
        return f"Can be found: {'; '.join(parts) or 'nothing'}."
