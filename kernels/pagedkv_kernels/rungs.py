"""The ladder of decode kernels, from the first to the last: what each rung saves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedkv_edu.sizes import cdiv, require_positive

if TYPE_CHECKING:
    from pagedkv_kernels.assembly import CompileReport

TILE = 64


@dataclass(frozen=True, slots=True)
class Rung:
    """One launch: how many programs, how long each, and what they read together."""

    name: str
    programs: int
    turns: int  # of each program's loop
    kv_bytes: int  # keys and values that all programs ask for, repeats counted
    part_bytes: int = 0  # partial results, written and read again

    @property
    def total_turns(self) -> int:
        """Turns of all programs together."""
        return self.programs * self.turns


def rungs(
    num_seqs: int,
    seq_len: int,
    *,
    num_heads: int = 32,
    num_kv_heads: int = 8,
    head_dim: int = 128,
    dtype_bytes: int = 2,
    block_size: int = 16,
    num_splits: int = 8,
) -> list[Rung]:
    """Return the four rungs for sequences of one length.

    >>> [(rung.programs, rung.turns) for rung in rungs(1, 4096)]
    [(32, 256), (32, 64), (8, 64), (64, 8)]
    """
    require_positive("num_seqs", num_seqs)
    require_positive("seq_len", seq_len)
    once = 2 * num_seqs * seq_len * num_kv_heads * head_dim * dtype_bytes
    group = num_heads // num_kv_heads
    turns = cdiv(seq_len, TILE)
    by_head, grouped = num_seqs * num_heads, num_seqs * num_kv_heads
    # a part is a row of head_dim numbers of 4 bytes and its log-sum-exp
    parts = 2 * by_head * num_splits * (head_dim + 1) * 4
    split_turns = cdiv(turns, num_splits)
    return [
        Rung("by head, a block", by_head, cdiv(seq_len, block_size), group * once),
        Rung("by head, a tile", by_head, turns, group * once),
        Rung("grouped", grouped, turns, once),
        Rung(f"{num_splits} splits", grouped * num_splits, split_turns, once, parts),
    ]


def compiled(target: str = "sm_90", num_splits: int = 8) -> list["CompileReport"]:
    """Compile the four rungs for a card that need not be here; this takes seconds."""
    # imported here: counting needs no Triton
    from pagedkv_kernels.compile import reports  # noqa: PLC0415
    from pagedkv_kernels.mode import require_triton  # noqa: PLC0415

    require_triton()
    from pagedkv_kernels.examples import decode_job, head_job  # noqa: PLC0415

    return reports(
        [
            head_job(tile=16, target=target),
            head_job(tile=TILE, target=target),
            decode_job(target=target),
            decode_job(num_splits=num_splits, target=target),
        ]
    )
