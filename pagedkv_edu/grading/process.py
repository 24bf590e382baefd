"""A learner's process as the parent sees it: started, asked, killed."""

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import rmtree
from signal import SIGKILL, Signals
from time import monotonic
from typing import Any

from pagedkv_edu.errors import NoAnswer, PagedKVError

Reply = dict[str, Any]
MOST_BYTES = 96 << 20
PACKAGES = ("pagedkv_edu", "pagedkv_kernels")
_numbers = count()


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a submission may use."""

    seconds: float = 120  # by the clock, for one question; a busy machine is slow
    memory_mib: int = 2048
    num_processes: int = 32


class CannotStart(PagedKVError):  # noqa: N818
    """This machine does not let the grader start a learner's process."""


class Process:
    """One learner's process, behind its walls, and the wire to it."""

    def __init__(self, package: Path, allowance: Allowance) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pagedkv-grade-"))
        self.walls: dict[str, bool] = {}
        self._received = b""
        self._begun: int | None = None
        requests, self._to_child = os.pipe()
        self._from_child, replies = os.pipe()
        self._status, status = os.pipe()
        ends = (requests, replies, status)
        setup = json.dumps(_setup(self._folder, allowance))
        main = package / "pagedkv_edu" / "grading" / "child" / "main.py"
        command = [sys.executable, "-S", "-s", "-P", str(main), *map(str, ends), setup]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd=self._folder,
                pass_fds=ends,
                start_new_session=True,
            )
        finally:
            for end in ends:
                os.close(end)
        os.set_blocking(self._to_child, False)
        self.is_alive = True
        try:
            self.walls = self._line(monotonic() + 30)["walls"]
        except BaseException as error:
            self.kill()
            if isinstance(error, NoAnswer):
                raise CannotStart(
                    f"no process for a submission can be started: {error.found}"
                ) from None
            raise

    def ask(
        self,
        request: dict[str, Any],
        seconds: float,
        answer_back: Callable[[Reply], Reply] | None = None,
        pause: float = 0,
    ) -> Reply:
        """Send a request and return the reply; raises `NoAnswer` if none comes.

        With a `pause`, so many seconds may pass between two signs of life.
        """
        deadline = monotonic() + seconds
        try:
            self._send(request, deadline)
            return self.receive(deadline - monotonic(), answer_back, pause)
        except BaseException:
            self.kill()  # after half a conversation nothing fits together any more
            raise

    def receive(
        self,
        seconds: float,
        answer_back: Callable[[Reply], Reply] | None = None,
        pause: float = 0,
    ) -> Reply:
        """Return the next reply, and answer what the learner's code asks meanwhile."""
        last = monotonic() + seconds
        deadline = min(last, monotonic() + (pause or seconds))
        try:
            while True:
                reply = self._line(deadline)
                if "begins" in reply:
                    self._begun = int(reply["begins"])
                    # what the child's own clock could not stop is stopped here
                    most = monotonic() + 2 * float(reply["limit"]) + 2
                    deadline = min(last, most)
                elif "ask" in reply and answer_back:
                    self._send(answer_back(reply["ask"]), last)
                    deadline = min(last, monotonic() + (pause or seconds))
                else:
                    return reply
        except BaseException:
            self.kill()
            raise

    @property
    def begun(self) -> int | None:
        """The statement of a cell that was begun last."""
        return self._begun

    def kill(self) -> None:
        """End the process and all that it has started; remove what it wrote."""
        if not self.is_alive:
            return
        self.is_alive = False
        for end in (self._to_child, self._from_child):
            os.close(end)
        with suppress(ProcessLookupError):
            # the keeper dies, and with it, by the kernel's hand, the first one inside
            os.killpg(self._process.pid, SIGKILL)
        self._process.wait()
        os.close(self._status)
        rmtree(self._folder, ignore_errors=True)

    def _send(self, request: dict[str, Any], deadline: float) -> None:
        data = memoryview(json.dumps(request).encode() + b"\n")
        poll = select.poll()
        poll.register(self._to_child, select.POLLOUT)
        while data:
            if not poll.poll(_milliseconds(deadline)):
                raise NoAnswer(is_late=True)
            try:
                data = data[os.write(self._to_child, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._ended() from None

    def _line(self, deadline: float) -> Reply:
        poll = select.poll()
        poll.register(self._from_child, select.POLLIN)
        parts = [self._received]
        size = len(self._received)
        while b"\n" not in parts[-1]:
            if not poll.poll(_milliseconds(deadline)):
                raise NoAnswer(is_late=True)
            part = os.read(self._from_child, 1 << 20)
            if not part:
                raise self._ended()
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise _nonsense("sent more than an answer can hold")
        line, _, self._received = b"".join(parts).partition(b"\n")
        return _parsed(line)

    def _ended(self) -> NoAnswer:
        """Say how the process has ended, by what its keeper tells."""
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        told: dict[str, Any] = {}
        if poll.poll(5000):
            with suppress(ValueError):
                told = json.loads(os.read(self._status, 10_000) or b"{}")
        too_much = told.get("too_much")
        if too_much:
            return NoAnswer(f"used {too_much}", f"it used {too_much}, and was ended.")
        code = int(told.get("code", 0))
        how = f"exit code {code}"
        if 128 < code < 128 + 65:
            with suppress(ValueError):
                how = f"signal {Signals(code - 128).name}"
        return NoAnswer(
            "ended the Python process",
            f"the Python process has ended ({how}); an answer returns or raises.",
        )


def _setup(folder: Path, allowance: Allowance) -> dict[str, Any]:
    stage, scratch = folder / "stage", folder / "scratch"
    for path in (stage, scratch):
        path.mkdir()
    installed = ("site-packages", "dist-packages")
    site_packages = [p for p in sys.path if p.endswith(installed) and Path(p).is_dir()]
    return {
        "memory_mib": allowance.memory_mib,
        "cpu_seconds": int(4 * allowance.seconds) + 10,
        "num_processes": allowance.num_processes,
        "num_running": _num_running(),
        "number": next(_numbers) + 1000 * os.getpid(),
        "stage": str(stage),
        "scratch": str(scratch),
        "paths": site_packages,
        "show": [sys.base_prefix, *site_packages],
        "hide": [f"{path}/{name}" for path in site_packages for name in PACKAGES],
    }


def _num_running() -> int:
    """Count the threads of this user, which a limit without a namespace counts too."""
    uid, total = os.getuid(), 0
    for path in Path("/proc").glob("[0-9]*/task"):
        with suppress(OSError):
            if path.stat().st_uid == uid:
                total += len(list(path.iterdir()))
    return total


def _environment() -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TRITON_INTERPRET": "1",
        "USER": "learner",
    }


def _milliseconds(deadline: float) -> int:
    return max(0, int(1000 * (deadline - monotonic())))


def _parsed(line: bytes) -> Reply:
    try:
        reply: object = json.loads(line)
    except (ValueError, RecursionError):
        raise _nonsense("wrote into the grader's pipe") from None
    if not isinstance(reply, dict):
        raise _nonsense("wrote into the grader's pipe")
    return reply


def _nonsense(what: str) -> NoAnswer:
    return NoAnswer(what, f"the Python process {what}, so nothing can be asked of it.")
