"""Call a learner's code within its time, and say in words what it did wrong."""

import gc
import io
import linecache
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from sysconfig import get_paths
from time import perf_counter, thread_time
from types import FrameType
from typing import Self, TypeVar

from pagedkv_edu.errors import NoAnswer, PagedKVError

T = TypeVar("T")

_PACKAGE = Path(__file__).resolve().parents[2]
NOT_THE_LEARNERS = (
    str(_PACKAGE / "checks"),
    str(_PACKAGE / "grading"),
    get_paths()["stdlib"],
)


class Complaint(Exception):  # noqa: N818  (it is said to a learner, not to a caller)
    """The learner's code did something that no answer may do.

    `part` is the method or property that was asked, `what` completes a title ("raised
    IndexError"), and `found` is a sentence.
    """

    def __init__(
        self,
        part: str,
        what: str,
        found: str,
        *,
        error: str = "",
        stopped: bool = False,
    ) -> None:
        super().__init__(f"{part} {what}")
        self.part = part
        self.what = what
        self.found = found
        self.error = error  # the name of what was raised
        self.stopped = stopped  # by the clock


class Unwritten(Exception):  # noqa: N818
    """A part of the answer is still the stub that says "your turn"."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


class OutOfTime(Exception):  # noqa: N818
    """All calls together have used up the time of one check."""


class _Stopped(BaseException):
    pass  # no Exception, or `except Exception` in the learner's loop would catch it


class _Stopwatch:
    """Tells a call that takes long from one that has to wait for a busy machine."""

    def __init__(self) -> None:
        self._start, self._cpu_start = perf_counter(), thread_time()

    @property
    def cpu_seconds(self) -> float:
        """Time in which this thread was running."""
        return thread_time() - self._cpu_start

    def pardon(self, seconds: float, cpu_seconds: float) -> None:
        """Leave out time that has passed."""
        self._start += seconds
        self._cpu_start += cpu_seconds

    def is_over(self, limit: float, *, waiting: float = 1.5) -> bool:
        """Tell whether the time is up; who only waits gets more, at least a second."""
        seconds = perf_counter() - self._start
        return seconds >= limit and (
            self.cpu_seconds >= limit / 2 or seconds >= max(waiting * limit, 1)
        )


class Guard:
    """Calls a learner's code, so that each call ends and fails in a known way.

    >>> with Guard() as guard:
    ...     block_id = guard.ask("allocate", [3, 4].pop)
    >>> block_id
    4
    """

    def __init__(self, seconds_per_call: float = 2, seconds: float = 5) -> None:
        self.seconds_per_call = seconds_per_call
        self.seconds = self.seconds_left = seconds
        self._patience = seconds_per_call
        self._watch = _Stopwatch()
        self._armed: tuple[_Stopwatch, float] | None = None  # while a call runs
        self._to_undo = ExitStack()
        self._stdout, self._stderr = sys.stdout, sys.stderr

    def __enter__(self) -> Self:
        """Take over the alarm clock, and hold back what the learner prints."""
        if _has_alarm_clock():
            old = signal.signal(signal.SIGALRM, self._ring)
            self._to_undo.callback(signal.signal, signal.SIGALRM, old)
        else:
            warnings.warn(
                "This check cannot stop an endless loop: that needs the main thread "
                "and an alarm clock, which Windows does not have. "
                "If nothing happens for 10 seconds, interrupt the kernel.",
                stacklevel=2,
            )
        if gc.isenabled():
            # a collection in a large process takes longer than a patient call may, and
            # an alarm that rings inside one is lost
            gc.disable()
            self._to_undo.callback(gc.enable)
        self._stdout, self._stderr = sys.stdout, sys.stderr
        # a class that prints would fill the page: a check makes thousands of calls
        self._to_undo.enter_context(redirect_stdout(_Silence()))
        self._to_undo.enter_context(redirect_stderr(_Silence()))
        return self

    def __exit__(self, *error: object) -> None:
        """Give back the clock and the output."""
        self._to_undo.close()

    @contextmanager
    def aloud(self) -> Generator[None]:
        """Let the learner's prints through meanwhile: the shortest failing history."""
        with redirect_stdout(self._stdout), redirect_stderr(self._stderr):
            yield

    @contextmanager
    def impatient(self, seconds_per_call: float) -> Generator[None]:
        """Wait less long meanwhile for a call that may not return."""
        usual, self._patience = self._patience, seconds_per_call
        try:
            yield
        finally:
            self._patience = usual

    def pardon(self, seconds: float, cpu_seconds: float) -> None:
        """Leave out time that went into messages, and not into the answer."""
        self._watch.pardon(seconds, cpu_seconds)
        if self._armed is not None:
            self._armed[0].pardon(seconds, cpu_seconds)

    def ask(self, part: str, function: Callable[..., T], *arguments: object) -> T:
        """Return what the function returns.

        Raises the function's own `PagedKVError`, `Unwritten` for a stub, `OutOfTime`,
        or a `Complaint` about anything else, an endless loop and `sys.exit` included.
        """
        if self.seconds_left <= 0 or self._watch.is_over(2 * self.seconds, waiting=3):
            raise OutOfTime
        limit = min(self._patience, self.seconds_left)
        watch, spent = _Stopwatch(), limit
        try:
            answer = self._timed(watch, limit, function, *arguments)
            spent = watch.cpu_seconds
        except (PagedKVError, Complaint, KeyboardInterrupt):
            spent = watch.cpu_seconds
            raise
        except NotImplementedError:
            spent = watch.cpu_seconds
            raise Unwritten(part) from None
        except _Stopped as stopped:
            raise self._too_slow(part, limit, _place(stopped)) from None
        except NoAnswer as none:  # of a process that a submission is graded in
            if none.is_late:
                raise self._too_slow(part, limit, none.place) from None
            raise Complaint(part, none.what, none.found, stopped=True) from None
        except BaseException as error:  # noqa: BLE001  (it is told to the learner)
            spent = watch.cpu_seconds
            raise _raised(part, error) from None
        finally:
            self.seconds_left -= spent
        if watch.is_over(limit):
            raise self._too_slow(part, limit, "")
        return answer

    def _timed(
        self,
        watch: "_Stopwatch",
        limit: float,
        function: Callable[..., T],
        *arguments: object,
    ) -> T:
        if not _has_alarm_clock():
            return function(*arguments)
        self._armed = watch, limit
        # again and again: the learner's code may swallow the first alarm
        signal.setitimer(signal.ITIMER_REAL, limit, limit / 4)
        try:
            return function(*arguments)
        finally:
            self._armed = None
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed is not None:
            watch, limit = self._armed
            if watch.is_over(limit):
                raise _Stopped

    def _too_slow(self, part: str, limit: float, place: str) -> Exception:
        if limit < self._patience:
            return OutOfTime()
        seconds = f"{self.seconds_per_call:g} s"
        where = f" It was stopped {place}." if place else ""
        return Complaint(
            part,
            f"did not return within {seconds}",
            f"no answer within {seconds}; is there an endless loop?{where}",
            stopped=True,
        )


def shown(value: object, width: int = 60) -> str:
    """Return a value as Python shows it, cut to fit into a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001  (a learner's __repr__ may fail in any way)
        text = ""
    if not text or " at 0x" in text:  # an address says nothing, and changes
        return a_kind(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def a_kind(value: object) -> str:
    """Return "an int", "a list": the kind of a value."""
    kind = type(value).__name__
    return f"an {kind}" if kind[:1].lower() in "aeiou" else f"a {kind}"


def _raised(part: str, error: BaseException) -> Complaint:
    name = type(error).__name__
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  (a learner's __str__ may fail in any way)
        message = ""
    text = f"{name}: {message}" if message else name
    place = _place(error)
    found = f"{text}, {place}." if place else f"{text}."
    return Complaint(part, f"raised {name}", found, error=name)


def _place(error: BaseException) -> str:
    """Return the last line of the learner's own: 'in line 7, "while True:"'."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(NOT_THE_LEARNERS) and frame.lineno is not None:
            line = linecache.getline(frame.filename, frame.lineno).strip()
            return f"in line {frame.lineno}" + (f', "{line}"' if line else "")
    return ""


def _has_alarm_clock() -> bool:
    in_main_thread = threading.current_thread() is threading.main_thread()
    return hasattr(signal, "setitimer") and in_main_thread


class _Silence(io.TextIOBase):
    def write(self, text: str, /) -> int:
        return len(text)
