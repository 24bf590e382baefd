"""Call a learner's function within its time, and say in words what it did wrong."""

import io
import linecache
import signal
import sysconfig
import threading
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from time import perf_counter
from types import FrameType

from pagedkv_edu import errors
from pagedkv_edu.errors import NoAnswer

PACKAGE = str(Path(__file__).resolve().parents[1])
GRADING = str(Path(errors.__file__).with_name("grading"))  # runs answers elsewhere
STDLIB = sysconfig.get_paths()["stdlib"]
INSTALLED = "site-packages"
RING_AGAIN = 0.5  # seconds, in case the learner's code swallowed the first alarm


class Complaint(Exception):  # noqa: N818  (it is said to a learner, not to a caller)
    """The learner's code did what no answer may do.

    `what` completes a title ("raised IndexError"), `found` and `expected` are
    sentences.
    """

    def __init__(
        self,
        what: str,
        found: str,
        *,
        expected: str = "an answer, and no error.",
        stopped: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(what)
        self.what = what
        self.found = found
        self.expected = expected
        self.stopped = stopped  # by the clock
        self.hint = hint  # its title, where there is one of its own


class Unwritten(Exception):  # noqa: N818
    """The answer is still the stub that says "your turn"."""


class OutOfTime(Exception):  # noqa: N818
    """All calls together have used up the time of one check."""


class _Stopped(BaseException):
    # Not an Exception, or `except Exception` in the learner's loop would catch it.
    pass


class Caller:
    """Calls one answer; what it prints is held back unless `aloud` is set.

    Compiling a kernel, and interpreting one, takes its time: hence more seconds than
    the checks of plain functions give.
    """

    def __init__(
        self,
        answer: Callable[..., object],
        seconds_per_call: float = 5,
        seconds: float = 20,
    ) -> None:
        self._answer = answer
        self._seconds_per_call = seconds_per_call
        self._seconds_left = seconds
        self.aloud = False

    def __call__(self, *arguments: object) -> object:
        """Return what the answer returns.

        Raises `Unwritten` for a stub, `OutOfTime`, or a `Complaint` about anything
        else, an endless loop and `sys.exit` included.
        """
        if self._seconds_left <= 0:
            raise OutOfTime
        limit = min(self._seconds_per_call, self._seconds_left)
        start = perf_counter()
        try:
            with _alarm(limit), _held_back(aloud=self.aloud):
                return self._answer(*arguments)
        except KeyboardInterrupt:
            raise
        except _Stopped:
            raise self._too_slow(limit) from None
        except NoAnswer as none:  # of a process that a submission is graded in
            if none.is_late:
                raise self._too_slow(limit) from None
            raise Complaint(none.what, none.found, stopped=True) from None
        except BaseException as error:  # noqa: BLE001  (it is told to the learner)
            if any(map(_is_stub, _causes(error))):
                raise Unwritten from None
            raise _raised(error) from None
        finally:
            self._seconds_left -= perf_counter() - start

    def _too_slow(self, limit: float) -> Exception:
        if limit < self._seconds_per_call:
            return OutOfTime()
        return Complaint(
            f"did not return within {limit:g} s",
            f"no answer within {limit:g} s; is there an endless loop?",
            stopped=True,
        )


@contextmanager
def _alarm(seconds: float) -> Generator[None]:
    """Raise `_Stopped` inside when the time is over, where the system has a clock."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (in_main_thread and hasattr(signal, "setitimer")):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _Stopped

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, RING_AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@contextmanager
def _held_back(*, aloud: bool) -> Generator[None]:
    # numpy warns of overflow in the interpreter; the verdict is on numbers alone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if aloud:
            yield
            return
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield


def _raised(error: BaseException) -> Complaint:
    cause = list(_causes(error))[-1]  # the interpreter wraps what a kernel raises
    name = type(cause).__name__
    message = _message(cause)[:200]
    text = f"{name}: {message}" if message else name
    place = next(filter(None, map(_place, reversed(list(_causes(error))))), "")
    return Complaint(f"raised {name}", f"{text}, {place}." if place else f"{text}.")


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:  # noqa: BLE001  (a learner's __str__ may fail in any way)
        return ""


def _is_stub(error: BaseException) -> bool:
    # the compiler refuses to compile a stub, and quotes it
    return isinstance(error, NotImplementedError) or "your turn" in _message(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__


def _place(error: BaseException) -> str:
    """Return the last line that is the learner's: 'in line 7, "x = q[8]"'."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        ours = (STDLIB, INSTALLED, PACKAGE, GRADING)
        is_theirs = not any(place in frame.filename for place in ours)
        if is_theirs and frame.lineno is not None:
            line = linecache.getline(frame.filename, frame.lineno).strip()
            return f"in line {frame.lineno}" + (f', "{line}"' if line else "")
    return ""
