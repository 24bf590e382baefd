"""The hints of exercise 12: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
ACCUSES = "My check accuses what is right"
LETS_OUT = "An error of the thing under test ends my check"
CRASHES = "My check stops with an error of its own"
ENDLESS = "My check does not come to an end"
ONLY_SHOWN = "I catch what I was shown, and little else"

POOL_MISUSE = "A pool lets me do what is forbidden"
POOL_COUNTS = "A pool counts wrong and I do not see it"
POOL_EDGES = "A pool is wrong when it is full or nearly full"
POOL_REFUSED = "A refused call has changed the pool"

CACHE_WORDS = "A sequence reads what it did not write"
CACHE_BOUNDARY = "A cache is wrong where a block is full"
CACHE_COUNTS = "A cache copies more than it must"
CACHE_ENDS = "Blocks are missing when everything has ended"
CACHE_REFUSED = "A refused append has changed the cache"
CACHE_STEPS = "A cache is wrong only if a step has several copies"

SERVER_ENDS = "A request never ends and my check waits"
SERVER_REFUSES = "A server refuses too much, or too little"
SERVER_ANSWERS = "An answer is wrong, and I did not ask for that one"
SERVER_STARVES = "A request ends, but much too late"
SERVER_AGAIN = "A server fails where a prompt comes again"
SERVER_FREE = "Blocks are missing when no request is left"

_COMMON = (
    Hint(
        ACCUSES,
        (
            "Which row of the table above the answer does the accused one break? Look "
            "at the call in the frame.",
            "What the table leaves open is open: which free block comes next, who is "
            "preempted, whether a prompt is found again.",
            "Do not compare with ids, orders or numbers that you expect. Compare with "
            "your own count of what was done to this one.",
        ),
    ),
    Hint(
        LETS_OUT,
        (
            "Is the call that was refused one that a right one accepts?",
            "A right one refuses what is wrong, and what does not fit. Your check may "
            "make such calls, and then expects the error.",
            "`try: pool.free(a)`, `except NotAllocated: ...`, and if no error comes, "
            "return a sentence.",
        ),
    ),
    Hint(
        CRASHES,
        (
            "Read the line in the message. What does your check take for granted?",
            "A check has only the methods and properties of the table. What is behind "
            "them may be anything.",
            "Call your check yourself with one of the makers that are shown, "
            "`broken(...)` as above the answer, and read where it stops.",
        ),
    ),
    Hint(
        ENDLESS,
        (
            "Which loop of yours ends only if the thing under test is right?",
            "Waiting for a broken server, or allocating until it refuses, may take for "
            "ever. All the objects that you make of one thing share 3,000 calls.",
            "Give every loop a number: `for _ in range(num_blocks + 1)`, or the bound "
            "on steps.",
        ),
    ),
    Hint(
        ONLY_SHOWN,
        (
            "What would you change in the shown ones, so that your check lets them go?",
            "The unseen ones are broken at other sizes, in other blocks, with more "
            "owners, or later.",
            "Put your calls into a loop over sizes, and draw the calls with `random`. "
            "Keep your own count, and compare it after every call.",
        ),
    ),
)

_POOLS = (
    Hint(
        BEGIN,
        (
            "Take two blocks from a pool of two. What must hold now, and what must the "
            "third `allocate` do?",
            "A check is a row of calls, each with a look at what should have come of "
            "it. Return a sentence at the first thing that is wrong.",
            "`pool = new_pool(2)`, `a = pool.allocate()`, `if pool.num_free != 1: "
            'return "num_free is wrong after allocate"`, and so on.',
        ),
    ),
    Hint(
        POOL_MISUSE,
        (
            "What happens when a block is freed once more than it was taken? And what "
            "when -1 is freed?",
            "Ids that are free, negative or too large are refused by `share` and by "
            "`free`. No error is a mistake.",
            "For every id from `-num_blocks` to `num_blocks` that nobody holds: call "
            "it, expect `NotAllocated`, and return a sentence if none comes.",
        ),
    ),
    Hint(
        POOL_COUNTS,
        (
            "Share a block twice and free it once. How many references are left, and "
            "is it free?",
            "Keep a count of your own for every block, and compare all of them and "
            "`num_free` after every call.",
            "`counts = dict.fromkeys(range(num_blocks), 0)`, and after each call "
            "`pool.ref_count(b) == counts[b]` for every `b`.",
        ),
    ),
    Hint(
        POOL_EDGES,
        (
            "How many blocks does a pool of two hand out?",
            "The mistake may be in the last block only, or in pools of one block only.",
            "For pools of 1 to 4 blocks: allocate all, expect `OutOfBlocks`, free all, "
            "and allocate all again.",
        ),
    ),
    Hint(
        POOL_REFUSED,
        (
            "What is `ref_count` after a `free` that was refused?",
            "A refused call changes nothing. It is worth a look like any other call.",
            "Compare your counts after the `except` too.",
        ),
    ),
)

_CACHES = (
    Hint(
        BEGIN,
        (
            "Add a sequence of 6 tokens, fork it, append to both. What should each of "
            "them read?",
            "Keep the words that each sequence should read in a dict of your own, and "
            "compare with `read` after every `run`.",
            '`words["B"] = list(words["A"])` at a fork, `words["B"].append("B6")` at '
            'an append, and after `run()`: `cache.read("B") == words["B"]`.',
        ),
    ),
    Hint(
        CACHE_WORDS,
        (
            "Which sequence did you read, and which one did you not read?",
            "A token that one sequence writes is seen by another one. So all of them "
            "have to be read after each `run`.",
            "Fork at every length from 1 to two blocks, with two and with three "
            "owners; let each of them append, in every order.",
        ),
    ),
    Hint(
        CACHE_BOUNDARY,
        (
            "At which lengths does your check append?",
            "Around a boundary: one token before a block is full, when it is full, and "
            "one after. Shared and not shared.",
            "For every length from 1 to `3 * block_size`: append one token, and look "
            "at `num_free` and `num_copies`.",
        ),
    ),
    Hint(
        CACHE_COUNTS,
        (
            "How many copies have been asked for when both have appended once?",
            "The first one who appends copies. The last one has the block to itself.",
            "Count the copies along, and compare with `num_copies`. Wrong words would "
            "not show this one.",
        ),
    ),
    Hint(
        CACHE_ENDS,
        (
            "How many blocks are free when every sequence has ended?",
            "All of them. And in between, as many are in use as there are different "
            "block contents.",
            "Compare `num_free` with `num_blocks` less the contents, after every call.",
        ),
    ),
    Hint(
        CACHE_REFUSED,
        (
            "What does a sequence read after an append that was refused?",
            "A refused call leaves lengths, words and free blocks as they were.",
            "Use small pools, so that calls are refused. After `except OutOfBlocks`, "
            "compare as after any other call.",
        ),
    ),
    Hint(
        CACHE_STEPS,
        (
            "How many calls does your check make before it calls `run()`?",
            "If each step has one call, the order of copies and writes makes no "
            "difference. Fork two or three, and let all of them append in one step.",
            "In a pool without spare blocks: C copies its block and leaves, the other "
            "owner ends, and A's copy lands in the block that C left. Then `run()`.",
        ),
    ),
)

_SERVERS = (
    Hint(
        BEGIN,
        (
            "Submit one request, and make steps. Which answer should come, and after "
            "how many steps at most?",
            "Keep a dict of what is due: for each name its answer and its bound. Make "
            "steps until nothing is due, or a bound is over.",
            '`server.submit("A", prompt, 3)`, then `for _ in range(bound)`: compare '
            "every answer of `server.step()` with `answer_alone(prompt, 3)`.",
        ),
    ),
    Hint(
        SERVER_ENDS,
        (
            "When do two requests need more blocks than there are?",
            "When their prompts fit side by side, and their answers do not. Then one "
            "of them has to give way, and both still have to end.",
            "Submit several requests at once, each of nearly the whole pool with its "
            "answer, and make no more steps than the bound allows.",
        ),
    ),
    Hint(
        SERVER_REFUSES,
        (
            "What is the largest request that a pool of 4 blocks of 2 takes?",
            "8 tokens, prompt and answer together. 9 tokens can never be served.",
            "Submit requests of every size up to one more than the pool, and compare: "
            "`NeverFits` if and only if they are too large.",
        ),
    ),
    Hint(
        SERVER_ANSWERS,
        (
            "Which blocks could the server have taken for those of another prompt?",
            "Prompts that begin alike, prompts with equal blocks after another "
            "beginning, tokens that differ by 256, and prompts after an eviction.",
            "Draw prompts from few beginnings, add 0, 16, 64 or 256 to all tokens, and "
            "submit many. Compare every answer.",
        ),
    ),
    Hint(
        SERVER_STARVES,
        (
            "When had the oldest request to be done, and when was it?",
            "The bound holds for each request, not only for all of them together.",
            "Submit several at once. The first one has its own tokens plus one as its "
            "bound, the second one those of both.",
        ),
    ),
    Hint(
        SERVER_AGAIN,
        (
            "Which of your prompts came twice?",
            "The same prompt again, and a longer one with the same beginning, while "
            "another request holds the other blocks.",
            "Keep the prompts, and submit one of them again now and then. Lengths that "
            "are a multiple of `block_size` are an edge.",
        ),
    ),
    Hint(
        SERVER_FREE,
        (
            "How many blocks are free when everything is done?",
            "`num_free` counts what only the prefix cache holds, so it is all.",
            "One comparison behind the last step.",
        ),
    ),
)

HINTS: dict[str, tuple[Hint, ...]] = {
    "12.1": (*_POOLS, *_COMMON),
    "12.2": (*_CACHES, *_COMMON),
    "12.3": (*_SERVERS, *_COMMON),
}
