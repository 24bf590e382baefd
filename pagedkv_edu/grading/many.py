"""Grade many submissions at once; what is done already is not done again."""

import json
import selectors
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from pagedkv_edu.grading.notebook import NotAnExercise
from pagedkv_edu.grading.outcome import (
    Outcome,
    as_csv,
    as_text,
    course_version,
    made_from,
    not_graded,
    read,
    row,
    write_whole,
)
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.grading.submissions import Item

OnDone = Callable[[Item], None]
MOST_QUESTIONS = 6  # of one notebook, with its cells: the worker's own time limit
SECONDS_TO_CLEAR_UP = 10
_WORKER = [sys.executable, "-m", "pagedkv_edu.grading.worker"]


@dataclass(frozen=True, slots=True)
class Task:
    """How to grade, and where to write."""

    folder: Path
    allowance: Allowance
    only: str
    jobs: int
    course: str


def grade_all(items: list[Item], task: Task, on_done: OnDone) -> int:
    """Grade what is not graded yet, and write the table; return how many were new."""
    waiting = deque(item for item in items if not _is_done(item, task, on_done))
    num_new = len(waiting)
    _run(waiting, task, on_done)
    results = (read(result_path(task.folder, item)) for item in items)
    rows = [row(result) for result in results if result is not None]
    write_whole(task.folder / "grades.csv", as_csv(rows))
    return num_new


def new_task(folder: Path, allowance: Allowance, only: str = "", jobs: int = 1) -> Task:
    """Return a task for the course as it is installed now."""
    return Task(folder, allowance, only, jobs, course_version())


def result_path(folder: Path, item: Item) -> Path:
    """Return where the result of a submission is kept."""
    return folder / "results" / f"{item.name}.json"


def _is_done(item: Item, task: Task, on_done: OnDone) -> bool:
    found = read(result_path(task.folder, item))
    page = task.folder / "feedback" / f"{item.name}.html"
    if found is None or not page.exists():
        return False
    try:
        data = item.read()
    except NotAnExercise:
        data = b""
    if found["made_from"] != made_from(data, task.course, task.allowance, task.only):
        return False
    on_done(item)
    return True


class _Worker:
    """A process that grades, and what it is at."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `end`)
        self._process = subprocess.Popen(
            _WORKER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
        )
        assert self._process.stdin, "it was asked for"
        assert self._process.stdout, "it was asked for"
        self.wire, self.answers = self._process.stdin, self._process.stdout
        self.item: Item | None = None
        self.until = 0.0

    def begin(self, item: Item, task: Task) -> None:
        """Let it grade an item."""
        order = _order(item, task)
        self.item = item
        self.until = monotonic() + MOST_QUESTIONS * task.allowance.seconds + 60
        self.wire.write(json.dumps(order).encode() + b"\n")
        self.wire.flush()

    def last_words(self) -> str:
        """Return the last line of what it said before it ended."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").split("\n")
        return next(
            (line for line in reversed(lines) if line.strip()), "no reason given"
        )

    def kill(self) -> None:
        """Stop it where it is."""
        self._process.kill()

    def end(self) -> None:
        """Let it clear up if it is idle, end it otherwise, and forget it."""
        with suppress(OSError):
            self.wire.close()
        try:
            self._process.wait(0 if self.item else SECONDS_TO_CLEAR_UP)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        self.answers.close()
        self._said.close()


def _run(waiting: deque[Item], task: Task, on_done: OnDone) -> None:
    workers = [_Worker() for _ in range(min(task.jobs, len(waiting)))]
    try:
        for worker in workers:
            worker.begin(waiting.popleft(), task)
        while any(worker.item for worker in workers):
            for worker in _ready(workers):
                item, worker.item = worker.item, None
                assert item, "a worker that is waited for has one"
                if not worker.answers.readline():
                    why = worker.last_words()
                    worker.end()
                    workers.remove(worker)
                    _write_problem(item, task, f"the grader itself has ended: {why}")
                    worker = _Worker()
                    workers.append(worker)
                on_done(item)
                if waiting:
                    worker.begin(waiting.popleft(), task)
    finally:
        for worker in workers:
            worker.end()


def _ready(workers: Iterable[_Worker]) -> Iterator[_Worker]:
    """Wait, and return workers that have answered, have ended, or are too late."""
    busy = [worker for worker in workers if worker.item]
    with selectors.DefaultSelector() as selector:
        for worker in busy:
            selector.register(worker.answers, selectors.EVENT_READ, worker)
        ready = [key.data for key, _ in selector.select(timeout=1)]
    for worker in busy:
        if worker not in ready and monotonic() > worker.until:
            worker.kill()  # its answers end, and so it is ready
            ready.append(worker)
    return iter(ready)


def _order(item: Item, task: Task) -> dict[str, Any]:
    return {
        "label": item.label,
        "path": str(item.path),
        "inside": item.inside,
        "problem": item.problem,
        "folder": str(task.folder),
        "timeout": task.allowance.seconds,
        "memory": task.allowance.memory_mib,
        "only": task.only,
        "course": task.course,
    }


def _write_problem(item: Item, task: Task, problem: str) -> None:
    origin = made_from(b"", task.course, task.allowance, task.only)
    result: Outcome = not_graded(item.label, item.name, origin, problem)
    write_whole(result_path(task.folder, item), as_text(result))
