"""The hints of exercise 09: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
DECIMAL = "There is a decimal point in my result"

FOUR = "I do not return four numbers"
TABLE = "My first number, the table, is wrong"
TAIL = "My second number, the tail, is wrong"
COPY = "My third number, the copy, is wrong"
PIECE = "My fourth number, the piece, is wrong"

ONE_OFF = "My length is off by one"
TOO_SHORT = "My length is too short"
TOO_LONG = "My length is too long"

NO_SIZE = "My choice is no block size"
TOO_SMALL = "My blocks are too small"
TOO_LARGE = "My blocks are too large"
BRANCHES = "My choice is right only without branches"

_FOUR = (
    Hint(
        BEGIN,
        (
            "Draw 9 tokens in blocks of 4. How many blocks are there, and how many "
            "empty slots has the last one?",
            "`cdiv(seq_len, block_size)` blocks: the table has an entry for each, and "
            "the tail is what is left of their slots.",
            "`blocks = cdiv(seq_len, block_size)`, then `4 * blocks`, "
            "`blocks * block_size - seq_len`, and two more.",
        ),
    ),
    Hint(
        FOUR,
        (
            "What type does the signature promise?",
            "A tuple of four whole numbers, in the order of the table in the task.",
            "`return table_bytes, empty_slots, copy_bytes, piece_bytes`",
        ),
    ),
    Hint(
        DECIMAL,
        (
            "Which of your operators makes a number with a decimal point, even from "
            "two whole numbers?",
            "`/` divides and gives 2.25 or 2.0. No sequence holds 2.25 blocks.",
            "`cdiv(a, b)` divides and rounds up to a whole number.",
        ),
    ),
    Hint(
        TABLE,
        (
            "How many blocks do 9 tokens take in blocks of 4: two, or three?",
            "An entry for each block, the last one too, and 4 bytes for each entry.",
            "`4 * cdiv(seq_len, block_size)`",
        ),
    ),
    Hint(
        TAIL,
        (
            "How many slots are empty if the last block is full?",
            "The slots of all blocks, less the tokens. That is never `block_size`.",
            "`cdiv(seq_len, block_size) * block_size - seq_len`",
        ),
    ),
    Hint(
        COPY,
        (
            "Two sequences share all blocks, and both go on. Which block do they both "
            "want to write into?",
            "The last one, if it has an empty slot. Then the whole block is copied, "
            "its empty slots too. A full block is never written again.",
            "`block_size * bytes_per_token if empty_slots else 0`",
        ),
    ),
    Hint(
        PIECE,
        (
            "A sequence of 5 tokens lies in a block of 16. How many of its keys lie "
            "together?",
            "The rows of one block; a sequence that is shorter than a block has only "
            "its own. And a row is `row_bytes`, of one layer.",
            "`min(seq_len, block_size) * row_bytes`",
        ),
    ),
)

_BREAK_EVEN = (
    Hint(
        BEGIN,
        (
            "Write down what a sequence of n tokens costs with blocks of P, and with "
            "blocks of 2P. Where are the two equal?",
            "Doubling adds P/2 empty slots on average, and saves half of the n/P "
            "blocks.",
            "P/2 = price * n / (2P). Solve it for n, then round up.",
        ),
    ),
    Hint(
        DECIMAL,
        (
            "What type does the signature promise?",
            "A sequence has a whole number of tokens: the shortest one for which the "
            "double costs no more.",
            "`ceil(...)` from `math` rounds up and gives an int.",
        ),
    ),
    Hint(
        ONE_OFF,
        (
            "With your length, which of the two sizes costs less?",
            "Where both cost the same, the double already costs no more. Between two "
            "whole numbers, the upper one is the first that is long enough.",
            "Round up, and add nothing.",
        ),
    ),
    Hint(
        TOO_SHORT,
        (
            "By how many slots does the mean tail grow from blocks of P to blocks of "
            "2P?",
            "(2P - 1)/2 - (P - 1)/2 = P/2 slots. And of n/P block starts half are "
            "saved: n/(2P).",
            "n = P * P / price",
        ),
    ),
    Hint(
        TOO_LONG,
        (
            "Is your length right for a price of 1, or does it grow with the price? "
            "How many slots does a doubling add on average?",
            "The more a block costs, the sooner large blocks pay: the length falls "
            "with the price. A doubling adds P/2 slots on average, not P, and it "
            "saves half of the block starts.",
            "n = P * P / price",
        ),
    ),
)

_CHOICE = (
    Hint(
        BEGIN,
        (
            "What does one more slot in each block cost, and what does it save?",
            "The cost is (1/2 + 2 * branches) * (P - 1) + price * mean_len / P. Where "
            "is it least?",
            "Where both terms in P are equal; or try `for size in (1, 2, 4, ...)` and "
            "keep the one with the least cost.",
        ),
    ),
    Hint(
        NO_SIZE,
        (
            "What type does the signature promise?",
            "A block has a whole number of slots, from 1 to 1,024.",
            "`max(1, round(size))` makes one from any number.",
        ),
    ),
    Hint(
        TOO_SMALL,
        (
            "Which part of your cost in the message is the largest: empty slots, "
            "blocks or copies?",
            "Blocks are started in every step, and their number falls with P. The best "
            "size grows with the root of price * mean_len.",
            "Double P as long as that saves more than it adds.",
        ),
    ),
    Hint(
        TOO_LARGE,
        (
            "Which part of your cost in the message is the largest: empty slots, "
            "blocks or copies?",
            "Empty slots and copies grow with P. Four times the length asks for twice "
            "the size only.",
            "sqrt(price * mean_len / (1/2 + 2 * branches))",
        ),
    ),
    Hint(
        BRANCHES,
        (
            "What does your function do with its second argument?",
            "A branch copies P - 1 slots on average, and a copied slot costs two token "
            "reads: 2 * branches * (P - 1) a step.",
            "Where you have 1/2 for the empty slots, write 1/2 + 2 * branches.",
        ),
    ),
)

HINTS: dict[str, tuple[Hint, ...]] = {
    "9.1": _FOUR,
    "9.2": _BREAK_EVEN,
    "9.3": _CHOICE,
}
