"""A learner's prefix cache behind a guard, and a cache whose blocks have names."""

from collections.abc import Sequence

from pagedkv_edu.checks.histories import Call, is_list, is_tuple
from pagedkv_edu.checks.judging.guarded import GuardedPool, as_int, ask
from pagedkv_edu.checks.judging.limits import Complaint, Guard, shown
from pagedkv_edu.checks.prefixes.model import names_in, tokens_in
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.memory.prefix import PrefixCache


class GuardedCache(GuardedPool):
    """Speaks the protocol of a prefix cache, with typed answers or a complaint."""

    def __init__(self, cache: object, guard: Guard) -> None:
        super().__init__(cache, guard)
        self._cache = cache
        self._ask = guard

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        """Return what the learner's cache finds."""
        found = ask(self._ask, self._cache, "lookup", list(tokens))
        if is_list(found) or is_tuple(found):
            return [as_int("lookup", block_id) for block_id in found]
        missing = ' Is a "return" missing?' if found is None else ""
        text = f"{shown(found)}; it must be a list of block ids.{missing}"
        raise Complaint("lookup", f"returned {shown(found)}", text)

    def reuse(self, block_ids: Sequence[int]) -> None:
        """Let the learner's cache add references."""
        ask(self._ask, self._cache, "reuse", list(block_ids))

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        """Let the learner's cache make blocks findable."""
        ask(self._ask, self._cache, "register", list(tokens), list(block_ids))


class NamedCache:
    """A cache whose blocks are called by the names of a history."""

    def __init__(self, cache: GuardedCache | PrefixCache) -> None:
        self.cache = cache
        self.id_by_name: dict[str, int] = {}

    def make(self, call: Call) -> int | PagedKVError | None:
        """Make a call; return a block id, our error, or nothing."""
        try:
            if call.name == "allocate":
                block_id = self.cache.allocate()
                self.id_by_name[call.result] = block_id
                return block_id
            ids = [self.id_by_name[name] for name in names_in(call)]
            if call.name == "register":
                self.cache.register(tokens_in(call), ids)
            elif call.name == "reuse":
                self.cache.reuse(ids)
            elif call.name == "share":
                self.cache.share(ids[0])
            else:
                self.cache.free(ids[0])
        except PagedKVError as error:
            return error
        return None
