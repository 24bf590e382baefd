"""The hints of exercise 03: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
INDEX_ERROR = "IndexError: list index out of range"
DECIMAL = "There is a decimal point in my result"
CHANGES = "It changes the list that it was given"

LOCATE_SWAPPED = "My two numbers are the wrong way round"
LOCATE_NOTHING = "My function returns None"
LOCATE_ONE_WRONG = "One of my two numbers is wrong"

SLOT_NOT_MULTIPLIED = "My slot is too small"
SLOT_WRONG_BLOCK = "My slot lies in another block"
SLOT_OFFSET = "Right block, wrong slot"

MAPPING_RUNS_ON = "My slots run on into the next block of the pool"
MAPPING_LENGTH = "My list is too long or too short"
MAPPING_OTHER = "The length is right, some slots are not"

ENTRIES_TOO_FEW = "I count too few entries"
ENTRIES_TOO_MANY = "I count too many entries"

_DECIMAL = Hint(
    DECIMAL,
    (
        "Which of your operators makes a number with a decimal point, even from two "
        "whole numbers?",
        "`/` divides and gives 2.25 or 2.0. A block cannot have the number 2.25.",
        "`//` divides and rounds down to a whole number; `%` gives the remainder.",
    ),
)

_CHANGES = Hint(
    CHANGES,
    (
        "Whose list is it, and what is it used for after your call?",
        "`block_ids` is the table of the sequence itself, not a copy. The next step "
        "looks into it again.",
        "`block_ids[i]` only reads. `pop`, `del`, `sort` and `append` change the list; "
        "work on `list(block_ids)` if you need one of them.",
    ),
)

_INDEX_ERROR = Hint(
    INDEX_ERROR,
    (
        "How many entries has the table in the message, and at which one did you look?",
        "The table has an entry for each block, not for each token.",
        "The index is the logical block, `position // block_size`.",
    ),
)

_LOCATE = (
    Hint(
        BEGIN,
        (
            "Take a pencil. Write positions 0 to 9 into blocks of four. In which block "
            "is position 9, and how many slots of that block come before it?",
            "The block is how often `block_size` fits into the position. The offset is "
            "what is left over.",
            "`position // block_size` and `position % block_size`, in this order.",
        ),
    ),
    Hint(
        LOCATE_NOTHING,
        (
            "Which line of yours gives the two numbers to the caller?",
            "A line with an expression computes it and throws it away. Only `return` "
            "hands it back; a function without one returns `None`.",
            "`return ..., ...` makes a tuple of two numbers.",
        ),
    ),
    Hint(
        LOCATE_SWAPPED,
        (
            "Which of the two numbers can never be as large as `block_size`?",
            "The offset stays inside a block; the logical block has no such limit. "
            "The logical block comes first.",
            "`return position // block_size, position % block_size`",
        ),
    ),
    Hint(
        LOCATE_ONE_WRONG,
        (
            'Look at the line "Nearby". What do the positions that fail share?',
            "Positions and offsets count from 0. The first token of a block has offset "
            "0, and the last one `block_size - 1`.",
            "Divide the position itself: not `position + 1`, not `position - 1`, and "
            "round down, not up.",
        ),
    ),
    _DECIMAL,
)

_SLOT = (
    Hint(
        BEGIN,
        (
            "You have written one of the three steps already. Which one, and what do "
            "the other two need?",
            "Divide, look up, multiply and add. The offset of the first step waits for "
            "the third.",
            "Take logical block and offset from `my_locate`; look the logical block up "
            "in `block_ids`; multiply what you find by `block_size`; add the offset.",
        ),
    ),
    _INDEX_ERROR,
    Hint(
        SLOT_NOT_MULTIPLIED,
        (
            "How many slots lie before the first slot of block 1? Of block 2?",
            "A block id counts blocks. A slot counts slots, through the whole pool.",
            "The block begins at slot `block_id * block_size`.",
        ),
    ),
    Hint(
        SLOT_WRONG_BLOCK,
        (
            "In which block of the pool is your slot? Is that the block in the table?",
            "The next block of the sequence need not be the next block of the pool, so "
            "every position needs its own look into the table.",
            "`block_ids[position // block_size]` is the block, for any position.",
        ),
    ),
    Hint(
        SLOT_OFFSET,
        (
            'Look at the line "Nearby". Which positions inside a block pass?',
            "The offset is the same on both sides of the table. It is added once.",
            "`... * block_size + offset`, with `offset = position % block_size`.",
        ),
    ),
    _DECIMAL,
    _CHANGES,
)

_MAPPING = (
    Hint(
        BEGIN,
        (
            "Which exercise gives you the slot of one position?",
            "The new tokens are those at positions start, start + 1, ..., stop - 1. "
            "Each needs its slot, in this order.",
            "A list of `my_slot(block_ids, block_size, position)` for every position "
            "in `range(start, stop)`.",
        ),
    ),
    Hint(
        MAPPING_RUNS_ON,
        (
            "Where does the first wrong slot lie? Is that block in the table?",
            "Slots follow one another inside a block only. At the end of a block the "
            "table says where the sequence goes on.",
            "Look into the table again for each position, or at least once per block.",
        ),
    ),
    _INDEX_ERROR,
    Hint(
        MAPPING_LENGTH,
        (
            "How many tokens are start to stop - 1?",
            "`stop` itself is not a new token, and tokens before `start` are written "
            "already.",
            "`range(start, stop)`; its length is `stop - start`.",
        ),
    ),
    Hint(
        MAPPING_OTHER,
        (
            "Take the first slot that differs. Which position does it belong to, and "
            "which block and offset has that position?",
            "`start` is a position in the sequence. It need not be the beginning of a "
            "block, so the first offset is often not 0.",
            "The offset of each token is `position % block_size`, and its block is "
            "`block_ids[position // block_size]`.",
        ),
    ),
    _DECIMAL,
    _CHANGES,
)

_ENTRIES = (
    Hint(
        BEGIN,
        (
            "How many blocks hold 8 tokens, four to a block? And 9 tokens?",
            "One entry for each block, and a block that is filled in part is a block.",
            "Divide and round up. `cdiv` in this notebook does it.",
        ),
    ),
    Hint(
        ENTRIES_TOO_FEW,
        (
            'Look at the line "Nearby". For which lengths is your result right?',
            "`//` rounds down, so the tokens in the last, partly filled block have no "
            "entry.",
            "Round up: `cdiv(max_len, block_size)`.",
        ),
    ),
    Hint(
        ENTRIES_TOO_MANY,
        (
            'Look at the line "Nearby". For which lengths is your result right?',
            "If the last block is full, nothing is left over that needs an entry.",
            "`max_len // block_size + 1` is one too many there. Round up instead: "
            "`cdiv(max_len, block_size)`.",
        ),
    ),
    _DECIMAL,
)

HINTS: dict[str, tuple[Hint, ...]] = {
    "3.1": _LOCATE,
    "3.2": _SLOT,
    "3.3": _MAPPING,
    "3.4": _ENTRIES,
}
