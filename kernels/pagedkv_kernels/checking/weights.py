"""The weights that heads gave to tokens, and so the first token that is wrong."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pagedkv_edu.sizes import locate
from pagedkv_kernels.cases import Problem, weights_in
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.judging import Finding
from pagedkv_kernels.checking.scores import factor_of_scores
from pagedkv_kernels.checking.wording import counted, number

NOTHING = 1e-5  # a weight of no token at all, but for rounding
RELATIVE = 0.02  # weights are in proportion if their ratios differ by less
# kinds of input whose name says the cause, if all easier ones pass
HINT_BY_KIND = {
    "one full block": hint.FULL_BLOCK,
    "two full blocks": hint.FULL_BLOCK,
    "scores far apart": hint.FAR_SCORES,
    "scores near -200": hint.FAR_SCORES,
    "scores near 200": hint.FAR_SCORES,
    "scores that rise and fall by hundreds": hint.FAR_SCORES,
    "K and V as views of one tensor": hint.STRIDES,
    "more than 2^31 numbers in the pool": hint.BITS,
}


@dataclass(frozen=True)
class Seen:
    """What came out for one problem, in float64, and what should have."""

    kind: str
    error: float  # how far right numbers may be off
    out: Tensor  # [num_seqs, num_heads, head_dim]
    expected: Tensor
    with_zeros: Tensor | None  # the output with zeros for NaN in the pool
    with_tokens: Tensor | None  # and with values "tokens"

    def differs(self, found: Tensor, right: Tensor) -> Tensor:
        """Say where two tensors differ by more than rounding; NaN does."""
        return ~((found - right).abs() <= self.error)


class Weights:
    """The weights that the heads gave to the tokens of one sequence."""

    def __init__(self, p: Problem, seen: Seen, seq: int, out: Tensor) -> None:
        self.p = p
        self.seen = seen
        self.seq = seq
        self.seq_len = int(p.seq_lens[seq])
        self.block_size = p.k_cache.shape[1]
        num_heads, num_kv_heads = p.q.shape[1], p.k_cache.shape[2]
        self.kv_heads = torch.arange(num_heads) // (num_heads // num_kv_heads)
        by_kv_head, stray = weights_in(out, num_kv_heads)
        # [num_heads, num_kv_heads, tokens]: of the values of each KV head
        self.by_kv_head = by_kv_head[seq, :, :, : self.seq_len]
        self.stray = stray[seq]  # the weight of slots that hold no token
        self.found = self.by_kv_head[torch.arange(num_heads), self.kv_heads]
        self.right = self._softmax(p.scale, self.kv_heads)
        self.wrong_rows = seen.differs(self.found, self.right).any(-1)

    @property
    def are_wrong(self) -> bool:
        """Whether a weight is wrong; else only the values of other slots can be."""
        return bool(self.wrong_rows.any())

    def finding(self, head: int) -> Finding:
        """Return the most telling thing about the weights of the first wrong row."""
        if not self.wrong_rows[head]:
            head = int(self.wrong_rows.nonzero()[0])
        other = self._values_of_another_head(head)
        if other is not None:
            return self._another_head(head, other)
        no_token = bool((self.found[head].abs() <= NOTHING).all())
        if no_token and not self._has_stray(head):
            return self._no_token(head)
        if no_token or not _in_proportion(self.found[head] / self.right[head]):
            return self._wrong_token(head)
        if self._has_stray(head):
            return self._stray_slots(head, number(self.stray[head].item()))
        return self._wrong_sum(head, number(self.found[head].sum().item()))

    def _has_stray(self, head: int) -> bool:
        """Say whether slots that hold no token of the sequence have weight."""
        return bool(self.stray[head].abs() > self.seen.error)

    def _softmax(self, scale: float, kv_heads: Tensor) -> Tensor:
        keys = self.p.k[self.seq].double()[:, kv_heads]
        scores = torch.einsum("hd,thd->ht", self.p.q[self.seq].double(), keys)
        return (scores * scale).softmax(-1)

    def _values_of_another_head(self, head: int) -> int | None:
        sums = self.by_kv_head[head].sum(-1)
        other = int(sums.nan_to_num(0).argmax())
        is_other = other != int(self.kv_heads[head]) and sums[other] > 0.5
        return other if is_other else None

    def _another_head(self, head: int, other: int) -> Finding:
        kv_head = int(self.kv_heads[head])
        return Finding(
            f"{self._where(head, 0)}: values of KV head {other}; expected KV head "
            f"{kv_head}",
            hint.HEADS,
            compared=f"the KV head that head {head} reads",
            found_value=str(other),
            expected_value=str(kv_head),
            expected=(
                f"KV head {kv_head}: {self.p.q.shape[1]} query heads share "
                f"{self.p.k_cache.shape[2]} KV heads, neighbours together."
            ),
            found=f"the values of KV head {other}, from logical block 0 on.",
        )

    def _stray_slots(self, head: int, weight: str) -> Finding:
        logical, offset = locate(self.seq_len, self.block_size)
        slots = f"slots {offset} to {self.block_size - 1} of logical block {logical}"
        if not offset:
            slots = f"slots past logical block {logical - 1}, the last one,"
        return Finding(
            f"{self._where(head, logical)}: slots that hold no token of it have weight "
            f"{weight}; expected 0",
            self._hint_or(hint.TAIL),
            compared="the weight of slots without a token",
            found_value=weight,
            expected_value="0",
            expected=f"all weight on {tokens_of(self.p, self.seq)}; {slots} hold none.",
            found=f"weight {weight} on slots that hold no token of this sequence.",
        )

    def _no_token(self, head: int) -> Finding:
        block_id = int(self.p.block_tables[self.seq, 0])
        return Finding(
            f"{self._where(head, 0)}: no token has any weight",
            self._hint_or(hint.NOTHING),
            compared="the weights of all tokens together",
            found_value="0",
            expected_value="1",
            expected=(
                f"weights that add up to 1 over {tokens_of(self.p, self.seq)}; the "
                f"first is in slot 0 of logical block 0, block {block_id} of the pool."
            ),
            found="nothing of any value of this sequence is in the output.",
        )

    def _wrong_sum(self, head: int, total: str) -> Finding:
        logical = (self.seq_len - 1) // self.block_size
        return Finding(
            f"{self._where(head, logical)}: the weights of the tokens add up to "
            f"{total}; expected 1",
            self._hint_or(hint.SUM),
            compared="the weights of all tokens together",
            found_value=total,
            expected_value="1",
            expected=f"weights that add up to 1 over {tokens_of(self.p, self.seq)}.",
            found=(
                f"weights in the right proportion that add up to {total}: what the "
                "output is divided by is not the sum of the exponentials of the tokens."
            ),
        )

    def _wrong_token(self, head: int) -> Finding:
        token = self._first_wrong_token(head)
        logical, slot = locate(token, self.block_size)
        block_id = int(self.p.block_tables[self.seq, logical])
        found = number(self.found[head, token].item())
        right = number(self.right[head, token].item())
        return Finding(
            f"{self._where(head, logical)}: token {token} has weight {found}; "
            f"expected {right}",
            self._hint(head, token),
            compared=f"the weight of token {token}",
            found_value=found,
            expected_value=right,
            expected=(
                f"weight {right} for token {token}: it is in slot {slot} of logical "
                f"block {logical}, which is block {block_id} of the pool."
            ),
            found=f"weight {found}.{self._alike(head)}",
        )

    def _first_wrong_token(self, head: int) -> int:
        """Return the first token whose weight is wrong beside the one of token 0.

        A wrong score changes all weights, because they add up to 1; their ratios stay.
        """
        found, right = self.found[head], self.right[head]
        is_wrong = self.seen.differs(found, right)
        ratio = (found / found[0]) / (right / right[0])
        beside = is_wrong & ~((ratio - 1).abs() <= RELATIVE) & ratio.isfinite()
        return int((beside if beside.any() else is_wrong).nonzero()[0])

    def _hint(self, head: int, token: int) -> str:
        if self._has_stray(head):
            return self._hint_or(hint.OTHER_BLOCK)
        last = (self.seq_len - 1) // self.block_size * self.block_size
        if last and (self.found[head, last:].abs() <= NOTHING).all():
            return hint.LAST_BLOCK
        if self._blocks_do_not_fit(head):
            return hint.RESCALE
        if self.seen.kind in HINT_BY_KIND:
            return HINT_BY_KIND[self.seen.kind]
        if self.found[head].isnan().any():
            return hint.NAN
        if not self.wrong_rows.all():
            return hint.HEADS
        if token >= self.block_size:
            return hint.TABLE
        factor = factor_of_scores(self.found[head], self.right[head])
        return hint.SLOT if factor is None else hint.ALL

    def _hint_or(self, usual: str) -> str:
        return HINT_BY_KIND.get(self.seen.kind, usual)

    def _blocks_do_not_fit(self, head: int) -> bool:
        """Say whether weights are in proportion inside each of several blocks."""
        pieces = (self.found[head] / self.right[head]).split(self.block_size)
        return self.block_size > 1 < len(pieces) and all(map(_in_proportion, pieces))

    def _alike(self, head: int) -> str:
        """Say which known mistake gives the weights that were found."""
        if self._has_stray(head):
            stray = number(self.stray[head].item())
            return f" Slots that hold no token of this sequence have weight {stray}."
        if self._blocks_do_not_fit(head):
            return " Inside each block the weights are in proportion to the right ones."
        factor = factor_of_scores(self.found[head], self.right[head])
        if factor is not None:
            is_unscaled = abs(factor * self.p.scale - 1) < RELATIVE
            how = "without scale" if is_unscaled else f"times {number(factor)}"
            return f" These are the weights that the scores have {how}."
        for other in range(self.p.k_cache.shape[2]):
            scores = self._softmax(self.p.scale, torch.full_like(self.kv_heads, other))
            if not self.seen.differs(self.found[head], scores[head]).any():
                return f" These are the weights over the keys of KV head {other}."
        return ""

    def _where(self, head: int, logical: int) -> str:
        return f"sequence {self.seq}, head {head}, logical block {logical}"


def tokens_of(p: Problem, seq: int) -> str:
    """Return "5 tokens": how long a sequence is."""
    return counted(int(p.seq_lens[seq]), "token")


def _in_proportion(ratio: Tensor) -> bool:
    return bool(((ratio - ratio[0]).abs() <= RELATIVE * ratio[0].abs()).all())
