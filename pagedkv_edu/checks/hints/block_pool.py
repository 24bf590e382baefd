"""Hints of exercise 04, named after what the learner sees."""

from pagedkv_edu.checks.judging.topics import PYTHON_ERROR, Advice
from pagedkv_edu.report import Hint

FREE_LIST = 'lesson 04, "The free list"'
COUNTER = 'lesson 04, "Which block: a counter is not enough"'
TWICE = 'lesson 04, "What breaks: a block freed twice"'
FULL = 'lesson 04, "When no block is free"'
BOUNDARY = 'lesson 04, "A block at the boundary"'
WASTE = 'lesson 04, "What is wasted"'

BEGIN = "I do not know where to begin"
CHANGED = "was refused, but something changed first"

# --- 4.1 -----------------------------------------------------------------------------

IN_USE = "A block is handed out while it is in use"
ACCEPTED = "A call is accepted that should be refused"
REFUSED_ALLOCATE = "Blocks are free, but allocate refuses"
WRONG_ERROR = "It raises another error than NotAllocated"
REFUSED_FREE = "free refuses a block that is in use"
NUM_FREE = "num_free is wrong"
REF_COUNT = "ref_count is wrong"
IDS = "The ids are not those of the pool"

_POOL = (
    Hint(
        BEGIN,
        (
            "Which two things must the pool know about each block?",
            "Whether it is free, and its count. A list of the free ids answers the "
            "first: `allocate` takes an id out of it, `free` puts one back. A list "
            "with one number for each block answers the second.",
            "`self._free = list(range(num_blocks))` and "
            "`self._ref_counts = [0] * num_blocks`. `allocate` takes an id out of the "
            "first and sets its count to 1. `free` does the opposite.",
        ),
    ),
    Hint(
        IN_USE,
        (
            "After `allocate` has returned a block, where in your pool does its id "
            "still stand?",
            "An id is in the free list once while the block is free, and not at all "
            "while it is in use. An id that stays there, or is there twice, is handed "
            "out again.",
            "`self._free.pop()` takes the id out. `self._free[-1]` only looks at it.",
        ),
    ),
    Hint(
        ACCEPTED,
        (
            "What does your code look at before it changes anything?",
            "`free` is right only for a block that is in use, and the count knows. An "
            "id outside the pool is no block at all. In Python, index -1 is the last "
            "entry of a list, so nothing stops you.",
            "`if not 0 <= block_id < self.num_blocks or "
            "self._ref_counts[block_id] == 0: raise NotAllocated(...)`, above every "
            "change.",
        ),
    ),
    Hint(
        WRONG_ERROR,
        (
            "Which error does Expected name, and which one does your code raise?",
            "Whoever calls `free` waits for `NotAllocated`: it says which rule was "
            "broken, and that nothing has changed. A ValueError or an IndexError may "
            "come from any line of Python.",
            "`raise NotAllocated(...)`, above the line that is named under Found.",
        ),
    ),
    Hint(
        REFUSED_ALLOCATE,
        (
            "Where does `free` put a block, and where does `allocate` look for one?",
            "A counter that only goes up never finds the blocks that came back. Both "
            "calls must use the same list.",
            "`free` ends with `self._free.append(block_id)`; `allocate` begins with "
            "`if not self._free: raise OutOfBlocks(...)`.",
        ),
    ),
    Hint(
        REFUSED_FREE,
        (
            "Which block does the call name, and what does your pool know about it?",
            "Blocks come back in any order. The last one allocated need not be the "
            "first one freed.",
            "Ask the count of the block that is named: "
            "`self._ref_counts[block_id] == 0` is the only reason to refuse.",
        ),
    ),
    Hint(
        NUM_FREE,
        (
            "Which calls change the number of free blocks, and by how much?",
            "A number that is stored beside the free list must be kept in step with "
            "it. A number that is computed from the list is right by itself.",
            "`return len(self._free)`.",
        ),
    ),
    Hint(
        REF_COUNT,
        (
            "What is the count of a block before `allocate`, after it, and after "
            "`free`?",
            "0, 1 and 0. The count of a free block is 0; to ask for it is no mistake, "
            "so nothing is raised.",
            "`allocate`: `self._ref_counts[block_id] = 1`. `free`: "
            "`self._ref_counts[block_id] = 0`.",
        ),
    ),
    Hint(
        IDS,
        (
            "What is the first id in a pool of 4 blocks, and what is the last?",
            "Ids count from 0, because a slot is `block_id * block_size + offset` and "
            "the first slot is 0.",
            "`range(num_blocks)`; and `num_blocks` never changes.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "Look first, then change. A call that is refused leaves everything as it "
            "was, so whoever made it can go on.",
            "Move the `if ...: raise ...` to the top of the method.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you "
            "think it is?",
            "To take from an empty list is an IndexError to Python. Whoever called "
            "the pool cannot tell that from a mistake in your code; OutOfBlocks says "
            "what is meant.",
            "`if not self._free: raise OutOfBlocks(...)`, before the list is touched. "
            "`num_free` and `num_blocks` need `@property` above `def`.",
        ),
    ),
)

POOL_ADVICE = {
    "accepted allocate": Advice(REFUSED_ALLOCATE, FULL),
    "accepted free": Advice(ACCEPTED, TWICE),
    "accepted id": Advice(ACCEPTED, TWICE),
    "changed": Advice(CHANGED, TWICE),
    "in use": Advice(IN_USE, TWICE),
    "instead of NotAllocated": Advice(WRONG_ERROR, TWICE),
    "instead of OutOfBlocks": Advice(PYTHON_ERROR, FULL),
    "no block": Advice(IDS, FREE_LIST),
    "num_blocks too high": Advice(IDS, FREE_LIST),
    "num_blocks too low": Advice(IDS, FREE_LIST),
    "num_free too high": Advice(NUM_FREE, FREE_LIST),
    "num_free too low": Advice(NUM_FREE, FREE_LIST),
    "raised": Advice(PYTHON_ERROR, FREE_LIST),
    "ref_count raised": Advice(REF_COUNT, FREE_LIST),
    "ref_count too high": Advice(REF_COUNT, FREE_LIST),
    "ref_count too low": Advice(REF_COUNT, FREE_LIST),
    "refused allocate": Advice(REFUSED_ALLOCATE, COUNTER),
    "refused free": Advice(REFUSED_FREE, FREE_LIST),
}

# --- 4.2 -----------------------------------------------------------------------------

TOO_MANY = "It takes a block too many, or too early"
TOO_FEW = "It takes a block too few, or too late"
TOO_SOON_FULL = "It is refused, although enough blocks are free"
NEVER_FULL = "It is accepted, although too few blocks are free"
LENGTH = "seq_len is wrong"
LEAK = "My free blocks run out"
STILL_THERE = "A freed sequence is still there"
ORDER = "The blocks are in the wrong order"
OTHERS = "One sequence changes and another changes with it"
SNAPSHOT = "A table that I returned earlier has changed"

_GROWING = (
    Hint(
        BEGIN,
        (
            "Write `add` first. How many blocks do 6 tokens need, if a block has 4 "
            "slots?",
            "`cdiv(num_tokens, block_size)`: divide and round up. `append` asks the "
            "same question about the new length, and takes what is missing.",
            "`add`: a number; one `if` that may raise; the blocks; the table. "
            "`append`: the same four, with `len(table.block_ids)` taken off the "
            "number.",
        ),
    ),
    Hint(
        TOO_MANY,
        (
            "Look at the line Nearby. Does it fail for every length, or only for a "
            "full block?",
            "A block is needed for the token that does not fit, not for the one that "
            "fills the last slot. And what `add` has taken, `append` need not take "
            "again.",
            "`num_new = cdiv(table.seq_len + num_tokens, self.block_size) - "
            "len(table.block_ids)`; it may be 0.",
        ),
    ),
    Hint(
        TOO_FEW,
        (
            "Into which slot does the new token go? Is that slot in a block of the "
            "table?",
            "Look at the length after the call, not at the length before it. Several "
            "tokens at once can need several blocks.",
            "`num_new = cdiv(table.seq_len + num_tokens, self.block_size) - "
            "len(table.block_ids)`, and as many calls of `allocate`.",
        ),
    ),
    Hint(
        TOO_SOON_FULL,
        (
            "How many blocks does the call need, and how many are free? The message "
            "has both numbers.",
            "A pool may be used up to its last block: exactly enough is enough.",
            "`if self.pool.num_free < num_new: raise OutOfBlocks(...)`, with `<` and "
            "not `<=`.",
        ),
    ),
    Hint(
        NEVER_FULL,
        (
            "Where do the new tokens go, if no block was free?",
            "A token without a slot has no place for its key and value. The call must "
            "be refused as a whole.",
            "`if self.pool.num_free < num_new: raise OutOfBlocks(...)`, before "
            "anything is changed.",
        ),
    ),
    Hint(
        LENGTH,
        (
            "How many tokens does the sequence have after the call?",
            "`seq_len` counts tokens, not blocks and not slots.",
            "`table.seq_len += num_tokens`, once, after the blocks are there.",
        ),
    ),
    Hint(
        LEAK,
        (
            "How many tables hold the block, and what is its `ref_count`?",
            "A sequence that ends must give back every block, or the pool never sees "
            "it again.",
            "`for block_id in reversed(table.block_ids): self.pool.free(block_id)`, "
            "and then the table goes.",
        ),
    ),
    Hint(
        STILL_THERE,
        (
            "What does your manager still know about the sequence, after `free` has "
            "given back its blocks?",
            "Its blocks are free, and the next sequence may get them. A table that "
            "stays names blocks that belong to somebody else, and its name can never "
            "be added again.",
            "`del self._table_by_seq[seq_id]`, as the last line of `free`.",
        ),
    ),
    Hint(
        ORDER,
        (
            "In which block is token 0 after the call?",
            "A table lists blocks in the order of their tokens. Old entries stay where "
            "they are; a new block comes last.",
            "`table.block_ids.append(self.pool.allocate())`.",
        ),
    ),
    Hint(
        OTHERS,
        (
            "How many list objects are there: one, or one for each sequence?",
            "In Python `b = a` gives one list two names. Each sequence needs a list of "
            "its own.",
            "`BlockTable(self.block_size, [...], num_tokens)` with a new list each "
            "time.",
        ),
    ),
    Hint(
        SNAPSHOT,
        (
            "Does `table` return your own list, or a list like it?",
            "Whoever asked for a table keeps it. What the manager does later must not "
            "show in it.",
            "`replace(table, block_ids=list(table.block_ids))`.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "Do not let `allocate` find out that the pool is empty. Count first, then "
            "take.",
            "`if self.pool.num_free < num_new: raise OutOfBlocks(...)`, above every "
            "`allocate` and every assignment.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you "
            "think it is?",
            "`append` returns a list of copies. Before lesson 05 nothing is ever "
            "copied, so it returns an empty list.",
            "`return []` at the end of `append`; `table` returns a `BlockTable`.",
        ),
    ),
)

GROWING_ADVICE = {
    "accepted": Advice(NEVER_FULL, FULL),
    "changed": Advice(CHANGED, FULL),
    "count too high": Advice(LEAK, FREE_LIST),
    "count too low": Advice(OTHERS, BOUNDARY),
    "gone": Advice(STILL_THERE, FREE_LIST),
    "length": Advice(LENGTH, BOUNDARY),
    "order": Advice(ORDER, BOUNDARY),
    "other table": Advice(OTHERS, BOUNDARY),
    "raised": Advice(PYTHON_ERROR, BOUNDARY),
    "refused": Advice(TOO_SOON_FULL, FULL),
    "snapshot": Advice(SNAPSHOT, BOUNDARY),
    "too few blocks": Advice(TOO_FEW, BOUNDARY),
    "too few copies": Advice(PYTHON_ERROR, BOUNDARY),
    "too many blocks": Advice(TOO_MANY, BOUNDARY),
    "too many copies": Advice(PYTHON_ERROR, BOUNDARY),
    "words": Advice(ORDER, BOUNDARY),
    "wrong copy": Advice(PYTHON_ERROR, BOUNDARY),
}

# --- 4.3 -----------------------------------------------------------------------------

FULL_BLOCK = "A full block is said to waste a whole block"
TOKENS = "It counts tokens, or blocks, instead of empty slots"
ONE_BY_ONE = "One sequence is right, several are not"
NOT_INT = "It is not an int"
CHANGES = "It changes the list that it was given"

_WASTED = (
    Hint(
        BEGIN,
        (
            "A sequence of 6 tokens holds two blocks of 4 slots. How many slots are "
            "that, and how many of them are empty?",
            "Only the last block of a sequence can have empty slots. Count for one "
            "sequence, then add up.",
            "`cdiv(seq_len, block_size) * block_size - seq_len` for each sequence.",
        ),
    ),
    Hint(
        FULL_BLOCK,
        (
            "Look at the line Nearby. For which length is the result wrong?",
            "`block_size - seq_len % block_size` is `block_size` when the remainder "
            "is 0. But then the last block is full and nothing is empty.",
            "`-seq_len % block_size`, or slots held less tokens.",
        ),
    ),
    Hint(
        TOKENS,
        (
            "What is the result for a sequence of one token in a block of 4 slots?",
            "The remainder, `seq_len % block_size`, counts the tokens in the last "
            "block. The empty slots are the others.",
            "Slots held, `cdiv(seq_len, block_size) * block_size`, less the tokens.",
        ),
    ),
    Hint(
        ONE_BY_ONE,
        (
            "Can a token of one sequence fill an empty slot of another?",
            "Each sequence has a last block of its own. So the lengths must not be "
            "added up before they are rounded.",
            "`sum(... for seq_len in seq_lens)`, with the rounding inside the sum.",
        ),
    ),
    Hint(
        NOT_INT,
        (
            "Which operator in your line makes a float out of two ints?",
            "`/` divides exactly, `//` divides down. Slots are counted, so the result "
            "is an int.",
            "`cdiv(a, b)` divides up and stays an int.",
        ),
    ),
    Hint(
        CHANGES,
        (
            "Whose list is it, and what is it used for after your call?",
            "`seq_lens` belongs to the caller, who goes on to use it. Read it, and "
            "leave it as it is.",
            "`for seq_len in seq_lens` only reads. `pop`, `sort` and an assignment to "
            "an entry change the list.",
        ),
    ),
)

HINTS = {"4.1": _POOL, "4.2": _GROWING, "4.3": _WASTED}
