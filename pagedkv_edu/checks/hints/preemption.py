"""The hints of exercise 10: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
CHANGES = "My function changes the list it was given"
DECIMAL = "There is a decimal point in my result"

VICTIM_NOT_INDEX = "I return a length where a place is wanted"
VICTIM_LONGEST = "My victim loses more than another would"
VICTIM_TIE = "Two are equally long, and I take the wrong one"

ADMIT_NEVER = "I refuse for ever what could be served one day"
ADMIT_FOREVER = "I let somebody wait who will wait for ever"
ADMIT_TOO_SOON = "I admit, and the blocks are not there"
ADMIT_TOO_LATE = "I let somebody wait although there is room"

COST_SWAP_CHEAP = "I choose swap where it costs more"
COST_SWAP_DEAR = "I choose recompute where it costs more"
COST_TIE = "Both cost the same, and I choose swap"

PLAN_OLDEST = "The oldest loses its blocks"
PLAN_MANY = "I preempt more sequences than needed"
PLAN_NO_ROOM = "I serve more than there are blocks for"
PLAN_WRONG_VICTIM = "The right number leaves, but not the right ones"
PLAN_LEFT_OUT = "Somebody is neither served nor preempted"
PLAN_ALONE = "The oldest is alone and there is still no room"
PLAN_ORDER = "The right sequences, in the wrong order"

_CHANGES = Hint(
    CHANGES,
    (
        "Who else may look at this list after your function has returned?",
        "`sort`, `pop` and `remove` change the list of the caller. `sorted` and "
        "`list(...)` make a new one.",
        "Work on a copy, or on indices: `range(len(seq_lens))`.",
    ),
)

_VICTIM = (
    Hint(
        BEGIN,
        (
            "Of three sequences with 40, 9 and 25 tokens: which loses least when it "
            "is dropped?",
            "Look for the smallest length, and remember where it stands.",
            "`min(range(len(seq_lens)), key=...)` returns a place, not a length. What "
            "must the key be, so that of equals the last one wins?",
        ),
    ),
    Hint(
        VICTIM_NOT_INDEX,
        (
            "What does `min(seq_lens)` return: how long the victim is, or which it is?",
            "The scheduler has to find the sequence. It needs its place in the list.",
            "Take the minimum over the places: `range(len(seq_lens))`, with a key.",
        ),
    ),
    Hint(
        VICTIM_LONGEST,
        (
            "How many tokens must be computed again if your victim is dropped? And if "
            "the shortest is?",
            "Work lost is what was computed: the length. The policy wants the least.",
            "The smallest length, wherever it stands in the list.",
        ),
    ),
    Hint(
        VICTIM_TIE,
        (
            "Both lose the same work. Which of the two has waited longer for its turn?",
            "The earlier arrival goes on. So of equals the victim is the last one.",
            "`min` keeps the first of equals. Let the key say more: "
            "`(seq_lens[i], -i)`.",
        ),
    ),
    _CHANGES,
)

_ADMISSION = (
    Hint(
        BEGIN,
        (
            "How many blocks does the prompt need? Which two numbers do you compare "
            "that with?",
            "*Never* is about the whole pool, *now* about the free blocks, and *later* "
            "is what is left.",
            "First `never`, if the blocks needed are more than `num_blocks`. Then "
            "`now`, if they and the watermark are free. Else `later`.",
        ),
    ),
    Hint(
        ADMIT_NEVER,
        (
            "Would the prompt fit into an empty pool?",
            "Running requests end, and then their blocks are free. Only a prompt "
            "larger than the whole pool can never be served.",
            "Compare with `num_blocks` alone, without the watermark.",
        ),
    ),
    Hint(
        ADMIT_FOREVER,
        (
            "What will happen that makes room for this request?",
            "If the prompt is larger than the pool, nothing will. If nothing runs, "
            "nobody ends either, and all blocks are free already.",
            "Larger than the pool: `never`. And the watermark counts only if "
            "`num_running > 0`.",
        ),
    ),
    Hint(
        ADMIT_TOO_SOON,
        (
            "How many blocks are free after this request has taken its own?",
            "A part of a block is a block, and while others run the watermark stays "
            "free.",
            "`cdiv(num_prompt_tokens, block_size) + watermark <= num_free`.",
        ),
    ),
    Hint(
        ADMIT_TOO_LATE,
        (
            "How many blocks are free after this request has taken its own? How many "
            "must be?",
            "Exactly enough is enough.",
            "`<=`, not `<`; and a last block that is filled in part counts once.",
        ),
    ),
)

_COST = (
    Hint(
        BEGIN,
        (
            "What has to be done for each token, and what for each block?",
            "Recompute costs time for each token. Swap costs time for each block, once "
            "out and once in.",
            "Compare `num_tokens * us_per_token` with "
            "`2 * cdiv(num_tokens, block_size) * us_per_block`.",
        ),
    ),
    Hint(
        COST_SWAP_CHEAP,
        (
            "Write both sums down for the call in the message. Which part of the swap "
            "is missing in yours?",
            "The blocks move to the host, and later they move back. A block that is "
            "filled in part moves whole.",
            "`2 *`, and round the blocks up.",
        ),
    ),
    Hint(
        COST_SWAP_DEAR,
        (
            "Write both sums down for the call in the message. What do you count too "
            "often?",
            "`us_per_block` is the time of a whole block, not of a token in it.",
            "Multiply `us_per_block` by the number of blocks, and by nothing more than "
            "the 2 for both ways.",
        ),
    ),
    Hint(
        COST_TIE,
        (
            "What else does a swap need that a recompute does not?",
            "It needs blocks in host memory. So of equal times, recompute is chosen.",
            "Swap only if it is cheaper: `<`, not `<=`.",
        ),
    ),
)

_PLAN = (
    Hint(
        BEGIN,
        (
            "Take the sequences from the oldest on. How many blocks does each need for "
            "its new tokens, and are they free?",
            "A sequence needs `cdiv(seq_len + new, block_size) - cdiv(seq_len, "
            "block_size)` blocks. While they are not free, the latest arrival that is "
            "left gives up all of its own.",
            "Keep a list `running` of who is left. For each sequence in it: `while "
            "needed > num_free`, take the last one off `running` and add its blocks to "
            "`num_free`. If it took itself off, it is not served.",
        ),
    ),
    Hint(
        PLAN_OLDEST,
        (
            "Who may take blocks from whom in your plan? Can two sequences take from "
            "each other?",
            "The oldest must get its tokens in every step. Then it ends one day, and "
            "the next one is the oldest. So blocks go from later to earlier arrivals "
            "only.",
            "The victim is the last of those left, even if that is the one that "
            "needs the block.",
        ),
    ),
    Hint(
        PLAN_MANY,
        (
            "After the first victim: how many blocks are free, and how many are "
            "needed?",
            "A sequence needs a block only if its last one is full. A victim gives "
            "back every block it holds.",
            "Add `cdiv(seq_len, block_size)` of the victim to `num_free`, and ask "
            "again before you take another.",
        ),
    ),
    Hint(
        PLAN_NO_ROOM,
        (
            "Add up the blocks that your served sequences need. How many are there?",
            "A block that is promised to one sequence is not free for the next.",
            "When a sequence is served, take what it needs off `num_free`.",
        ),
    ),
    Hint(
        PLAN_WRONG_VICTIM,
        (
            "Which of the running sequences came last?",
            "First come, first served: whoever came last leaves first.",
            "Take victims from the end of the list of those left.",
        ),
    ),
    Hint(
        PLAN_LEFT_OUT,
        (
            "What becomes of a sequence that finds no block and keeps what it holds?",
            "If everybody keeps and waits, nobody ever gives a block back. Each "
            "sequence is served, or gives up everything.",
            "Every index from 0 to `len(seq_lens) - 1` is in one of the two lists.",
        ),
    ),
    Hint(
        PLAN_ALONE,
        (
            "If the oldest is alone, whose blocks could it still take?",
            "Nobody can help it, and waiting neither. The scheduler has to end it, and "
            "it learns that from an error.",
            '`raise OutOfBlocks("...")` when the list of those left has one entry and '
            "`needed > num_free`.",
        ),
    ),
    Hint(
        PLAN_ORDER,
        (
            "Compare the two lists. Does one of them stand the other way round?",
            "Served: from the oldest on. Preempted: as they leave, the latest arrival "
            "first.",
            "`append` in the order in which things happen.",
        ),
    ),
    _CHANGES,
)

HINTS: dict[str, tuple[Hint, ...]] = {
    "10.1": _VICTIM,
    "10.2": _ADMISSION,
    "10.3": _COST,
    "10.4": _PLAN,
}
