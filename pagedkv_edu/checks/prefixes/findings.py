"""Compare a learner's prefix cache with the model, after one call."""

from collections.abc import Iterator, Sequence

from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.limits import Complaint
from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import amount, be
from pagedkv_edu.checks.prefixes.guarded import NamedCache
from pagedkv_edu.checks.prefixes.model import PrefixModel, Tokens, names_in, tokens_in
from pagedkv_edu.errors import PagedKVError

LOW_BYTE = 256


class PrefixFindings:
    """Looks at what a cache did, and says what differs from the model."""

    def __init__(self, model: PrefixModel, mine: NamedCache) -> None:
        self._model = model
        self._mine = mine
        self._freed_by: dict[str, int] = {}  # number of the call
        self._registered: dict[Tokens, None] = {}

    def after(self, call: Call) -> None:
        """Take note of a call that the model has followed."""
        number = self._model.num_calls
        for name in names_in(call):
            if self._model.count_by_name.get(name):
                self._freed_by.pop(name, None)
            else:
                self._freed_by[name] = number
        if call.name == "register":
            tokens, size = tokens_in(call), self._model.block_size
            for end in range(size, len(tokens) + 1, size):
                self._registered[tokens[:end]] = None

    # --- calls -----------------------------------------------------------------------

    def refusal(
        self,
        call: Call,
        outcome: int | PagedKVError | None,
        refusal: type[PagedKVError],
    ) -> Iterator[Finding]:
        """Compare a call that must be refused, with nothing changed."""
        name = refusal.__name__
        expected = f"{name}, and everything as it was: {self.why_refused(call)}."
        if isinstance(outcome, refusal):
            changes = [*self.state(call), *self.lookups(call)]
            if changes:
                found = "; ".join(finding.found.rstrip(".") for finding in changes)
                yield Finding(
                    "changed",
                    f"{call} was refused, but something changed first",
                    expected,
                    f"{name}, but {found}.",
                    changes[0].compared,
                    changes[0].found_value,
                    changes[0].expected_value,
                )
            return
        value, did, found = "no error", "returned", "no error."
        if isinstance(outcome, PagedKVError):
            value = type(outcome).__name__
            did, found = f"raised {value}", f"{value}: {outcome}."
        elif outcome is not None:
            value = str(outcome)
            did, found = f"returned block {outcome}", f"block {outcome}."
        title = f"{call} {did}; expected {name}"
        yield Finding(
            f"accepted {call.name}", title, expected, found, str(call), value, name
        )

    def refused_wrongly(self, call: Call, error: PagedKVError) -> Finding:
        """Tell of an error that must not be."""
        name = type(error).__name__
        if call.name == "allocate":
            why = self.in_use()
        else:
            why = "; ".join(self._about(name) for name in names_in(call))
        return Finding(
            f"refused {call.name}",
            f"{call} raised {name}; expected no error",
            f"no error: {why}.",
            f"{name}: {error}.",
            str(call),
            name,
            "no error",
        )

    def why_refused(self, call: Call) -> str:
        """Say why a call must be refused."""
        if call.name == "allocate":
            return self.in_use()
        model = self._model
        for name in names_in(call):
            if model.count_by_name.get(name):
                continue
            if call.name != "reuse" or name not in model.cached:
                return self._about(name)
        return ""

    def in_use(self) -> str:
        """Say how many blocks are in use."""
        num_blocks, num_used = self._model.num_blocks, len(self._model.held)
        if num_blocks == 1:
            return f"the only block is {'in use' if num_used else 'free'}"
        used = "all" if num_used == num_blocks else str(num_used or "none")
        return f"{used} of {num_blocks} blocks {be(max(1, num_used))} in use"

    def _about(self, name: str) -> str:
        model, block_id = self._model, self._mine.id_by_name[name]
        count = model.count_by_name.get(name, 0)
        if count:
            return f"block {block_id} is in use and has {amount(count, 'reference')}"
        since = self._freed_by.get(name)
        by = f", call {since} freed it" if since else ""
        if name in model.cached:
            chain = list(model.chain_by_name[name])
            return f"block {block_id} is free{by}, and holds {_told(chain, model)}"
        return f"block {block_id} is free{by}, and holds nothing that is registered"

    def block(self, call: Call, block_id: int) -> Iterator[Finding]:
        """Look at a block that was handed out: does it exist, is it the right one?"""
        model, mine = self._model, self._mine
        last = model.num_blocks - 1
        if not 0 <= block_id <= last:
            yield Finding(
                "no block",
                f"{call} returned {block_id}; the pool has blocks 0 to {last}",
                f"a block from 0 to {last}.",
                f"{block_id}.",
                f"0 <= {call.result} <= {last}",
                "False",
                "True",
            )
            return
        owners = [n for n in model.held if mine.id_by_name[n] == block_id]
        if owners:
            references = amount(model.count_by_name[owners[0]], "reference")
            yield Finding(
                "in use",
                f"{call} returned block {block_id}, which is in use",
                f"a block that nobody holds. Block {block_id} is {owners[0]}, with "
                f"{references}.",
                f"block {block_id} a second time.",
                f"{call.result} == {owners[0]}",
                "True",
                "False",
            )
            return
        cached = [n for n in model.cached if mine.id_by_name[n] == block_id]
        if cached and cached[0] != model.victim:
            yield self._wrong_victim(call, cached[0])

    def _wrong_victim(self, call: Call, taken: str) -> Finding:
        model, mine = self._model, self._mine
        taken_id = mine.id_by_name[taken]
        held = _told(list(model.chain_by_name[taken]), model)
        if not model.victim:
            blank = f"{amount(model.num_blank, 'block')} {be(model.num_blank)} blank"
            return Finding(
                "cached before blank",
                f"{call} returned block {taken_id}, which is cached; expected a blank "
                "block",
                f"a block of which nothing is known: {blank}, and what is cached stays "
                "as long as it can.",
                f"block {taken_id}, which held {held}.",
                f"{call.result} == {taken}",
                "True",
                "False",
            )
        right_id = mine.id_by_name[model.victim]
        order = [mine.id_by_name[name] for name in model.cached]
        return Finding(
            "wrong victim",
            f"{call} returned block {taken_id}; expected block {right_id}",
            f"block {right_id}: of the cached blocks it was freed longest ago, by "
            f"call {self._freed_by.get(model.victim, 0)}. The order in which they "
            f"were freed: {order}.",
            f"block {taken_id}, freed by call {self._freed_by.get(taken, 0)}.",
            f"{call.result} == {model.victim}",
            "False",
            "True",
        )

    # --- state -----------------------------------------------------------------------

    def state(self, call: Call) -> Iterator[Finding]:
        """Compare num_free, every ref_count, and num_blocks."""
        model, pool = self._model, self._mine.cache
        if pool.num_free != model.num_free:
            why = (
                f"{amount(model.num_blocks, 'block')}, {len(model.held) or 'none'} of "
            )
            why += "them in use; a cached block is free too"
            yield _differs(call, "num_free", pool.num_free, model.num_free, why)
        by_id = {self._mine.id_by_name[n]: n for n in model.held}
        for block_id in range(model.num_blocks):
            name = by_id.get(block_id)
            wanted = model.count_by_name[name] if name else 0
            found = pool.ref_count(block_id)
            if found != wanted:
                what = f"ref_count({name or block_id})"
                why = "1 for allocate, 1 more for each share and each reuse, "
                why += "1 less for each free"
                yield _differs(call, what, found, wanted, why)
        if pool.num_blocks != model.num_blocks:
            why = "it never changes"
            yield _differs(call, "num_blocks", pool.num_blocks, model.num_blocks, why)

    def lookups(self, call: Call) -> Iterator[Finding]:
        """Compare what is found of all that was registered, and of what is like it."""
        chains = sorted(self._registered, key=lambda c: (len(c), c))
        for chain in chains:
            yield from self._lookup(call, (*chain, 0))
        for chain in chains:
            yield from self._lookup(call, chain)
        if call.name == "register":
            for chain in chains:
                for other in _like(chain, self._model.block_size):
                    yield from self._lookup(call, (*other, 0))

    def _lookup(self, call: Call, tokens: Tokens) -> Iterator[Finding]:
        model, mine = self._model, self._mine
        what = f"lookup({list(tokens)})"
        names = model.lookup(tokens)
        wanted = [mine.id_by_name[name] for name in names]
        equation = f"cache.{what} == [{', '.join(names)}]"
        try:
            found = mine.cache.lookup(tokens)
        except (PagedKVError, Complaint) as error:
            if isinstance(error, Complaint) and error.stopped:
                raise
            did, text = f"raised {type(error).__name__}", str(error)
            if isinstance(error, Complaint):
                did, text = error.what, error.found.rstrip(".")
            yield Finding(
                "raised",
                f"after {call}, {what} {did}; expected {wanted}",
                f"{wanted}: a list of block ids, and finding nothing is no error.",
                text if text.endswith("?") else f"{text}.",
                equation,
                "False",
                "True",
            )
            return
        if found == wanted:
            return
        kind, why = self._why(tokens, found, wanted)
        yield Finding(
            kind,
            f"after {call}, {what} returned {found}; expected {wanted}",
            f"{wanted}: {why}.",
            f"{found}.",
            equation if names else f"cache.{what}",
            "False" if names else str(found),
            "True" if names else "[]",
        )

    def _why(
        self, tokens: Tokens, found: Sequence[int], wanted: Sequence[int]
    ) -> tuple[str, str]:
        """Return the kind of a wrong lookup, and the reason for the right one."""
        model = self._model
        size, num_offered = model.block_size, (len(tokens) - 1) // model.block_size
        num_alike = next(
            (i for i, (f, w) in enumerate(zip(found, wanted, strict=False)) if f != w),
            min(len(found), len(wanted)),
        )
        chain = tokens[: (num_alike + 1) * size]
        if num_alike < len(wanted):
            name = model.name_by_chain[chain]
            about = self._about(name)
            if num_alike < len(found):
                right = self._mine.id_by_name[name]
                copies = [self._mine.id_by_name[copy] for copy in model.copies]
                if found[num_alike] in copies:
                    return "found the copy", (
                        f"blocks {right} and {found[num_alike]} both hold "
                        f"{_told(list(chain), model)}, and block {right} was "
                        "registered first"
                    )
                return "found other tokens", (
                    f"{_told(list(chain), model)} is in block {right}, and not in "
                    f"block {found[num_alike]}"
                )
            if not model.count_by_name.get(name):
                return "not found", f"{about}, until it is handed out again"
            return "not found", f"{about}; it holds {_told(list(chain), model)}"
        if num_alike >= num_offered:
            return "found the last", (
                f"the last token is always computed, so at most ({len(tokens)} - 1) // "
                f"{size} = {amount(num_offered, 'block')} may be found"
            )
        what = _told(list(chain), model)
        by = model.forgotten_by.get(chain)
        if by is not None:
            return "found forgotten", f"call {by} handed out the block that held {what}"
        if any(c[-size:] == chain[-size:] for c in self._registered):
            kind = "found after other tokens"
        else:
            kind = "found other tokens"
        if len(chain) > size and chain[:-size] not in model.name_by_chain:
            kind = "found after a gap"
        return kind, f"no block holds {what}"


def _told(chain: Sequence[int], model: PrefixModel) -> str:
    size = model.block_size
    own, before = list(chain[-size:]), list(chain[:-size])
    return f"{own} after {before}" if before else f"{own} as a beginning"


def _like(chain: Tokens, size: int) -> list[Tokens]:
    """Return chains that a weak hash takes for this one."""
    before, own = chain[:-size], chain[-size:]
    low = tuple(token + LOW_BYTE for token in own)
    others = [before + low, before + own[::-1], own]
    if len(chain) > size:
        others += [chain[:-size][::-1] + own, (9,) * len(before) + own]
    return [other for other in others if other != chain]


def _differs(call: Call, what: str, found: int, wanted: int, why: str) -> Finding:
    name = what.split("(")[0]
    return Finding(
        name,
        f"after {call}, {what} is {found}; expected {wanted}",
        f"{what} is {wanted}: {why}.",
        f"{what} is {found}.",
        f"cache.{what}",
        str(found),
        str(wanted),
    )
