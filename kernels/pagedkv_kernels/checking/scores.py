"""What a wrong softmax says of the scores that went into it."""

from torch import Tensor

CLOSE = 0.02  # of the largest logarithm


def factor_of_scores(found: Tensor, right: Tensor) -> float | None:
    """Return by what the scores were multiplied, if that explains the weights found.

    The logarithms of weights differ as the scores do. Two weights fit any factor, so at
    least three are asked for.

    >>> import torch
    >>> scores = torch.tensor([1.0, 2.0, 4.0])
    >>> round(factor_of_scores((3 * scores).softmax(0), scores.softmax(0)), 3)
    3.0
    """
    if len(found) < 3 or not (found > 0).all():
        return None
    a, b = ((weights / weights[0]).log() for weights in (found, right))
    factor = float((a * b).sum() / (b * b).sum())
    fits = (a - factor * b).abs().max() <= CLOSE * a.abs().max()
    return factor if fits else None
