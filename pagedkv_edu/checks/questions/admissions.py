"""Exercise 10.2: a request is let in now, later or never."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import preemption as hint
from pagedkv_edu.checks.judging.cases import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.wording import amount, be
from pagedkv_edu.report import Hint
from pagedkv_edu.sizes import cdiv

# prompt, free, pool, block_size, watermark, running
AdmissionCase = tuple[int, int, int, int, int, int]

BLOCK_SIZES = (16, 4, 8, 1)


@dataclass(frozen=True)
class AdmissionTopic:
    """What `my_admission` should return."""

    exercise_id: str = "10.2"
    answer_name: str = "my_admission"
    hints: tuple[Hint, ...] = hint.HINTS["10.2"]
    reread: str = 'lesson 10, "Now, later, never"'

    def edges(self) -> Iterable[AdmissionCase]:
        """Return prompts around every limit of a pool of 8 blocks of 16."""
        blocks = (1, 4, 5, 8, 9)
        for num, num_free, watermark in product(blocks, (0, 4, 8), (0, 1, 2)):
            for num_tokens in (16 * num - 15, 16 * num):
                if num_free < 8:
                    yield num_tokens, num_free, 8, 16, watermark, 2
                else:
                    yield num_tokens, num_free, 8, 16, watermark, 0

    def cases(self) -> SearchStrategy[AdmissionCase]:
        """Draw a pool, what is free of it, and a prompt."""
        return st.tuples(
            st.integers(1, 12), st.integers(0, 15), st.integers(0, 12)
        ).flatmap(
            lambda drawn: st.tuples(
                st.integers(1, 200),
                st.just(min(drawn[1], drawn[2] or drawn[1])),
                st.just(max(drawn[1], drawn[0])),
                st.sampled_from(BLOCK_SIZES),
                st.integers(0, 3),
                st.integers(1, 4),
            )
        )

    def right(self, case: AdmissionCase) -> Right:
        """Return the answer, with the numbers that decide."""
        num_tokens, num_free, num_blocks, block_size, watermark, num_running = case
        needed = cdiv(num_tokens, block_size)
        prompt = f"the prompt needs {amount(needed, 'block')}"
        if needed > num_blocks:
            return Right("never", f"{prompt} and the whole pool has {num_blocks}.")
        kept = watermark if num_running else 0
        keeps = ""
        if kept:
            runs = (
                "the one that runs" if num_running == 1 else f"the {num_running} others"
            )
            keeps = f", {amount(kept, 'block')} must stay free for {runs}"
        elif watermark:
            keeps = ", and no watermark is kept because nothing runs"
        free = f"{num_free} of {num_blocks} {be(num_free)} free"
        answer = "now" if needed + kept <= num_free else "later"
        return Right(answer, f"{prompt}{keeps}; {free}.")

    def size(self, case: AdmissionCase) -> tuple[int, ...]:
        """Prefer the lesson's block size, no watermark, a full last block, few."""
        num_tokens, num_free, num_blocks, block_size, watermark, num_running = case
        return (
            block_size != 16,
            num_blocks != 8,
            watermark,
            num_tokens % block_size != 0,
            num_tokens,
            num_free,
            num_running,
        )

    def hint(self, case: AdmissionCase, wrong: Wrong) -> str:
        """Choose by what was wanted and what came."""
        right = self.right(case).value
        titles = {
            ("now", "never"): hint.ADMIT_NEVER,
            ("later", "never"): hint.ADMIT_NEVER,
            ("never", "later"): hint.ADMIT_FOREVER,
            ("never", "now"): hint.ADMIT_TOO_SOON,
            ("later", "now"): hint.ADMIT_TOO_SOON,
            ("now", "later"): hint.ADMIT_TOO_LATE,
        }
        if (right, wrong.value) == ("now", "later") and not case[-1]:
            return hint.ADMIT_FOREVER
        return titles.get((str(right), str(wrong.value)), hint.BEGIN)

    def nearby(self, case: AdmissionCase) -> NearbyCases[AdmissionCase]:
        """Vary the prompt: in blocks, or in tokens around a block that is not full."""
        num_tokens, _, num_blocks, block_size, *_ = case
        rest = case[1:]
        shown = ", ".join(map(str, rest))
        if num_tokens % block_size == 0:
            by_block = tuple(
                (n, (n * block_size, *rest)) for n in range(1, num_blocks + 2)
            )
            return NearbyCases(f"my_admission({block_size} * n, {shown})", by_block)
        last = cdiv(num_tokens, block_size) * block_size
        by_token = tuple(
            (n, (n, *rest)) for n in range(max(1, last - block_size), last + 2)
        )
        return NearbyCases(f"my_admission(n, {shown})", by_token)
