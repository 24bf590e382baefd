"""The hints of 6.1, 6.3 and 7.3: running sums, and parts that are merged."""

from pagedkv_edu.report import Hint
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.judging import BEGIN

ONLINE_SOFTMAX = (
    Hint(
        BEGIN,
        (
            "Take the scores 1, 2 and then 3, 5. After the first block the maximum is "
            "2. What are the exponentials of 1 and 2 worth once the maximum is 5?",
            "There are two numbers: the largest score so far, and the sum of "
            "exp(score - largest) so far. A new maximum changes the first, and with it "
            "every exponential that is already in the second.",
            "First the new maximum, from the old one and the block. Then the old sum "
            "times `exp(old_max - new_max)`, plus the block's own exponentials.",
        ),
    ),
    Hint(
        hint.MAXIMUM,
        (
            "Which scores does the expected maximum come from: those of this block, or "
            "all scores so far?",
            "The running maximum never falls: a block of small scores leaves it as it "
            "was.",
            "`new_max = max(running_max, largest score of the block)`",
        ),
    ),
    Hint(
        hint.SUM_FIRST,
        (
            "What is exp(score - maximum) for the largest score itself?",
            "The maximum is subtracted from every score before the exponential, so no "
            "exponential is above 1. The old sum is 0 at the beginning.",
            "`(scores - new_max).exp().sum()`",
        ),
    ),
    Hint(
        hint.SUM_RESCALE,
        (
            "Look at the line Nearby: does a second block that is lower pass? What is "
            "different about a second block that is higher?",
            "The old sum is made of exp(score - old maximum). To count from the new "
            "maximum, each of them must shrink by the same factor.",
            "`running_sum * exp(running_max - new_max) + ...`",
        ),
    ),
    Hint(
        hint.MASKED_BLOCK,
        (
            "What is -inf - (-inf)? When does your code compute it?",
            "While every score so far is masked, the maximum is -inf and no "
            "exponential counts. The exponent needs a finite number to subtract; the "
            "maximum itself stays -inf.",
            "`shift = 0.0 if new_max == -inf else new_max`, and `shift` in both "
            "exponents in place of `new_max`.",
        ),
    ),
    Hint(
        hint.TOO_LARGE,
        (
            "What is exp(1000) in a float? And exp(-1000)?",
            "Only differences of scores matter. Subtract the maximum first, and take "
            "the exponential then. The maximum may be far below zero: it does not "
            "begin at 0.",
            "No `exp` of a score without `- new_max` in it.",
        ),
    ),
)

_MERGE = (
    Hint(
        hint.MEAN,
        (
            "Part a is the attention over 100 tokens, part b over one. Should both "
            "count the same?",
            "The log-sum-exp of a part says how much its tokens weigh: exp(lse) is the "
            "sum of their exponentials.",
            "The weight of a part is exp(its lse), divided by the sum of exp(lse) over "
            "all parts.",
        ),
    ),
    Hint(
        hint.WEIGHTS,
        (
            "Which numbers decide about the weights: the outputs or the log-sum-exps? "
            "Does every head have its own?",
            "The weights are the softmax of the log-sum-exps, for each head by itself.",
            "`weights = (lse - largest).exp()`, then `weights / weights.sum()`.",
        ),
    ),
    Hint(
        hint.SUM,
        (
            "If both parts had the same output, what should the whole be?",
            "A mean divides by the sum of the weights.",
            "Divide the weighted sum of the outputs by the sum of the weights.",
        ),
    ),
    Hint(
        hint.EMPTY_PART,
        (
            "What is the weight of a part whose lse is -inf? And what is the largest "
            "lse if all of them are -inf?",
            "exp(-inf) is 0, so an empty part weighs nothing by itself. But "
            "-inf - (-inf) is NaN, and 0 / 0 is NaN.",
            "Subtract 0 in place of -inf, and divide by 1 in place of 0: the whole is "
            "then 0 with log-sum-exp -inf.",
        ),
    ),
    Hint(
        hint.TOO_LARGE,
        (
            "What is exp(1000) in a float32? And exp(-1000)?",
            "Only the differences between log-sum-exps matter.",
            "Subtract the largest lse of all parts before every `exp`.",
        ),
    ),
)

MERGE = (
    Hint(
        BEGIN,
        (
            "Two people each know the mean of their own marks. What else must they "
            "tell you before you know the mean of all marks?",
            "Each output is a mean over its tokens, and exp(lse) is the weight of the "
            "whole part.",
            "The largest lse, two weights, the weighted mean of the outputs; then the "
            "lse of the whole.",
        ),
    ),
    *_MERGE,
    Hint(
        hint.LSE,
        (
            "How much do both parts together weigh, if they weigh exp(lse_a) and "
            "exp(lse_b)?",
            "The log-sum-exp of the whole is the logarithm of the sum of both weights. "
            "What you subtracted before the exponential is added back after the "
            "logarithm.",
            "`largest + (weight_a + weight_b).log()`",
        ),
    ),
)

MERGE_SPLITS = (
    Hint(
        BEGIN,
        (
            "You have merged two parts already. Which numbers does one program need "
            "for one head of one sequence?",
            "One program for each sequence and head loads all log-sum-exps of its row, "
            "makes weights of them, and adds up the weighted parts.",
            "`tl.load` a row of lse, `tl.max`, `tl.exp`, `tl.sum`; `tl.load` the parts "
            "as `[num_splits, head_dim]`, `tl.sum` over the first axis, `tl.store`.",
        ),
    ),
    *_MERGE,
    Hint(
        hint.NEVER_WRITTEN,
        (
            "How many programs does your grid start, and which rows of `out` does each "
            "store?",
            "There is a row of `out` for every sequence and every head.",
            "The grid is `(num_seqs, num_heads)`; the store covers all of head_dim.",
        ),
    ),
)
