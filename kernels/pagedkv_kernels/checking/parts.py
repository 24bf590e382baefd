"""Partial attentions by hand, and what they come to when they are merged."""

from dataclasses import dataclass
from math import inf, log

import torch
from torch import Tensor

from pagedkv_kernels.checking.wording import number

NUM_HEADS, HEAD_DIM = 2, 16
ERROR = 1e-4


@dataclass(frozen=True)
class MergeCase:
    """Partial attentions, part n over logical block n, and how much each weighs."""

    kind: str
    lse: tuple[
        tuple[float, ...], ...
    ]  # of each sequence and part, without a head's own
    seed: int
    spread: float = 0.0  # how far the heads are apart

    def part_lse(self, device: str) -> Tensor:
        """Return `[num_seqs, num_heads, num_parts]`."""
        generator = torch.Generator().manual_seed(self.seed)
        lse = torch.tensor(self.lse)[:, None, :].repeat(1, NUM_HEADS, 1)
        own = torch.randn(lse.shape, generator=generator) * self.spread
        return (lse + own).to(device)

    def parts(self, device: str) -> Tensor:
        """Return `[num_seqs, num_heads, num_parts, head_dim]`; empty parts are 0."""
        generator = torch.Generator().manual_seed(self.seed + 1)
        shape = (len(self.lse), NUM_HEADS, len(self.lse[0]), HEAD_DIM)
        parts = torch.randn(shape, generator=generator).to(device)
        is_empty = self.part_lse(device).isneginf()
        return parts.masked_fill(is_empty[..., None], 0.0)

    def one_hot(self, device: str) -> Tensor:
        """Return parts with which number n of the output is the weight of part n."""
        parts = torch.eye(len(self.lse[0]), HEAD_DIM, device=device)
        return parts.expand(len(self.lse), NUM_HEADS, -1, -1).contiguous()


PAIRS: list[tuple[str, tuple[float, ...], float]] = [
    ("parts of equal weight", (0.0, 0.0), 0.0),
    ("one part that weighs three times the other", (log(3), 0.0), 0.0),
    ("heads that differ", (1.0, 0.0), 1.0),
    ("an empty second part", (0.5, -inf), 0.3),
    ("an empty first part", (-inf, -2.0), 0.3),
    ("log-sum-exps near 1000", (1000.0, 999.0), 0.3),
    ("log-sum-exps near -1000", (-1000.0, -1001.0), 0.3),
    ("two empty parts", (-inf, -inf), 0.0),
]


def weights_of(part_lse: Tensor) -> Tensor:
    """Return the share of each part, 0 for all of them if all are empty."""
    return part_lse.double().softmax(-1).nan_to_num(0.0)


def merged(parts: Tensor, part_lse: Tensor) -> tuple[Tensor, Tensor]:
    """Return output and log-sum-exp of the whole, in float64."""
    out = (parts.double() * weights_of(part_lse)[..., None]).sum(-2)
    return out, part_lse.double().logsumexp(-1)


def close(found: Tensor, right: Tensor) -> Tensor:
    """Say which numbers are equal but for rounding; NaN is not."""
    return (found == right) | (
        (found - right).abs() <= ERROR * right.abs().clamp(min=1)
    )


def all_close(found: Tensor, right: Tensor) -> bool:
    """Say whether all numbers are equal but for rounding."""
    return bool(close(found, right).all())


def numbers(values: Tensor) -> str:
    """Return "[0.5, -inf]"."""
    return f"[{', '.join(number(value) for value in values.tolist())}]"
