# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e06-title"
# # Exercise 06: paged attention
#
# A running maximum and a running sum, then attention through a block table, then two halves that become one whole.
# They do not use one another, so any order will do. All three are plain torch.
# Lesson: [06, paged attention](../notebooks/06_paged_attention.ipynb).

# %% id="e06-imports"
from math import exp, inf

import torch
from torch import Tensor

from pagedkv_edu import cdiv
from pagedkv_edu.course import check
from pagedkv_edu.viz.gather import gather_view

# %% [markdown] id="e06-1-task"
# ## 6.1 A running maximum and a running sum
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# The scores of a sequence come block by block, and only two numbers are kept between blocks:
# the largest score so far, and the sum of `exp(score - largest)` over all scores so far.
# Take the two numbers and one block of scores, a tensor; return the two numbers after this block.
#
# ```python
# my_online_softmax(
#     running_max: float, running_sum: float, scores: Tensor
# ) -> tuple[float, float]
# ```
#
# Before the first block the numbers are `-inf` and `0.0`.
# A masked slot has the score `-inf` and counts for nothing. A block may be masked from end to end, the first one too.
#
# | call | returns | |
# |---|---|---|
# | `my_online_softmax(-inf, 0.0, tensor([1.0, 3.0]))` | `(3.0, 1.135)` | exp(-2) + exp(0) |
# | `my_online_softmax(3.0, 1.135, tensor([2.0, 0.0]))` | `(3.0, 1.553)` | no new maximum: two more terms |
# | `my_online_softmax(3.0, 1.135, tensor([5.0, 3.0]))` | `(5.0, 1.289)` | the old sum shrinks by exp(-2) |
# | `my_online_softmax(-inf, 0.0, tensor([-inf, -inf]))` | `(-inf, 0.0)` | nothing has been counted |
#
# ```
# scores        1   3 | 5   3
# largest           3 |     5
# the sum counts from 3 before the second block, and from 5 after it:
#               exp(1-3) + exp(3-3)
#          ->   exp(1-5) + exp(3-5)  +  exp(5-5) + exp(3-5)
# ```


# %% id="e06-1-answer" tags=["answer"] exercise="6.1"
def my_online_softmax(
    running_max: float, running_sum: float, scores: Tensor
) -> tuple[float, float]:
    """Return maximum and sum after one more block of scores."""
    # BEGIN SOLUTION
    new_max = max(running_max, scores.max().item())
    # while every score is masked, the exponent needs a finite number to subtract
    shift = 0.0 if new_max == -inf else new_max
    added = (scores - shift).exp().sum().item()
    return new_max, running_sum * exp(running_max - shift) + added
    # END SOLUTION


# %% id="e06-1-check" tags=["check"] exercise="6.1"
check("6.1", my_online_softmax)

# %% [markdown] id="e06-1-see-text"
# **See it.** The loop of the lesson over five blocks, with your function asked in every turn.
# Where its numbers differ from the right ones, the view says how.
# Run this cell again after each change.


# %% id="e06-1-see" tags=["picture"]
gather_view(update=lambda m, s, x: my_online_softmax(m, s, torch.tensor(x)))

# %% [markdown] id="e06-2-task"
# ## 6.2 Attention through a block table
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# One sequence decodes one token. Its `seq_len` cached tokens lie in the blocks that `block_table` names, in that order.
# Return the attention of `q` over them.
#
# ```python
# my_paged_attention(
#     q: Tensor,            # [num_heads, head_dim]
#     k_cache: Tensor,      # [num_blocks, block_size, num_kv_heads, head_dim]
#     v_cache: Tensor,      # as k_cache
#     block_table: Tensor,  # [max_blocks]
#     seq_len: int,         # at least 1
#     scale: float,
# ) -> Tensor               # [num_heads, head_dim]
# ```
#
# - The score of a token is `q @ k * scale`; the weights are the softmax of the scores; the output is the weighted sum of the values.
# - Query heads share KV heads, neighbours first: with 4 query heads on 2 KV heads, heads 0 and 1 read KV head 0.
# - Slots that hold no token of the sequence may hold NaN.
# - Entries of the table past the last block may hold any number.
#
# You may gather all keys and values first, or go block by block as in 6.1.
#
# ```
# block_size 4, seq_len 6        logical block 0        logical block 1
#
# block_table   [ 7 | 2 | -1 ]   block 7: t0 t1 t2 t3   block 2: t4 t5 NaN NaN
#                         ^ not used
# ```


# %% id="e06-2-answer" tags=["answer"] exercise="6.2"
def my_paged_attention(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_table: Tensor,
    seq_len: int,
    scale: float,
) -> Tensor:
    """Return the attention of one query over the cached tokens of its sequence."""
    # BEGIN SOLUTION: find the tokens through the table, and attend over them
    block_size, num_kv_heads = k_cache.shape[1:3]
    group = q.shape[0] // num_kv_heads
    block_ids = block_table[: cdiv(seq_len, block_size)]
    k, v = (
        cache[block_ids].flatten(0, 1)[:seq_len].repeat_interleave(group, dim=1)
        for cache in (k_cache, v_cache)
    )  # [seq_len, num_heads, head_dim]
    scores = torch.einsum("hd,thd->ht", q, k) * scale
    return torch.einsum("ht,thd->hd", scores.softmax(-1), v)
    # END SOLUTION


# %% id="e06-2-check" tags=["check"] exercise="6.2"
check("6.2", my_paged_attention)

# %% [markdown] id="e06-2-more"
# **More, if you like.** The check's inputs come from `pagedkv_kernels.cases`: shuffled tables, NaN in unwritten slots, any number in unused entries.
# In a cell of your own: `from pagedkv_kernels.cases import problem`, then `p = problem((6,), block_size=4)`.
# `p.block_tables`, `p.k_cache` and `p.v_cache` are the input, and `p.expected()[0]` is the output in float64.

# %% [markdown] id="e06-3-task"
# ## 6.3 Merge two halves
#
# Difficulty: 3 of 5. Time: 15 minutes.
#
# Two programs have each attended over one half of the tokens.
# Each returns its output, a weighted mean over its own half, and the log-sum-exp of its scores: `exp(lse)` is how much its tokens weigh together.
# Return output and log-sum-exp of the whole.
#
# ```python
# my_merge(
#     out_a: Tensor,  # [num_heads, head_dim]
#     lse_a: Tensor,  # [num_heads]
#     out_b: Tensor, lse_b: Tensor,
# ) -> tuple[Tensor, Tensor]  # the shapes of out_a and lse_a
# ```
#
# | `lse_a`, `lse_b` of a head | weights | `lse` |
# |---|---|---|
# | `0.0`, `0.0` | 1/2 and 1/2 | `0.693` |
# | `1.099`, `0.0` | 3/4 and 1/4, for exp(1.099) is 3 | `1.386` |
# | `0.5`, `-inf` | 1 and 0: part b is empty | `0.5` |
# | `-inf`, `-inf` | both are empty: the output is 0 | `-inf` |
#
# Log-sum-exps may be near 1000 or -1000, where `exp` of them is no number of float32.
#
# ```
# tokens    0 ............ 255 | 256 ............ 511
#           out_a, lse_a       | out_b, lse_b
#           weight exp(lse_a)  | weight exp(lse_b)
#                    \_________|_________/
#                      the weighted mean
# ```


# %% id="e06-3-answer" tags=["answer"] exercise="6.3"
def my_merge(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    """Return output and log-sum-exp of both parts together."""
    # BEGIN SOLUTION
    largest = torch.maximum(lse_a, lse_b).nan_to_num(neginf=0.0)
    weight_a, weight_b = (lse_a - largest).exp(), (lse_b - largest).exp()
    total = weight_a + weight_b  # 0 where both are empty
    weighted = out_a * weight_a[:, None] + out_b * weight_b[:, None]
    divisor = torch.where(total == 0, 1.0, total)
    return weighted / divisor[:, None], largest + total.log()
    # END SOLUTION


# %% id="e06-3-check" tags=["check"] exercise="6.3"
check("6.3", my_merge)

# %% [markdown] id="e06-after"
# ## Back to the lesson
#
# Lesson 06 says in comments, where `update`, `attend` and `merge` are defined, how to run it on your functions.
# Then [lesson 07](../notebooks/07_triton_kernel.ipynb): the same loop as a kernel, one program for each query head.
