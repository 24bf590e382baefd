"""Wrong answers to exercise 11 that learners write, and right ones of another kind."""

from collections.abc import Callable, Sequence

from pagedkv_edu import OutOfBlocks
from pagedkv_edu.errors import NotAllocated
from tests.mutants.block_pool import Mutant

HashBlock = Callable[[int, tuple[int, ...]], int]

# --- 11.1 my_block_hashes -------------------------------------------------------------


def hashes_in_a_loop(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    hashes: list[int] = []
    parent = 0
    for i in range(len(tokens) // block_size):
        own = tuple(tokens[i * block_size : (i + 1) * block_size])
        parent = hash_block(parent, own)
        hashes.append(parent)
    return hashes


def hashes_by_recursion(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    full = len(tokens) // block_size * block_size
    if not full:
        return []
    before = hashes_by_recursion(tokens[: full - block_size], block_size, hash_block)
    own = tuple(tokens[full - block_size : full])
    return [*before, hash_block(before[-1] if before else 0, own)]


def hashes_each_alone(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    starts = range(0, len(tokens) // block_size * block_size, block_size)
    return [hash_block(0, tuple(tokens[i : i + block_size])) for i in starts]


def hashes_the_rest_too(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    hashes: list[int] = []
    for i in range(0, len(tokens), block_size):
        parent = hashes[-1] if hashes else 0
        hashes.append(hash_block(parent, tuple(tokens[i : i + block_size])))
    return hashes


def leaves_the_last_token_out(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    return hashes_in_a_loop(tokens[:-1], block_size, hash_block)


def hashes_everything_before_again(
    tokens: list[int], block_size: int, hash_block: HashBlock
) -> list[int]:
    hashes: list[int] = []
    for end in range(block_size, len(tokens) + 1, block_size):
        hashes.append(hash_block(hashes[-1] if hashes else 0, tuple(tokens[:end])))
    return hashes


def passes_a_list(
    tokens: list[int], block_size: int, hash_block: Callable[..., int]
) -> list[int]:
    hashes: list[int] = []
    for i in range(len(tokens) // block_size):
        parent = hashes[-1] if hashes else 0
        own = tokens[i * block_size : (i + 1) * block_size]
        hashes.append(hash_block(parent, own))
    return hashes


# --- 11.2 my_longest_run --------------------------------------------------------------


def runs_to_a_break(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    run: list[int] = []
    for block_hash in hashes:
        if block_hash not in block_by_hash or len(run) == (
            (num_tokens - 1) // block_size
        ):
            break
        run.append(block_by_hash[block_hash])
    return run


def runs_with_get(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    most = max(0, num_tokens - 1) // block_size
    found = [block_by_hash.get(block_hash) for block_hash in hashes[:most]]
    run: list[int] = []
    for block_id in found:
        if block_id is None:
            return run
        run.append(block_id)
    return run


def skips_the_gap(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    most = (num_tokens - 1) // block_size
    return [block_by_hash[h] for h in hashes[:most] if h in block_by_hash]


def offers_the_last_block(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    return runs_to_a_break(hashes, block_by_hash, num_tokens + 1, block_size)


def never_offers_the_last_full_block(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    run: list[int] = []
    for block_hash in hashes[:-1]:
        if block_hash not in block_by_hash:
            break
        run.append(block_by_hash[block_hash])
    return run


def takes_block_zero_for_nothing(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    run: list[int] = []
    for block_hash in hashes[: (num_tokens - 1) // block_size]:
        block_id = block_by_hash.get(block_hash)
        if not block_id:
            break
        run.append(block_id)
    return run


def expects_every_hash(
    hashes: list[int], block_by_hash: dict[int, int], num_tokens: int, block_size: int
) -> list[int]:
    most = (num_tokens - 1) // block_size
    return [block_by_hash[block_hash] for block_hash in hashes[:most]]


# --- 11.3 MyPrefixCache: two right ones -----------------------------------------------


class NamedByTokens:
    """A block's name is all tokens up to its end; two lists of free blocks."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._ref_counts = [0] * num_blocks
        self._blank = list(range(num_blocks))
        self._cached: list[int] = []
        self._block_by_name: dict[tuple[int, ...], int] = {}
        self._name_by_block: dict[int, tuple[int, ...]] = {}

    @property
    def num_free(self) -> int:
        return len(self._blank) + len(self._cached)

    def ref_count(self, block_id: int) -> int:
        return self._ref_counts[block_id]

    def names(self, tokens: Sequence[int], num: int) -> list[tuple[int, ...]]:
        return [tuple(tokens[: (i + 1) * self.block_size]) for i in range(num)]

    def allocate(self) -> int:
        if self._blank:
            block_id = self._blank.pop()
        elif self._cached:
            block_id = self._cached.pop(0)
            self._forget(block_id)
        else:
            raise OutOfBlocks("no block is free")
        self._ref_counts[block_id] = 1
        return block_id

    def share(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] += 1

    def free(self, block_id: int) -> None:
        self._require_in_use(block_id)
        self._ref_counts[block_id] -= 1
        if self._ref_counts[block_id] == 0:
            known = block_id in self._name_by_block
            (self._cached if known else self._blank).append(block_id)

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        found: list[int] = []
        for name in self.names(tokens, (len(tokens) - 1) // self.block_size):
            if name not in self._block_by_name:
                break
            found.append(self._block_by_name[name])
        return found

    def reuse(self, block_ids: Sequence[int]) -> None:
        for block_id in block_ids:
            if self._ref_counts[block_id] == 0 and block_id not in self._cached:
                raise NotAllocated(f"block {block_id} is free and unknown")
        for block_id in block_ids:
            if block_id in self._cached:
                self._cached.remove(block_id)
            self._ref_counts[block_id] += 1

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        names = self.names(tokens, len(tokens) // self.block_size)
        for name, block_id in zip(names, block_ids, strict=False):
            if name not in self._block_by_name and block_id not in self._name_by_block:
                self._block_by_name[name] = block_id
                self._name_by_block[block_id] = name

    def _forget(self, block_id: int) -> None:
        del self._block_by_name[self._name_by_block.pop(block_id)]

    def _require_in_use(self, block_id: int) -> None:
        if self._ref_counts[block_id] == 0:
            raise NotAllocated(f"block {block_id} is not in use")


class LazyClock:
    """Knows of each block when it was freed, and chooses when one is wanted."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.block_size = block_size
        self._count = dict.fromkeys(range(num_blocks), 0)
        self._freed_at = dict.fromkeys(self._count, 0)
        self._clock = 0
        self._content: dict[int, tuple[int, tuple[int, ...]]] = {}  # hash, chain

    @property
    def num_blocks(self) -> int:
        return len(self._count)

    @property
    def num_free(self) -> int:
        return list(self._count.values()).count(0)

    def ref_count(self, block_id: int) -> int:
        return self._count[block_id]

    def _find(self, chain: tuple[int, ...]) -> int | None:
        wanted = (sum(chain) % 7, chain)  # a weak hash: the tokens are compared too
        for block_id, content in self._content.items():
            if content == wanted:
                return block_id
        return None

    def allocate(self) -> int:
        free = [b for b, count in self._count.items() if not count]
        if not free:
            raise OutOfBlocks("all blocks are in use")
        chosen = min(free, key=lambda b: (b in self._content, self._freed_at[b]))
        self._content.pop(chosen, None)
        self._count[chosen] = 1
        return chosen

    def share(self, block_id: int) -> None:
        if not self._count[block_id]:
            raise NotAllocated("free")
        self._count[block_id] += 1

    def free(self, block_id: int) -> None:
        if not self._count[block_id]:
            raise NotAllocated("free already")
        self._count[block_id] -= 1
        self._clock += 1
        self._freed_at[block_id] = self._clock

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        found: list[int] = []
        end = self.block_size
        while end < len(tokens):
            block_id = self._find(tuple(tokens[:end]))
            if block_id is None:
                break
            found.append(block_id)
            end += self.block_size
        return found

    def reuse(self, block_ids: Sequence[int]) -> None:
        if any(not self._count[b] and b not in self._content for b in block_ids):
            raise NotAllocated("look up again")
        for block_id in block_ids:
            self._count[block_id] += 1

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        for index in range(len(tokens) // self.block_size):
            chain = tuple(tokens[: (index + 1) * self.block_size])
            if self._find(chain) is None and block_ids[index] not in self._content:
                self._content[block_ids[index]] = (sum(chain) % 7, chain)


# --- 11.3: wrong ones -----------------------------------------------------------------


class NeverForgets(NamedByTokens):
    """Hands a cached block out, and goes on finding it."""

    def _forget(self, block_id: int) -> None:
        del self._name_by_block[block_id]


class ForgetsWhenFreed(NamedByTokens):
    """Takes a free block for one that holds nothing."""

    def free(self, block_id: int) -> None:
        super().free(block_id)
        if self._ref_counts[block_id] == 0 and block_id in self._cached:
            self._forget(block_id)
            self._cached.remove(block_id)
            self._blank.append(block_id)


class OffersTheLastBlock(NamedByTokens):
    """Leaves nothing to compute where every token is found."""

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        return super().lookup([*tokens, 0])


class NamesABlockByItself(NamedByTokens):
    """Forgets that a cache depends on all tokens before it."""

    def names(self, tokens: Sequence[int], num: int) -> list[tuple[int, ...]]:
        size = self.block_size
        return [tuple(tokens[i * size : (i + 1) * size]) for i in range(num)]


class NamesByTheLowByte(NamedByTokens):
    """Hashes one byte of each token."""

    def names(self, tokens: Sequence[int], num: int) -> list[tuple[int, ...]]:
        return super().names([token % 256 for token in tokens], num)


class NamesByTheSum(NamedByTokens):
    """Hashes without the order of the tokens, and does not compare them."""

    def names(self, tokens: Sequence[int], num: int) -> list[tuple[int, ...]]:
        chains = super().names(tokens, num)
        return [(len(chain), sum(chain)) for chain in chains]


class TakesTheNewest(NamedByTokens):
    """Forgets first what was freed last."""

    def allocate(self) -> int:
        if not self._blank and self._cached:
            self._cached.insert(0, self._cached.pop())
        return super().allocate()


class TakesCachedFirst(NamedByTokens):
    """Forgets what is cached while there are blank blocks."""

    def allocate(self) -> int:
        blank, self._blank = self._blank, [] if self._cached else self._blank
        try:
            return super().allocate()
        finally:
            self._blank = self._blank or blank


class KeepsItsPlace(NamedByTokens):
    """Puts a block that was reused back to its old place in the order."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        super().__init__(num_blocks, block_size)
        self._first_freed: list[int] = []

    def free(self, block_id: int) -> None:
        super().free(block_id)
        if block_id in self._cached:
            if block_id not in self._first_freed:
                self._first_freed.append(block_id)
            self._cached.sort(key=self._first_freed.index)

    def _forget(self, block_id: int) -> None:
        super()._forget(block_id)
        self._first_freed.remove(block_id)


class LeavesItInTheList(NamedByTokens):
    """Revives a cached block, and does not take it out of the free ones."""

    def reuse(self, block_ids: Sequence[int]) -> None:
        cached = list(self._cached)
        super().reuse(block_ids)
        self._cached = cached


class CountsBlankOnesOnly(NamedByTokens):
    """Overlooks that a cached block is free."""

    @property
    def num_free(self) -> int:
        return len(self._blank)


class NeverEvicts(NamedByTokens):
    """Refuses while everything that is free is cached."""

    def allocate(self) -> int:
        if not self._blank:
            raise OutOfBlocks("no blank block")
        return super().allocate()


class ReusesAnything(NamedByTokens):
    """Does not look whether a free block is known."""

    def reuse(self, block_ids: Sequence[int]) -> None:
        for block_id in block_ids:
            for free in (self._cached, self._blank):
                if block_id in free:
                    free.remove(block_id)
            self._ref_counts[block_id] += 1


class ReusesHalfway(NamedByTokens):
    """Finds out in the middle that one of the blocks is unknown."""

    def reuse(self, block_ids: Sequence[int]) -> None:
        for block_id in block_ids:
            super().reuse([block_id])


class NamesTheRest(NamedByTokens):
    """Names a block that is not full."""

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        names = self.names(tokens, -(-len(tokens) // self.block_size))
        for name, block_id in zip(names, block_ids, strict=False):
            if name not in self._block_by_name and block_id not in self._name_by_block:
                self._block_by_name[name] = block_id
                self._name_by_block[block_id] = name


class NewestKeepsTheName(NamedByTokens):
    """Gives the name to the second of two equal blocks; the first keeps it too."""

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        names = self.names(tokens, len(tokens) // self.block_size)
        for name, block_id in zip(names, block_ids, strict=False):
            self._block_by_name[name] = block_id
            self._name_by_block[block_id] = name

    def _forget(self, block_id: int) -> None:
        self._block_by_name.pop(self._name_by_block.pop(block_id), None)


class StopsAtAKnownBlock(NamedByTokens):
    """Registers nothing behind a block that is known already."""

    def register(self, tokens: Sequence[int], block_ids: Sequence[int]) -> None:
        for index, name in enumerate(
            self.names(tokens, len(tokens) // self.block_size)
        ):
            if name in self._block_by_name:
                break
            self._block_by_name[name] = block_ids[index]
            self._name_by_block[block_ids[index]] = name


class LooksBehindAGap(NamedByTokens):
    """Returns every block that is known, not the run from the beginning."""

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        names = self.names(tokens, (len(tokens) - 1) // self.block_size)
        return [self._block_by_name[n] for n in names if n in self._block_by_name]


class RaisesKeyError(NamedByTokens):
    """Expects that every block is known."""

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        names = self.names(tokens, (len(tokens) - 1) // self.block_size)
        return [self._block_by_name[name] for name in names]


class ReturnsNothing(NamedByTokens):
    """Finds the blocks, and does not return them."""

    def lookup(self, tokens: Sequence[int]) -> list[int]:
        super().lookup(tokens)
        return None  # pyright: ignore[reportReturnType]  (what a learner forgets)


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "11.1": (hashes_in_a_loop, hashes_by_recursion),
    "11.2": (runs_to_a_break, runs_with_get),
    "11.3": (NamedByTokens, LazyClock),
}


MUTANTS = (
    Mutant(
        "11.1",
        hashes_each_alone,
        "my_block_hashes([1, 2, 3, 4], 2, digits) returned [12, 34]; "
        "expected [12, 1234]",
        ("my_block_hashes([1, 2, 3, 4], 2, digits)",),
        "Equal tokens get equal hashes, whatever stands before them",
    ),
    Mutant(
        "11.1",
        hashes_the_rest_too,
        "my_block_hashes([1], 2, digits) returned [1]; expected []",
        ("my_block_hashes([1], 2, digits)",),
        "There is a hash too many",
    ),
    Mutant(
        "11.1",
        leaves_the_last_token_out,
        "my_block_hashes([1, 2], 2, digits) returned []; expected [12]",
        ("my_block_hashes([1, 2], 2, digits)",),
        "There is a hash too few",
    ),
    Mutant(
        "11.1",
        hashes_everything_before_again,
        "my_block_hashes([1, 2, 3, 4], 2, digits) returned [12, 121234]; "
        "expected [12, 1234]",
        ("my_block_hashes([1, 2, 3, 4], 2, digits)",),
        "The number of hashes is right, a hash is not",
    ),
    Mutant(
        "11.1",
        passes_a_list,
        "my_block_hashes([1, 2], 2, digits) raised TypeError; expected [12]",
        ("my_block_hashes([1, 2], 2, digits)",),
        "My code stops with an error, or returns something else",
    ),
    Mutant(
        "11.2",
        skips_the_gap,
        "my_longest_run([12, 1234], {1234: 0}, 5, 2) returned [0]; expected []",
        ("my_longest_run([12, 1234], {1234: 0}, 5, 2)",),
        "A block is returned although one before it is missing",
    ),
    Mutant(
        "11.2",
        offers_the_last_block,
        "my_longest_run([12], {12: 5}, 2, 2) returned [5]; expected []",
        ("my_longest_run([12], {12: 5}, 2, 2)",),
        "The block of the last token is returned",
    ),
    Mutant(
        "11.2",
        never_offers_the_last_full_block,
        "my_longest_run([12], {12: 5}, 3, 2) returned []; expected [5]",
        ("my_longest_run([12], {12: 5}, 3, 2)",),
        "The run ends too early",
    ),
    Mutant(
        "11.2",
        takes_block_zero_for_nothing,
        "my_longest_run([12, 1234], {12: 5, 1234: 0}, 5, 2) returned [5]; "
        "expected [5, 0]",
        ("my_longest_run([12, 1234], {12: 5, 1234: 0}, 5, 2)",),
        "Block 0 counts as nothing",
    ),
    Mutant(
        "11.2",
        expects_every_hash,
        "my_longest_run([12], {}, 3, 2) raised KeyError; expected []",
        ("my_longest_run([12], {}, 3, 2)",),
        "My code stops with KeyError",
    ),
    Mutant(
        "11.3",
        NeverForgets,
        "after b = allocate(), lookup([1, 2, 0]) returned [0]; expected []",
        ("a = allocate()", "register([1, 2], [a])", "free(a)", "b = allocate()"),
        "lookup finds a block that was handed out again",
    ),
    Mutant(
        "11.3",
        ForgetsWhenFreed,
        "after free(a), lookup([1, 2, 0]) returned []; expected [2]",
        ("a = allocate()", "register([1, 2], [a])", "free(a)"),
        "lookup does not find what is cached",
    ),
    Mutant(
        "11.3",
        OffersTheLastBlock,
        "after register([1, 2], [a]), lookup([1, 2]) returned [2]; expected []",
        ("a = allocate()", "register([1, 2], [a])"),
        "lookup returns the block of the last token",
    ),
    Mutant(
        "11.3",
        NamesABlockByItself,
        "after register([1, 2, 3, 4], [a, b]), lookup([3, 4, 0]) returned [1]; "
        "expected []",
        ("a = allocate()", "b = allocate()", "register([1, 2, 3, 4], [a, b])"),
        "lookup finds a block that holds other tokens",
    ),
    Mutant(
        "11.3",
        NamesByTheLowByte,
        "after register([1, 2], [a]), lookup([257, 258, 0]) returned [2]; expected []",
        ("a = allocate()", "register([1, 2], [a])"),
        "lookup finds a block that holds other tokens",
    ),
    Mutant(
        "11.3",
        NamesByTheSum,
        "after register([1, 2], [a]), lookup([2, 1, 0]) returned [2]; expected []",
        ("a = allocate()", "register([1, 2], [a])"),
        "lookup finds a block that holds other tokens",
    ),
    Mutant(
        "11.3",
        TakesTheNewest,
        "c = allocate() returned block 1; expected block 0",
        (
            "a = allocate()",
            "b = allocate()",
            "register([1, 2, 3, 4], [a, b])",
            "free(b)",
            "free(a)",
            "c = allocate()",
        ),
        "allocate hands out the wrong block",
    ),
    Mutant(
        "11.3",
        TakesCachedFirst,
        "b = allocate() returned block 2, which is cached; expected a blank block",
        ("a = allocate()", "register([1, 2], [a])", "free(a)", "b = allocate()"),
        "allocate hands out the wrong block",
    ),
    Mutant(
        "11.3",
        KeepsItsPlace,
        "c = allocate() returned block 1; expected block 0",
        (
            "a = allocate()",
            "b = allocate()",
            "register([1, 2], [a])",
            "free(a)",
            "register([3, 4], [b])",
            "free(b)",
            "reuse([a])",
            "free(a)",
            "c = allocate()",
        ),
        "allocate hands out the wrong block",
    ),
    Mutant(
        "11.3",
        LeavesItInTheList,
        "after reuse([a]), num_free is 3; expected 2",
        ("a = allocate()", "register([1, 2], [a])", "free(a)", "reuse([a])"),
        "num_free or a ref_count is wrong",
    ),
    Mutant(
        "11.3",
        CountsBlankOnesOnly,
        "after free(a), num_free is 2; expected 3",
        ("a = allocate()", "register([1, 2], [a])", "free(a)"),
        "num_free or a ref_count is wrong",
    ),
    Mutant(
        "11.3",
        NeverEvicts,
        "b = allocate() raised OutOfBlocks; expected no error",
        ("a = allocate()", "register([1, 2], [a])", "free(a)", "b = allocate()"),
        "A call is refused that should be accepted",
    ),
    Mutant(
        "11.3",
        ReusesAnything,
        "reuse([a]) returned; expected NotAllocated",
        ("a = allocate()", "free(a)", "reuse([a])"),
        "A call is accepted that should be refused",
    ),
    Mutant(
        "11.3",
        ReusesHalfway,
        "reuse([a, b]) was refused, but something changed first",
        ("a = allocate()", "b = allocate()", "free(b)", "reuse([a, b])"),
        "was refused, but something changed first",
    ),
    Mutant(
        "11.3",
        NamesTheRest,
        "after register([1, 2], [a]), lookup([1, 2, 0]) returned []; expected [2]",
        ("a = allocate()", "register([1], [a])", "register([1, 2], [a])"),
        "lookup does not find what is cached",
    ),
    Mutant(
        "11.3",
        NewestKeepsTheName,
        "after register([1, 2], [b]), lookup([1, 2, 0]) returned [1]; expected [2]",
        (
            "a = allocate()",
            "b = allocate()",
            "register([1, 2], [a])",
            "register([1, 2], [b])",
        ),
        "Two blocks hold the same, and lookup finds the wrong one",
    ),
    Mutant(
        "11.3",
        StopsAtAKnownBlock,
        "after register([1, 2, 3, 4], [a, b]), lookup([1, 2, 3, 4, 0]) returned [2]; "
        "expected [2, 1]",
        (
            "a = allocate()",
            "b = allocate()",
            "register([1, 2], [a])",
            "register([1, 2, 3, 4], [a, b])",
        ),
        "lookup does not find what is cached",
    ),
    Mutant(
        "11.3",
        LooksBehindAGap,
        "after c = allocate(), lookup([1, 2, 3, 4, 0]) returned [0]; expected []",
        (
            "a = allocate()",
            "b = allocate()",
            "register([1, 2, 3, 4], [a, b])",
            "free(a)",
            "c = allocate()",
        ),
        "lookup finds a block that was handed out again",
    ),
    Mutant(
        "11.3",
        RaisesKeyError,
        "after register([1, 2], [a]), lookup([257, 258, 0]) raised KeyError; "
        "expected []",
        ("a = allocate()", "register([1, 2], [a])"),
        "My code stops with an error, or returns something else",
    ),
    Mutant(
        "11.3",
        ReturnsNothing,
        "after register([1, 2], [a]), lookup([1, 2, 0]) returned None; expected [2]",
        ("a = allocate()", "register([1, 2], [a])"),
        "My code stops with an error, or returns something else",
    ),
)
