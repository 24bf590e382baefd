"""Every published solution has all its points, and every exercise none."""

from pathlib import Path

import pytest

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.grading.isolate import Packages, grade
from pagedkv_edu.grading.notebook import read_notebook
from pagedkv_edu.grading.process import Allowance

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted({exercise.notebook for exercise in EXERCISES.values()})
PATIENT = Allowance(seconds=600)  # kernels are interpreted, and machines are busy


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["solutions", "exercises"])
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_published_notebook_has_its_points(notebook: str, folder: str) -> None:
    path = ROOT / folder / f"{notebook}.ipynb"
    with Packages() as packages:
        grades = grade(read_notebook(path.read_bytes()), packages, PATIENT)

    told = [(q.exercise.id, q.report.title) for q in grades.questions]
    assert grades.most_points == 10
    if folder == "solutions":
        assert grades.points == 10, told
    else:
        assert grades.points == 0, told
        assert {q.report.status for q in grades.questions} == {"waiting"}, told
    assert not grades.cells
