"""Check `my_online_softmax` (6.1): maximum and sum, one block at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isinf

import torch
from torch import Tensor

from pagedkv_edu.report import Hint
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.checking.judging import Call, Finding, Typed
from pagedkv_kernels.checking.wording import number, shown

State = tuple[float, float]
START: State = (-inf, 0.0)
NAME = "my_online_softmax"


@dataclass(frozen=True)
class Blocks:
    """The scores of a sequence, block by block."""

    kind: str
    scores: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class SoftmaxTopic:
    """What the running maximum and the running sum should be after each block."""

    hints: tuple[Hint, ...]
    exercise_id: str = "6.1"
    answer_name: str = NAME
    reread: str = 'lesson 06, "Over blocks"'
    ran: str = ""

    def cases(self, seed: int) -> Sequence[Blocks]:
        """Return blocks by hand, then random ones."""
        by_hand = [
            ("one block of one score", ((2.0,),)),
            ("one block", ((1.0, 3.0),)),
            ("a second block that is lower", ((3.0, 1.0), (2.0, 0.0))),
            ("a second block that is higher", ((1.0, 2.0), (3.0, 5.0))),
            ("three blocks of two", ((1.0, 0.0), (3.0, 2.0), (2.0, 4.0))),
            ("scores below zero", ((-5.0, -3.0), (-4.0, -6.0))),
            ("scores near 1000", ((1000.0, 999.0), (1001.0, 998.0))),
            ("scores near -200", ((-200.0, -201.0), (-202.0, -199.0))),
            ("a masked second block", ((1.0, 2.0), (-inf, -inf))),
            ("a masked first block", ((-inf, -inf), (-200.0, -201.0))),
            ("a masked slot", ((1.0, -inf), (2.0, -inf))),
        ]
        generator = torch.Generator().manual_seed(seed)
        for count in (2, 3, 5, 8):
            scores = torch.randn((count, 4), generator=generator) * 3
            blocks = tuple(map(tuple, scores.double().mul(4).round().div(4).tolist()))
            by_hand.append((f"{count} random blocks", blocks))
        return [Blocks(kind, scores) for kind, scores in by_hand]

    def passes(self, case: Blocks, call: Call) -> bool:
        """Go on from the answer's own state, block by block."""
        return self._first_wrong(case, call)[0] is None

    def finding(self, case: Blocks, call: Call) -> Finding:
        """Name the first block after which a number is wrong."""
        block, state = self._first_wrong(case, call)
        assert block is not None
        right = right_states(case.scores)[block]
        which = 0 if not _close(state[0], right[0]) else 1
        name = ("maximum", "sum")[which]
        found, expected = number(state[which]), number(right[which])
        earlier = [score for scores in case.scores[: block + 1] for score in scores]
        reason = "the largest score so far"
        if which == 1:
            reason = (
                f"the sum of exp(score - {number(right[0])}) over all scores so far"
            )
        if set(earlier) == {-inf}:
            reason = "so far every score is masked, so nothing has been counted"
        return Finding(
            f"after block {block} the {name} is {found}; expected {expected}",
            _hint(case, block, which, state),
            compared=f"the {name} after block {block}",
            found_value=found,
            expected_value=expected,
            expected=f"{expected}: {reason}.",
            found=f"{found}.{_alike(case, block, state, which)}",
            wrong_call=block,
        )

    def typed(self, case: Blocks) -> Typed:
        """Write out the calls, each with the right state of the one before."""
        states = [START, *right_states(case.scores)]
        calls = tuple(
            f"{NAME}({number(m)}, {number(s)}, tensor({list(scores)}))"
            for (m, s), scores in zip(states, case.scores, strict=False)
        )
        return Typed(f"{case.kind}; begins with maximum -inf and sum 0", calls)

    def _first_wrong(self, case: Blocks, call: Call) -> tuple[int | None, State]:
        state = START
        for block, scores in enumerate(case.scores):
            tile = torch.tensor(scores, dtype=torch.float64)
            state = require_state(call(*state, tile))
            right = right_states(case.scores)[block]
            if not (_close(state[0], right[0]) and _close(state[1], right[1])):
                return block, state
        return None, state


def right_states(blocks: Sequence[Sequence[float]]) -> list[State]:
    """Return maximum and sum after each block, each from all scores so far."""
    states: list[State] = []
    seen: list[float] = []
    for scores in blocks:
        seen += scores
        largest = max(seen)
        total = sum(exp(s - largest) for s in seen if s > -inf)
        states.append((largest, total))
    return states


def require_state(value: object) -> State:
    """Return value if it is a pair of numbers; complain otherwise."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        missing = ' Is a "return" missing?' if value is None else ""
        raise Complaint(
            f"returned {shown(value)}; expected a maximum and a sum",
            f"{shown(value)}, not a pair of numbers.{missing}",
            expected="two numbers, the maximum first.",
        )
    first, second = (_as_float(part) for part in value)
    return first, second


def _as_float(part: object) -> float:
    if isinstance(part, Tensor) and part.numel() == 1:
        return float(part)
    if isinstance(part, float | int):
        return float(part)
    raise Complaint(
        f"returned {shown(part)}; expected a number",
        f"{shown(part)} in place of a number.",
        expected="two numbers, the maximum first.",
    )


def _close(found: float, right: float) -> bool:
    if isinf(found) or isinf(right):
        return found == right
    return abs(found - right) <= 1e-5 * max(1.0, abs(right))


def _hint(case: Blocks, block: int, which: int, state: State) -> str:
    if any(set(scores) == {-inf} for scores in case.scores[: block + 1]):
        return hint.MASKED_BLOCK
    if "near" in case.kind:
        return hint.TOO_LARGE
    if which == 0:
        return hint.MAXIMUM
    return hint.SUM_RESCALE if block else hint.SUM_FIRST


def _alike(case: Blocks, block: int, state: State, which: int) -> str:
    """Say which known mistake gives the number that was found."""
    states = [START, *right_states(case.scores)]
    (old_max, old_sum), (new_max, _) = states[block], states[block + 1]
    here = [s for s in case.scores[block] if s > -inf]
    if which == 0 and here and state[0] == max(here):
        return " This is the largest score of this block alone."
    if which == 1 and here and not block and state[1] != state[1]:
        return (
            f" exp(old maximum - new maximum) is exp(-inf - {number(new_max)}), which "
            "is 0; the other way round it is infinite, and infinity times the old sum, "
            "0, is NaN."
        )
    if which == 1 and here and block:
        added = sum(exp(s - new_max) for s in here)
        if _close(state[1], old_sum + added):
            return (
                f" This adds to the old sum, {number(old_sum)}, whose exponentials "
                f"still have the old maximum, {number(old_max)}, in them."
            )
        if _close(state[1], added):
            return " This is the sum of this block alone."
    return ""
