"""The command line: `pagedkv lab`, `doctor`, `progress`, `grade`, `export`."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pagedkv_edu import course
from pagedkv_edu.course.doctor import HEAD, INSTALL, Diagnosis
from pagedkv_edu.course.folder import copy_exercises, course_folder, work_folder
from pagedkv_edu.grading.command import export, grade

FIRST_PAGE = "notebooks/00_start.ipynb"
STYLES = {"OK": "green", "note": "yellow", "missing": "bold red"}

app = typer.Typer(no_args_is_help=True, help=__doc__, add_completion=False)
console = Console()
app.command()(grade)
app.command()(export)


@app.command()
def lab(
    *,
    browser: Annotated[
        bool, typer.Option(help="Open a browser, or print the address only.")
    ] = True,
    port: Annotated[int, typer.Option(help="Where JupyterLab listens.")] = 8888,
) -> None:
    """Copy the exercises into work/, once, and open JupyterLab on the first lesson."""
    folder = course_folder() or course_folder(Path(__file__).parent)
    if folder is None:
        _stop("the lessons are not here; run this in the folder that holds notebooks/")
    if find_spec("jupyterlab") is None:
        _stop(f"JupyterLab is not installed: {INSTALL}")
    copied = copy_exercises(folder, folder / "work")
    for name in copied:
        console.print(f"work/{name} is yours now", highlight=False)
    if not copied:
        console.print("your exercises in work/ are as you left them", highlight=False)
    _replace_by(lab_command(folder, browser=browser, port=port), folder)


@app.command()
def doctor() -> None:
    """Say what this machine has and lacks, and what to do; fail if it lacks any."""
    diagnosis = course.doctor()
    console.print(_drawn(diagnosis))
    console.print(diagnosis.summary(), markup=False, highlight=False)
    if not diagnosis.healthy:
        raise typer.Exit(1)


@app.command()
def progress() -> None:
    """Say what you have done so far, lesson by lesson."""
    if work_folder() is None:
        _stop("your work is not here; run this in the folder that holds notebooks/")
    try:
        typer.echo(repr(course.progress()))
    except ImportError as missing:
        _stop(str(missing))


def lab_command(folder: Path, *, browser: bool, port: int) -> list[str]:
    """Return the command that opens JupyterLab on the first lesson."""
    command = [sys.executable, "-m", "jupyterlab", FIRST_PAGE]
    command += [f"--ServerApp.root_dir={folder}", f"--port={port}"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def _replace_by(command: list[str], folder: Path) -> None:
    """Become another program, so that Ctrl-C and a kill reach it and nothing else."""
    os.chdir(folder)
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)
    raise typer.Exit(subprocess.call(command))


def _drawn(diagnosis: Diagnosis) -> Table:
    table = Table(*HEAD, box=None, pad_edge=False, header_style="dim")
    for name, status, found, to_do in diagnosis.rows():
        table.add_row(name, Text(status, STYLES[status]), Text(found), Text(to_do))
    return table


def _stop(reason: str) -> NoReturn:
    console.print(reason, markup=False, highlight=False)
    raise typer.Exit(2)
