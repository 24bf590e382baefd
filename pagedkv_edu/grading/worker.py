"""Grade one submission after the other, as the command asks: `-m ...grading.worker`.

One JSON object a line: in comes what to grade and where to write it, out goes what was
written. The command starts one of these for each job, and a new one if it ends.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.grading.child.walls import die_with_parent
from pagedkv_edu.grading.feedback import feedback_page
from pagedkv_edu.grading.isolate import Packages, grade
from pagedkv_edu.grading.notebook import NotAnExercise, read_notebook
from pagedkv_edu.grading.outcome import (
    Outcome,
    as_text,
    made_from,
    not_graded,
    outcome,
    write_whole,
)
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.grading.submissions import Item


def main() -> None:
    """Serve until the command closes the wire."""
    die_with_parent()
    wire = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a check may print goes elsewhere
    with Packages() as packages:
        for line in sys.stdin:
            result = _grade(json.loads(line), packages)
            wire.write(json.dumps(result) + "\n")
            wire.flush()


def _grade(order: dict[str, Any], packages: Packages) -> dict[str, Any]:
    item = Item(
        order["label"], Path(order["path"]), tuple(order["inside"]), order["problem"]
    )
    allowance = Allowance(order["timeout"], order["memory"])
    result = _result(item, order, allowance, packages)
    folder = Path(order["folder"])
    write_whole(folder / "feedback" / f"{item.name}.html", feedback_page(result))
    write_whole(folder / "results" / f"{item.name}.json", as_text(result))
    return {"name": item.name}


def _result(
    item: Item, order: dict[str, Any], allowance: Allowance, packages: Packages
) -> Outcome:
    origin = made_from(b"", order["course"], allowance, order["only"])
    try:
        data = item.read()
        origin = made_from(data, order["course"], allowance, order["only"])
        submission = read_notebook(data, item.label)
        del data  # a notebook may be large
        if order["only"] not in ("", *(e.id for e in submission.questions)):
            raise NotAnExercise(
                f"this is {submission.exercise}, which has no {order['only']}"
            )
        grades = grade(submission, packages, allowance, order["only"])
        return outcome(item.label, item.name, origin, grades)
    except NotAnExercise as reason:
        problem = str(reason)
    except PagedKVError as error:
        problem = f"the grader could not go on: {error}"
    return not_graded(item.label, item.name, origin, problem)


if __name__ == "__main__":
    main()
