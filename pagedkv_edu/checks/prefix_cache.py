"""Check exercise 11: chained hashes, the longest cached run, and a prefix cache."""

from pagedkv_edu.checks.hints import prefix_cache as hint
from pagedkv_edu.checks.judging.functions import judge_function
from pagedkv_edu.checks.judging.judge import judge
from pagedkv_edu.checks.prefixes.functions import HashesTopic, RunTopic
from pagedkv_edu.checks.prefixes.functions import digits as digits
from pagedkv_edu.checks.prefixes.run import MakeCache
from pagedkv_edu.checks.prefixes.topic import PrefixTopic
from pagedkv_edu.report import Report

HINTS = hint.HINTS

_CACHE = PrefixTopic(
    "11.3",
    "MyPrefixCache",
    ("__init__", "register", "lookup", "free", "allocate", "num_free", "reuse"),
    HINTS["11.3"],
    hint.FREE_AND_FOUND,
    hint.ADVICE,
)


def check_block_hashes(answer: object, *, seed: int = 0) -> Report:
    """Check `my_block_hashes(tokens, block_size, hash_block)`."""
    return judge_function(HashesTopic(), answer, seed=seed)


def check_longest_run(answer: object, *, seed: int = 0) -> Report:
    """Check `my_longest_run(hashes, block_by_hash, num_tokens, block_size)`."""
    return judge_function(RunTopic(), answer, seed=seed)


def check_prefix_cache(answer: MakeCache, *, seed: int = 0) -> Report:
    """Check a prefix cache: `MyPrefixCache(num_blocks, block_size)`."""
    return judge(_CACHE, answer, seed=seed)
