# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e12-title"
# # Exercise 12: the hunt
#
# You write checks, and the course tries them on things that are broken.
# Each check is a function. It is given a maker, makes what it wants to test as often and as large as it likes, and returns what is wrong in a sentence, or `None`.
# Lesson: [12, failure modes](../notebooks/12_failure_modes.ipynb).
#
# Some broken things are shown to you below. The points are given for others that are not: the same mistakes at other sizes and in other moments, and some other mistakes.
# A check that accuses one of three right implementations earns nothing: what the rules leave open is nobody's mistake.
#
# - An error that your check lets out counts as an accusation, as in a test.
# - A check that does not come to an end catches nothing. It may make 3,000 calls in all of what one maker makes; reading `num_free` is a call too.
# - Draw with a generator of your own, `rng = random.Random(1)`. Then your check says the same every time.

# %% id="e12-imports"
import random
from collections.abc import Callable

from pagedkv_edu import OutOfBlocks
from pagedkv_edu.checks.failure_modes import broken
from pagedkv_edu.checks.hunt.model import answer_alone
from pagedkv_edu.checks.hunt.under_test import Cache, Pool, Server
from pagedkv_edu.course import check
from pagedkv_edu.errors import NeverFits, NotAllocated
from pagedkv_edu.viz.hunt import show_hunt

# %% [markdown] id="e12-1-task"
# ## 12.1 Check a pool
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# Write `my_pool_check`. `new_pool(num_blocks)` makes a block pool, right or broken.
#
# ```python
# my_pool_check(new_pool) -> str | None
# ```
#
# | a pool has | a right one |
# |---|---|
# | `allocate() -> int` | returns a block that nobody holds; raises `OutOfBlocks` if there is none |
# | `share(block_id)` | adds a reference; raises `NotAllocated` for an id that is not in use |
# | `free(block_id)` | drops a reference; after the last one the block is free; raises `NotAllocated` for an id that is not in use |
# | `ref_count(block_id)` | the references to a block, 0 if it is free |
# | `num_free`, `num_blocks` | how many blocks are free, and how many there are |
#
# A call that is refused changes nothing. Which free block comes next is open. Ids may be negative or too large.
# The unseen ones are broken in pools of 1 to 4 blocks, with up to 4 references to a block.
#
# ```
# your check      ->  new_pool(4)  ->  calls  ->  "block 2 was handed out twice"
# your own count  ->  {0: 1, 1: 0, 2: 2, 3: 0}      compare after each call
# ```

# %% [markdown] id="e12-1-shown-text"
# **The pools that you are shown.** `broken("12.1", name)` is the maker of one of them, as your check is given it.
#
# | name | what goes wrong |
# |---|---|
# | `FreesABlockTwice` | a block is freed twice |
# | `FreesWhatOthersHold` | a block is free while somebody holds it |
# | `NeverGivesBack` | a block never comes back |
# | `KeepsOneBlockBack` | the last free block is refused |

# %% id="e12-1-shown"
pool = broken("12.1", "FreesABlockTwice")(2)
block_id = pool.allocate()
pool.free(block_id)
pool.free(block_id)
pool.num_free, pool.num_blocks


# %% id="e12-1-answer" tags=["answer"] exercise="12.1"
def my_pool_check(new_pool: Callable[[int], Pool]) -> str | None:
    """Return what is wrong with the pools that new_pool makes, or None."""
    # BEGIN SOLUTION: make pools, count along, and compare after every call
    rng = random.Random(1)
    for num_blocks in (1, 2, 3) * 14:
        wrong = lead_a_pool(new_pool(num_blocks), rng)
        if wrong:
            return f"{wrong}, in a pool of {num_blocks}"
    return None


def lead_a_pool(pool: Pool, rng: random.Random) -> str | None:
    """Make random calls, and count references along."""
    counts = dict.fromkeys(range(pool.num_blocks), 0)
    for _ in range(16):
        call = rng.choice(["allocate", "share", "free"])
        held = [b for b, count in counts.items() if count]
        block_id = rng.choice([*held, rng.randint(-len(counts), len(counts))])
        right = 0 in counts.values() if call == "allocate" else counts.get(block_id)
        try:
            if call == "allocate":
                block_id = pool.allocate()
            elif call == "share":
                pool.share(block_id)
            else:
                pool.free(block_id)
        except (NotAllocated, OutOfBlocks):
            if right:
                return f"{call} of {block_id} is refused with {counts}"
        else:
            if not right or (call == "allocate" and counts.get(block_id) != 0):
                return f"{call} of {block_id} is accepted with {counts}"
            counts[block_id] += -1 if call == "free" else 1
        if counts != {b: pool.ref_count(b) for b in counts}:
            return f"after {call} of {block_id} the counts are not {counts}"
        if pool.num_free != list(counts.values()).count(0):
            return f"after {call} of {block_id} num_free is {pool.num_free}"
    return None
    # END SOLUTION


# %% id="e12-1-check" tags=["check"] exercise="12.1"
check("12.1", my_pool_check)

# %% [markdown] id="e12-1-see-text"
# **See it.** What your check says of the pools that are shown, and of three right ones.
# With a name it shows the film: `show_hunt("12.1", my_pool_check, "FreesWhatOthersHold")`.

# %% id="e12-1-see" tags=["picture"]
show_hunt("12.1", my_pool_check)

# %% [markdown] id="e12-2-task"
# ## 12.2 Check a cache
#
# Difficulty: 4 of 5. Time: 35 minutes.
#
# Write `my_cache_check`. `new_cache(num_blocks, block_size)` makes a block manager together with its memory.
#
# ```python
# my_cache_check(new_cache) -> str | None
# ```
#
# | a cache has | a right one |
# |---|---|
# | `add(name, num_tokens)`, `append(name, num_tokens=1)` | make room for tokens; raise `OutOfBlocks` if too few blocks are free |
# | `fork(parent, child)` | starts a child with the parent's blocks: takes none, copies none |
# | `free(name)` | ends a sequence |
# | `run()` | ends a step: carries out its copies in order, then writes its new tokens |
# | `read(name)` | what attention reads: `["A0", "A1", "B2"]` is a sequence whose first two words were written by A, and the third by B |
# | `num_free`, `num_blocks`, `num_copies` | free blocks, all blocks, and block copies asked for so far |
#
# The word of the token that A writes at position 1 is `A1`. Give every sequence a name of its own, and call `run()` before a `fork`: a parent has to be written.
# A block is taken with the first token that goes into it, and copied when a token goes into a partly filled block that others hold. A call that is refused changes nothing.
# Sequences that are forked share blocks until their words differ. So the blocks in use are the different block contents:
#
# ```
# A   [A0 A1 A2 A3][A4 A5 A6]          3 different blocks are in use:
# B   [A0 A1 A2 A3][A4 A5 B6]          [A0 A1 A2 A3], [A4 A5 A6], [A4 A5 B6]
# ```
#
# The unseen ones are broken with blocks of 2 to 5 slots, up to three blocks a sequence, and up to three owners of a block.

# %% [markdown] id="e12-2-shown-text"
# **The caches that you are shown.** `broken("12.2", name)` is the maker of one of them, as your check is given it.
#
# | name | what goes wrong |
# |---|---|
# | `WritesIntoSharedBlocks` | a shared block is written |
# | `TakesAFullTailForEmpty` | the last block is full and is taken for empty |
# | `ForkCountsTheTailTwice` | a fork counts a block twice |
# | `FailsHalfway` | a refused append has changed the length |
# | `last_copy_first` | the copies of a step are run as one batch |

# %% id="e12-2-shown"
cache = broken("12.2", "TakesAFullTailForEmpty")(8, 4)
cache.add("A", 4)
cache.run()
cache.append("A")
cache.run()
cache.read("A")


# %% id="e12-2-answer" tags=["answer"] exercise="12.2"
def my_cache_check(new_cache: Callable[[int, int], Cache]) -> str | None:
    """Return what is wrong with the caches that new_cache makes, or None."""
    # BEGIN SOLUTION: make caches, keep the words of every sequence, and compare
    for block_size in (2, 3, 4):
        edges = {block_size, 2 * block_size}
        for length in sorted({1} | {edge + i for edge in edges for i in (-1, 0, 1)}):
            for num_blocks, names in (3, "ABC"), (12, "AB"), (12, "ABC"):
                cache = Compared(new_cache(num_blocks, block_size), block_size)
                wrong = cache.live(length, names)
                if wrong:
                    return f"{wrong}, with {num_blocks} blocks of {block_size}"
    return copies_in_order(new_cache)


def copies_in_order(new_cache: Callable[[int, int], Cache]) -> str | None:
    """Let A's copy land in the block that C's copy came from, in one step."""
    cache = new_cache(3, 4)
    for parent, child in ("A", "B"), ("C", "D"):
        cache.add(parent, 2)
        cache.run()
        cache.fork(parent, child)
    cache.append("C")
    cache.free("D")
    cache.append("A")  # one block is free, so it is this one
    cache.run()
    return None if cache.read("C") == ["C0", "C1", "C2"] else "C lost its copy"


class Compared:
    """Makes calls on a cache, and keeps the words that each sequence should read."""

    def __init__(self, cache: Cache, block_size: int) -> None:
        self.cache = cache
        self.num_blocks = cache.num_blocks
        self.block_size = block_size
        self.words: dict[str, list[str]] = {}
        self.num_copies = 0
        self.wrong: str | None = None

    def live(self, length: int, names: str) -> str | None:
        """Let a sequence and its forks grow and end; return what is wrong."""
        self.grow("A", length)
        self.run()
        for name in names[1:] if self.words else "":
            self.cache.fork("A", name)
            self.words[name] = list(self.words["A"])
            self.compare()
        for num_tokens in (1, self.block_size):
            for name in self.words:
                self.grow(name, num_tokens)
            self.run()
        for name in list(self.words):
            self.cache.free(name)
            del self.words[name]
            self.compare()
        return self.wrong

    def grow(self, name: str, num_tokens: int) -> None:
        """Add or append, or be refused."""
        own = self.words.get(name, [])
        start = len(own)
        after = self.words | {
            name: own + [f"{name}{i}" for i in range(start, start + num_tokens)]
        }
        fits = self.num_used(after) <= self.num_blocks
        try:
            (self.cache.append if own else self.cache.add)(name, num_tokens)
        except OutOfBlocks:
            self.wrong = self.wrong or ("there are blocks enough" if fits else None)
        else:
            self.wrong = self.wrong or (None if fits else "there are too few blocks")
            # whose block was partly filled left it, or had it alone
            full = start - start % self.block_size
            left = [w[full : full + self.block_size] for w in self.words.values()]
            self.num_copies += start > full and left.count(own[full:]) > 1
            self.words = after
        self.compare()

    def num_used(self, words: dict[str, list[str]]) -> int:
        """Return how many different blocks there are."""
        size = self.block_size
        return len(
            {
                (i, *w[i : i + size])
                for w in words.values()
                for i in range(0, len(w), size)
            }
        )

    def compare(self) -> None:
        """Compare what may be asked at any time."""
        num_free = self.num_blocks - self.num_used(self.words)
        if self.cache.num_free != num_free:
            self.wrong = self.wrong or f"num_free is not {num_free}"
        if self.cache.num_copies != self.num_copies:
            self.wrong = self.wrong or f"num_copies is not {self.num_copies}"

    def run(self) -> None:
        """End the step, and read everything."""
        self.cache.run()
        for name, words in self.words.items():
            if self.cache.read(name) != words:
                self.wrong = self.wrong or f"{name} does not read its words"

    # END SOLUTION


# %% id="e12-2-check" tags=["check"] exercise="12.2"
check("12.2", my_cache_check)

# %% [markdown] id="e12-2-see-text"
# **See it.** What your check says of the caches that are shown, and of three right ones.
# With a name it shows the film: `show_hunt("12.2", my_cache_check, "TakesAFullTailForEmpty")`.

# %% id="e12-2-see" tags=["picture"]
show_hunt("12.2", my_cache_check)

# %% [markdown] id="e12-3-task"
# ## 12.3 Check a server
#
# Difficulty: 4 of 5. Time: 30 minutes.
#
# Write `my_server_check`. `new_server(num_blocks, block_size)` makes a small server: it schedules, preempts, and finds prompts again.
# How it does that is its own business. You look at what its clients see.
#
# ```python
# my_server_check(new_server) -> str | None
# ```
#
# | a server has | a right one |
# |---|---|
# | `submit(name, prompt, num_output)` | queues a request; raises `NeverFits` if `len(prompt) + num_output` tokens need more than `num_blocks` blocks, and only then |
# | `step()` | serves one step, and returns the answers that are complete: `{"A": [87, 5]}` |
# | `num_free`, `num_blocks` | blocks that are free or only the prefix cache's, and all blocks |
#
# - *The right answer.* It is the one of a server with nothing else to do: `answer_alone(prompt, num_output)`. Its model is a formula, but each token depends on all before it.
# - *In time.* A request ends within as many steps as it and all that were submitted before it have tokens, prompt and answer, and one step more for each of them.
# - *Nothing is lost.* When every request has ended, `num_free` is `num_blocks`.
#
# A prompt is a list of token numbers, such as 0 to 50,000.
# The unseen ones are broken in pools of 2 to 8 blocks of 1 to 4 slots, with up to eight requests at a time.


# %% [markdown] id="e12-3-shown-text"
# **The servers that you are shown.** `broken("12.3", name)` is the maker of one of them, as your check is given it.
#
# | name | what goes wrong |
# |---|---|
# | `WaitsWithItsBlocks` | two requests wait for each other's blocks |
# | `QueuesWhatNeverFits` | a request that never fits waits, and everybody behind it |
# | `ServesAnEvictedBlock` | a block is found after it was given away |
# | `HashesTheLowByte` | only the low byte of a token is hashed |

# %% id="e12-3-shown"
server = broken("12.3", "HashesTheLowByte")(4, 2)
server.submit("A", [65, 65, 1], 1)
server.step(), server.step()
server.submit("B", [321, 321, 1], 1)
server.step(), answer_alone([321, 321, 1], 1)


# %% id="e12-3-answer" tags=["answer"] exercise="12.3"
def my_server_check(new_server: Callable[[int, int], Server]) -> str | None:
    """Return what is wrong with the servers that new_server makes, or None."""
    # BEGIN SOLUTION: submit requests, make steps up to the bound, and compare answers
    rng = random.Random(1)
    for block_size in (1, 2, 3, 4) * 20:
        num_blocks = rng.choice([2, 4, 4, 8])
        wrong = lead_a_server(new_server(num_blocks, block_size), block_size, rng)
        if wrong:
            return f"{wrong}, with {num_blocks} blocks of {block_size}"
    return None


def a_prompt(block_size: int, rng: random.Random) -> list[int]:
    """Return a prompt of few different blocks, so that many prompts begin alike."""
    bit = rng.choice([0, 0, 0, 16, 64, 256])  # or differ in one bit of each token
    tokens = [bit + rng.choice([1, 2]) for _ in range(rng.randint(1, 4))]
    full_blocks = [token for token in tokens for _ in range(block_size)]
    return full_blocks + [7] * rng.randint(0, 1)


def lead_a_server(server: Server, block_size: int, rng: random.Random) -> str | None:
    """Submit requests while others run, and hold each to its answer and its bound."""
    step = num_tokens = 0
    due: dict[str, tuple[int, list[int]]] = {}
    prompts: list[list[int]] = []  # some come again
    last = rng.choice([0, 10])  # all at once, or one after another
    times = sorted(rng.randint(0, last) for _ in range(8))
    while due or times:
        while times and times[0] <= step:
            times.pop(0)
            prompts.append(rng.choice([*prompts, a_prompt(block_size, rng)]))
            name, prompt, num_output = f"r{len(times)}", prompts[-1], rng.randint(1, 6)
            total = len(prompt) + num_output
            too_large = -(-total // block_size) > server.num_blocks
            try:
                server.submit(name, prompt, num_output)
            except NeverFits:
                if not too_large:
                    return f"{total} tokens are refused"
                continue
            if too_large:
                return f"{total} tokens are accepted"
            num_tokens += total + 1
            due[name] = step + num_tokens, answer_alone(prompt, num_output)
        step += 1
        for name, answer in server.step().items():
            if answer != due.pop(name)[1]:
                return f"{name} gets the answer {answer}"
        if any(step > bound for bound, _ in due.values()):
            return f"a request has no answer after {step} steps"
    if server.num_free != server.num_blocks:
        return f"at the end {server.num_free} blocks are free"
    return None
    # END SOLUTION


# %% id="e12-3-check" tags=["check"] exercise="12.3"
check("12.3", my_server_check)

# %% [markdown] id="e12-3-see-text"
# **See it.** What your check says of the servers that are shown, and of three right ones.
# With a name it shows the film: `show_hunt("12.3", my_server_check, "QueuesWhatNeverFits")`.

# %% id="e12-3-see" tags=["picture"]
show_hunt("12.3", my_server_check)

# %% [markdown] id="e12-more"
# **More, if you like.** The broken things are small classes in `pagedkv_edu/checks/hunt/`: read them when you are done.
# Then let your checks loose on your own `MyBlockPool` and `MyBlockManager`, or on an engine that you work with.

# %% [markdown] id="e12-after"
# ## Back to the lesson
#
# Lesson 13 serves a real model, with what you have built.
