"""What is right for `my_block_hashes` and `my_longest_run`, and how it is said."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pagedkv_edu.checks.hints import prefix_cache as hint
from pagedkv_edu.checks.histories import is_list
from pagedkv_edu.checks.judging.functions import NearbyCases, Right, Wrong
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.report import Hint


@dataclass(frozen=True, slots=True)
class Digits:
    """A hash that can be read: it writes tokens of one digit behind the parent's hash.

    >>> digits = Digits()
    >>> digits(12, (3, 4))
    1234
    """

    def __call__(self, parent_hash: int, tokens: tuple[int, ...]) -> int:
        """Return the digits of the parent's hash, then those of the tokens."""
        if type(tokens) is not tuple:
            raise TypeError(f"tokens must be a tuple, got {tokens!r}")
        for token in tokens:
            parent_hash = 10 * parent_hash + token
        return parent_hash

    def __repr__(self) -> str:
        """Return the name under which the exercise has it."""
        return "digits"


digits = Digits()

HashesCase = tuple[list[int], int, Digits]  # tokens, block_size, hash_block


@dataclass(frozen=True)
class HashesTopic:
    """What `my_block_hashes` should return."""

    exercise_id: str = "11.1"
    answer_name: str = "my_block_hashes"
    hints: tuple[Hint, ...] = hint.HINTS["11.1"]
    reread: str = hint.CHAIN

    def edges(self) -> Iterable[HashesCase]:
        """Return every length up to three blocks and a token, of small blocks."""
        for size in (2, 1, 3, 4):
            for length in range(3 * size + 2):
                yield ([i % 9 + 1 for i in range(length)], size, digits)

    def cases(self) -> SearchStrategy[HashesCase]:
        """Draw tokens and a block size."""
        tokens = st.lists(st.integers(1, 9), max_size=20)
        return st.tuples(tokens, st.integers(1, 6), st.just(digits))

    def right(self, case: HashesCase) -> Right:
        """Return the hashes, and what the last one stands for."""
        tokens, size, _ = case
        hashes = _hashes(tokens, size)
        if not hashes:
            fill = "fills" if len(tokens) == 1 else "fill"
            return Right(
                [], f"{amount(len(tokens), 'token')} {fill} no block of {size}."
            )
        parts = [
            f"block {i} is hashed after {hashes[i - 1] if i else 0}"
            for i in range(len(hashes))
        ]
        rest = len(tokens) % size
        more = f"; {amount(rest, 'token')} more are in no full block" if rest else ""
        return Right(hashes, f"{', '.join(parts[:4])}{more}.")

    def size(self, case: HashesCase) -> tuple[int, ...]:
        """Prefer blocks of two, two of them, and small tokens."""
        tokens, size, _ = case
        in_order = tokens == [i % 9 + 1 for i in range(len(tokens))]
        return (size != 2, not in_order, len(tokens), sum(tokens), size)

    def hint(self, case: HashesCase, wrong: Wrong) -> str:
        """Choose by what came back."""
        tokens, size, _ = case
        right = _hashes(tokens, size)
        found = wrong.value
        if not is_list(found):
            return hint.PYTHON_ERROR
        alone = [digits(0, tuple(chunk)) for chunk in _chunks(tokens, size)]
        if found == alone[: len(right)] != right:
            return hint.NOT_CHAINED
        if len(found) > len(right):
            return hint.NOT_FULL
        return hint.TOO_FEW if len(found) < len(right) else hint.OTHER_HASH

    def nearby(self, case: HashesCase) -> NearbyCases[HashesCase]:
        """Let the prompt be shorter or longer."""
        tokens, size, _ = case
        more = [*tokens, *(i % 9 + 1 for i in range(len(tokens), 3 * size + 1))]
        most = min(len(more), 3 * size + 1)
        cases = tuple((n, (more[:n], size, digits)) for n in range(most + 1))
        return NearbyCases(
            f"my_block_hashes(the first n of {more[:most]}, {size}, digits)", cases
        )


BLOCKS: tuple[int, ...] = (
    5,
    0,
    3,
)  # of the lesson's prompt; block 0 is a block like any other

RunCase = tuple[list[int], dict[int, int], int, int]  # hashes, blocks, length, size


@dataclass(frozen=True)
class RunTopic:
    """What `my_longest_run` should return."""

    exercise_id: str = "11.2"
    answer_name: str = "my_longest_run"
    hints: tuple[Hint, ...] = hint.HINTS["11.2"]
    reread: str = hint.LONGEST

    def edges(self) -> Iterable[RunCase]:
        """Return all subsets of three cached blocks, and all lengths around them."""
        for num in (1, 2, 3):
            hashes = [12, 1234, 123456][:num]
            for cached in range(2**num):
                blocks = {h: BLOCKS[i] for i, h in enumerate(hashes) if cached >> i & 1}
                for num_tokens in (2 * num, 2 * num + 1):
                    yield (hashes, blocks, num_tokens, 2)
        yield from (([], {}, n, 4) for n in (1, 3))
        yield ([5], {5: 4}, 1, 1)
        yield ([1234, 12345678], {1234: 7, 12345678: 2}, 9, 4)

    def cases(self) -> SearchStrategy[RunCase]:
        """Draw a prompt and what of it is cached."""
        return st.builds(
            _run_case,
            st.integers(1, 24),
            st.integers(1, 5),
            st.integers(0, 2**12 - 1),
        )

    def right(self, case: RunCase) -> Right:
        """Return the run, and why it ends there."""
        hashes, blocks, num_tokens, size = case
        most = (num_tokens - 1) // size
        run: list[int] = []
        for block_hash in hashes[:most]:
            if block_hash not in blocks:
                return Right(
                    run, f"{block_hash} is not cached, and nothing after it counts."
                )
            run.append(blocks[block_hash])
        why = f"({num_tokens} - 1) // {size} = {amount(most, 'block')} may be found: "
        return Right(run, f"{why}the last token is always computed.")

    def size(self, case: RunCase) -> tuple[int, ...]:
        """Prefer blocks of two, and few hashes."""
        hashes, blocks, num_tokens, size = case
        usual = dict(zip(hashes, BLOCKS, strict=False))
        in_order = all(usual.get(h) == block for h, block in blocks.items())
        return (size != 2, not in_order, len(hashes), len(blocks), num_tokens)

    def hint(self, case: RunCase, wrong: Wrong) -> str:
        """Choose by what came back."""
        hashes, blocks, num_tokens, size = case
        right, found = self.right(case).value, wrong.value
        if not is_list(found) or not is_list(right):
            error = wrong.found_value == "raised KeyError"
            return hint.KEY_ERROR if error else hint.PYTHON_ERROR
        if len(found) < len(right):
            zero = found == [b for b in right if b] or 0 in right[len(found) :][:1]
            return hint.BLOCK_ZERO if zero else hint.RUN_SHORT
        if found == [blocks[h] for h in hashes if h in blocks][: len(found)] and any(
            h not in blocks for h in hashes[: len(found)]
        ):
            return hint.GAP
        return hint.LAST if len(found) > (num_tokens - 1) // size else hint.GAP

    def nearby(self, case: RunCase) -> NearbyCases[RunCase] | None:
        """Let one, two, three of the hashes be cached, from the beginning on."""
        hashes, _, num_tokens, size = case
        if not hashes:
            return None
        cases = tuple(
            (n, (hashes, dict(zip(hashes[:n], BLOCKS, strict=False)), num_tokens, size))
            for n in range(min(len(hashes), len(BLOCKS)) + 1)
        )
        return NearbyCases(
            f"my_longest_run({hashes}, the first n of them cached, {num_tokens}, "
            f"{size})",
            cases,
        )


def _chunks(tokens: list[int], size: int) -> list[list[int]]:
    return [tokens[start : start + size] for start in range(0, len(tokens), size)]


def _hashes(tokens: list[int], size: int) -> list[int]:
    hashes: list[int] = []
    for start in range(0, len(tokens) - size + 1, size):
        parent = hashes[-1] if hashes else 0
        hashes.append(digits(parent, tuple(tokens[start : start + size])))
    return hashes


def _run_case(num_tokens: int, size: int, cached: int) -> RunCase:
    tokens = [i % 9 + 1 for i in range(num_tokens)]
    hashes = _hashes(tokens, size)
    # mostly a beginning, sometimes with a gap
    blocks = {
        h: (i * 5 + cached) % 16 for i, h in enumerate(hashes) if not cached >> i & 1
    }
    return hashes, blocks, num_tokens, size
