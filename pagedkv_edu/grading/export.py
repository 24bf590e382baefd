"""`pagedkv export otter DIR` and `pagedkv export nbgrader DIR`."""

import json
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.grading.nbgrader import CONFIG, HIDDEN_TEST
from pagedkv_edu.grading.notebook import questions_of
from pagedkv_edu.grading.otter import PLUGIN, test_file

# What a container needs of a checkout to install the course; no solutions.
COURSE_FILES = ("pyproject.toml", "README.md", "LICENSE", "constraints.txt")
COURSE_FOLDERS = ("pagedkv_edu", "kernels")
INSTALLED_AT = "/autograder/source/course"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same course gives the same bytes


class CannotExport(PagedKVError):  # noqa: N818
    """Something is missing that the export is made from."""


def notebooks(only: str = "") -> list[str]:
    """Return the exercise notebooks that there are, or the one that is named."""
    known = list(dict.fromkeys(e.notebook for e in EXERCISES.values()))
    found = [name for name in known if only in ("", name, name[:2])]
    if not found:
        names = ", ".join(known)
        raise CannotExport(f"there is no exercise notebook {only}; there are {names}")
    return found


def export_otter(course: Path, folder: Path, only: str = "") -> list[Path]:
    """Write an autograder zip for each exercise, with Otter's own generator."""
    if find_spec("otter") is None:
        raise CannotExport(
            "Otter is not installed: python -m pip install 'otter-grader==7.0.0'"
        )
    if not (course / "pyproject.toml").exists():
        raise CannotExport("run this in a checkout of the course: it goes into the zip")
    return [_autograder(course, folder, name) for name in notebooks(only)]


def _autograder(course: Path, folder: Path, notebook: str) -> Path:
    target = folder / notebook / "autograder.zip"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        (made / "tests").mkdir()
        for exercise in questions_of(notebook):
            path = made / "tests" / f"q{exercise.id.replace('.', '_')}.py"
            path.write_text(test_file(exercise.id, exercise.points))
        config = {
            "plugins": [{PLUGIN: {"exercise": notebook, "timeout": 120}}],
            "show_all_public": True,  # a learner sees why, question by question
        }
        (made / "otter_config.json").write_text(json.dumps(config))
        requirement = f"pagedkv-edu[course] @ file://{INSTALLED_AT}\n"
        (made / "requirements.txt").write_text(requirement)
        generate: Any = import_module("otter.generate")
        generate.main(
            tests_dir=str(made / "tests"),
            output_path=str(made / "autograder.zip"),
            config=str(made / "otter_config.json"),
            requirements=str(made / "requirements.txt"),
            no_environment=True,
            python_version=f"{sys.version_info[0]}.{sys.version_info[1]}",
        )
        _write_zip(target, {**_members(made / "autograder.zip"), **_course(course)})
    return target


def _members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _course(course: Path) -> dict[str, bytes]:
    return {
        f"course/{path.relative_to(course).as_posix()}": path.read_bytes()
        for path in _course_files(course)
    }


def _course_files(course: Path) -> Iterator[Path]:
    for name in COURSE_FILES:
        if (course / name).exists():
            yield course / name
    for name in COURSE_FOLDERS:
        for path in (course / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def _write_zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.external_attr = 0o755 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, members[name])


def export_nbgrader(course: Path, folder: Path, only: str = "") -> list[Path]:
    """Write a course folder of nbgrader: what it releases is what exercises/ holds."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nbgrader_config.py").write_text(CONFIG)
    written: list[Path] = []
    for name in notebooks(only):
        source = course / "exercises" / f"{name}.ipynb"
        if not source.exists():
            raise CannotExport(f"{source} is not there; run this in the course folder")
        target = folder / "source" / name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_with_hidden_tests(source), encoding="utf-8")
        written.append(target)
    return written


def _with_hidden_tests(path: Path) -> str:
    notebook: Any = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        if "check" in metadata.get("tags", ()):
            exercise = EXERCISES[metadata["exercise"]]
            hidden = HIDDEN_TEST.format(exercise_id=exercise.id, answer=exercise.answer)
            cell["source"] = "".join(cell["source"]) + "\n" + hidden.lstrip("\n")
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
