"""The hints of exercise 01: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
DECIMAL = "There is a decimal point in my result"
CHANGES = "It changes the list that it was given"

TOO_FEW_BYTES = "My token has too few bytes"
TOO_MANY_BYTES = "My token has too many bytes"
QUERY_HEADS = "My result is right only if both kinds of heads are equally many"

NEGATIVE = "My number of sequences is below 0"
TOO_MANY = "I let too many sequences in"
TOO_FEW = "I let too few sequences in"
OVERTAKES = "A short sequence overtakes a long one"

_DECIMAL = Hint(
    DECIMAL,
    (
        "Which of your operators makes a number with a decimal point, even from two "
        "whole numbers?",
        "`/` divides and gives 2.25 or 2.0. Nobody runs 2.25 sequences.",
        "`//` divides and rounds down to a whole number.",
    ),
)

_BYTES = (
    Hint(
        BEGIN,
        (
            "Take the smallest model of the table: one layer, one KV head. Which "
            "numbers does it keep for a token?",
            "A key and a value, each of `head_dim` numbers. Each KV head of each layer "
            "keeps such a pair.",
            "A product of five factors: 2, the layers, the KV heads, `head_dim`, "
            "`dtype_bytes`.",
        ),
    ),
    Hint(
        QUERY_HEADS,
        (
            "Which of your arguments are never stored: queries, or keys and values?",
            "A query is used in its own step and thrown away. Several query heads read "
            "the same KV head.",
            "`num_heads` does not appear in the formula.",
        ),
    ),
    Hint(
        TOO_FEW_BYTES,
        (
            "By which factor is your result too small? Compare it with the arguments.",
            "Keys and values are both kept, in every layer, and a number has "
            "`dtype_bytes` bytes.",
            "`2 * num_layers * num_kv_heads * head_dim * dtype_bytes`",
        ),
    ),
    Hint(
        TOO_MANY_BYTES,
        (
            "By which factor is your result too large? Compare it with the arguments.",
            "Each layer, KV head and number counts once, and there are two of each: "
            "the key's and the value's. The result is in bytes, not in bits.",
            "`2 * num_layers * num_kv_heads * head_dim * dtype_bytes`",
        ),
    ),
    _DECIMAL,
)

_PROMISES = (
    Hint(
        BEGIN,
        (
            "How many bytes are left for the cache? How many does one promise take?",
            "The cache is what the weights leave. A promise takes `max_len` tokens of "
            "`token_bytes` each.",
            "What is left, divided by the bytes of a promise, rounded down, and never "
            "below 0.",
        ),
    ),
    Hint(
        NEGATIVE,
        (
            "What is left for the cache if the weights are larger than the memory?",
            "Nothing, which is 0 bytes. A negative number of bytes is not a number of "
            "bytes.",
            "`max(0, memory_bytes - weight_bytes)`",
        ),
    ),
    Hint(
        TOO_MANY,
        (
            "Multiply your result by the bytes of one promise and add the weights. "
            "Does it fit?",
            "The weights take their part first, each token takes `token_bytes`, and a "
            "promise that fits in part does not count.",
            "`(memory_bytes - weight_bytes) // (max_len * token_bytes)`",
        ),
    ),
    Hint(
        TOO_FEW,
        (
            "How many bytes are left over if your number of sequences runs? Would one "
            "more fit?",
            "The weights are there once, for all sequences together. And if the last "
            "promise fits exactly, it fits.",
            "`(memory_bytes - weight_bytes) // (max_len * token_bytes)`",
        ),
    ),
    _DECIMAL,
)

_FIT = (
    Hint(
        BEGIN,
        (
            "Go through the lengths with a pencil. Which one number do you keep?",
            "How many slots are taken so far. The next sequence fits if that and its "
            "length together are at most `num_slots`.",
            "A loop that adds each length, and stops at the first one that is too "
            "much.",
        ),
    ),
    Hint(
        OVERTAKES,
        (
            "What does your loop do when a sequence does not fit: stop, or go on to "
            "the next?",
            "Those behind it came later, and wait. Otherwise short sequences overtake "
            "a long one again and again, and it never runs.",
            "Where you have `continue` or only an `if`, leave the loop: `break` or "
            "`return`.",
        ),
    ),
    Hint(
        TOO_MANY,
        (
            "Add the lengths of those that you let in. Is the sum above `num_slots`?",
            "A sequence runs only if all its tokens have a slot. The one that does not "
            "fit is not counted.",
            "Test before you count: `if taken + length > num_slots`.",
        ),
    ),
    Hint(
        TOO_FEW,
        (
            "Add the lengths of those that you let in. Would the next one fit too?",
            "A sequence that takes the last free slot fits. Only its own tokens count, "
            "not those of the longest sequence.",
            "Refuse at `taken + length > num_slots`, not at `>=`.",
        ),
    ),
    Hint(
        CHANGES,
        (
            "Whose list is it, and what is it used for after your call?",
            "`lengths` is the queue itself, not a copy. The next step looks into it "
            "again.",
            "`for length in lengths:` only reads. `pop` and `sort` change the list.",
        ),
    ),
    _DECIMAL,
)

HINTS: dict[str, tuple[Hint, ...]] = {"1.1": _BYTES, "1.2": _PROMISES, "1.3": _FIT}
