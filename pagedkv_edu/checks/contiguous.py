"""Check the three exercises of lesson 02: first fit, best fit, a refused request."""

from pagedkv_edu.checks.extents.run import MakeExtents
from pagedkv_edu.checks.extents.topic import ExtentsTopic
from pagedkv_edu.checks.hints import contiguous as hint
from pagedkv_edu.checks.hints.contiguous import HINTS as HINTS
from pagedkv_edu.checks.judging.functions import judge_function
from pagedkv_edu.checks.judging.judge import judge
from pagedkv_edu.checks.questions.best_hole import BestHoleTopic
from pagedkv_edu.checks.questions.refused_history import (
    check_refused_history as check_refused_history,
)
from pagedkv_edu.report import Report

_FIRST_FIT = ExtentsTopic(
    "2.1",
    "MyFirstFit",
    ("__init__", "holes", "largest_hole", "num_free", "reserve", "release"),
    HINTS["2.1"],
    hint.FIRST_FIT,
    hint.FIRST_FIT_ADVICE,
)


def check_first_fit(answer: MakeExtents, *, seed: int = 0) -> Report:
    """Check an allocator of extents with first fit: `MyFirstFit(num_slots)`."""
    return judge(_FIRST_FIT, answer, seed=seed)


def check_best_hole(answer: object, *, seed: int = 0) -> Report:
    """Check `my_best_hole(holes, num_slots)`."""
    return judge_function(BestHoleTopic(), answer, seed=seed)
