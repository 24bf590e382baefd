"""The CPU path, compiled by numba: one thread takes one piece of a sequence at a time.

What makes it fast: four tokens and four query heads at a time, so that a number that
was loaded is used four times; the next four rows are asked for while these are used,
because no prefetcher can guess where the next block is; its own exponential. Arrays are
flat and their indices unsigned, because numba tests every signed index for being
negative, which costs more than the arithmetic.

A file changed here makes numba compile anew; keep all compiled code in this one.
"""

import numpy as np
from llvmlite import ir
from numba import njit, prange
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

# sums may be taken in any order; the scores and values that are read are finite
FAST = {"reassoc", "contract", "nsz", "arcp", "nnan", "ninf"}
TILE = 64  # tokens whose scores are held at a time
FOUR = np.uint64(4)  # tokens, and query heads of a KV head, at a time
ONE = np.uint64(1)
LINE_BYTES = 64
NO_SCORE = np.float32(-3e38)  # below every score; FAST knows no -inf


@intrinsic
def as_float(typingctx, number):
    """Return a number of a cache as float32.

    numba knows neither 16-bit float, so they come as integers of the same bits: float16
    as uint16, bfloat16 as int16.
    """

    def codegen(context, builder, signature, arguments):
        (bits,) = arguments
        if number == types.uint16:
            return builder.fpext(builder.bitcast(bits, ir.HalfType()), ir.FloatType())
        if number == types.int16:  # the upper half of a float32
            wide = builder.shl(builder.zext(bits, ir.IntType(32)), ir.IntType(32)(16))
            return builder.bitcast(wide, ir.FloatType())
        return bits

    return types.float32(number), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for the cache line of a number that will be read soon."""

    def codegen(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        address, i32 = builder.gep(data, [arguments[1]]), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, i32, i32, i32])
        function = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # to read, into the second-level cache: the first has too few places for it
        builder.call(function, [address, i32(0), i32(2), i32(1)])
        return context.get_dummy_value()

    return types.void(array, index), codegen


@njit(parallel=True, fastmath=FAST, cache=True)
def attend_pieces(
    q,  # [num_seqs, num_heads * head_dim], float32, with the scale in it
    k_cache,  # flat: float32, or the bits of a 16-bit float
    v_cache,
    block_tables,  # [num_seqs, max_blocks]
    pieces,  # [num_pieces, 3]: a sequence, its first token, past its last one
    block_size,
    group,  # query heads for each KV head, a multiple of four
    k_strides,  # of block, slot and head
    v_strides,
    softcap,  # 0: none
    out,  # [num_pieces, num_heads, head_dim]
    lse,  # [num_pieces, num_heads]
):
    """Attend over each piece of a sequence by itself; threads share the pieces."""
    num_heads, head_dim = out.shape[1], out.shape[2]
    size = np.uint64(head_dim)
    for piece in prange(len(pieces)):
        seq, begin, end = pieces[piece, 0], pieces[piece, 1], pieces[piece, 2]
        largest = np.full(num_heads, NO_SCORE)
        total = np.zeros(num_heads, np.float32)
        acc = np.zeros(num_heads * head_dim, np.float32)
        scores = np.empty(num_heads * TILE, np.float32)
        # four rows more than a tile: those that are asked for early
        k_row, v_row = np.empty(TILE + 4, np.uint64), np.empty(TILE + 4, np.uint64)
        for tile in range(begin, end, TILE):
            for i in range(TILE + 4):
                # past the end the last token again: it is there, and gets no weight
                position = min(tile + i, end - 1)
                block_id = np.int64(block_tables[seq, position // block_size])
                slot = position % block_size
                k_row[i] = block_id * k_strides[0] + slot * k_strides[1]
                v_row[i] = block_id * v_strides[0] + slot * v_strides[1]
            past = np.uint64(min(TILE, end - tile))
            score(k_cache, k_row, k_strides[2], q[seq], past, group, size, scores)
            weigh(scores, past, softcap, size, largest, total, acc)
            add(v_cache, v_row, v_strides[2], scores, past, group, size, acc)
        for head in range(num_heads):
            lse[piece, head] = largest[head] + np.log(total[head])
            for d in range(head_dim):
                out[piece, head, d] = acc[head * head_dim + d] / total[head]


@njit(fastmath=FAST, cache=True)
def score(k_cache, k_row, stride_head, q, past, group, size, scores):
    """Write the scores of a tile's tokens, for all query heads."""
    num_kv_heads = np.uint64(len(q)) // (size * group)
    for i in range(np.uint64(0), past, FOUR):
        for kv_head in range(num_kv_heads):
            offset = kv_head * np.uint64(stride_head)
            r0, r1, r2, r3 = four_rows(k_row, i, offset)
            ask_for_rows(k_cache, four_rows(k_row, i + FOUR, offset), size)
            for head in range(kv_head * group, (kv_head + ONE) * group, FOUR):
                score_four_by_four(k_cache, r0, r1, r2, r3, q, head, size, scores, i)


@njit(fastmath=FAST, cache=True)
def weigh(scores, past, softcap, size, largest, total, acc):
    """Turn a tile's scores into weights, and rescale what was added up before."""
    for head in range(np.uint64(len(largest))):
        first, before = head * np.uint64(TILE), largest[head]
        if softcap > 0:
            for i in range(first, first + past):
                scores[i] = softened(scores[i], softcap)
        new = before
        for i in range(first, first + past):
            new = max(new, scores[i])
        added = np.float32(0)
        for i in range(first, first + past):
            scores[i] = exp_below_zero(scores[i] - new)
            added += scores[i]
        for i in range(first + past, first + np.uint64(TILE)):
            scores[i] = 0
        rescale = exp_below_zero(before - new)
        largest[head], total[head] = new, total[head] * rescale + added
        for i in range(head * size, (head + ONE) * size):
            acc[i] *= rescale


@njit(fastmath=FAST, cache=True)
def add(v_cache, v_row, stride_head, weights, past, group, size, acc):
    """Add the weighted values of a tile's tokens to the outputs of all query heads."""
    num_kv_heads = np.uint64(len(acc)) // (size * group)
    for i in range(np.uint64(0), past, FOUR):
        for kv_head in range(num_kv_heads):
            offset = kv_head * np.uint64(stride_head)
            r0, r1, r2, r3 = four_rows(v_row, i, offset)
            ask_for_rows(v_cache, four_rows(v_row, i + FOUR, offset), size)
            for head in range(kv_head * group, (kv_head + ONE) * group, ONE + ONE):
                add_four_to_two(v_cache, r0, r1, r2, r3, weights, head, i, size, acc)


@njit(fastmath=FAST, inline="always")
def four_rows(row, first, offset):
    """Return where four tokens' rows of one KV head begin."""
    i, j = first, first + ONE + ONE
    r0, r1, r2, r3 = row[i], row[i + ONE], row[j], row[j + ONE]
    return r0 + offset, r1 + offset, r2 + offset, r3 + offset


@njit(fastmath=FAST, inline="always")
def ask_for_rows(cache, rows, size):
    """Ask for rows that will be read soon."""
    line = np.uint64(LINE_BYTES // cache.itemsize)
    for row in rows:
        for d in range(np.uint64(0), size, line):
            prefetch(cache, row + d)


@njit(fastmath=FAST, inline="always")
def score_four_by_four(k, r0, r1, r2, r3, q, head, size, scores, first):
    """Write the scores of four tokens for four query heads."""
    q0, q1 = head * size, (head + ONE) * size
    q2, q3 = q1 + size, q1 + size + size
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = np.float32(0)
    c0 = c1 = c2 = c3 = d0 = d1 = d2 = d3 = np.float32(0)
    for i in range(size):
        k0, k1 = as_float(k[r0 + i]), as_float(k[r1 + i])
        k2, k3 = as_float(k[r2 + i]), as_float(k[r3 + i])
        a, b, c, d = q[q0 + i], q[q1 + i], q[q2 + i], q[q3 + i]
        a0, a1, a2, a3 = a0 + a * k0, a1 + a * k1, a2 + a * k2, a3 + a * k3
        b0, b1, b2, b3 = b0 + b * k0, b1 + b * k1, b2 + b * k2, b3 + b * k3
        c0, c1, c2, c3 = c0 + c * k0, c1 + c * k1, c2 + c * k2, c3 + c * k3
        d0, d1, d2, d3 = d0 + d * k0, d1 + d * k1, d2 + d * k2, d3 + d * k3
    write_four(scores, head, first, a0, a1, a2, a3)
    write_four(scores, head + ONE, first, b0, b1, b2, b3)
    write_four(scores, head + ONE + ONE, first, c0, c1, c2, c3)
    write_four(scores, head + ONE + ONE + ONE, first, d0, d1, d2, d3)


@njit(fastmath=FAST, inline="always")
def write_four(scores, head, first, s0, s1, s2, s3):
    """Write the scores of four neighbouring tokens for one head."""
    i = head * np.uint64(TILE) + first
    scores[i], scores[i + ONE] = s0, s1
    scores[i + ONE + ONE], scores[i + ONE + ONE + ONE] = s2, s3


@njit(fastmath=FAST, inline="always")
def read_four(weights, head, first):
    """Return the weights of four neighbouring tokens for one head."""
    i = head * np.uint64(TILE) + first
    j = i + ONE + ONE
    return weights[i], weights[i + ONE], weights[j], weights[j + ONE]


@njit(fastmath=FAST, inline="always")
def add_four_to_two(v, r0, r1, r2, r3, weights, head, first, size, acc):
    """Add four tokens' weighted values to the outputs of two query heads."""
    a0, a1, a2, a3 = read_four(weights, head, first)
    b0, b1, b2, b3 = read_four(weights, head + ONE, first)
    a = head * size
    b = a + size
    for d in range(size):
        v0, v1 = as_float(v[r0 + d]), as_float(v[r1 + d])
        v2, v3 = as_float(v[r2 + d]), as_float(v[r3 + d])
        acc[a + d] += a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3
        acc[b + d] += b0 * v0 + b1 * v1 + b2 * v2 + b3 * v3


@njit(fastmath=FAST, inline="always")
def softened(x, cap):
    """Return cap * tanh(x / cap)."""
    small = exp_below_zero(np.float32(-2) * abs(x) / cap)
    bounded = cap * (np.float32(1) - small) / (np.float32(1) + small)
    return bounded if x > 0 else -bounded


@njit(fastmath=FAST, inline="always")
def exp_below_zero(x):
    """Return exp(x) for x <= 0, good to a few units of float32's last digit.

    numba has no exp for several numbers at once; this is 2**n times a polynomial.
    """
    y = max(x * np.float32(1 / np.log(2)), np.float32(-126))
    n = np.floor(y + np.float32(0.5))
    f = (y - n) * np.float32(np.log(2))
    p = np.float32(1 / 720) * f + np.float32(1 / 120)
    p = (p * f + np.float32(1 / 24)) * f + np.float32(1 / 6)
    p = ((p * f + np.float32(0.5)) * f + np.float32(1)) * f + np.float32(1)
    bits = np.int32((n + np.float32(127)) * np.float32(2**23))
    return p * bits.view(np.float32)
