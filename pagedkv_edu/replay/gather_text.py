"""What a turn of the loop over blocks does, in words."""

from pagedkv_edu.replay.gather import GatherStep, Turn
from pagedkv_edu.replay.wording import amount


def headline(step: GatherStep, at: int) -> str:
    """Return the one sentence on top; `at` past the last turn is the output."""
    if at >= len(step.turns):
        return "The loop is done: the output is acc / sum"
    turn = step.turns[at]
    num_masked = step.block_size - len(turn.scores)
    if at == len(step.turns) - 1:
        if num_masked:
            real = f"{amount(len(turn.scores), 'token')} {_are(len(turn.scores))} real"
            masked = f"{amount(num_masked, 'slot')} {_are(num_masked)} masked"
            return f"Last block: {real}, {masked}"
        all_slots = f"all {amount(step.block_size, 'slot')} hold a token"
        return f"Last block: {all_slots}, none is masked"
    if at == 0:
        return "Block 0 begins the running maximum and the running sum"
    if turn.is_new_max:
        return f"Block {at} has a new maximum: the old sum shrinks"
    return f"Block {at} has no new maximum: the old sum stays as it is"


def described(step: GatherStep, at: int) -> str:
    """Return the sentences below the picture.

    >>> from pagedkv_edu.replay.gather import gather_step
    >>> step = gather_step([3, 1], 6, block_size=4, num_blocks=4)
    >>> described(step, 0).split(". ")[0]
    'Turn 1 of 2: logical block 0 is physical block 3'
    """
    num_turns = len(step.turns)
    if at >= num_turns:
        return (
            f"The sum {_short(step.turns[-1].running_sum)} counts "
            f"{amount(step.num_tokens, 'token')}. acc, {step.head_dim} numbers, was "
            "rescaled together with it and is now divided by it, once. The output "
            "differs from dense attention in float64 by at most "
            f"{step.error:.0e}: rounding to 32 bits."
        )
    turn = step.turns[at]
    where = f"logical block {at} is physical block {turn.block_id}"
    parts = [f"Turn {at + 1} of {num_turns}: {where}.", _about_sum(step, at)]
    num_masked = step.block_size - len(turn.scores)
    if num_masked:
        slots = "slot is" if num_masked == 1 else "slots are"
        parts.append(f"The {num_masked} empty {slots} loaded as zero and scored −∞.")
    return " ".join(parts)


def _about_sum(step: GatherStep, at: int) -> str:
    turn = step.turns[at]
    here, now = _short(turn.max_here), _short(turn.running_sum)
    if at == 0:
        return (
            f"Its largest score {here} is the first running maximum, and its "
            f"exponentials add up to {now}."
        )
    before = step.turns[at - 1]
    old_max, old_sum = _short(before.running_max), _short(before.running_sum)
    if not turn.is_new_max:
        return (
            f"Its largest score {here} is not above the running maximum {old_max}, so "
            f"the old sum is kept (× 1) and grows from {old_sum} to {now}."
        )
    return (
        f"Its largest score {here} is above the running maximum {old_max}, so the old "
        f"sum {old_sum} is multiplied by {turn.rescale:.3f}, and with "
        f"{_short(turn.added)} more it is {now}."
    )


def compared(turn: Turn, found: tuple[float, float] | str) -> str:
    """Say how the state of a function of one's own differs; "" where it does not."""
    if isinstance(found, str):
        return f"Yours {found}."
    wrong = [
        f"{name} {_short(mine)} in place of {_short(right)}"
        for name, mine, right in zip(
            ("maximum", "sum"), found, (turn.running_max, turn.running_sum), strict=True
        )
        if not abs(mine - right) <= 1e-4 * max(1.0, abs(right))
    ]
    if not wrong:
        return ""
    return f"Yours has {' and '.join(wrong)} after block {turn.logical_block}."


def _short(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
