"""Hints of exercise 11, named after what the learner sees."""

from pagedkv_edu.checks.judging.topics import Advice
from pagedkv_edu.report import Hint

CHAIN = 'lesson 11, "A name for a block"'
LONGEST = 'lesson 11, "The longest run"'
FREE_AND_FOUND = 'lesson 11, "Free, and findable"'
EVICT = 'lesson 11, "What goes first"'

BEGIN = "I do not know where to begin"
PYTHON_ERROR = "My code stops with an error, or returns something else"

# --- 11.1 ----------------------------------------------------------------------------

NOT_CHAINED = "Equal tokens get equal hashes, whatever stands before them"
NOT_FULL = "There is a hash too many"
TOO_FEW = "There is a hash too few"
OTHER_HASH = "The number of hashes is right, a hash is not"

_HASHES = (
    Hint(
        BEGIN,
        (
            "How many full blocks does the prompt have, and which tokens are in block "
            "i?",
            "A loop over the full blocks, with one variable that remembers the hash of "
            "the block before. For the first block that is 0.",
            "`tokens[i * block_size : (i + 1) * block_size]`, made a tuple, goes into "
            "`hash_block` after the hash before it.",
        ),
    ),
    Hint(
        NOT_CHAINED,
        (
            "Which two blocks of a prompt would your function give one name?",
            "The cache of a block depends on all tokens before it. So the hash must "
            "too, and the hash of the block before stands for them.",
            "`hash_block(parent_hash, ...)`, and then `parent_hash` becomes what came "
            "back.",
        ),
    ),
    Hint(
        NOT_FULL,
        (
            "Look at the line Nearby: which lengths pass?",
            "A block that is not full is still written to. Its content changes, so it "
            "has no name yet.",
            "`range(len(tokens) // block_size)`.",
        ),
    ),
    Hint(
        TOO_FEW,
        (
            "Look at the line Nearby: which lengths fail?",
            "Every full block has a hash, the last one too. That the last token is "
            "computed again is the business of the lookup, not of the hashes.",
            "`len(tokens) // block_size` hashes.",
        ),
    ),
    Hint(
        OTHER_HASH,
        (
            "Take the first wrong one. Which tokens, and which hash before it, went "
            "into `hash_block`?",
            "Each call gets the tokens of its own block only, and the hash that the "
            "call before returned.",
            "`parent_hash` is 0 before the first block, and nowhere else.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "What does `hash_block` take, and what should your function return?",
            "`hash_block` wants an int and a tuple. A slice of a list is a list.",
            "`hash_block(parent_hash, tuple(...))`; at the end `return hashes`.",
        ),
    ),
)

# --- 11.2 ----------------------------------------------------------------------------

GAP = "A block is returned although one before it is missing"
LAST = "The block of the last token is returned"
RUN_SHORT = "The run ends too early"
BLOCK_ZERO = "Block 0 counts as nothing"
KEY_ERROR = "My code stops with KeyError"

_RUN = (
    Hint(
        BEGIN,
        (
            "At which hash does the run end?",
            "Go through the hashes from the beginning. Stop at the first one that is "
            "not in the dict, or when as many blocks are found as may be.",
            "`for block_hash in hashes[:most]:` with "
            "`most = (num_tokens - 1) // block_size`.",
        ),
    ),
    Hint(
        GAP,
        (
            "What would the sequence read at the place of the missing block?",
            "A sequence needs all blocks from the beginning on. What comes after a gap "
            "is of no use.",
            "`if block_hash not in block_by_hash: break`.",
        ),
    ),
    Hint(
        LAST,
        (
            "What is the engine to do, if all tokens are found?",
            "The output of the last token is what the engine is after, so that token "
            "must be computed, and its block with it.",
            "At most `(num_tokens - 1) // block_size` blocks.",
        ),
    ),
    Hint(
        RUN_SHORT,
        (
            "How many blocks may be found of this prompt?",
            "If tokens follow the last full block, the last token is among them, and "
            "every full block may be found.",
            "`(num_tokens - 1) // block_size`: of 7 tokens in blocks of 2, 3; of 6, 2.",
        ),
    ),
    Hint(
        BLOCK_ZERO,
        (
            "What does your condition say about the block id 0?",
            "In Python 0 counts as false. Block 0 is a block like any other.",
            "`block_hash in block_by_hash`, or `is not None`.",
        ),
    ),
    Hint(
        KEY_ERROR,
        (
            "Which hash is not in the dict?",
            "A hash that is missing is no error. It ends the run.",
            "`if block_hash not in block_by_hash: break`, before you read it.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "What should your function return, also if nothing is found?",
            "A list of block ids, in the order of the prompt.",
            "Begin with `run = []`, and end with `return run`.",
        ),
    ),
)

# --- 11.3 ----------------------------------------------------------------------------

NOT_FOUND = "lookup does not find what is cached"
FORGOTTEN = "lookup finds a block that was handed out again"
FOUND_LAST = "lookup returns the block of the last token"
FOUND_OTHER = "lookup finds a block that holds other tokens"
ORDER = "allocate hands out the wrong block"
COPY = "Two blocks hold the same, and lookup finds the wrong one"
ACCEPTED = "A call is accepted that should be refused"
REFUSED = "A call is refused that should be accepted"
CHANGED = "was refused, but something changed first"
COUNTS = "num_free or a ref_count is wrong"

_CACHE = (
    Hint(
        BEGIN,
        (
            "Begin with `register` and `lookup`, as if no block were ever freed. Which "
            "question must one dict answer?",
            "From a name to the block: the name may be the tokens from the beginning "
            "on, as a tuple. Then `free` and `allocate`: a free block is either blank "
            "or cached, and the cached ones stand in the order in which they were "
            "freed. From the block back to its name you need a second dict.",
            "`_block_by_name`, `_name_by_block`, a list of blank blocks, a list of "
            "cached ones. `free` appends to one of the two lists; `allocate` takes "
            "from the blank ones, else from the front of the cached ones, and then "
            "deletes both entries of its name.",
        ),
    ),
    Hint(
        NOT_FOUND,
        (
            "Which call made your cache forget the block, or did it never know it?",
            "A block stays findable when it is freed. It is forgotten when `allocate` "
            "hands it out, and by nothing else.",
            "`free` deletes no name. `register` names every full block, "
            "`len(tokens) // block_size` of them, also those after a block that was "
            "known already.",
        ),
    ),
    Hint(
        FORGOTTEN,
        (
            "Which call handed the block out for other data? What does your cache "
            "still say about it then?",
            "Whoever got the block writes into it. The old name must be gone before.",
            "In `allocate`: `name = self._name_by_block.pop(block_id)` and "
            "`del self._block_by_name[name]`.",
        ),
    ),
    Hint(
        FOUND_LAST,
        (
            "What is the engine to do, if all tokens are found?",
            "The last token must be computed, and its block with it.",
            "At most `(len(tokens) - 1) // self.block_size` blocks.",
        ),
    ),
    Hint(
        FOUND_OTHER,
        (
            "Which two beginnings have the same name in your cache?",
            "The name of a block must tell all tokens from the beginning on. A hash of "
            "its own tokens only, their sum, or their low bytes is the same for "
            "others. A block that is not full has no name.",
            "`tuple(tokens[: (i + 1) * self.block_size])` is a name that cannot be "
            "wrong; a hash needs the parent's hash in it, and a look at the tokens.",
        ),
    ),
    Hint(
        COPY,
        (
            "Two sequences have computed the same tokens, each for itself. What does "
            "your second `register` do with the name of the first block?",
            "One name, one block. The first block keeps the name; the second one stays "
            "a block without a name. If both had it, forgetting one would lose the "
            "other.",
            "`if name not in self._block_by_name:` before you write into the dicts.",
        ),
    ),
    Hint(
        ORDER,
        (
            "Which free blocks hold something that may be found, and which was freed "
            "first?",
            "Blank blocks go first: they hold nothing of use. Of the cached ones the "
            "one that was freed longest ago. A block that was reused and freed again "
            "goes to the end.",
            "`free` appends; `allocate` takes from the front, `pop(0)`; `reuse` takes "
            "the block out of the list.",
        ),
    ),
    Hint(
        ACCEPTED,
        (
            "What does your code look at before it changes anything?",
            "`free` and `share` are for blocks in use. `reuse` is also for free ones, "
            "if they are cached. `allocate` needs a block, blank or cached.",
            "`if self._ref_counts[block_id] == 0 and block_id not in self._cached: "
            "raise NotAllocated(...)`.",
        ),
    ),
    Hint(
        REFUSED,
        (
            "Where is the free block that your code overlooks?",
            "A cached block is free: `allocate` may take it and `reuse` may revive it. "
            "A block in use may be reused too, by a second sequence.",
            "`num_free` is the number of blank blocks and of cached ones. `allocate` "
            "refuses only at 0.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "A list may hold a good block first and a bad one second. Look at all of "
            "them before you touch the first.",
            "Two loops in `reuse`: one that may raise, one that counts.",
        ),
    ),
    Hint(
        COUNTS,
        (
            "Which call changes this number, and by how much?",
            "`allocate` sets a count to 1; `share` and `reuse` add 1; `free` takes 1. "
            "A block is free at 0, cached or blank. `register` and `lookup` change no "
            "count.",
            "`num_free` computed from the two lists is right by itself.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Read the line that the message names. Which value did you expect there?",
            "`lookup` returns a list, `allocate` an int, the others nothing. A name "
            "that is not in a dict is no error: it was never registered, or forgotten.",
            "`self._block_by_name.get(name)` gives None where there is no such name.",
        ),
    ),
)

HINTS: dict[str, tuple[Hint, ...]] = {"11.1": _HASHES, "11.2": _RUN, "11.3": _CACHE}

ADVICE = {
    "not found": Advice(NOT_FOUND, FREE_AND_FOUND),
    "found forgotten": Advice(FORGOTTEN, FREE_AND_FOUND),
    "found the last": Advice(FOUND_LAST, LONGEST),
    "found other tokens": Advice(FOUND_OTHER, CHAIN),
    "found after other tokens": Advice(FOUND_OTHER, CHAIN),
    "found after a gap": Advice(FOUND_OTHER, LONGEST),
    "found the copy": Advice(COPY, FREE_AND_FOUND),
    "wrong victim": Advice(ORDER, EVICT),
    "cached before blank": Advice(ORDER, EVICT),
    "in use": Advice(COUNTS, FREE_AND_FOUND),
    "no block": Advice(PYTHON_ERROR, FREE_AND_FOUND),
    "accepted allocate": Advice(ACCEPTED, FREE_AND_FOUND),
    "accepted free": Advice(ACCEPTED, FREE_AND_FOUND),
    "accepted share": Advice(ACCEPTED, FREE_AND_FOUND),
    "accepted reuse": Advice(ACCEPTED, FREE_AND_FOUND),
    "refused allocate": Advice(REFUSED, FREE_AND_FOUND),
    "refused free": Advice(REFUSED, FREE_AND_FOUND),
    "refused share": Advice(REFUSED, FREE_AND_FOUND),
    "refused reuse": Advice(REFUSED, FREE_AND_FOUND),
    "refused register": Advice(REFUSED, FREE_AND_FOUND),
    "changed": Advice(CHANGED, FREE_AND_FOUND),
    "num_free": Advice(COUNTS, FREE_AND_FOUND),
    "ref_count": Advice(COUNTS, FREE_AND_FOUND),
    "num_blocks": Advice(COUNTS, FREE_AND_FOUND),
    "raised": Advice(PYTHON_ERROR, FREE_AND_FOUND),
}
