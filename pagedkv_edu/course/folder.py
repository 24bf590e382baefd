"""Where the course lies on this machine, and where the learner's files go."""

import os
from pathlib import Path

WORK_VARIABLE = "PAGEDKV_WORK"  # a folder to use instead of work/


def course_folder(start: Path | None = None) -> Path | None:
    """Return the folder that holds the lessons, or None outside a checkout.

    The first of `start` and the folders above it that looks like the course.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "notebooks").is_dir() and (folder / "exercises").is_dir():
            return folder
    return None


def work_folder() -> Path | None:
    """Return the folder of the learner's own files, or None if there is no place.

    It need not exist yet. `PAGEDKV_WORK` names another one.
    """
    named = os.environ.get(WORK_VARIABLE)
    if named:
        return Path(named)
    course = course_folder()
    return course / "work" if course else None


def copy_exercises(course: Path, work: Path) -> list[str]:
    """Give the learner a copy of each exercise; return the names of the new ones.

    A file that is there is the learner's, and is never touched.
    """
    work.mkdir(parents=True, exist_ok=True)
    copied: list[str] = []
    for source in sorted((course / "exercises").glob("[0-9][0-9]_*.ipynb")):
        try:
            with (work / source.name).open("xb") as file:
                file.write(source.read_bytes())
        except FileExistsError:
            continue
        copied.append(source.name)
    return copied
