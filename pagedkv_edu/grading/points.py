"""How many points a report is worth."""

from math import floor

from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.report import Report

_A_HAIR = 1e-9  # what is exact as a fraction may lie a hair below it as a float


def points_of(exercise: Exercise, report: Report) -> float:
    """Return the points of the part that is right, down to a tenth."""
    return whole(floor(10 * exercise.points * report.earned + _A_HAIR) / 10)


def whole(points: float) -> float:
    """Return 4 for 4.0, so that whole points are written as such."""
    return int(points) if points == int(points) else points
