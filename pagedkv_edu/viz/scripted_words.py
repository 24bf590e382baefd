"""A stand-in for a language model: a few words, and how probable each is next."""

from collections.abc import Mapping

# The numbers are made up, and close together, so that the best beams change often.
NEXT_WORDS: Mapping[str, Mapping[str, float]] = {
    "are": {"blue": 0.4, "soft": 0.33, "sweet": 0.27},
    "blue": {",": 0.52, "and": 0.48},
    "soft": {"and": 0.55, ",": 0.45},
    "sweet": {"as": 0.51, ",": 0.49},
    ",": {"sugar": 0.42, "honey": 0.36, "so": 0.22},
    "and": {"so": 0.44, "sugar": 0.31, "honey": 0.25},
    "as": {"honey": 0.53, "sugar": 0.47},
    "so": {"are": 0.58, "is": 0.42},
    "sugar": {"is": 0.56, "and": 0.44},
    "honey": {"is": 0.6, "and": 0.4},
    "roses": {"are": 0.55, "and": 0.45},
    "is": {"sweet": 0.54, "soft": 0.46},
}
OPENING: Mapping[str, float] = {"roses": 0.4, "sugar": 0.35, "honey": 0.25}


def next_words(word: str) -> Mapping[str, float]:
    """Return what may follow a word, with its probability.

    >>> next_words("as")
    {'honey': 0.53, 'sugar': 0.47}
    """
    return NEXT_WORDS.get(word, OPENING)
