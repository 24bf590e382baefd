"""`pagedkv grade PATH...` and `pagedkv export ENGINE DIR`, for who teaches."""

import os
import platform
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from pagedkv_edu.course.exercises import exercise_with_id
from pagedkv_edu.course.folder import course_folder
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.grading.export import export_nbgrader, export_otter
from pagedkv_edu.grading.many import grade_all, new_task, result_path
from pagedkv_edu.grading.outcome import Outcome, read
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.grading.submissions import Item, find

MOST_LINES = 20
WALLS = {
    "files": "it could read the files of this machine",
    "network": "it could reach the network",
    "processes": "it could see the other processes",
    "user": "it ran as the user who grades",
}

console = Console()
ENGINES = {"otter": export_otter, "nbgrader": export_nbgrader}


def grade(
    paths: Annotated[
        list[Path], typer.Argument(help="Notebooks, folders, zips of a platform.")
    ],
    *,
    out: Annotated[
        Path, typer.Option(help="Where grades.csv and the feedback go.")
    ] = Path("grades"),
    timeout: Annotated[
        float, typer.Option(min=5, help="Seconds that one question may take.")
    ] = 120,
    memory: Annotated[
        int, typer.Option(min=256, help="MiB that the code of one learner may use.")
    ] = 2048,
    jobs: Annotated[
        int,
        typer.Option(min=0, help="Submissions graded at once; 0: one for each core."),
    ] = 0,
    only: Annotated[str, typer.Option(help="One question, such as 5.3.")] = "",
) -> None:
    """Grade notebooks, each in walls of its own; write a table and feedback.

    What is graded already, by the same checks, is not graded again.
    """
    if platform.system() != "Linux":
        _stop(
            "pagedkv grade needs Linux, for its walls: on macOS and Windows run it in "
            "a container or a virtual machine, or in WSL"
        )
    if only:
        try:
            exercise_with_id(only)
        except PagedKVError as error:
            _stop(str(error))
    for path in paths:
        if not path.exists():
            _stop(f"{path} is not there")
    items = find(paths)
    if not items:
        _stop("there is no notebook in " + ", ".join(map(str, paths)))
    if out.exists() and not out.is_dir():
        _stop(f"--out {out} is a file; give the folder where the results go")
    allowance = Allowance(seconds=timeout, memory_mib=memory)
    task = new_task(out, allowance, only, jobs or os.cpu_count() or 1)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("graded", total=len(items))
        try:
            num_new = grade_all(items, task, lambda _: progress.advance(bar))
        except KeyboardInterrupt:
            progress.stop()
            _stop("stopped; the same command goes on from here")
        except OSError as error:
            progress.stop()
            _stop(f"the results cannot be written: {error}")
    _tell(items, out, num_new)


def export(
    engine: Annotated[str, typer.Argument(help="otter or nbgrader.")],
    folder: Annotated[Path, typer.Argument(help="Where to write.")],
    *,
    only: Annotated[str, typer.Option(help="One notebook, such as 05.")] = "",
) -> None:
    """Write what another grading engine needs, from the same exercises and checks."""
    if engine not in ENGINES:
        _stop(f"there is no export for {engine}; there is one for {', '.join(ENGINES)}")
    course = course_folder() or course_folder(Path(__file__).parent)
    if course is None:
        _stop("the exercises are not here; run this in the folder that holds them")
    try:
        for path in ENGINES[engine](course, folder, only):
            console.print(str(path), markup=False, highlight=False)
    except PagedKVError as error:
        _stop(str(error))


def _tell(items: list[Item], out: Path, num_new: int) -> None:
    results = [r for item in items if (r := read(result_path(out, item)))]
    console.print(_summary(results))
    say = console.print
    for result in [r for r in results if r["problem"]][:MOST_LINES]:
        say(f"{result['submission']}: {result['problem']}", markup=False)
    down = {wall for r in results for wall, stands in r["walls"].items() if not stands}
    for wall in sorted(down):
        say(f"A wall is missing: a learner's code was not stopped here; {WALLS[wall]}.")
    say(f"{num_new} new, {len(results) - num_new} graded before", highlight=False)
    say(f"{out / 'grades.csv'}, and a page for each in {out / 'feedback'}")


def _summary(results: list[Outcome]) -> Table:
    table = Table("exercise", box=None, pad_edge=False, header_style="dim")
    for name in ("submissions", "all points", "no points", "mean"):
        table.add_column(name, justify="right")
    for exercise in sorted({r["exercise"] for r in results}):
        those = [r for r in results if r["exercise"] == exercise]
        points = [r["points"] for r in those]
        if not exercise:
            table.add_row("not graded", str(len(those)), "", "", "")
            continue
        table.add_row(
            exercise,
            str(len(those)),
            str(sum(r["points"] == r["most_points"] for r in those)),
            str(points.count(0)),
            f"{sum(points) / len(points):.1f} of {those[0]['most_points']}",
        )
    return table


def _stop(reason: str) -> NoReturn:
    console.print(reason, markup=False, highlight=False)
    raise typer.Exit(2)
