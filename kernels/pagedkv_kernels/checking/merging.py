"""Check `my_merge` (6.3) and `my_merge_splits` (7.3): parts of one attention."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor

from pagedkv_edu.report import Hint
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.answers import (
    OUT_BEFORE,
    Output,
    kernel_device,
    require_tensor,
    where_kernels_ran,
)
from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.checking.judging import Call, Finding, Typed
from pagedkv_kernels.checking.parts import (
    HEAD_DIM,
    NUM_HEADS,
    PAIRS,
    MergeCase,
    all_close,
    close,
    merged,
    numbers,
    weights_of,
)
from pagedkv_kernels.checking.wording import counted, number, shown


@dataclass(frozen=True)
class MergeTopic:
    """What the whole is, from its parts: two of them, or the splits of a kernel."""

    exercise_id: str
    answer_name: str
    hints: tuple[Hint, ...]
    reread: str
    is_kernel: bool

    @property
    def ran(self) -> str:
        """Say whether a GPU or the interpreter ran the kernel."""
        return where_kernels_ran() if self.is_kernel else ""

    @property
    def device(self) -> str:
        """Where the tensors are."""
        return kernel_device() if self.is_kernel else "cpu"

    def cases(self, seed: int) -> Sequence[MergeCase]:
        """Return pairs of parts; for a kernel, more sequences and parts too."""
        cases = [
            MergeCase(kind, (lse,), 100 * seed + i, spread)
            for i, (kind, lse, spread) in enumerate(PAIRS)
        ]
        if not self.is_kernel:
            return cases
        many = (
            ("one part", ((0.3,),)),
            ("three parts", ((0.0, 1.0, 2.0),)),
            ("two sequences", ((0.0, 2.0), (1.0, -inf))),
            ("eight parts, five of them empty", ((1.0, 0.0, 3.0) + (-inf,) * 5,)),
        )
        return [
            *cases,
            *(
                MergeCase(kind, lse, 100 * seed + 50 + i, 1.0)
                for i, (kind, lse) in enumerate(many)
            ),
        ]

    def passes(self, case: MergeCase, call: Call) -> bool:
        """Compare with the weighted mean, in float64."""
        parts, part_lse = case.parts(self.device), case.part_lse(self.device)
        out, lse = self._run(parts, part_lse, call)
        right_out, right_lse = merged(parts, part_lse)
        return all_close(out, right_out) and (lse is None or all_close(lse, right_lse))

    def finding(self, case: MergeCase, call: Call) -> Finding:
        """Name the first part whose weight is wrong, or what else is."""
        parts, part_lse = case.one_hot(self.device), case.part_lse(self.device)
        out, lse = self._run(parts, part_lse, call)
        _, right_lse = merged(parts, part_lse)
        num_parts = part_lse.shape[-1]
        found, right = out[..., :num_parts], weights_of(part_lse)
        wrong = ~close(found, right)
        if wrong.any():
            seq, head, part = wrong.nonzero()[0].tolist()
            return self._wrong_weight(case, (seq, head, part), found, right)
        if lse is not None and not all_close(lse, right_lse):
            return self._wrong_lse(case, lse, right_lse)
        return self._wrong_output(case, call)

    def typed(self, case: MergeCase) -> Typed:
        """Write the call out."""
        lse = case.part_lse("cpu")
        setting = (
            f"{case.kind}; {counted(NUM_HEADS, 'head')}, head_dim {HEAD_DIM}, "
            "part n is the attention over logical block n"
        )
        if self.is_kernel:
            rows = [[numbers(head) for head in seq] for seq in lse]
            call = f"parts, {rows}, out".replace("'", "")
        else:
            a, b = (numbers(lse[0, :, part]) for part in (0, 1))
            call = f"out_a, {a}, out_b, {b}"
        return Typed(setting, (f"{self.answer_name}({call})",))

    def _run(
        self, parts: Tensor, part_lse: Tensor, call: Call
    ) -> tuple[Tensor, Tensor | None]:
        """Return the whole that the answer makes, in float64."""
        if self.is_kernel:
            output = Output(parts[:, :, 0])
            call(parts, part_lse, output.out)
            return output.checked(), None
        (a, b), (lse_a, lse_b) = parts[0].unbind(1), part_lse[0].unbind(1)
        pair = call(a, lse_a, b, lse_b)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            missing = ' Is a "return" missing?' if pair is None else ""
            raise Complaint(
                f"returned {shown(pair)}; expected an output and a log-sum-exp",
                f"{shown(pair)}, not a pair of tensors.{missing}",
                expected="two tensors, the output first.",
            )
        out = require_tensor("the output", pair[0], tuple(a.shape))
        lse = require_tensor("the log-sum-exp", pair[1], tuple(lse_a.shape))
        return out.double()[None], lse.double()[None]

    def _where(self, seq: int, head: int) -> str:
        return f"sequence {seq}, head {head}" if self.is_kernel else f"head {head}"

    def _part(self, part: int) -> str:
        name = f"part {part}" if self.is_kernel else f"part {'ab'[part]}"
        return f"{name} (logical block {part})"

    def _wrong_weight(
        self, case: MergeCase, index: tuple[int, int, int], found: Tensor, right: Tensor
    ) -> Finding:
        seq, head, part = index
        if (found[seq, head] == OUT_BEFORE).any():
            return Finding(
                f"{self._where(seq, head)}: a part of the output was never written",
                hint.NEVER_WRITTEN,
                compared=f"out[{seq}, {head}]",
                found_value="as before the call",
                expected_value="written",
                expected="every number of out written, for every sequence and head.",
                found=f"in out[{seq}, {head}], numbers are as before the call.",
            )
        value, expected = number(found[index].item()), number(right[index].item())
        total = number(found[seq, head].sum().item())
        lse = numbers(case.part_lse("cpu")[seq, head])
        return Finding(
            f"{self._where(seq, head)}: {self._part(part)} has weight {value}; "
            f"expected {expected}",
            self._hint(case, found[seq, head], right[seq, head]),
            compared=f"the weight of part {part}",
            found_value=value,
            expected_value=expected,
            expected=f"{expected}: its share of the sum of exp(lse), for lse {lse}.",
            found=f"{value}; the weights of all parts add up to {total}.",
        )

    def _hint(self, case: MergeCase, found: Tensor, right: Tensor) -> str:
        if case.kind.startswith("log-sum-exps near"):
            return hint.TOO_LARGE
        if "empty" in case.kind:
            return hint.EMPTY_PART
        equal = 1 / len(found)
        if all_close(found, torch.full_like(found, equal)):
            return hint.MEAN
        return hint.SUM if not all_close(found.sum(), right.sum()) else hint.WEIGHTS

    def _wrong_lse(self, case: MergeCase, found: Tensor, right: Tensor) -> Finding:
        seq, head = (~close(found, right)).nonzero()[0].tolist()
        value, expected = (
            number(found[seq, head].item()),
            number(right[seq, head].item()),
        )
        found_hint = hint.LSE
        if "near" in case.kind or "empty" in case.kind:
            found_hint = self._hint(case, right, right)
        return Finding(
            f"{self._where(seq, head)}: log-sum-exp {value}; expected {expected}",
            found_hint,
            compared=f"lse[{head}]",
            found_value=value,
            expected_value=expected,
            expected=f"{expected}: the logarithm of the sum of exp(lse) of both parts.",
            found=f"{value}, with an output that is right.",
        )

    def _wrong_output(self, case: MergeCase, call: Call) -> Finding:
        parts, part_lse = case.parts(self.device), case.part_lse(self.device)
        out, _ = self._run(parts, part_lse, call)
        right, _ = merged(parts, part_lse)
        seq, head, dim = (~close(out, right)).nonzero()[0].tolist()
        value = number(out[seq, head, dim].item())
        expected = number(right[seq, head, dim].item())
        return Finding(
            f"{self._where(seq, head)}: number {dim} of the output is {value}; "
            f"expected {expected}",
            hint.WEIGHTS,
            compared=f"number {dim} of the output",
            found_value=value,
            expected_value=expected,
            expected=f"{expected}: the same weights for every number of a part.",
            found=f"{value}.",
        )
