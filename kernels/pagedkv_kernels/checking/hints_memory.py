"""The hints of 7.1 and of 8.1 to 8.3: slots that are written, and their addresses."""

from pagedkv_edu.report import Hint
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.judging import BEGIN, RAISED

WRITE_KERNEL = (
    Hint(
        BEGIN,
        (
            "One program has one token and one KV head. Where does it read, and where "
            "does it write?",
            "It reads row (token, head) of k and v. Slot s is offset s % block_size of "
            "block s // block_size.",
            "Load the slot; compute block and offset; `tl.load` a row of k and "
            "`tl.store` it at block, offset and head; the same for v.",
        ),
    ),
    Hint(
        RAISED,
        (
            "Which line of the kernel is named? Are its shapes powers of two?",
            "`tl.arange` takes two constants whose difference is a power of two. "
            "Whatever is a `tl.constexpr` must be passed by name at the launch.",
            "In the interpreter `print` works inside a kernel.",
        ),
    ),
    Hint(
        hint.WRITE_PLACE,
        (
            "Which block and which offset is slot 5, with 4 slots to a block?",
            "The block comes from `//`, the offset from `%`, and each has a stride of "
            "its own.",
            "`slot // BLOCK_SIZE * stride_block + slot % BLOCK_SIZE * stride_slot`",
        ),
    ),
    Hint(
        hint.WRITE_WHOSE,
        (
            "Whose numbers are there, according to the message?",
            "The token is the number of the program; the slot says only where it goes. "
            "Keys go to k_cache, values to v_cache.",
            "`k_ptr + token * k_stride_token + head * k_stride_head + dim`",
        ),
    ),
    Hint(
        hint.WRITE_HEADS,
        (
            "How many programs are there for a token with two KV heads?",
            "Each head has a row of its own, in k and in the cache; both addresses "
            "need the head times a stride.",
            "The grid is `(num_tokens, num_kv_heads)`, and `tl.program_id(1)` the "
            "head.",
        ),
    ),
    Hint(
        hint.WRITE_SKIP,
        (
            "Where does slot -1 lie?",
            "A batch is padded to a fixed length, and the padding has slot -1. Such a "
            "token is not written at all.",
            "`if slot < 0: return`, or a mask for the store.",
        ),
    ),
    Hint(
        hint.WRITE_STRIDES,
        (
            "Does row 1 of a slice begin right behind row 0?",
            "A view has strides of its own, and the shape does not tell them. k, v and "
            "both caches may each have others.",
            "Pass `.stride(0)`, `.stride(1)` and so on of every tensor to the kernel.",
        ),
    ),
)


def addresses(first: str, order: str, code: str) -> tuple[Hint, ...]:
    """Return the hints for one layout; three sentences say what is its own."""
    return (
        Hint(
            BEGIN,
            (
                first,
                f"From the outermost to the innermost: {order}. The step of each is "
                "the product of all sizes inside it, and of dtype_bytes.",
                code,
            ),
        ),
        Hint(
            hint.NUMBERS,
            (
                "What is the unit of an address?",
                "A number has dtype_bytes bytes.",
                "Multiply the sum by `spec.dtype_bytes`.",
            ),
        ),
        Hint(
            hint.HEAD_STEP,
            (
                "What lies between the key of head 0 and the key of head 1, in the "
                "same slot?",
                f"Look at what stands inside head: {order}.",
                code,
            ),
        ),
        Hint(
            hint.SLOT_STEP,
            (
                "What lies between the keys of two neighbouring slots, for the same "
                "head?",
                f"Look at what stands inside slot: {order}.",
                code,
            ),
        ),
        Hint(
            hint.BLOCK_STEP,
            (
                "How many bytes does one block of this array have?",
                f"Everything stands inside block: {order}.",
                code,
            ),
        ),
        Hint(
            hint.VALUES,
            (
                "Where is the value of the token whose key you have found?",
                f"Look for kv in the order: {order}. Where it is missing, keys and "
                "values have an array each, and an address counts from the beginning "
                "of its own.",
                code,
            ),
        ),
    )


SPLIT = addresses(
    "Draw block 0 with two slots and two heads. Which row comes second?",
    "block, slot, head, dim",
    "`((block_id * block_size + slot) * num_kv_heads + head) * head_dim * dtype_bytes`",
)
FUSED = addresses(
    "Draw block 0: first all its keys, then all its values. Where does block 1 begin?",
    "block, kv, slot, head, dim",
    "As for two arrays, with `2 * block_id + is_value` in place of `block_id`.",
)
INTERLEAVED = addresses(
    "Draw slot 0 with two heads: a key, its value, the next key, its value.",
    "block, slot, head, kv, dim",
    "Count rows: `2 * row + is_value`, where row is that of the two arrays.",
)
