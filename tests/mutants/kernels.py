"""Wrong answers to exercises 06 to 08 that learners write, and right ones.

Those that launch a kernel are in `triton_kernels.py`; here are torch and plain Python.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf

import torch
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.judging import BEGIN, RAISED
from torch import Tensor

from pagedkv_edu.sizes import KVCacheSpec, cdiv
from tests.mutants import triton_kernels as kernels

State = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer, a part of its title, and the hint that it gets."""

    exercise_id: str
    name: str
    answer: Callable[..., object]
    title: str
    hint: str


# --- 6.1 my_online_softmax -----------------------------------------------------------


def online_softmax(running_max: float, running_sum: float, scores: Tensor) -> State:
    new_max = max(running_max, scores.max().item())
    shift = 0.0 if new_max == -inf else new_max
    rescale = exp(running_max - shift)
    return new_max, running_sum * rescale + (scores - shift).exp().sum().item()


def online_softmax_in_torch(
    running_max: float, running_sum: float, scores: Tensor
) -> tuple[Tensor, Tensor]:
    everything = torch.cat([torch.tensor([running_max]).double(), scores])
    new_max = everything.max()
    shift = new_max.nan_to_num(neginf=0.0)
    counts = torch.cat([torch.tensor([running_sum]).double(), torch.ones(len(scores))])
    return new_max, (counts * (everything - shift).exp()).sum()


def forgets_to_rescale(running_max: float, running_sum: float, scores: Tensor) -> State:
    new_max = max(running_max, scores.max().item())
    shift = 0.0 if new_max == -inf else new_max
    return new_max, running_sum + (scores - shift).exp().sum().item()


def looks_at_this_block_alone(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    here = scores.max().item()
    return here, running_sum + (scores - here).exp().sum().item()


def subtracts_nothing(running_max: float, running_sum: float, scores: Tensor) -> State:
    return max(
        running_max, scores.max().item()
    ), running_sum + scores.exp().sum().item()


def subtracts_minus_infinity(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    new_max = max(running_max, scores.max().item())
    rescale = exp(running_max - new_max) if running_sum else 0.0
    return new_max, running_sum * rescale + (scores - new_max).exp().sum().item()


def clamps_the_maximum_to_zero(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    new_max = max(running_max, scores.max().item())
    new_max = 0.0 if new_max == -inf else new_max
    rescale = exp(min(running_max - new_max, 0.0))
    return new_max, running_sum * rescale + (scores - new_max).exp().sum().item()


def rescales_the_wrong_way(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    new_max = max(running_max, scores.max().item())
    shift = 0.0 if new_max == -inf else new_max
    rescale = exp(shift - running_max) if running_sum else 0.0
    return new_max, running_sum * rescale + (scores - shift).exp().sum().item()


def turns_the_factor_over(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    new_max = max(running_max, scores.max().item())
    rescale = exp(new_max - running_max) if new_max > -inf else 1.0
    return new_max, running_sum * rescale + (scores - new_max).exp().sum().item()


def begins_at_a_very_low_score(
    running_max: float, running_sum: float, scores: Tensor
) -> State:
    return online_softmax(max(running_max, -1e9), running_sum, scores)


def returns_the_sum_alone(
    running_max: float, running_sum: float, scores: Tensor
) -> float:
    return online_softmax(running_max, running_sum, scores)[1]


# --- 6.2 my_paged_attention ----------------------------------------------------------


def gathers_all(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    block_ids = table[: cdiv(n, k_cache.shape[1])].long()
    k, v = (cache[block_ids].flatten(0, 1)[:n] for cache in (k_cache, v_cache))
    return _attend(q, k, v, scale)


def goes_block_by_block(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size, group = k_cache.shape[1], q.shape[0] // k_cache.shape[2]
    largest, total = torch.full((len(q),), -inf), torch.zeros(len(q))
    acc = torch.zeros_like(q)
    for logical in range(cdiv(n, size)):
        rows = slice(0, min(size, n - logical * size))
        k, v = (
            cache[int(table[logical]), rows].repeat_interleave(group, 1)
            for cache in (k_cache, v_cache)
        )
        scores = torch.einsum("hd,thd->ht", q, k) * scale
        new = torch.maximum(largest, scores.amax(1))
        weights, rescale = (scores - new[:, None]).exp(), (largest - new).exp()
        acc = acc * rescale[:, None] + torch.einsum("ht,thd->hd", weights, v)
        total, largest = total * rescale + weights.sum(1), new
    return acc / total[:, None]


def _attend(q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
    group = q.shape[0] // k.shape[1]
    k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    weights = (torch.einsum("hd,thd->ht", q, k) * scale).softmax(-1)
    return torch.einsum("ht,thd->hd", weights, v)


def takes_whole_blocks(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    block_ids = table[: cdiv(n, k_cache.shape[1])].long()
    return _attend(
        q, k_cache[block_ids].flatten(0, 1), v_cache[block_ids].flatten(0, 1), scale
    )


def masks_scores_but_not_values(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    block_ids = table[: cdiv(n, k_cache.shape[1])].long()
    group = q.shape[0] // k_cache.shape[2]
    k, v = (
        c[block_ids].flatten(0, 1).repeat_interleave(group, 1)
        for c in (k_cache, v_cache)
    )
    scores = torch.einsum("hd,thd->ht", q, k) * scale
    scores[:, n:] = -inf
    return torch.einsum("ht,thd->hd", scores.softmax(-1), v)


def forgets_the_scale(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    return gathers_all(q, k_cache, v_cache, table, n, 1.0)


def takes_the_last_block_as_full(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    n = cdiv(n, k_cache.shape[1]) * k_cache.shape[1]
    return gathers_all(q, k_cache.nan_to_num(), v_cache.nan_to_num(), table, n, scale)


def leaves_out_the_last_block(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size = k_cache.shape[1]
    n = n // size * size if n > size else n
    return gathers_all(q, k_cache, v_cache, table, n, scale)


def takes_the_tail_of_a_full_block_as_empty(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size = k_cache.shape[1]
    return gathers_all(
        q, k_cache, v_cache, table, (cdiv(n, size) - 1) * size + n % size, scale
    )


def reads_blocks_in_pool_order(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    first = int(table[0])
    following = torch.arange(first, first + len(table)) % len(k_cache)
    return gathers_all(q, k_cache, v_cache, following, n, scale)


def looks_the_table_up_by_token(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size = k_cache.shape[1]
    rows = [(int(table[t]), t % size) for t in range(n)]
    k, v = (torch.stack([c[row] for row in rows]) for c in (k_cache, v_cache))
    return _attend(q, k, v, scale)


def shares_heads_by_remainder(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    group = q.shape[0] // k_cache.shape[2]
    k, v = (c.repeat(1, 1, group, 1) for c in (k_cache, v_cache))
    return gathers_all(q, k, v, table, n, scale)


def uses_the_whole_table(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    k, v = (c[table.long()].flatten(0, 1) for c in (k_cache, v_cache))
    return _attend(q, k, v, scale)


def takes_entries_past_the_last_block(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    k, v = (c[table.long()].flatten(0, 1)[:n] for c in (k_cache, v_cache))
    return _attend(q, k, v, scale)


def returns_heads_last(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    return gathers_all(q, k_cache, v_cache, table, n, scale).T


def does_not_rescale(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size, group = k_cache.shape[1], q.shape[0] // k_cache.shape[2]
    total, acc = torch.zeros(len(q)), torch.zeros_like(q)
    largest = torch.full((len(q),), -inf)
    for logical in range(cdiv(n, size)):
        rows = slice(0, min(size, n - logical * size))
        k, v = (
            cache[int(table[logical]), rows].repeat_interleave(group, 1)
            for cache in (k_cache, v_cache)
        )
        scores = torch.einsum("hd,thd->ht", q, k) * scale
        largest = torch.maximum(largest, scores.amax(1))
        weights = (scores - largest[:, None]).exp()
        acc += torch.einsum("ht,thd->hd", weights, v)
        total += weights.sum(1)
    return acc / total[:, None]


def takes_the_maximum_of_the_block(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    size, group = k_cache.shape[1], q.shape[0] // k_cache.shape[2]
    total, acc = torch.zeros(len(q)), torch.zeros_like(q)
    largest = torch.full((len(q),), -inf)
    for logical in range(cdiv(n, size)):
        rows = slice(0, min(size, n - logical * size))
        k, v = (
            cache[int(table[logical]), rows].repeat_interleave(group, 1)
            for cache in (k_cache, v_cache)
        )
        scores = torch.einsum("hd,thd->ht", q, k) * scale
        rescale = (largest - scores.amax(1)).exp()
        largest = scores.amax(1)
        weights = (scores - largest[:, None]).exp()
        acc = acc * rescale[:, None] + torch.einsum("ht,thd->hd", weights, v)
        total = total * rescale + weights.sum(1)
    return acc / total[:, None]


def takes_plain_exponentials(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, table: Tensor, n: int, scale: float
) -> Tensor:
    block_ids = table[: cdiv(n, k_cache.shape[1])].long()
    group = q.shape[0] // k_cache.shape[2]
    k, v = (
        c[block_ids].flatten(0, 1)[:n].repeat_interleave(group, 1)
        for c in (k_cache, v_cache)
    )
    weights = (torch.einsum("hd,thd->ht", q, k) * scale).exp()
    return torch.einsum("ht,thd->hd", weights, v) / weights.sum(1, keepdim=True)


# --- 6.3 my_merge --------------------------------------------------------------------

Pair = tuple[Tensor, Tensor]


def merge(out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> Pair:
    largest = torch.maximum(lse_a, lse_b).nan_to_num(neginf=0.0)
    a, b = (lse_a - largest).exp(), (lse_b - largest).exp()
    total = a + b
    divisor = total.where(total > 0, 1.0)
    out = (out_a * a[:, None] + out_b * b[:, None]) / divisor[:, None]
    return out, largest + total.log()


def merge_by_logaddexp(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> Pair:
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = ((x - lse).exp().nan_to_num(0.0) for x in (lse_a, lse_b))
    return out_a * a[:, None] + out_b * b[:, None], lse


def takes_the_mean(out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> Pair:
    return (out_a + out_b) / 2, torch.logaddexp(lse_a, lse_b)


def weighs_with_plain_exponentials(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> Pair:
    a, b = lse_a.exp()[:, None], lse_b.exp()[:, None]
    return (out_a * a + out_b * b) / (a + b), torch.logaddexp(lse_a, lse_b)


def weighs_with_the_log_sum_exps(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> Pair:
    a, b = lse_a[:, None] + 1, lse_b[:, None] + 1
    return (out_a * a + out_b * b) / (a + b), torch.logaddexp(lse_a, lse_b)


def does_not_divide(out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> Pair:
    largest = torch.maximum(lse_a, lse_b)
    a, b = (lse_a - largest).exp()[:, None], (lse_b - largest).exp()[:, None]
    return out_a * a + out_b * b, torch.logaddexp(lse_a, lse_b)


def returns_the_larger_lse(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> Pair:
    return merge(out_a, lse_a, out_b, lse_b)[0], torch.maximum(lse_a, lse_b)


def divides_nothing_by_nothing(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> Pair:
    weights = torch.stack([lse_a, lse_b]).softmax(0)
    out = out_a * weights[0, :, None] + out_b * weights[1, :, None]
    return out, torch.logaddexp(lse_a, lse_b)


# --- 8.1 to 8.3 addresses ------------------------------------------------------------


def split_address(spec: KVCacheSpec, of: str, block: int, slot: int, head: int) -> int:
    row = (block * spec.block_size + slot) * spec.num_kv_heads + head
    return row * spec.head_dim * spec.dtype_bytes


def fused_address(spec: KVCacheSpec, of: str, block: int, slot: int, head: int) -> int:
    return split_address(spec, of, 2 * block + (of == "v"), slot, head)


def interleaved_address(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    row_bytes = spec.head_dim * spec.dtype_bytes
    return 2 * split_address(spec, of, block, slot, head) + (of == "v") * row_bytes


def interleaved_by_strides(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    row = spec.head_dim * spec.dtype_bytes
    strides = 2 * row * spec.num_kv_heads * spec.block_size, 2 * row * spec.num_kv_heads
    return block * strides[0] + slot * strides[1] + head * 2 * row + (of == "v") * row


def fused_by_strides(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    row = spec.head_dim * spec.dtype_bytes
    half = row * spec.num_kv_heads * spec.block_size
    return (
        block * 2 * half + (of == "v") * half + (slot * spec.num_kv_heads + head) * row
    )


def split_by_strides(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    row = spec.head_dim * spec.dtype_bytes
    token = row * spec.num_kv_heads
    return block * token * spec.block_size + slot * token + head * row


def counts_numbers(spec: KVCacheSpec, of: str, block: int, slot: int, head: int) -> int:
    return split_address(spec, of, block, slot, head) // spec.dtype_bytes


def forgets_the_heads(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    row = block * spec.block_size + slot + head
    return row * spec.head_dim * spec.dtype_bytes


def is_head_major(spec: KVCacheSpec, of: str, block: int, slot: int, head: int) -> int:
    row = (block * spec.num_kv_heads + head) * spec.block_size + slot
    return row * spec.head_dim * spec.dtype_bytes


def returns_a_quotient(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> float:
    return split_address(spec, of, block, slot, head) / 1


def leaves_no_room_for_values(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    return split_address(spec, of, block + (of == "v"), slot, head)


def values_in_the_next_slot(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    return split_address(spec, of, 2 * block, slot + (of == "v"), head)


def interleaves_whole_slots(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    token = spec.num_kv_heads * spec.head_dim * spec.dtype_bytes
    first = (block * spec.block_size + slot) * 2 * token + (of == "v") * token
    return first + head * spec.head_dim * spec.dtype_bytes


def interleaves_numbers(
    spec: KVCacheSpec, of: str, block: int, slot: int, head: int
) -> int:
    return 2 * split_address(spec, of, block, slot, head) + (of == "v")


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "6.1": (online_softmax, online_softmax_in_torch),
    "6.2": (gathers_all, goes_block_by_block),
    "6.3": (merge, merge_by_logaddexp),
    "7.1": (kernels.write(""), kernels.write_all_heads),
    "7.2": (kernels.decode(""), kernels.decode_grouped),
    "7.3": (kernels.merge(""), kernels.merge_one_by_one),
    "8.1": (split_address, split_by_strides),
    "8.2": (fused_address, fused_by_strides),
    "8.3": (interleaved_address, interleaved_by_strides),
}

STRAY = "slots that hold no token of it have weight"
Row = tuple[Callable[..., object], str, str]

_SOFTMAX: tuple[Row, ...] = (
    (forgets_to_rescale, "after block 1 the sum is 2.5", hint.SUM_RESCALE),
    (looks_at_this_block_alone, "the maximum is 2; expected 3", hint.MAXIMUM),
    (subtracts_nothing, "after block 0 the sum is 7.39; expected 1", hint.SUM_FIRST),
    (subtracts_minus_infinity, "after block 0 the sum is nan", hint.MASKED_BLOCK),
    (clamps_the_maximum_to_zero, "the maximum is 0; expected", hint.MASKED_BLOCK),
    (rescales_the_wrong_way, "the sum is 28.6; expected 1.2", hint.SUM_RESCALE),
    (turns_the_factor_over, "after block 0 the sum is nan; ex", hint.SUM_FIRST),
    (begins_at_a_very_low_score, "is -1e+09; expected -inf", hint.MASKED_BLOCK),
    (returns_the_sum_alone, "returned 1.0; expected a maximum and", BEGIN),
)
_ATTENTION: tuple[Row, ...] = (
    (takes_whole_blocks, STRAY, hint.TAIL),
    (masks_scores_but_not_values, "logical block 0: the output is nan", hint.NAN),
    (forgets_the_scale, "logical block 0: token 1 has weight", hint.ALL),
    (takes_the_last_block_as_full, STRAY, hint.TAIL),
    (leaves_out_the_last_block, "block 1: token 4 has weight 0;", hint.LAST_BLOCK),
    (takes_the_tail_of_a_full_block_as_empty, "no token has", hint.FULL_BLOCK),
    (reads_blocks_in_pool_order, "logical block 1: token 4 has", hint.OTHER_BLOCK),
    (looks_the_table_up_by_token, "raised IndexError", RAISED),
    (shares_heads_by_remainder, "head 1, logical block 0: values of KV", hint.HEADS),
    (uses_the_whole_table, STRAY, hint.TAIL),
    (takes_entries_past_the_last_block, "raised IndexError", RAISED),
    (returns_heads_last, "returned a tensor [32, 4]; expected [4, 32]", BEGIN),
    (does_not_rescale, "logical block 1: token 4 has weight", hint.RESCALE),
    (takes_the_maximum_of_the_block, "weight nan; expected", hint.FAR_SCORES),
    (takes_plain_exponentials, "token 0 has weight nan", hint.FAR_SCORES),
)
_MERGE: tuple[Row, ...] = (
    (takes_the_mean, "part a (logical block 0) has weight 0.5;", hint.MEAN),
    (weighs_with_plain_exponentials, "has weight nan", hint.TOO_LARGE),
    (weighs_with_the_log_sum_exps, "has weight 0.677; expected 0.75", hint.WEIGHTS),
    (does_not_divide, "head 0: part a (logical block 0) has weight 1;", hint.SUM),
    (returns_the_larger_lse, "log-sum-exp 0; expected 0.693", hint.LSE),
    (divides_nothing_by_nothing, "has weight nan; expected 0", hint.EMPTY_PART),
)
_WRITE = (
    ("slot -1", "slot 15 of k_cache was written", hint.WRITE_SKIP),
    ("swapped", "slot 4 of k_cache holds what", hint.WRITE_PLACE),
    ("token 0", "slot 5 of k_cache holds the key of token 0", hint.WRITE_WHOSE),
    ("rows side by side", "slot 12 of k_cache holds the value", hint.WRITE_STRIDES),
    ("no block stride", "slot 9 of k_cache holds what", hint.WRITE_STRIDES),
    ("heads on one row", "holds the key of token 0 for head 1", hint.WRITE_WHOSE),
    ("K twice", "slot 0 of v_cache holds the key of token 0", hint.WRITE_WHOSE),
    ("K alone", "slot 0 of v_cache holds what it held", hint.WRITE_PLACE),
    ("one head", "token 0, head 1: slot 5 of k_cache holds what", hint.WRITE_HEADS),
)
_DECODE = (
    ("no tail mask", STRAY, hint.TAIL),
    ("scores not masked", "the weights of the tokens add up to", hint.SUM),
    ("only K masked", "logical block 0: the output is nan", hint.NAN),
    ("no scale", "logical block 0: token 1 has weight", hint.ALL),
    ("not rescaled", "logical block 1: token 4 has weight", hint.RESCALE),
    ("acc not rescaled", "token 0 has weight", hint.RESCALE),
    ("table by token", "logical block 1: token 4 has weight 0", hint.OTHER_BLOCK),
    ("no table", "logical block 0: token 0 has weight 0", hint.OTHER_BLOCK),
    ("int32", "logical block 0: no token has any weight", hint.BITS),
    ("last block full", STRAY, hint.TAIL),
    ("full blocks only", "no token has any weight", hint.NOTHING),
    ("tail of a full block", "token 0 has weight nan", hint.FULL_BLOCK),
    ("one token too few", "token 0 has weight nan; expected 1", hint.NAN),
    ("group", "head 1, logical block 0: values of KV head 1", hint.HEADS),
    ("V of head 0", "head 2, logical block 0: values of KV head 0", hint.HEADS),
    ("layout", "logical block 0: token", hint.SLOT),
    ("block stride", "sequence 0, head 0, logical block", hint.STRIDES),
    ("no maximum", "logical block 0: no token has any weight", hint.FAR_SCORES),
    ("maximum of the block", "weight nan; expected", hint.FAR_SCORES),
    ("base 2", "logical block 0: token 1 has weight", hint.ALL),
    ("not divided", "the weights of the tokens add up to", hint.SUM),
    ("grid the other way", "wrote outside of out", hint.NEVER_WRITTEN),
    ("empty", "sequence 1, head 0: nan for a sequence of no tokens", hint.EMPTY),
    ("half a head", "sequence 0, head 0: a part of", hint.NEVER_WRITTEN),
    ("first head only", "sequence 0, head 1: a part of", hint.NEVER_WRITTEN),
)
_SPLITS = (
    ("mean", "part 0 (logical block 0) has weight 0.5; expected 0.75", hint.MEAN),
    ("padding weighs", "has weight 0.125; expected 0.5", hint.SUM),
    ("empty", "part 0 (logical block 0) has weight nan", hint.EMPTY_PART),
    ("no maximum", "has weight nan; expected", hint.TOO_LARGE),
    ("not divided", "has weight 1; expected 0.5", hint.SUM),
    ("first head", "sequence 0, head 1: a part of", hint.NEVER_WRITTEN),
)
_SPLIT: tuple[Row, ...] = (
    (counts_numbers, '"k", 0, 0, 1) returned 7; expected 28', hint.NUMBERS),
    (forgets_the_heads, '"k", 0, 1, 0) returned 28; expected 84', hint.SLOT_STEP),
    (is_head_major, '"k", 0, 0, 1) returned 140; expected 28', hint.HEAD_STEP),
    (returns_a_quotient, "returned 0.0; expected an int", BEGIN),
)
_FUSED: tuple[Row, ...] = (
    (split_address, '"k", 1, 0, 0) returned 420; expected 840', hint.BLOCK_STEP),
    (leaves_no_room_for_values, '"k", 1, 0, 0) returned 420;', hint.BLOCK_STEP),
    (values_in_the_next_slot, '"v", 0, 0, 0) returned 84;', hint.VALUES),
)
_INTERLEAVED: tuple[Row, ...] = (
    (fused_address, '"k", 0, 0, 1) returned 28; expected 56', hint.HEAD_STEP),
    (interleaves_whole_slots, '"k", 0, 0, 1) returned 28;', hint.HEAD_STEP),
    (interleaves_numbers, '"v", 0, 0, 0) returned 1; expected 28', hint.VALUES),
)


def _named(exercise_id: str, rows: tuple[Row, ...]) -> list[Mutant]:
    return [
        Mutant(exercise_id, answer.__name__, answer, title, hint_title)
        for answer, title, hint_title in rows
    ]


def _launched(
    exercise_id: str,
    launch: Callable[[str], Callable[..., None]],
    rows: tuple[tuple[str, str, str], ...],
) -> list[Mutant]:
    return [
        Mutant(exercise_id, mistake, launch(mistake), title, hint_title)
        for mistake, title, hint_title in rows
    ]


MUTANTS = (
    *_named("6.1", _SOFTMAX),
    *_named("6.2", _ATTENTION),
    *_named("6.3", _MERGE),
    *_launched("7.1", kernels.write, _WRITE),
    *_launched("7.2", kernels.decode, _DECODE),
    *_launched("7.3", kernels.merge, _SPLITS),
    *_named("8.1", _SPLIT),
    *_named("8.2", _FUSED),
    *_named("8.3", _INTERLEAVED),
)
