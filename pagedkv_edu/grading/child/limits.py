"""Stop a call of a learner's code that does not return, and say where it stood."""

import linecache
import signal
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import perf_counter, thread_time
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

# The check's own clock, in the parent, counts the same seconds; this one rings first.
EARLIER = 0.9


class Stopped(BaseException):
    """The time of a call is up. No Exception, or a learner's loop would catch it."""


class Clock:
    """Calls functions within a time; who only waits for a busy machine gets more."""

    def __init__(self) -> None:
        self._limit = 0.0
        self._start = self._cpu_start = 0.0
        self._is_paused = False
        self.busy = 0.0  # seconds of the last call, without the pauses
        signal.signal(signal.SIGALRM, self._ring)

    def ask(self, seconds: float, function: Callable[..., T], *arguments: object) -> T:
        """Return what the function returns; raises `Stopped` when the time is up."""
        self._limit = EARLIER * seconds
        self._start, self._cpu_start = perf_counter(), thread_time()
        # again and again: the learner's code may swallow the first alarm
        signal.setitimer(signal.ITIMER_REAL, self._limit, self._limit / 4)
        try:
            return function(*arguments)
        finally:
            self._limit = 0.0
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.busy = perf_counter() - self._start

    @contextmanager
    def paused(self) -> Generator[None]:
        """Let the time stand still while the parent is asked."""
        begun = perf_counter()
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False
            self._start += perf_counter() - begun

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if not self._limit or self._is_paused:
            return
        waited = perf_counter() - self._start
        computed = thread_time() - self._cpu_start
        patience = max(1.5 * self._limit, EARLIER)
        if waited >= self._limit and (
            computed >= self._limit / 2 or waited >= patience
        ):
            raise Stopped


def place(error: BaseException, sources: dict[str, str]) -> tuple[str, int]:
    """Return file and line of the last line that is the learner's own."""
    for entry in reversed(traceback.extract_tb(error.__traceback__)):
        if entry.filename in sources and entry.lineno is not None:
            return entry.filename, entry.lineno
    return "", 0


def keep_source(name: str, source: str) -> None:
    """Let tracebacks, and Triton, find the text of a cell."""
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
