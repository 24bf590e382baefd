# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e13-title"
# # Exercise 13: serve
#
# You write what one sequence brings into a step, and then the step itself: the loop of a server, over a pool, a manager and a scheduler that are your own.
# Lesson: [13, serve](../notebooks/13_serve.ipynb).
#
# The checks need no model and no torch: a small rule says what comes next, and it depends on everything that attention reads.
# In the lesson the same function serves a real model.

# %% id="e13-imports"
from collections.abc import Callable

from pagedkv_edu.course import check
from pagedkv_edu.protocols import ManagerLike, SeqId
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.simulation import SchedulerLike
from pagedkv_edu.serving.stepping import EngineLike, Row

# %% [markdown] id="e13-1-task"
# ## 13.1 The rows of a step
#
# Difficulty: 2 of 5. Time: 15 minutes.
#
# In a step the model computes the last `num_tokens` of the `seq_len` tokens of a sequence that have a slot.
# Each of them is a row of the batch: a token, its position, and the slot that its key and value go to.
# Write `my_rows`.
#
# ```python
# my_rows(
#     known_ids: list[int], num_tokens: int, block_ids: list[int], seq_len: int, block_size: int
# ) -> tuple[list[int], list[int], list[int]]  # (token_ids, positions, slots)
# ```
#
# `known_ids` are the tokens of the prompt and of the answer so far.
# They may be more than `seq_len`: a long prompt is computed in chunks.
#
# | call | returns | |
# |---|---|---|
# | `my_rows([7, 8, 9, 5, 6, 4], 1, [2, 3], 6, 4)` | `([4], [5], [13])` | one token, as in most steps |
# | `my_rows([7, 8, 9, 5, 6, 4], 3, [2, 3], 5, 4)` | `([9, 5, 6], [2, 3, 4], [10, 11, 12])` | a chunk of three; token 4 waits for the next |
# | `my_rows([7], 1, [0], 1, 4)` | `([7], [0], [0])` | |
#
# Leave both lists as they are: they belong to the caller.
#
# ```
# known_ids    7   8   9   5   6   4          block_ids [2, 3], block_size 4
# position     0   1   2   3   4   5
# slot         8   9  10  11  12  13          seq_len 5, num_tokens 3: the rows 9 5 6
#                      └───────┘
# ```


# %% id="e13-1-answer" tags=["answer"] exercise="13.1"
def my_rows(
    known_ids: list[int],
    num_tokens: int,
    block_ids: list[int],
    seq_len: int,
    block_size: int,
) -> tuple[list[int], list[int], list[int]]:
    """Return the tokens of this step, their positions and their slots."""
    # BEGIN SOLUTION
    positions = list(range(seq_len - num_tokens, seq_len))
    token_ids = [known_ids[position] for position in positions]
    slots = [
        block_ids[p // block_size] * block_size + p % block_size for p in positions
    ]
    return token_ids, positions, slots
    # END SOLUTION


# %% id="e13-1-check" tags=["check"] exercise="13.1"
check("13.1", my_rows)

# %% [markdown] id="e13-2-task"
# ## 13.2 One step
#
# Difficulty: 4 of 5. Time: 30 minutes.
#
# Write `my_step`, which does one step of the service and returns its plan.
#
# ```python
# my_step(scheduler, manager, engine, known, is_over) -> StepPlan
# ```
#
# | given | what it does |
# |---|---|
# | `scheduler.step()` | decides a step: returns a plan with `plan.copies`, and `plan.scheduled`, the number of tokens to compute by sequence; the tables have their slots already |
# | `engine.copy(copies)` | carries out copies of blocks |
# | `manager.table(seq_id)` | the table, with `seq_len` tokens, those of this step included |
# | `engine.compute(rows)` | takes a list of rows `(table, token_ids)`; writes their tokens, attends, and returns the token that comes after each row |
# | `known[seq_id]` | the tokens of prompt and answer so far; append to it what is new |
# | `is_over(seq_id)` | whether a sequence has its last token |
# | `scheduler.finish(seq_id)` | ends a sequence and frees its blocks |
#
# | a sequence in `plan.scheduled` | what happens |
# |---|---|
# | all of its known tokens are computed with this step | the token after them is appended to `known` |
# | only a chunk is computed, and more are known | nothing is appended |
# | it is over after that | it is finished, once |
#
# Sequences that the plan does not schedule are left alone; those that it preempts or refuses are freed already.
#
# ```
# plan  ──►  copy  ──►  compute (write, attend, choose)  ──►  append  ──►  finish
# ```


# %% id="e13-2-answer" tags=["answer"] exercise="13.2"
def my_step(
    scheduler: SchedulerLike,
    manager: ManagerLike,
    engine: EngineLike,
    known: dict[SeqId, list[int]],
    is_over: Callable[[SeqId], bool],
) -> StepPlan:
    """Do one step of the service and return its plan."""
    # BEGIN SOLUTION
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables = {seq_id: manager.table(seq_id) for seq_id in plan.scheduled}
    rows: list[Row] = []
    for seq_id, num_tokens in plan.scheduled.items():
        stop = tables[seq_id].seq_len
        rows.append((tables[seq_id], known[seq_id][stop - num_tokens : stop]))
    for seq_id, token in zip(plan.scheduled, engine.compute(rows), strict=True):
        if tables[seq_id].seq_len < len(known[seq_id]):
            continue  # a chunk of a prompt: what comes next is known already
        known[seq_id].append(token)
        if is_over(seq_id):
            scheduler.finish(seq_id)
    return plan
    # END SOLUTION


# %% id="e13-2-check" tags=["check"] exercise="13.2"
check("13.2", my_step)

# %% [markdown] id="e13-after"
# ## Back to the lesson
#
# Set `step = mine("my_step")` in the second cell of lesson 13, and the other parts there too.
# Then a model answers from a cache that you wrote.
