"""Check paged attention: `my_paged_attention` (6.2) and `my_decode_kernel` (7.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from pagedkv_edu.report import Hint
from pagedkv_kernels.cases import Problem, problem
from pagedkv_kernels.checking.answers import (
    Output,
    kernel_device,
    require_tensor,
    where_kernels_ran,
    with_zeros_around,
)
from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.checking.explaining import explain
from pagedkv_kernels.checking.judging import Call, Finding, Typed
from pagedkv_kernels.checking.weights import Seen
from pagedkv_kernels.checking.wording import counted, number

ERROR = 5e-3  # so much may a tf32 product on a GPU be off
HARMLESS = (-1, 0)  # garbage that leads to NaN, and not to a crash of the notebook
NO_BLOCK = (2**30, -1)  # in torch the first one raises, and the second one does not


@dataclass(frozen=True)
class DecodeCase:
    """One problem, and what is special about it."""

    kind: str
    seq_lens: tuple[int, ...]
    seed: int
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    is_far: bool = False  # at the end of a pool that 32 bits cannot count

    def problem(self, **changes: Any) -> Problem:
        """Make the problem, always the same; changes go to `cases.problem`."""
        options: dict[str, Any] = {"block_size": 4, "seed": self.seed}
        p = problem(self.seq_lens, **(options | self.options | changes))
        return p.far_away() if self.is_far else p

    @property
    def tolerance(self) -> float:
        """How far a right output may be off."""
        return ERROR * max(1.0, self.options.get("spread", 1.0) / 2)


@dataclass(frozen=True)
class DecodeTopic:
    """What paged attention should return: in torch, one sequence at a time, or all."""

    exercise_id: str
    answer_name: str
    hints: tuple[Hint, ...]
    reread: str
    is_kernel: bool

    @property
    def ran(self) -> str:
        """Say whether a GPU or the interpreter ran the kernel."""
        return where_kernels_ran() if self.is_kernel else ""

    def cases(self, seed: int) -> Sequence[DecodeCase]:
        """Return cases from one token to a pool that 32 bits cannot count."""
        few: dict[str, Any] = {"num_heads": 2, "num_kv_heads": 1}
        long = few | {"block_size": 16, "head_dim": 128}
        lens: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
            ("one token", (1,), {}),
            ("part of a block", (3,), {}),
            ("one full block", (4,), {}),
            ("one token in the last block", (5,), {}),
            ("two full blocks", (8,), few),
            ("scores far apart", (9,), few | {"spread": 12.0}),
            ("scores near -200", (9,), few | {"level": -200.0}),
            ("scores near 200", (6,), few | {"level": 200.0}),
            ("scores that rise and fall by hundreds", (24,), few | {"spread": 300.0}),
            ("a group of three heads", (5,), {"num_heads": 3, "num_kv_heads": 1}),
            ("K and V as views of one tensor", (6,), {"fused": True}),
            ("blocks of one token", (3,), few | {"block_size": 1}),
            ("100 tokens", (100,), long),
        ]
        if self.is_kernel:
            lens.append(("three lengths, one of them 0", (6, 0, 9), few))
        else:
            lens.append(("blocks of three tokens", (7,), {"block_size": 3}))
        usual: dict[str, Any] = {
            "device": kernel_device() if self.is_kernel else "cpu",
            "garbage": HARMLESS if self.is_kernel else NO_BLOCK,
        }
        found = [
            DecodeCase(kind, n, 100 * seed + i, usual | options)
            for i, (kind, n, options) in enumerate(lens)
        ]
        return [*found, *self._far(seed, usual)]

    def passes(self, case: DecodeCase, call: Call) -> bool:
        """Compare with float64."""
        p = case.problem()
        difference = self._run(p, call) - p.expected()[0]
        return bool((difference.abs() <= case.tolerance).all())

    def finding(self, case: DecodeCase, call: Call) -> Finding:
        """Find out which tokens are wrong, by the same case with other values."""
        p = case.problem()
        found, (expected, _) = self._run(p, call), p.expected()
        zeros = self._run_again(case, call, "random")
        tokens = self._run_again(case, call, "tokens")
        seen = Seen(case.kind, case.tolerance, found, expected, zeros, tokens)
        return explain(p, seen)

    def typed(self, case: DecodeCase) -> Typed:
        """Write the call out."""
        p = case.problem()
        name, scale = self.answer_name, number(p.scale)
        block_size, num_kv_heads = p.k_cache.shape[1:3]
        setting = (
            f"{case.kind}; block_size {block_size}, "
            f"{counted(p.q.shape[1], 'query head')} on "
            f"{counted(num_kv_heads, 'KV head')}, head_dim {p.q.shape[2]}"
        )
        if self.is_kernel:
            lens = list(case.seq_lens)
            call = f"q, k_cache, v_cache, block_tables, {lens}, {scale}, out"
        else:
            table = p.block_tables[0].tolist()
            call = f"q, k_cache, v_cache, {table}, {case.seq_lens[0]}, {scale}"
        return Typed(setting, (f"{name}({call})",), as_test=self._as_test(case))

    def _far(self, seed: int, usual: dict[str, Any]) -> list[DecodeCase]:
        if not self.is_kernel:
            return []
        options = usual | {"dtype": torch.float16}
        case = DecodeCase(
            "more than 2^31 numbers in the pool", (5,), seed, options, True
        )
        try:
            case.problem()
        except OSError:  # no room for such a pool here
            return []
        return [case]

    def _run(self, p: Problem, call: Call) -> Tensor:
        """Return what the answer makes of a problem, in float64."""
        if self.is_kernel:
            output = Output(p.q)
            # a program too many finds a sequence of no tokens there
            q, lens = with_zeros_around(p.q), with_zeros_around(p.seq_lens)
            call(q, *p.tensors[1:4], lens, p.scale, output.out)
            return output.checked()
        rows: list[Tensor] = []
        for q, table, seq_len in zip(
            p.q, p.block_tables, p.seq_lens.tolist(), strict=True
        ):
            out = call(q, p.k_cache, p.v_cache, table, seq_len, p.scale)
            rows.append(require_tensor("the output", out, tuple(q.shape)).double())
        return torch.stack(rows)

    def _run_again(self, case: DecodeCase, call: Call, values: str) -> Tensor | None:
        """Run with zeros where nobody wrote; return nothing if that raises."""
        try:
            return self._run(case.problem(poison=0.0, values=values), call)
        except Complaint:
            return None

    def _as_test(self, case: DecodeCase) -> str:
        options = {"block_size": 4} | case.options
        del options["device"], options["garbage"]
        given = "".join(f", {name}={value!r}" for name, value in options.items())
        far = ".far_away()" if case.is_far else ""
        if self.is_kernel:
            run = (
                "    out = torch.empty_like(p.q)\n"
                f"    {self.answer_name}(*p.tensors, p.scale, out)\n"
            )
        else:
            run = (
                f"    out = {self.answer_name}(\n"
                "        p.q[0], p.k_cache, p.v_cache, p.block_tables[0], "
                f"{case.seq_lens[0]}, p.scale\n    )[None]\n"
            )
        return (
            "import torch\nfrom pagedkv_kernels.cases import problem\n\n\n"
            f"def test_{self.answer_name}() -> None:\n"
            f"    p = problem({case.seq_lens}, seed={case.seed}{given}){far}\n{run}"
            f"    assert (out - p.expected()[0]).abs().max() <= {case.tolerance:g}\n"
        )
