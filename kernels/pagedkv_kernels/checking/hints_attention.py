"""The hints of 6.2 and 7.2: attention through a block table."""

from pagedkv_edu.report import Hint
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.judging import BEGIN, RAISED

_ATTENTION = (
    Hint(
        hint.NAN,
        (
            "What do the slots hold that nobody has written? What is 0 * NaN?",
            "A weight of 0 does not remove a NaN: the value itself must be replaced "
            "before it is multiplied. Another way to NaN is -inf - (-inf), where every "
            "score of a row is masked.",
            "Take only the first seq_len tokens; in a kernel, load values with a mask "
            "and `other=0.0`.",
        ),
    ),
    Hint(
        hint.TAIL,
        (
            "How many tokens of the last block are there? What about the rest of its "
            "slots?",
            "A slot past the sequence's length must have score -inf before the "
            "softmax, so that its weight is 0. A score of 0 is not enough: exp(0) is "
            "1.",
            "`position < seq_len` decides, for the score as for the loads.",
        ),
    ),
    Hint(
        hint.FULL_BLOCK,
        (
            "How many tokens are in the last block if seq_len is 8 and block_size 4? "
            "What is 8 % 4?",
            "The tail of a full last block is block_size, not 0.",
            "Compare positions with seq_len and there is no special case.",
        ),
    ),
    Hint(
        hint.LAST_BLOCK,
        (
            "How many blocks does a sequence of 5 tokens have, with block_size 4?",
            "A block that is partly filled counts as a block: the number is rounded "
            "up. And the entry of logical block 1 is the second one of the table.",
            "`cdiv(seq_len, block_size)` turns of the loop, entry `logical` of the "
            "table in each.",
        ),
    ),
    Hint(
        hint.OTHER_BLOCK,
        (
            "Which block of the pool does the table name for that token, and which one "
            "did you read?",
            "Logical block 0 is rarely block 0 of the pool, and the block after it in "
            "the sequence is rarely its neighbour. The table has one entry for each "
            "logical block.",
            "`block_id = table[logical]`, with `logical` from 0 to "
            "`cdiv(seq_len, block_size) - 1`.",
        ),
    ),
    Hint(
        hint.TABLE,
        (
            "Which entry of the table do you read for token 4, with block_size 4?",
            "The table has an entry for each block. The physical block is the entry "
            "itself, and neighbours in the sequence are no neighbours in the pool.",
            "`table[position // block_size]` and `position % block_size`.",
        ),
    ),
    Hint(
        hint.SLOT,
        (
            "How far is it from one slot of a block to the next, counted in numbers? "
            "What lies between two keys of the same head?",
            "A slot holds a row for every KV head, so the next slot is "
            "num_kv_heads * head_dim numbers further, in the default layout.",
            "`block_id * stride_block + slot * stride_slot + kv_head * stride_head`",
        ),
    ),
    Hint(
        hint.HEADS,
        (
            "With 4 query heads on 2 KV heads, which query heads read KV head 0?",
            "Neighbours share a KV head: the first num_heads / num_kv_heads query "
            "heads read KV head 0, the next ones KV head 1. Keys and values both.",
            "`kv_head = head // group`, with `group = num_heads // num_kv_heads`.",
        ),
    ),
    Hint(
        hint.ALL,
        (
            "For one token the weight is 1 whatever the score is. What changes the "
            "scores of all tokens alike?",
            "A score is the product of query and key, times `scale`.",
            "`scores = (q * k).sum(-1) * scale`",
        ),
    ),
    Hint(
        hint.SUM,
        (
            "If all values were 1, what would your output be?",
            "The weighted values are divided by the sum of exactly those exponentials "
            "that they were weighted with: no slot more, and once at the end.",
            "Masked scores are -inf, so that they add 0 to the sum; then `acc / sum`.",
        ),
    ),
    Hint(
        hint.NOTHING,
        (
            "How often does your loop run for a sequence of one token?",
            "Either no block is visited, or another one than the table names.",
            "`cdiv(seq_len, block_size)` blocks, rounded up; each found in the table.",
        ),
    ),
    Hint(
        hint.RESCALE,
        (
            "Inside a block the weights are right among themselves. What happens to "
            "what you have added up already, when a later block has a larger score?",
            "Sum and output so far are made with the old maximum. A new maximum "
            "shrinks both by the same factor.",
            "`rescale = exp(old_max - new_max)`; sum and output times `rescale`, "
            "before the block's own part is added.",
        ),
    ),
    Hint(
        hint.FAR_SCORES,
        (
            "What is exp(200) in a float32? And exp(-200)?",
            "Subtract the running maximum before every exponential. It begins at -inf: "
            "if it begins at 0, scores near -200 all become 0. And it never falls: a "
            "block of small scores leaves it as it was.",
            "`new_max = max(running_max, largest score of the block)`, from -inf on; "
            "then `exp(scores - new_max)`.",
        ),
    ),
)

_STRIDES = Hint(
    hint.STRIDES,
    (
        "Where does block 1 of K begin, if one tensor holds K and V of block 0, then K "
        "and V of block 1?",
        "The step from block to block is what the tensor says, and it is not always "
        "block_size times the step from slot to slot.",
        "Pass `k_cache.stride(0)`, `.stride(1)` and `.stride(2)` to the kernel.",
    ),
)

PAGED_ATTENTION = (
    Hint(
        BEGIN,
        (
            "The keys of the sequence lie in blocks. Which blocks, in which order, and "
            "how many tokens are in the last one?",
            "Either gather all keys and values into one tensor first, or go block by "
            "block with a running maximum and sum as in 6.1.",
            "`block_ids = block_table[: cdiv(seq_len, block_size)]`, then "
            "`k_cache[block_ids].flatten(0, 1)[:seq_len]`, and values in the same way.",
        ),
    ),
    Hint(
        RAISED,
        (
            "Which line is named? Is it the one that looks the blocks up, or do two "
            "shapes not fit?",
            "Entries past the last block may hold any number, -1 included; they are no "
            "blocks. And a token has num_kv_heads rows, where q has num_heads.",
            "Cut the table to `cdiv(seq_len, block_size)` entries first. "
            "`k.repeat_interleave(group, dim=1)` gives each query head its KV head.",
        ),
    ),
    *_ATTENTION,
    _STRIDES,
)

DECODE_KERNEL = (
    Hint(
        BEGIN,
        (
            "Take 6.2 and ask of every line: what does one program do? It has one "
            "sequence and one query head.",
            "Offsets take the place of indices: a row begins at the sum of each index "
            "times its stride. The loop over logical blocks stays a loop.",
            "Load q once; for each logical block load the table entry, K, then V, with "
            "a mask for the tail; store the output at the end.",
        ),
    ),
    Hint(
        RAISED,
        (
            "Which line of the kernel is named? Are its shapes powers of two?",
            "`tl.arange` takes two constants whose difference is a power of two. "
            "Whatever is a `tl.constexpr` must be passed by name at the launch.",
            "Print the shape of what you load; in the interpreter `print` works inside "
            "a kernel.",
        ),
    ),
    *_ATTENTION,
    _STRIDES,
    Hint(
        hint.NEVER_WRITTEN,
        (
            "How many programs does your grid start, and which row of `out` does each "
            "store? Which of `tl.program_id(0)` and `(1)` is the sequence?",
            "There is a row of `out` for every sequence and every query head, also for "
            "a sequence of no tokens.",
            "The grid is `(num_seqs, num_heads)`; the store covers all of head_dim and "
            "stands after the loop.",
        ),
    ),
    Hint(
        hint.EMPTY,
        (
            "What are sum and output of a sequence of length 0, before you divide?",
            "The loop does not run, so both are 0, and 0 / 0 is NaN.",
            "Divide by `tl.where(total == 0, 1.0, total)`.",
        ),
    ),
    Hint(
        hint.BITS,
        (
            "What is block 8,388,609 times 256 numbers, and what is the largest number "
            "in 32 bits?",
            "The table holds 32-bit numbers, and a product of two of them has 32 bits "
            "too. It must be widened before the multiplication, not after.",
            "`block_id = tl.load(...).to(tl.int64)`",
        ),
    ),
)
