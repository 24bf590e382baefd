"""Check exercise 01: the bytes of a token, the promises, and what fits."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import cost as hint
from pagedkv_edu.checks.hints.cost import HINTS as HINTS
from pagedkv_edu.checks.judging.functions import (
    NearbyCases,
    Right,
    Wrong,
    judge_function,
)
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.checks.questions.positions import has_decimals
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.serving.known_models import KNOWN_MODELS, KnownModel

# num_layers, num_heads, num_kv_heads, head_dim, dtype_bytes
BytesCase = tuple[int, int, int, int, int]
PromisesCase = tuple[int, int, int, int]  # memory, weights, token, max_len
FitCase = tuple[int, list[int]]  # num_slots, lengths


def check_bytes_per_token(answer: object, *, seed: int = 0) -> Report:
    """Check `my_bytes_per_token(layers, heads, kv_heads, head_dim, dtype_bytes)`."""
    return judge_function(BytesTopic(), answer, seed=seed)


def check_num_promises(answer: object, *, seed: int = 0) -> Report:
    """Check `my_num_promises(memory_bytes, weight_bytes, token_bytes, max_len)`."""
    return judge_function(PromisesTopic(), answer, seed=seed)


def check_num_that_fit(answer: object, *, seed: int = 0) -> Report:
    """Check `my_num_that_fit(num_slots, lengths)`."""
    return judge_function(FitTopic(), answer, seed=seed)


@dataclass(frozen=True)
class BytesTopic:
    """What `my_bytes_per_token` should return."""

    exercise_id: str = "1.1"
    answer_name: str = "my_bytes_per_token"
    hints: tuple[Hint, ...] = HINTS["1.1"]
    reread: str = 'lesson 01, "Heads that share"'

    def edges(self) -> Iterable[BytesCase]:
        """Return the smallest models, and the known ones."""
        small = [(1, 1, 1, 4, 2), (3, 2, 2, 4, 4), (3, 4, 2, 4, 4), (3, 4, 1, 4, 2)]
        known = [(m.num_layers, *_heads(m), m.head_dim, 2) for m in KNOWN_MODELS]
        return [*small, *known]

    def cases(self) -> SearchStrategy[BytesCase]:
        """Draw a model: a few query heads for each KV head."""
        return st.builds(
            _model,
            st.integers(1, 80),
            st.integers(1, 40),
            st.integers(1, 8),
            st.sampled_from([4, 64, 80, 128, 256]),
            st.sampled_from([1, 2, 4]),
        )

    def right(self, case: BytesCase) -> Right:
        """Return the product, and its factors in words."""
        layers, _, kv_heads, dim, size = case
        keep = "keeps" if layers == kv_heads == 1 else "keep"
        reason = (
            f"{amount(layers, 'layer')} of {amount(kv_heads, 'KV head')} {keep} a key "
            f"and a value, each of {dim} numbers of {amount(size, 'byte')}: "
            f"2 × {layers} × {kv_heads} × {dim} × {size}."
        )
        return Right(2 * layers * kv_heads * dim * size, reason)

    def size(self, case: BytesCase) -> tuple[int, ...]:
        """Prefer small models in which no two mistakes give the same number."""
        layers, heads, kv_heads, dim, size = case
        return (layers == 1, size != 4, dim, layers, heads, kv_heads)

    def hint(self, case: BytesCase, wrong: Wrong) -> str:
        """Choose by the side, and by whether the query heads explain it."""
        right = self.right(case).value
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int) or not isinstance(right, int):
            return hint.BEGIN
        _, heads, kv_heads, _, _ = case
        if heads != kv_heads and wrong.value * kv_heads == right * heads:
            return hint.QUERY_HEADS
        return hint.TOO_FEW_BYTES if wrong.value < right else hint.TOO_MANY_BYTES

    def nearby(self, case: BytesCase) -> NearbyCases[BytesCase]:
        """Let more or fewer query heads read the same KV heads."""
        layers, _, kv_heads, dim, size = case
        cases = tuple(
            (kv_heads * group, (layers, kv_heads * group, kv_heads, dim, size))
            for group in range(1, 5)
        )
        return NearbyCases(
            f"my_bytes_per_token({layers}, n, {kv_heads}, {dim}, {size})", cases
        )


def _model(
    num_layers: int, num_kv_heads: int, group: int, head_dim: int, dtype_bytes: int
) -> BytesCase:
    return num_layers, num_kv_heads * group, num_kv_heads, head_dim, dtype_bytes


def _heads(model: KnownModel) -> tuple[int, int]:
    return model.num_heads, model.num_kv_heads


@dataclass(frozen=True)
class PromisesTopic:
    """What `my_num_promises` should return."""

    exercise_id: str = "1.2"
    answer_name: str = "my_num_promises"
    hints: tuple[Hint, ...] = HINTS["1.2"]
    reread: str = 'lesson 01, "How many sequences"'

    def edges(self) -> Iterable[PromisesCase]:
        """Return the task's memory with every amount of weights."""
        task = [(100, weights, 2, 10) for weights in (*range(0, 101), 140)]
        return [*task, (24 * 2**30, 16 * 10**9, 131_072, 8192)]

    def cases(self) -> SearchStrategy[PromisesCase]:
        """Draw a memory, weights that mostly fit, a token and a length."""
        return st.tuples(
            st.integers(1, 10_000),
            st.integers(0, 5000),
            st.integers(1, 32),
            st.integers(1, 64),
        )

    def right(self, case: PromisesCase) -> Right:
        """Return the number, and the division behind it."""
        memory, weights, token, max_len = case
        if weights > memory:
            reason = f"weights of {weights} bytes do not fit into {memory}."
            return Right(0, reason)
        left, each = memory - weights, max_len * token
        reason = (
            f"{memory} - {weights} = {amount(left, 'byte')} are left; a promise takes "
            f"{max_len} × {token} = {amount(each, 'byte')}; "
            f"{left} // {each} = {left // each}."
        )
        return Right(left // each, reason)

    def size(self, case: PromisesCase) -> tuple[int, ...]:
        """Prefer the task's memory and weights; 41 leaves a part of a promise over."""
        memory, weights, token, max_len = case
        other = (memory, token, max_len) != (100, 2, 10)
        return (other, abs(weights - 41), memory, max_len, token)

    def hint(self, case: PromisesCase, wrong: Wrong) -> str:
        """Choose by the side on which the number is."""
        right = self.right(case).value
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int) or not isinstance(right, int):
            return hint.BEGIN
        if wrong.value < 0:
            return hint.NEGATIVE
        return hint.TOO_FEW if wrong.value < right else hint.TOO_MANY

    def nearby(self, case: PromisesCase) -> NearbyCases[PromisesCase]:
        """Try lighter and heavier weights."""
        memory, weights, token, max_len = case
        few = sorted({max(0, weights + d) for d in (-2, -1, 0, 1, 2)} | {2 * memory})
        cases = tuple((n, (memory, n, token, max_len)) for n in few)
        return NearbyCases(f"my_num_promises({memory}, n, {token}, {max_len})", cases)


@dataclass(frozen=True)
class FitTopic:
    """What `my_num_that_fit` should return."""

    exercise_id: str = "1.3"
    answer_name: str = "my_num_that_fit"
    hints: tuple[Hint, ...] = HINTS["1.3"]
    reread: str = 'lesson 01, "How many sequences"'

    def edges(self) -> Iterable[FitCase]:
        """Return the task's queues in pools of every size."""
        queues = ([4, 3, 5], [4, 8, 1], [6, 4], [6, 3], [5, 3, 4, 2], [1])
        return [*((n, list(q)) for q in queues for n in range(1, 16)), (10, [])]

    def cases(self) -> SearchStrategy[FitCase]:
        """Draw a pool, and a queue that is sometimes larger."""
        lengths = st.lists(st.integers(1, 20), max_size=8)
        return st.tuples(st.integers(1, 60), lengths)

    def right(self, case: FitCase) -> Right:
        """Return the number, and who waits for how many slots."""
        num_slots, lengths = case
        taken = list(accumulate(lengths))
        value = sum(so_far <= num_slots for so_far in taken)
        if value == len(lengths):
            slots = amount(sum(lengths), "slot")
            return Right(
                value, f"all need {slots} together, and there are {num_slots}."
            )
        held = taken[value - 1] if value else 0
        waiting = f"the {_nth(value)} needs {lengths[value]}"
        behind = "; those behind it wait too" if value + 1 < len(lengths) else ""
        text = (
            f"{amount(held, 'slot')} of {num_slots} are taken, and {waiting}{behind}."
        )
        return Right(value, text)

    def size(self, case: FitCase) -> tuple[int, ...]:
        """Prefer a pool of ten, then short queues of which some run."""
        num_slots, lengths = case
        return (num_slots != 10, len(lengths) < 2, len(lengths), sum(lengths))

    def hint(self, case: FitCase, wrong: Wrong) -> str:
        """Choose by the side, and by whether skipping explains it."""
        num_slots, lengths = case
        right = self.right(case).value
        if wrong.changed:
            return hint.CHANGES
        if has_decimals(wrong.value):
            return hint.DECIMAL
        if not isinstance(wrong.value, int) or not isinstance(right, int):
            return hint.BEGIN
        if wrong.value in (_skipping(num_slots, lengths), _sorted(num_slots, lengths)):
            return hint.OVERTAKES
        return hint.TOO_FEW if wrong.value < right else hint.TOO_MANY

    def nearby(self, case: FitCase) -> NearbyCases[FitCase]:
        """Try the same queue in smaller and larger pools."""
        _, lengths = case
        sizes = range(1, min(sum(lengths), 15) + 2)
        cases = tuple((n, (n, list(lengths))) for n in sizes)
        return NearbyCases(f"my_num_that_fit(n, {lengths})", cases)


def _skipping(num_slots: int, lengths: list[int]) -> int:
    num_running = 0
    for length in lengths:
        if length <= num_slots:
            num_slots -= length
            num_running += 1
    return num_running


def _sorted(num_slots: int, lengths: list[int]) -> int:
    return sum(taken <= num_slots for taken in accumulate(sorted(lengths)))


def _nth(index: int) -> str:
    names = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
    return names[index] if index < len(names) else f"{index + 1}th"
