"""Check the four functions of exercise 10: who leaves, who comes, which way back."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import preemption as hint
from pagedkv_edu.checks.hints.preemption import HINTS as HINTS
from pagedkv_edu.checks.judging.cases import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.functions import judge_function
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.questions.admissions import AdmissionTopic
from pagedkv_edu.checks.questions.plan_steps import PlanTopic, with_what_it_leads_to
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.sizes import cdiv

VictimCase = tuple[list[int]]
CostCase = tuple[int, int, int, int]  # tokens, block_size, us per token, us per block


def check_victim(answer: object, *, seed: int = 0) -> Report:
    """Check `my_victim(seq_lens)`."""
    return judge_function(VictimTopic(), answer, seed=seed)


def check_admission(answer: object, *, seed: int = 0) -> Report:
    """Check `my_admission(...)`: now, later or never."""
    return judge_function(AdmissionTopic(), answer, seed=seed)


def check_cheaper_way(answer: object, *, seed: int = 0) -> Report:
    """Check `my_cheaper_way(num_tokens, block_size, us_per_token, us_per_block)`."""
    return judge_function(CostTopic(), answer, seed=seed)


def check_plan_step(answer: object, *, seed: int = 0) -> Report:
    """Check `my_plan_step(seq_lens, new_tokens, num_free, block_size)`."""
    report = judge_function(PlanTopic(), answer, seed=seed)
    return with_what_it_leads_to(report, answer)


@dataclass(frozen=True)
class VictimTopic:
    """What `my_victim` should return."""

    exercise_id: str = "10.1"
    answer_name: str = "my_victim"
    hints: tuple[Hint, ...] = HINTS["10.1"]
    reread: str = 'lesson 10, "Four policies"'

    def edges(self) -> Iterable[VictimCase]:
        """Return one, two and three sequences of small lengths."""
        for num in (1, 2, 3):
            for lens in product((9, 25, 40), repeat=num):
                yield (list(lens),)

    def cases(self) -> SearchStrategy[VictimCase]:
        """Draw up to eight lengths, some of them equal."""
        return st.tuples(st.lists(st.integers(1, 60), min_size=1, max_size=8))

    def right(self, case: VictimCase) -> Right:
        """Return the place of the shortest, the last one of equals."""
        (seq_lens,) = case
        least = min(seq_lens)
        place = max(i for i, seq_len in enumerate(seq_lens) if seq_len == least)
        why = "no other loses fewer"
        if len(seq_lens) == 1:
            why = "there is no other"
        elif seq_lens.count(least) > 1:
            why = "of equals the last one leaves"
        tokens = amount(least, "computed token")
        return Right(place, f"the sequence at {place} has {tokens}; {why}.")

    def size(self, case: VictimCase) -> tuple[int, ...]:
        """Prefer three sequences of different lengths."""
        (seq_lens,) = case
        equal = len(set(seq_lens)) < len(seq_lens)
        return (equal, abs(len(seq_lens) - (2 if equal else 3)), sum(seq_lens))

    def hint(self, case: VictimCase, wrong: Wrong) -> str:
        """Choose by what came back."""
        (seq_lens,) = case
        value = wrong.value
        if wrong.title.startswith("changed"):
            return hint.CHANGES
        if type(value) is not int:
            return hint.BEGIN
        if not 0 <= value < len(seq_lens):
            return hint.VICTIM_NOT_INDEX
        equal = seq_lens[value] == min(seq_lens)
        return hint.VICTIM_TIE if equal else hint.VICTIM_LONGEST

    def nearby(self, case: VictimCase) -> NearbyCases[VictimCase] | None:
        """Vary the last length."""
        (seq_lens,) = case
        if len(seq_lens) < 2:
            return None
        start = seq_lens[:-1]
        values = sorted({*start, min(start) - 1 or 1, max(start) + 1})
        text = f"my_victim([{', '.join(map(str, start))}, n])"
        return NearbyCases(text, tuple((n, ([*start, n],)) for n in values))


@dataclass(frozen=True)
class CostTopic:
    """What `my_cheaper_way` should return."""

    exercise_id: str = "10.3"
    answer_name: str = "my_cheaper_way"
    hints: tuple[Hint, ...] = HINTS["10.3"]
    reread: str = 'lesson 10, "Swap or recompute"'

    def edges(self) -> Iterable[CostCase]:
        """Return times around the point where both cost the same."""
        for num_tokens, block_size in product((16, 17, 31, 32, 128), (16, 4)):
            blocks = cdiv(num_tokens, block_size)
            for us_per_token in (10, 140):
                equal = num_tokens * us_per_token // (2 * blocks)
                for times in (0.5, 1, 1.1, 2, 3):
                    yield (
                        num_tokens,
                        block_size,
                        us_per_token,
                        max(1, int(equal * times)),
                    )

    def cases(self) -> SearchStrategy[CostCase]:
        """Draw a length, a block size and two times that may be close."""
        return st.builds(
            _cost_case,
            st.integers(1, 400),
            st.sampled_from((16, 4, 32, 1)),
            st.integers(1, 200),
            st.integers(20, 300),
        )

    def right(self, case: CostCase) -> Right:
        """Return the way, with both sums."""
        num_tokens, block_size, us_per_token, us_per_block = case
        blocks = cdiv(num_tokens, block_size)
        again, moved = num_tokens * us_per_token, 2 * blocks * us_per_block
        way = "swap" if moved < again else "recompute"
        return Right(
            way,
            f"to compute {amount(num_tokens, 'token')} again takes {again} us; "
            f"to move {amount(blocks, 'block')} out and in takes {moved} us.",
        )

    def size(self, case: CostCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, full blocks, unequal times, then few."""
        num_tokens, block_size, us_per_token, us_per_block = case
        moved = 2 * cdiv(num_tokens, block_size) * us_per_block
        equal = moved == num_tokens * us_per_token
        partial = num_tokens % block_size != 0
        return (block_size != 16, equal, partial, num_tokens, us_per_token, moved)

    def hint(self, case: CostCase, wrong: Wrong) -> str:
        """Choose by which way was taken."""
        num_tokens, block_size, us_per_token, us_per_block = case
        if wrong.value not in ("swap", "recompute"):
            return hint.BEGIN
        if wrong.value == "recompute":
            return hint.COST_SWAP_DEAR
        moved = 2 * cdiv(num_tokens, block_size) * us_per_block
        equal = moved == num_tokens * us_per_token
        return hint.COST_TIE if equal else hint.COST_SWAP_CHEAP

    def nearby(self, case: CostCase) -> NearbyCases[CostCase]:
        """Vary the length over one block and a token."""
        _, block_size, *times = case
        a, b = times
        lengths = range(1, min(block_size, 16) + 2)
        cases = tuple((n, (n, block_size, a, b)) for n in lengths)
        return NearbyCases(f"my_cheaper_way(n, {block_size}, {a}, {b})", cases)


def _cost_case(
    num_tokens: int, block_size: int, us_per_token: int, percent: int
) -> CostCase:
    """Return a case in which a swap costs about percent of a recompute."""
    equal = num_tokens * us_per_token / (2 * cdiv(num_tokens, block_size))
    return num_tokens, block_size, us_per_token, max(1, int(equal * percent / 100))
