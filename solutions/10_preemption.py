# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] id="e10-title"
# # Exercise 10: preemption
#
# Four decisions of a scheduler, as functions of a few numbers: who leaves, who is let in, which way a victim comes back, and a whole step.
# They do not use one another, so any order will do.
# Lesson: [10, preemption](../notebooks/10_preemption.ipynb).
#
# The checks call your functions with arguments that make sense; you need not test for others.

# %% id="e10-imports"
from pagedkv_edu import OutOfBlocks, cdiv
from pagedkv_edu.course import check
from pagedkv_edu.viz import show_plan, show_victim

# %% [markdown] id="e10-1-task"
# ## 10.1 Who loses least
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# The pool is full, and one of these sequences has to leave: the one whose loss is smallest.
# `seq_lens` holds their computed tokens, in order of arrival; the oldest running sequence is spared already and not among them.
# Return the place of the victim in the list; of equals, the one that came last.
#
# ```python
# my_victim(seq_lens: list[int]) -> int
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_victim([40, 9, 25])` | `1` | 9 tokens are lost |
# | `my_victim([9, 40, 9])` | `2` | of equals the last one |
# | `my_victim([40])` | `0` | there is no other |
#
# ```
# place      0                                          1           2
# tokens     ████████████████████████████████████████   █████████   █████████████████████████
# lost if dropped                                40           9                          25
# ```
#
# Leave `seq_lens` as it is: it belongs to the caller.


# %% id="e10-1-answer" tags=["answer"] exercise="10.1"
def my_victim(seq_lens: list[int]) -> int:
    """Return the place of the sequence that loses least."""
    # BEGIN SOLUTION
    return min(range(len(seq_lens)), key=lambda i: (seq_lens[i], -i))
    # END SOLUTION


# %% id="e10-1-check" tags=["check"] exercise="10.1"
check("10.1", my_victim)

# %% [markdown] id="e10-1-see-text"
# **See it.** The four requests of the lesson, with your victim.
# The button *Victim* goes from your choice to the library's policies.

# %% id="e10-1-see" tags=["picture"]
show_victim(my_victim)

# %% [markdown] id="e10-2-task"
# ## 10.2 Now, later, never
#
# Difficulty: 2 of 5. Time: 10 minutes.
#
# A request arrives, or has waited, and the scheduler decides. Return one of three words:
#
# - `"never"` if its prompt needs more blocks than the whole pool has;
# - `"now"` if they are free, and `watermark` blocks beside them;
# - `"later"` otherwise.
#
# The watermark is kept for those who run already. If nothing runs (`num_running` is 0), it is not kept.
#
# ```python
# my_admission(
#     num_prompt_tokens: int, num_free: int, num_blocks: int,
#     block_size: int, watermark: int, num_running: int,
# ) -> str
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_admission(60, 5, 8, 16, 1, 2)` | `"now"` | 4 blocks, and 1 stays free |
# | `my_admission(60, 4, 8, 16, 1, 2)` | `"later"` | 4 blocks, and none would stay free |
# | `my_admission(128, 8, 8, 16, 1, 0)` | `"now"` | nothing runs: no watermark |
# | `my_admission(129, 8, 8, 16, 1, 0)` | `"never"` | 9 blocks of 8 |
#
# ```
# pool of 8      ■ ■ ■ · · · · ·      5 free
# the prompt           □ □ □ □        4 blocks
# watermark                    w      1 stays free
# ```


# %% id="e10-2-answer" tags=["answer"] exercise="10.2"
def my_admission(
    num_prompt_tokens: int,
    num_free: int,
    num_blocks: int,
    block_size: int,
    watermark: int,
    num_running: int,
) -> str:
    """Return "now", "later" or "never"."""
    # BEGIN SOLUTION
    needed = cdiv(num_prompt_tokens, block_size)
    if needed > num_blocks:
        return "never"
    kept = watermark if num_running > 0 else 0
    return "now" if needed + kept <= num_free else "later"
    # END SOLUTION


# %% id="e10-2-check" tags=["check"] exercise="10.2"
check("10.2", my_admission)

# %% [markdown] id="e10-3-task"
# ## 10.3 The cheaper way back
#
# Difficulty: 1 of 5. Time: 10 minutes.
#
# A victim has `num_tokens` computed tokens.
# To compute them again takes `us_per_token` microseconds a token.
# To move a block to the host takes `us_per_block`, and to move it back takes as long; a block that is filled in part moves whole.
# Return the way that takes less time, and `"recompute"` if both take the same: it needs no memory on the host.
#
# ```python
# my_cheaper_way(
#     num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
# ) -> str  # "swap" or "recompute"
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_cheaper_way(32, 16, 100, 500)` | `"swap"` | 3,200 us against 2 * 2 * 500 |
# | `my_cheaper_way(17, 16, 100, 500)` | `"recompute"` | 1,700 us against 2 * 2 * 500 |
# | `my_cheaper_way(20, 16, 100, 500)` | `"recompute"` | both take 2,000 us |
#
# ```
# recompute     ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■          17 tokens
# swap          [ ■■■■■■■■■■■■■■■■ ] [ ■............... ]  2 blocks out, 2 blocks in
# ```


# %% id="e10-3-answer" tags=["answer"] exercise="10.3"
def my_cheaper_way(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    """Return "swap" or "recompute", whichever takes less time."""
    # BEGIN SOLUTION
    recompute_us = num_tokens * us_per_token
    swap_us = 2 * cdiv(num_tokens, block_size) * us_per_block
    return "swap" if swap_us < recompute_us else "recompute"
    # END SOLUTION


# %% id="e10-3-check" tags=["check"] exercise="10.3"
check("10.3", my_cheaper_way)

# %% [markdown] id="e10-4-task"
# ## 10.4 Plan a step
#
# Difficulty: 3 of 5. Time: 25 minutes.
#
# The running sequences stand in order of arrival: number 0 is the oldest.
# Sequence `i` has `seq_lens[i]` tokens and wants `new_tokens[i]` more, all or none of them.
# Return two lists: who is served, and who is preempted.
#
# - Serve from the oldest on.
# - Whoever finds too few free blocks takes those of the sequence that came last of all that are left, one victim at a time, and no more victims than needed.
# - If it is itself the last one left, it gives up its own blocks and is not served.
# - The oldest is never preempted. If it is alone and finds too few blocks, raise `OutOfBlocks`.
#
# A victim gives back all its blocks. Everybody is served or preempted.
# The served stand in order of arrival, the preempted in the order in which they leave.
#
# ```python
# my_plan_step(
#     seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
# ) -> tuple[list[int], list[int]]  # served, preempted
# ```
#
# | call | returns | |
# |---|---|---|
# | `my_plan_step([8, 6, 3], [1, 1, 1], 1, 4)` | `([0, 1, 2], [])` | only 0 needs a block |
# | `my_plan_step([8, 8, 3], [1, 1, 1], 1, 4)` | `([0, 1], [2])` | 2 gives 1 block for 1 |
# | `my_plan_step([8, 3, 8], [1, 1, 1], 0, 4)` | `([0, 1], [2])` | 2 gives 2 blocks, 0 needs 1 |
# | `my_plan_step([8, 8], [1, 1], 1, 4)` | `([0], [1])` | 1 is the last: it gives up its own |
# | `my_plan_step([8], [1], 0, 4)` | raises `OutOfBlocks` | nobody else is there |
#
# ```
# block_size 4, none free     needs       the step
# 0    [■■■■][■■■■]           1 block     takes it from 2
# 1    [■■■·]                 none        goes on
# 2    [■■■■][■■■■]           1 block     preempted, gives back 2
# ```


# %% id="e10-4-answer" tags=["answer"] exercise="10.4"
def my_plan_step(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> tuple[list[int], list[int]]:
    """Return who is served and who is preempted in one step."""
    # BEGIN SOLUTION: serve from the oldest on, take from whoever came last
    running = list(range(len(seq_lens)))
    served: list[int] = []
    preempted: list[int] = []
    for i in list(running):
        held = cdiv(seq_lens[i], block_size)
        needed = cdiv(seq_lens[i] + new_tokens[i], block_size) - held
        while i in running and needed > num_free:
            if len(running) == 1:
                raise OutOfBlocks(f"need {needed} blocks, {num_free} free")
            victim = running.pop()
            preempted.append(victim)
            num_free += cdiv(seq_lens[victim], block_size)
        if i in running:
            num_free -= needed
            served.append(i)
    return served, preempted
    # END SOLUTION


# %% id="e10-4-check" tags=["check"] exercise="10.4"
check("10.4", my_plan_step)

# %% [markdown] id="e10-4-see-text"
# **See it.** Two long prompts in a pool of one and a half: a small scheduler asks your plan in every step, and another one ours.
# Yours is stopped after 60 steps.

# %% id="e10-4-see" tags=["picture"]
show_plan(my_plan_step)

# %% [markdown] id="e10-4-more"
# **More, if you like.** `SmallScheduler` is one file, `pagedkv_edu/serving/small.py`.
# Write a scheduler of your own with `submit`, `step`, `finish` and `has_work`, and give it to `show_schedule(..., scheduler=...)`.

# %% [markdown] id="e10-after"
# ## Back to the lesson
#
# Lesson 10 says in comments in its second cell how to run it on `my_victim` and `my_plan_step`.
# Then lesson 11: what if the blocks of a finished request are kept, in case somebody asks the same again?
