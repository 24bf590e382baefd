"""Attention over words instead of keys and values, small enough to print."""

from collections.abc import Sequence
from math import exp, isnan, nan, sqrt
from random import Random

from pagedkv_edu.replay.memory import WordMemory

DIM = 8
Vector = tuple[float, ...]


def vector(word: str, role: str, unwritten: float = 0.0) -> Vector:
    """Return the key, value or query of a word: the same numbers on every machine.

    An unwritten slot holds `unwritten` everywhere: 0.0, or `nan`.
    """
    if word == WordMemory.UNWRITTEN:
        return (unwritten,) * DIM
    random = Random(f"{role} of {word}")
    return tuple(random.gauss() for _ in range(DIM))


def weights(query: str, words: Sequence[str], unwritten: float = 0.0) -> list[float]:
    """Return how much the query looks at each word; together they are 1.

    >>> len(weights("red", ["roses", "are", "red"]))
    3
    """
    asked = vector(query, "query")
    scores = [
        sum(a * b for a, b in zip(asked, key, strict=True)) / sqrt(DIM)
        for key in (vector(word, "key", unwritten) for word in words)
    ]
    if any(isnan(score) for score in scores):
        return [nan] * len(scores)
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def output(query: str, words: Sequence[str], unwritten: float = 0.0) -> Vector:
    """Return what attention gives for the query: the values, weighted."""
    parts = [
        tuple(weight * number for number in vector(word, "value", unwritten))
        for weight, word in zip(weights(query, words, unwritten), words, strict=True)
    ]
    return tuple(sum(column) for column in zip(*parts, strict=True))


def relative_error(found: Vector, right: Vector) -> float:
    """Return the length of the difference, as a share of the length of what is right.

    >>> relative_error((1.0, 1.0), (1.0, 0.0))
    1.0
    """
    apart = sqrt(sum((a - b) ** 2 for a, b in zip(found, right, strict=True)))
    return apart / sqrt(sum(number**2 for number in right))
