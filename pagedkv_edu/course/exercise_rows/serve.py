"""Exercise 13: a server over the learner's own parts."""

from pagedkv_edu.course.exercise import Exercise

_CHECKS = "pagedkv_edu.checks.serve"
_STEP = "pagedkv_edu.serving.stepping:step"

SERVE = (
    Exercise(
        "13.1",
        "The rows of a step",
        "my_rows",
        "13_serve",
        f"{_CHECKS}:check_rows",
        withholds=("pagedkv_edu.memory.table:BlockTable",),
        use='rows_of = mine("my_rows")',
        points=4,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "13.2",
        "One step",
        "my_step",
        "13_serve",
        f"{_CHECKS}:check_step",
        reference=_STEP,
        withholds=(_STEP,),
        use='step = mine("my_step")',
        points=6,
        difficulty=4,
        minutes=30,
    ),
)
