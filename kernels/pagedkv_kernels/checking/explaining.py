"""Say what is wrong about a wrong attention: where first, and if possible why."""

from pagedkv_edu.sizes import locate
from pagedkv_kernels.cases import Problem
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.answers import OUT_BEFORE
from pagedkv_kernels.checking.judging import Finding
from pagedkv_kernels.checking.weights import HINT_BY_KIND, Seen, Weights, tokens_of
from pagedkv_kernels.checking.wording import number


def explain(p: Problem, seen: Seen) -> Finding:
    """Return the finding for the first wrong row of a problem's output."""
    rows = seen.differs(seen.out, seen.expected).any(-1)
    seq, head = rows.nonzero()[0].tolist()
    where, row = f"sequence {seq}, head {head}", f"out[{seq}, {head}]"
    found, right = seen.out[seq, head], seen.expected[seq, head]
    if (found == OUT_BEFORE).any():
        return Finding(
            f"{where}: a part of the output was never written",
            hint.NEVER_WRITTEN,
            compared=row,
            found_value="as before the call",
            expected_value=number(right[0].item()),
            expected="every number of out written, for every sequence and head.",
            found=f"in {row}, numbers are as they were before the call.",
        )
    dim = int(seen.differs(found, right).nonzero()[0])
    values = number(found[dim].item()), number(right[dim].item())
    if p.seq_lens[seq] == 0:
        return Finding(
            f"{where}: {values[0]} for a sequence of no tokens; expected 0",
            hint.EMPTY,
            compared=row,
            found_value=values[0],
            expected_value="0",
            expected="0: there is no token to attend to, and 0 / 0 is NaN.",
            found=f"{values[0]}.",
        )
    if seen.with_tokens is not None:
        weights = Weights(p, seen, seq, seen.with_tokens)
        if weights.are_wrong:
            return weights.finding(head)
    zeros = seen.with_zeros
    if zeros is not None and not seen.differs(zeros[seq], seen.expected[seq]).any():
        return _not_a_number(p, seq, head, values)
    return Finding(
        f"{where}: {row}[{dim}] is {values[0]}; expected {values[1]}",
        HINT_BY_KIND.get(seen.kind, hint.ALL),
        compared=f"{row}[{dim}]",
        found_value=values[0],
        expected_value=values[1],
        expected=f"{values[1]}: the attention over {tokens_of(p, seq)}.",
        found=f"{values[0]}.",
    )


def _not_a_number(p: Problem, seq: int, head: int, values: tuple[str, str]) -> Finding:
    """Tell of an output that is right as soon as unwritten slots hold zeros."""
    block_size = p.k_cache.shape[1]
    logical, offset = locate(int(p.seq_lens[seq]), block_size)
    block_id = int(p.block_tables[seq, logical])
    slots = f"slots {offset} to {block_size - 1}"
    place = f"{slots} of logical block {logical} (block {block_id} of the pool)"
    if offset == block_size - 1:
        place = place.replace(slots, f"slot {offset}")
    elif not offset:
        place = f"the slots past logical block {logical - 1}, the last one,"
    return Finding(
        f"sequence {seq}, head {head}, logical block {logical}: "
        f"the output is {values[0]}; expected {values[1]}",
        hint.NAN,
        compared=f"out[{seq}, {head}]",
        found_value=values[0],
        expected_value=values[1],
        expected=f"the attention over {tokens_of(p, seq)}, and nothing else.",
        found=(
            f"{values[0]}. Nobody has written {place}: there is NaN. With zeros in all "
            "unwritten slots your output is right; 0 * NaN is NaN."
        ),
    )
