"""Wrong checks that learners write in exercise 12, and right ones of another kind."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt.model import answer_alone
from pagedkv_edu.checks.hunt.under_test import Cache, Pool, Server
from pagedkv_edu.errors import NeverFits, NotAllocated, OutOfBlocks

Check = Callable[..., object]
NewPool = Callable[[int], Pool]
NewCache = Callable[[int, int], Cache]
NewServer = Callable[[int, int], Server]


@dataclass(frozen=True)
class WrongCheck:
    """A check that must be rejected, with its title and the hint that fits."""

    exercise_id: str
    check: Check
    title: str
    hint: str
    least: float = 0.0  # share of the points
    most: float = 0.0


# --- 12.1 ----------------------------------------------------------------------------


def wants_block_0_first(new_pool: NewPool) -> str | None:
    pool = new_pool(4)
    if pool.allocate() != 0:
        return "the first block is not block 0"
    return None


def wants_the_freed_block_back(new_pool: NewPool) -> str | None:
    pool = new_pool(4)
    block_id = pool.allocate()
    pool.free(block_id)
    return None if pool.allocate() == block_id else "another block came back"


def catches_nothing(new_pool: NewPool) -> str | None:
    new_pool(4).allocate()
    return None


def accuses_everybody(new_pool: NewPool) -> str | None:
    return "this pool is broken"


def accuses_from_the_fourth_call_on() -> Check:
    """Count how often it was called; the right ones come first."""
    calls: list[int] = []

    def my_pool_check(new_pool: NewPool) -> str | None:
        calls.append(new_pool(2).num_blocks)
        return "broken" if len(calls) > 3 else None

    return my_pool_check


def tries_what_was_shown(new_pool: NewPool) -> str | None:
    """The shortest calls of the shown ones, in one pool of one size."""
    pool = new_pool(4)
    ids = [pool.allocate() for _ in range(4)]
    pool.share(ids[0])
    pool.free(ids[0])
    if pool.num_free:
        return "it is free while somebody holds it"
    pool.free(ids[0])
    if not pool.num_free:
        return "it never comes back"
    with suppress(NotAllocated):
        pool.free(ids[0])
        return "it is freed twice"
    return None


def forgets_that_a_double_free_raises(new_pool: NewPool) -> str | None:
    pool = new_pool(2)
    block_id = pool.allocate()
    pool.free(block_id)
    pool.free(block_id)
    return None if pool.num_free == 2 else "it is freed twice"


def reads_private_attributes(new_pool: NewPool) -> str | None:
    pool = new_pool(2)
    private: list[int] = pool._free  # type: ignore
    return None if len(private) == 2 else "a free list is wrong"


def looks_at_the_class(new_pool: NewPool) -> str | None:
    name = type(new_pool(2)).__name__
    return None if name in ("BlockPool", "RightPool", "Pool") else f"{name} is broken"


def returns_true(new_pool: NewPool) -> object:
    return new_pool(2).num_free == 2


def returns_an_empty_sentence(new_pool: NewPool) -> str:
    return ""


def stops_with_an_index_error(new_pool: NewPool) -> str | None:
    pool = new_pool(2)
    counts = [0, 0]
    counts[pool.allocate() + 2] += 1
    return None


def allocates_without_end(new_pool: NewPool) -> str | None:
    pool = new_pool(2)
    while pool.num_blocks:
        with suppress(OutOfBlocks):
            pool.allocate()
    return None


def waits_without_calls(new_pool: NewPool) -> str | None:
    while True:
        pass


def right_pool_by_loops(new_pool: NewPool) -> str | None:
    """Another right one: a model of its own, over all short histories of a size."""
    for num_blocks in (1, 2, 3):
        for number in range(17):
            wrong = _led_pool(new_pool(num_blocks), random.Random(f"{number}"))
            if wrong:
                return wrong
    return None


def _led_pool(pool: Pool, rng: random.Random) -> str | None:
    owners: list[int] = []  # one entry for each reference
    num_blocks = pool.num_blocks
    for _ in range(rng.randint(8, 16)):
        block_id = rng.choice([rng.randint(-num_blocks, num_blocks), *owners])
        name = rng.choice(["allocate", "share", "free"])
        full = len(set(owners)) == num_blocks
        allowed = not full if name == "allocate" else block_id in owners
        try:
            if name == "allocate":
                block_id = pool.allocate()
                allowed = allowed and block_id not in owners
            else:
                getattr(pool, name)(block_id)
        except (OutOfBlocks, NotAllocated):
            if allowed:
                return f"{name} was refused"
        else:
            if not allowed:
                return f"{name} was accepted"
            if name == "free":
                owners.remove(block_id)
            else:
                owners.append(block_id)
        counts = [pool.ref_count(b) == owners.count(b) for b in range(num_blocks)]
        if not all(counts) or pool.num_free != num_blocks - len(set(owners)):
            return f"after {name} the counts are wrong"
    return None


# --- 12.2 ----------------------------------------------------------------------------


def forks_what_is_not_written(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 6)
    cache.fork("A", "B")
    return None


def reads_before_the_step_ends(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 2)
    return None if cache.read("A") == ["A0", "A1"] else "A does not read its words"


def wants_a_copy_for_everybody(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 6)
    cache.run()
    cache.fork("A", "B")
    cache.append("A")
    cache.append("B")
    return None if cache.num_copies == 2 else f"{cache.num_copies} copies, not 2"


def tries_one_fork(new_cache: NewCache) -> str | None:
    """One fork in the middle of a block of four, and both append."""
    cache = new_cache(8, 4)
    cache.add("A", 6)
    cache.run()
    cache.fork("A", "B")
    cache.append("A")
    cache.append("B")
    cache.run()
    common = ["A0", "A1", "A2", "A3", "A4", "A5"]
    for name in "AB":
        if cache.read(name) != [*common, f"{name}6"]:
            return f"{name} reads {cache.read(name)}"
    cache.free("A")
    cache.free("B")
    return None if cache.num_free == 8 else "blocks are missing"


def catches_no_cache(new_cache: NewCache) -> str | None:
    new_cache(8, 4).add("A", 6)
    return None


def names_a_sequence_twice(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 1)
    cache.add("A", 1)
    return None


def indexes_an_empty_read(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 1)
    return None if cache.read("A")[3] == "A3" else "wrong"


def appends_without_end(new_cache: NewCache) -> str | None:
    cache = new_cache(8, 4)
    cache.add("A", 1)
    while cache.num_free >= 0:
        with suppress(OutOfBlocks):
            cache.append("A")
    return None


# --- 12.3 ----------------------------------------------------------------------------


def waits_for_every_answer(new_server: NewServer) -> str | None:
    """Right, but a server that never answers is waited for."""
    server = new_server(4, 2)
    due = {"A": answer_alone([1, 2, 3], 4), "B": answer_alone([11, 12, 13], 4)}
    server.submit("A", [1, 2, 3], 4)
    server.submit("B", [11, 12, 13], 4)
    while due:
        for name, answer in server.step().items():
            if answer != due.pop(name):
                return f"{name} gets {answer}"
    return None


def wants_both_to_run(new_server: NewServer) -> str | None:
    server = new_server(8, 2)
    server.submit("A", [1, 2], 1)
    server.submit("B", [5, 6], 1)
    return None if len(server.step()) == 2 else "two do not run at once"


def wants_a_hit(new_server: NewServer) -> str | None:
    """Measure a second prompt in steps: only a cache is fast enough for it."""
    server = new_server(8, 2)
    prompt = list(range(9))
    steps: list[int] = []
    for name in "AB":
        server.submit(name, prompt, 1)
        steps.append(next(i for i in range(30) if server.step()))
    return None if steps[1] < steps[0] else "the second prompt is not found"


def asks_for_one_answer(new_server: NewServer) -> str | None:
    server = new_server(4, 2)
    server.submit("A", [1, 2, 3], 2)
    for _ in range(6):
        for answer in server.step().values():
            good = answer == answer_alone([1, 2, 3], 2)
            return None if good else f"A gets {answer}"
    return "A gets no answer"


def forgets_never_fits(new_server: NewServer) -> str | None:
    server = new_server(2, 2)
    server.submit("A", [1, 2, 3, 4, 5], 2)
    return "it is queued, and never fits"


def bounds_all_by_one_step_a_token(new_server: NewServer) -> str | None:
    """Forget that a bound grows with the requests that came before."""
    server = new_server(4, 2)
    for name in "ABC":
        server.submit(name, [1, 2, 3], 4)
    answers: dict[str, list[int]] = {}
    for _ in range(8):
        answers |= server.step()
    return None if len(answers) == 3 else f"{3 - len(answers)} are late"


def tries_small_prompts(new_server: NewServer) -> str | None:
    """A bound and the answers, for one workload."""
    server = new_server(4, 2)
    prompts = {"A": [1, 2, 3], "B": [11, 12, 13], "C": [1, 2, 5]}
    for name, prompt in prompts.items():
        server.submit(name, prompt, 4)
    answers: dict[str, list[int]] = {}
    for _ in range(3 * 8):
        answers |= server.step()
    for name, prompt in prompts.items():
        if answers.get(name) != answer_alone(prompt, 4):
            return f"{name} gets {answers.get(name)}"
    with suppress(NeverFits):
        server.submit("D", [1] * 8, 4)
        return "12 tokens are accepted"
    return None if server.num_free == 4 else "blocks are missing"


MUTANTS = [
    WrongCheck(
        "12.1",
        wants_block_0_first,
        'my_pool_check accuses a right pool: "the first block is not block 0"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.1",
        wants_the_freed_block_back,
        'my_pool_check accuses a right pool: "another block came back"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.1",
        catches_nothing,
        "0 of 22 unseen broken pools caught; FreesABlockTwice, which you were shown, "
        "is let go",
        hint.BEGIN,
    ),
    WrongCheck(
        "12.1",
        accuses_everybody,
        'my_pool_check accuses a right pool: "this pool is broken"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.1",
        tries_what_was_shown,
        "of 22 unseen broken pools caught",
        hint.ONLY_SHOWN,
        0.1,
        0.4,
    ),
    WrongCheck(
        "12.1",
        forgets_that_a_double_free_raises,
        "my_pool_check lets NotAllocated out, which a right pool raises",
        hint.LETS_OUT,
    ),
    WrongCheck(
        "12.1",
        reads_private_attributes,
        "my_pool_check raised AttributeError on a right pool",
        hint.CRASHES,
    ),
    WrongCheck(
        "12.1",
        looks_at_the_class,
        "0 of 22 unseen broken pools caught; FreesABlockTwice, which you were shown, "
        "is let go",
        hint.BEGIN,
    ),
    WrongCheck(
        "12.1",
        returns_true,
        "my_pool_check returned True; expected None or a sentence",
        hint.BEGIN,
    ),
    WrongCheck(
        "12.1",
        returns_an_empty_sentence,
        "my_pool_check returned ''; expected None or a sentence",
        hint.BEGIN,
    ),
    WrongCheck(
        "12.1",
        stops_with_an_index_error,
        "my_pool_check raised IndexError on a right pool",
        hint.CRASHES,
    ),
    WrongCheck(
        "12.1",
        allocates_without_end,
        "my_pool_check makes more than 3,000 calls of a right pool",
        hint.ENDLESS,
    ),
    WrongCheck(
        "12.2",
        forks_what_is_not_written,
        "my_cache_check lets PagedKVError out, which a right cache raises",
        hint.LETS_OUT,
    ),
    WrongCheck(
        "12.2",
        reads_before_the_step_ends,
        'my_cache_check accuses a right cache: "A does not read its words"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.2",
        wants_a_copy_for_everybody,
        'my_cache_check accuses a right cache: "1 copies, not 2"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.2",
        tries_one_fork,
        "of 35 unseen broken caches caught; TakesAFullTailForEmpty, which you were "
        "shown, is let go",
        hint.CACHE_BOUNDARY,
        0.1,
        0.4,
    ),
    WrongCheck(
        "12.2",
        catches_no_cache,
        "0 of 35 unseen broken caches caught; WritesIntoSharedBlocks, which you were "
        "shown, is let go",
        hint.BEGIN,
    ),
    WrongCheck(
        "12.2",
        names_a_sequence_twice,
        "my_cache_check lets DuplicateSequence out, which a right cache raises",
        hint.LETS_OUT,
    ),
    WrongCheck(
        "12.2",
        indexes_an_empty_read,
        "my_cache_check raised IndexError on a right cache",
        hint.CRASHES,
    ),
    WrongCheck(
        "12.2",
        appends_without_end,
        "my_cache_check makes more than 3,000 calls of a right cache",
        hint.ENDLESS,
    ),
    WrongCheck(
        "12.3",
        waits_for_every_answer,
        "of 32 unseen broken servers caught",
        hint.ENDLESS,
        0.05,
        0.4,
    ),
    WrongCheck(
        "12.3",
        wants_both_to_run,
        'my_server_check accuses a right server: "two do not run at once"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.3",
        wants_a_hit,
        'my_server_check accuses a right server: "the second prompt is not found"',
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.3",
        asks_for_one_answer,
        "of 32 unseen broken servers caught",
        hint.BEGIN,
        0.0,
        0.1,
    ),
    WrongCheck(
        "12.3",
        forgets_never_fits,
        "my_server_check lets NeverFits out, which a right server raises",
        hint.LETS_OUT,
    ),
    WrongCheck(
        "12.3",
        bounds_all_by_one_step_a_token,
        "my_server_check accuses a right server",
        hint.ACCUSES,
    ),
    WrongCheck(
        "12.3",
        tries_small_prompts,
        "of 32 unseen broken servers caught; HashesTheLowByte, which you were shown, "
        "is let go",
        hint.SERVER_ANSWERS,
        0.2,
        0.7,
    ),
]
