"""Exercise 01: what a token costs."""

from pagedkv_edu.course.exercise import Exercise

_CHECKS = "pagedkv_edu.checks"
_SPEC = "pagedkv_edu.sizes:KVCacheSpec"

COST = (
    Exercise(
        "1.1",
        "The bytes of a token",
        "my_bytes_per_token",
        "01_cost",
        f"{_CHECKS}.cost:check_bytes_per_token",
        withholds=(_SPEC,),
        use='bytes_per_token = mine("my_bytes_per_token")',
        points=4,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "1.2",
        "How many promises fit",
        "my_num_promises",
        "01_cost",
        f"{_CHECKS}.cost:check_num_promises",
        use='num_promises = mine("my_num_promises")',
        points=3,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "1.3",
        "How many sequences fit now",
        "my_num_that_fit",
        "01_cost",
        f"{_CHECKS}.cost:check_num_that_fit",
        use='num_that_fit = mine("my_num_that_fit")',
        points=3,
        difficulty=2,
        minutes=15,
    ),
)
