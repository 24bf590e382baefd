"""The keeper of a learner's processes: ends them when they use too much."""

import os
import select
import signal
from contextlib import suppress
from pathlib import Path

from pagedkv_edu.grading.child.walls import SCRATCH_MIB

_EVERY = 0.05  # seconds


class Keeper:
    """Watches one process and all below it, from outside of their walls."""

    def __init__(
        self, process_id: int, memory_mib: int, num_processes: int, scratch: str
    ) -> None:
        self._process_id = process_id
        self._memory_mib = memory_mib
        self._num_processes = num_processes
        self._scratch = Path(scratch)

    def keep(self) -> dict[str, int | str]:
        """Wait for the end; return the exit code, or what there was too much of."""
        too_much = ""
        descriptor = os.pidfd_open(self._process_id)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while not poll.poll(1000 * _EVERY):
            too_much = self._too_much()
            if too_much:
                break
        found = self._end()
        return {"too_much": too_much} if too_much else {"code": found}

    def _too_much(self) -> str:
        processes = below(self._process_id)
        used = sum(map(resident_mib, processes))
        if used > self._memory_mib:
            return f"more than {self._memory_mib} MiB of memory"
        if len(processes) > 2 * self._num_processes:
            return f"more than {self._num_processes} processes"
        if folder_mib(self._scratch) > SCRATCH_MIB:
            return f"more than {SCRATCH_MIB} MiB of files"
        return ""

    def _end(self) -> int:
        """End all that is left; return the exit code of the first one."""
        code = 0
        for process_id in (self._process_id, *below(self._process_id)):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        while True:
            try:
                ended, status = os.wait()
            except ChildProcessError:
                return code
            if ended == self._process_id:
                code = os.waitstatus_to_exitcode(status)
            for process_id in below(os.getpid()):  # orphans come to the keeper
                with suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)


def below(process_id: int) -> list[int]:
    """Return all processes that a process has started, and those that they have."""
    found: list[int] = []
    todo = [process_id]
    while todo and len(found) < 1000:
        current = todo.pop()
        try:
            path = Path(f"/proc/{current}/task/{current}/children")
            children = [int(number) for number in path.read_text().split()]
        except (OSError, ValueError):
            continue
        found += children
        todo += children
    return found


def resident_mib(process_id: int) -> float:
    """Return how much memory a process holds that is not a part of some file."""
    try:
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    except OSError:
        return 0
    own = (line for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    return sum(int(line.split()[1]) for line in own) / 1024


def folder_mib(folder: Path) -> float:
    """Return the size of the files in a folder."""
    total = 0
    try:
        for path in folder.rglob("*"):
            total += path.lstat().st_size
    except OSError:
        pass
    return total / (1 << 20)
