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
