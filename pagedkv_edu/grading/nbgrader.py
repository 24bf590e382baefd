"""What nbgrader runs in a check cell: a check that fails loudly.

nbgrader gives a cell its points unless it raises or its value is a number, and `check`
shows a verdict. So the exported source has this line in a hidden test of each check.
It runs in the learner's own process: docs/instructors.md says what that means.
"""

import sys

from pagedkv_edu.course.exercises import exercise_with_id, report_on
from pagedkv_edu.grading.points import points_of

HIDDEN_TEST = """
### BEGIN HIDDEN TESTS
from pagedkv_edu.grading.nbgrader import require
require({exercise_id!r}, {answer})
### END HIDDEN TESTS"""

CONFIG = """# Written by `pagedkv export nbgrader`.
c = get_config()

c.CourseDirectory.course_id = "pagedkv"
# The source has its stubs already, as in exercises/: nothing is to be cut out.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# A cell that hangs is interrupted, and the notebook goes on behind it.
c.Execute.timeout = 60
c.Execute.interrupt_on_timeout = True
c.LimitOutput.max_lines = 200
"""


def require(exercise_id: str, answer: object) -> float | None:
    """Return the points of an answer that is right in part, None if all is right.

    Raises `AssertionError` with the report if it earns nothing.
    """
    exercise = exercise_with_id(exercise_id)
    report = report_on(exercise, answer)
    if report.passed:
        return None
    points = points_of(exercise, report)
    if not points:
        raise AssertionError(report.text())
    sys.stdout.write(f"{report.text()}\n")
    return points
