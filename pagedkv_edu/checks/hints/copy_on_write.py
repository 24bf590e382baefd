"""Hints of exercise 05, named after what the learner sees."""

from pagedkv_edu.checks.judging.topics import PYTHON_ERROR, Advice
from pagedkv_edu.report import Hint

SHARE = 'lesson 05, "Share first"'
FIX = 'lesson 05, "The fix"'
LAST = 'lesson 05, "Only the last block is ever copied"'
WHO = 'lesson 05, "Who copies?"'
BEAM = 'lesson 05, "One step of beam search"'

BEGIN = "I do not know where to begin"
CHANGED = "was refused, but something changed first"

# --- 5.1 -----------------------------------------------------------------------------

EARLY = "A block is free again while somebody holds it"
LATE = "A block never comes back"
TWICE = "A block is handed out while it is in use"
COUNT = "ref_count is wrong"
NUM_FREE = "num_free is wrong"
ACCEPTED = "A call is accepted that should be refused"
REFUSED = "A call is refused that is right"

_SHARED_POOL = (
    Hint(
        BEGIN,
        (
            "Write `share` first. What does it look at, and what does it change?",
            "`share` adds one to the count of a block in use. `free` takes one off. "
            "Only the call of `free` that brings the count to 0 gives the block back.",
            "`free`: refuse if the count is 0; count down; and if the count is 0 now, "
            "the id goes into the free list.",
        ),
    ),
    Hint(
        EARLY,
        (
            "How many references does the block have after this call of `free`? Who "
            "holds the others?",
            "A block that has been shared is freed once by each owner. All but the "
            "last of them only lower the count.",
            "`if self._ref_counts[block_id] == 0: self._free.append(block_id)`, after "
            "the count has gone down.",
        ),
    ),
    Hint(
        LATE,
        (
            "What is the count of the block before this call of `free`, and what is "
            "it after?",
            "The last owner must bring the count to 0 exactly. A test for 1 after "
            "the count went down, or for 0 before, is off by one.",
            "`self._ref_counts[block_id] -= 1`, then the test for 0.",
        ),
    ),
    Hint(
        TWICE,
        (
            "How often is the id in your free list?",
            "A block that is in the free list twice is handed out twice. It may enter "
            "only when its count reaches 0.",
            "One `append` to the free list, inside the `if` that tests for 0.",
        ),
    ),
    Hint(
        COUNT,
        (
            "What does each of the three calls do to the count: `allocate`, `share`, "
            "`free`?",
            "1 for allocate, 1 more for each share, 1 less for each free. A count is "
            "a number; whether a block is in use is only a yes or no.",
            "`= 1`, `+= 1` and `-= 1`, on the entry of that block.",
        ),
    ),
    Hint(
        NUM_FREE,
        (
            "Which calls change the number of free blocks? Is `share` one of them?",
            "`share` takes no block. `free` gives one back only if it was the last "
            "reference.",
            "`return len(self._free)` needs no bookkeeping of its own.",
        ),
    ),
    Hint(
        ACCEPTED,
        (
            "What does your code look at before it changes the count?",
            "Nobody could say what is in a free block, so it cannot be shared, and "
            "its count cannot go below 0. Index -1 is the last entry of a list to "
            "Python, and no block.",
            "`if not 0 <= block_id < self.num_blocks or "
            "self._ref_counts[block_id] == 0: raise NotAllocated(...)`, first, in "
            "`share` and in `free`.",
        ),
    ),
    Hint(
        REFUSED,
        (
            "What does the message say about the block: is it in use?",
            "A block with any count above 0 may be shared and freed. While one is "
            "free, `allocate` has to find it.",
            "`share` and `free` refuse for a count of 0 only; `allocate` refuses for "
            "an empty free list only.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "Look first, then change.",
            "Move the `if ...: raise ...` to the top of the method.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you "
            "think it is?",
            "A refusal is one of the errors of `pagedkv_edu.errors`, raised before "
            "anything is touched.",
            "`OutOfBlocks` if nothing is free, `NotAllocated` for a block that is "
            "free or is not there.",
        ),
    ),
)

SHARED_POOL_ADVICE = {
    "accepted allocate": Advice(ACCEPTED, SHARE),
    "accepted free": Advice(ACCEPTED, SHARE),
    "accepted id": Advice(ACCEPTED, SHARE),
    "accepted share": Advice(ACCEPTED, SHARE),
    "changed": Advice(CHANGED, SHARE),
    "in use": Advice(TWICE, SHARE),
    "instead of NotAllocated": Advice(PYTHON_ERROR, SHARE),
    "instead of OutOfBlocks": Advice(PYTHON_ERROR, SHARE),
    "no block": Advice(PYTHON_ERROR, SHARE),
    "num_blocks too high": Advice(PYTHON_ERROR, SHARE),
    "num_blocks too low": Advice(PYTHON_ERROR, SHARE),
    "num_free too high": Advice(EARLY, SHARE),
    "num_free too low": Advice(LATE, SHARE),
    "num_free after share": Advice(NUM_FREE, SHARE),
    "raised": Advice(PYTHON_ERROR, SHARE),
    "ref_count raised": Advice(COUNT, SHARE),
    "ref_count too high": Advice(COUNT, SHARE),
    "ref_count too low": Advice(COUNT, SHARE),
    "refused allocate": Advice(REFUSED, SHARE),
    "refused free": Advice(REFUSED, SHARE),
    "refused share": Advice(REFUSED, SHARE),
}

# --- 5.2 -----------------------------------------------------------------------------

COPY_MISSING = "A copy is missing"
COPY_TOO_MANY = "A copy too many"
LAST_OWNER = "The last owner copies"
NOT_BOOL = "It is neither True nor False"

_MUST_COPY = (
    Hint(
        BEGIN,
        (
            "Into which block does the next token go: the last one, or a new one?",
            "Two questions decide. Does the last block have an empty slot? Does "
            "anybody else hold it?",
            "`seq_len % block_size != 0` answers the first, `ref_count > 1` the "
            "second.",
        ),
    ),
    Hint(
        COPY_MISSING,
        (
            "Look at the line Nearby. For which lengths is the result right?",
            "The length is the one before the new token. If it is wrong only where "
            "the token fills the block, you look at the length after it.",
            "`seq_len % block_size != 0 and ref_count > 1`.",
        ),
    ),
    Hint(
        COPY_TOO_MANY,
        (
            "Into which slot does the next token go? Is that slot in the last block?",
            "A full block is never written again, so it is never copied, however "
            "many tables hold it.",
            "`ref_count > 1` is half of the condition. The other half: the last "
            "block has an empty slot.",
        ),
    ),
    Hint(
        LAST_OWNER,
        (
            "Who else reads the block, if its count is 1?",
            "With one reference there is nobody to protect. The last owner writes in "
            "place.",
            "`ref_count > 1`, not `>= 1`.",
        ),
    ),
    Hint(
        NOT_BOOL,
        (
            "What does Python return for `3 % 4 and True`, and for `True and 3 % 4`?",
            "`and` returns one of its two sides, not True or False. A remainder is "
            "a number until it is compared.",
            "`seq_len % block_size != 0`, with the comparison written out.",
        ),
    ),
)

# --- 5.3 -----------------------------------------------------------------------------

OTHERS = "One sequence changes and another changes with it"
LEAK = "My free blocks run out after a fork"
FREED = "A freed sequence is still there"
TOO_LOW = "A block is in two tables and has ref_count 1"
WRONG_COPY = "My copy is not the one that is needed"
TABLE = "The table has the wrong length, or the wrong blocks"
TOO_SOON_FULL = "It is refused, although enough blocks are free"
NEVER_FULL = "It is accepted, although too few blocks are free"

_MANAGER = (
    Hint(
        BEGIN,
        (
            "Write `fork` first; it needs neither `allocate` nor `BlockCopy`. Run the "
            "check: it stops at the first wrong call, so it shows how far you are.",
            "`append` answers three questions before it changes anything. Is the last "
            "block partly filled? Does it have more than one reference? How many "
            "blocks will I take, the copy included?",
            "Two booleans and a number; then one `if` that may raise; then the copy; "
            "then the new blocks; then `seq_len`.",
        ),
    ),
    Hint(
        COPY_MISSING,
        (
            "Look at the numbers in the line Nearby. For which lengths does the same "
            "history pass?",
            "If it fails for all lengths inside a block, `append` never looks at the "
            "count, or does not return the copy. If it fails only when the new token "
            "fills the block, you look at `seq_len` after you have changed it.",
            "`seq_len % block_size != 0` and `ref_count` of the last block above 1, "
            "both read before the first change.",
        ),
    ),
    Hint(
        COPY_TOO_MANY,
        (
            "Into which slot would the new token go? Is that slot in the block that "
            "you copied, and does anybody else hold it?",
            "A shared block is safe as long as nobody writes into it. Nobody writes "
            "into a full block, and of the others only the last one is written.",
            '"More than one reference" is half of the condition, and it is asked of '
            "the last block only. The other half: that block has an empty slot.",
        ),
    ),
    Hint(
        OTHERS,
        (
            "How many list objects are there after `fork`: one or two?",
            "In Python `b = a` gives one list two names. Parent and child need the "
            "same *numbers* in two *lists*.",
            "`list(parent.block_ids)` makes a new list.",
        ),
    ),
    Hint(
        LEAK,
        (
            "Count the references: how many tables hold the block that you copied "
            "*from*, and what is its `ref_count`?",
            "After a copy your table no longer holds the old block. The reference "
            "that `fork` added for you is still there.",
            "After `table.block_ids[-1] = target`, the source loses one reference: "
            "one call of the pool.",
        ),
    ),
    Hint(
        TOO_LOW,
        (
            "Which tables hold the block? How often was the pool told that somebody "
            "holds it?",
            "Each table that holds a block is one reference. `fork` makes a second "
            "table, so every block in it gets one more.",
            "`for block_id in parent.block_ids: self.pool.share(block_id)`.",
        ),
    ),
    Hint(
        WRONG_COPY,
        (
            "From which block does the copy read, and which block takes its place in "
            "your table?",
            "The source is the block that you leave; it keeps what is in it. The "
            "target is the fresh block, and it stands in your table afterwards.",
            "`BlockCopy(source, target)`, and `table.block_ids[-1] = target`.",
        ),
    ),
    Hint(
        TABLE,
        (
            "How many tokens does the sequence have after the call, and how many "
            "blocks do they need?",
            "`fork` takes no block and copies nothing: the child has its parent's "
            "blocks and length. `append` takes what the new length needs beyond what "
            "the table holds, and puts it last.",
            "`num_new = cdiv(table.seq_len + num_tokens, self.block_size) - "
            "len(table.block_ids)`.",
        ),
    ),
    Hint(
        FREED,
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
        TOO_SOON_FULL,
        (
            "How many blocks does the call need, and how many are free? The message "
            "has both numbers.",
            "A copy needs one block, and each new block one more. Exactly enough is "
            "enough. `fork` needs none.",
            "`if self.pool.num_free < num_new + must_copy: raise OutOfBlocks(...)`, "
            "with `<` and not `<=`.",
        ),
    ),
    Hint(
        NEVER_FULL,
        (
            "Where does the new token go, if no block was free?",
            "The call must be refused as a whole. The target of a copy counts too.",
            "`num_new + must_copy` blocks are needed, before anything is changed.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "Do not let `allocate` find out that the pool is empty. Count first: new "
            "blocks, plus one if you must copy.",
            "`if self.pool.num_free < num_new + must_copy: raise OutOfBlocks(...)`, "
            "above every assignment to the table.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you "
            "think it is?",
            "`append` returns a list in every case: one `BlockCopy` in it, or none.",
            "`copies: list[BlockCopy] = []` before the `if`, `return copies` after it.",
        ),
    ),
)

MANAGER_ADVICE = {
    "accepted": Advice(NEVER_FULL, FIX),
    "changed": Advice(CHANGED, FIX),
    "count too high": Advice(LEAK, SHARE),
    "count too low": Advice(TOO_LOW, SHARE),
    "gone": Advice(FREED, SHARE),
    "length": Advice(TABLE, FIX),
    "order": Advice(TABLE, FIX),
    "other table": Advice(OTHERS, SHARE),
    "raised": Advice(PYTHON_ERROR, FIX),
    "refused": Advice(TOO_SOON_FULL, FIX),
    "snapshot": Advice(OTHERS, SHARE),
    "too few blocks": Advice(TABLE, FIX),
    "too few copies": Advice(COPY_MISSING, FIX),
    "too many blocks": Advice(TABLE, SHARE),
    "too many copies": Advice(COPY_TOO_MANY, LAST),
    "words": Advice(WRONG_COPY, FIX),
    "wrong copy": Advice(WRONG_COPY, FIX),
}

# --- 5.4 -----------------------------------------------------------------------------

COPIED_FOR_NOBODY = "It copies a block too many"
UNWRITTEN = "A beam is longer than it should be"
GONE = "A beam is gone before it is needed"
STILL_THERE = "A beam is still there"
LOST_COPY = "A copy is made, and nobody carries it out"
SHORT = "A beam is shorter than it should be"
NOT_FORKED = "A beam does not read its parent's words"

_BEAM_STEP = (
    Hint(
        BEGIN,
        (
            "Take the example of the task. Which beams are forked, which are freed, "
            "and which get a token?",
            "Three loops, one after the other. The lesson names their order, and why "
            "it must be that one.",
            "The first two loops ask `beam != parent` and "
            "`beam not in parent_by_beam`. The third goes over every beam of "
            "`parent_by_beam` and collects what `append` returns.",
        ),
    ),
    Hint(
        COPIED_FOR_NOBODY,
        (
            "Read the calls under Found. Which beam still held the block when it was "
            "copied, and what became of that beam?",
            "A beam that is about to go is an owner until it is freed. If it goes "
            "first, one owner less is left, and the last one writes in place.",
            "Every `free` before the first `append`.",
        ),
    ),
    Hint(
        UNWRITTEN,
        (
            "How long was the parent when it was forked?",
            "A child begins with all tokens of its parent. If the parent has had its "
            "`append` already, the child gets a token that is not written yet, and "
            "that is not its own.",
            "Every `fork` before the first `append`.",
        ),
    ),
    Hint(
        GONE,
        (
            "Read the calls under Found. Which call needed a beam that an earlier one "
            "had freed?",
            "A parent that does not go on is needed once more: its children fork from "
            "it. A beam that goes on under its own name is not freed at all.",
            "Every `fork` before the first `free`, and `free` only for a beam that is "
            "not in `parent_by_beam`.",
        ),
    ),
    Hint(
        STILL_THERE,
        (
            "Which beams does the step keep? Where does your function look for those "
            "that it does not keep?",
            "A beam without a continuation is pruned: freed. `beams` lists every beam "
            "from before the step.",
            "`for beam in beams: if beam not in parent_by_beam: manager.free(beam)`.",
        ),
    ),
    Hint(
        LOST_COPY,
        (
            "How many times does your function call `append`, and what becomes of "
            "what it returns?",
            "A `BlockCopy` is an order. What is not returned is never carried out, "
            "and the beam reads a block that nobody has filled.",
            "`copies += manager.append(beam)` in the loop, `return copies` after it.",
        ),
    ),
    Hint(
        SHORT,
        (
            "Which beams got a token, and which did not?",
            "Every beam after the step has one token more than its parent had before "
            "it: those that go on under their own name, and the new ones.",
            "`for beam in parent_by_beam: ... manager.append(beam)`.",
        ),
    ),
    Hint(
        NOT_FORKED,
        (
            "Where does a new beam get its blocks from?",
            "`fork` shares what is written. `add` takes fresh blocks, in which nothing "
            "is written.",
            "`manager.fork(parent, beam)` for each beam that is not its own parent.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you "
            "think it is?",
            "`append` returns a list; two lists are joined with `+=` or `extend`. "
            "The function returns one list.",
            "`copies: list[BlockCopy] = []` first, `copies += manager.append(beam)` "
            "in the loop.",
        ),
    ),
)

BEAM_ADVICE = {
    "blocks": Advice(NOT_FORKED, BEAM),
    "copies lost": Advice(LOST_COPY, BEAM),
    "lost": Advice(SHORT, BEAM),
    "not freed": Advice(STILL_THERE, BEAM),
    "raised": Advice(PYTHON_ERROR, BEAM),
    "raised DuplicateSequence": Advice(NOT_FORKED, BEAM),
    "raised OutOfBlocks": Advice(COPIED_FOR_NOBODY, BEAM),
    "raised UnknownSequence": Advice(GONE, BEAM),
    "too few copies": Advice(NOT_FORKED, BEAM),
    "too long": Advice(UNWRITTEN, BEAM),
    "too many copies": Advice(COPIED_FOR_NOBODY, BEAM),
    "too short": Advice(SHORT, BEAM),
    "words": Advice(NOT_FORKED, BEAM),
}

HINTS = {
    "5.1": _SHARED_POOL,
    "5.2": _MUST_COPY,
    "5.3": _MANAGER,
    "5.4": _BEAM_STEP,
}
