"""The checks of exercises 06 to 08; each takes the learner's function.

    6.1  my_online_softmax(running_max, running_sum, scores) -> (maximum, sum)
         scores is one block, a tensor; the state begins with -inf and 0.0
    6.2  my_paged_attention(q, k_cache, v_cache, block_table, seq_len, scale) -> out
         one sequence, in torch: q and out [num_heads, head_dim]
    6.3  my_merge(out_a, lse_a, out_b, lse_b) -> (out, lse)
         [num_heads, head_dim] and [num_heads]
    7.1  my_write_kernel(k, v, k_cache, v_cache, slot_mapping)
    7.2  my_decode_kernel(q, k_cache, v_cache, block_tables, seq_lens, scale, out)
    7.3  my_merge_splits(parts, part_lse, out)
         parts [num_seqs, num_heads, num_splits, head_dim]
    8.1  my_split_address(spec, kind, block_id, slot, head) -> byte
    8.2  my_fused_address   8.3  my_interleaved_address

The three of lesson 07 launch a Triton kernel and return nothing: they fill the last
argument, or the caches. head_dim and block_size are powers of two there. Without
Triton, or with Triton in the wrong mode, their checks wait and say how to go on.
"""

from collections.abc import Callable

from pagedkv_edu.report import Hint, Report
from pagedkv_kernels.checking import hints_attention, hints_memory, hints_softmax
from pagedkv_kernels.checking.addresses import AddressTopic
from pagedkv_kernels.checking.decoding import DecodeTopic
from pagedkv_kernels.checking.judging import judge
from pagedkv_kernels.checking.merging import MergeTopic
from pagedkv_kernels.checking.softmax import SoftmaxTopic
from pagedkv_kernels.checking.writing import WriteTopic
from pagedkv_kernels.layouts import FUSED, INTERLEAVED, SPLIT
from pagedkv_kernels.mode import NoTriton, require_triton

WITHOUT_TRITON = (
    "Lesson 07 can be read without launching one, exercises 06 and 08 need none, and a "
    "kernel that you write here can be checked later on Linux, on Colab or under WSL."
)

HINTS: dict[str, tuple[Hint, ...]] = {
    "6.1": hints_softmax.ONLINE_SOFTMAX,
    "6.2": hints_attention.PAGED_ATTENTION,
    "6.3": hints_softmax.MERGE,
    "7.1": hints_memory.WRITE_KERNEL,
    "7.2": hints_attention.DECODE_KERNEL,
    "7.3": hints_softmax.MERGE_SPLITS,
    "8.1": hints_memory.SPLIT,
    "8.2": hints_memory.FUSED,
    "8.3": hints_memory.INTERLEAVED,
}


def check_online_softmax(answer: object, *, seed: int = 0) -> Report:
    """Check `my_online_softmax(running_max, running_sum, scores)`."""
    return judge(SoftmaxTopic(HINTS["6.1"]), answer, seed=seed)


def check_paged_attention(answer: object, *, seed: int = 0) -> Report:
    """Check `my_paged_attention(q, k_cache, v_cache, block_table, seq_len, scale)`."""
    reread = 'lesson 06, "Through the table"'
    topic = DecodeTopic("6.2", "my_paged_attention", HINTS["6.2"], reread, False)
    return judge(topic, answer, seed=seed)


def check_merge(answer: object, *, seed: int = 0) -> Report:
    """Check `my_merge(out_a, lse_a, out_b, lse_b)`."""
    reread = 'lesson 06, "Two halves"'
    topic = MergeTopic("6.3", "my_merge", HINTS["6.3"], reread, False)
    return judge(topic, answer, seed=seed)


def check_write_kernel(answer: object, *, seed: int = 0) -> Report:
    """Check `my_write_kernel(k, v, k_cache, v_cache, slot_mapping)`."""
    topic = WriteTopic(HINTS["7.1"])
    return _with_triton("7.1", lambda: judge(topic, answer, seed=seed))


def check_decode_kernel(answer: object, *, seed: int = 0) -> Report:
    """Check `my_decode_kernel(q, k_cache, v_cache, block_tables, seq_lens, ...)`."""
    reread = 'lesson 07, "One head"'
    topic = DecodeTopic("7.2", "my_decode_kernel", HINTS["7.2"], reread, True)
    return _with_triton("7.2", lambda: judge(topic, answer, seed=seed))


def check_merge_splits(answer: object, *, seed: int = 0) -> Report:
    """Check `my_merge_splits(parts, part_lse, out)`."""
    reread = 'lesson 07, "Split and merge"'
    topic = MergeTopic("7.3", "my_merge_splits", HINTS["7.3"], reread, True)
    return _with_triton("7.3", lambda: judge(topic, answer, seed=seed))


def check_split_address(answer: object, *, seed: int = 0) -> Report:
    """Check `my_split_address(spec, kind, block_id, slot, head)`."""
    topic = AddressTopic("8.1", "my_split_address", SPLIT, HINTS["8.1"])
    return judge(topic, answer, seed=seed)


def check_fused_address(answer: object, *, seed: int = 0) -> Report:
    """Check `my_fused_address(spec, kind, block_id, slot, head)`."""
    topic = AddressTopic("8.2", "my_fused_address", FUSED, HINTS["8.2"])
    return judge(topic, answer, seed=seed)


def check_interleaved_address(answer: object, *, seed: int = 0) -> Report:
    """Check `my_interleaved_address(spec, kind, block_id, slot, head)`."""
    topic = AddressTopic("8.3", "my_interleaved_address", INTERLEAVED, HINTS["8.3"])
    return judge(topic, answer, seed=seed)


def _with_triton(exercise_id: str, judged: Callable[[], Report]) -> Report:
    """Return the verdict, or, where no kernel can be launched, how to go on."""
    try:
        require_triton()
    except NoTriton as reason:
        return Report(
            exercise_id,
            "waiting",
            "no kernel can be launched here",
            go_on=f"{reason}. {WITHOUT_TRITON if reason.__cause__ else ''}".strip(),
            hints=HINTS[exercise_id],
        )
    return judged()
