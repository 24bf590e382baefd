"""Wait for another process, and count only the time that the answer itself took."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter, thread_time

from pagedkv_edu.checks.judging.limits import Guard


class Wait:
    """One wait; `busy` is how long the answer itself took, by the other side."""

    def __init__(self) -> None:
        self.busy = 0.0


@contextmanager
def waiting() -> Generator[Wait]:
    """Hold the alarm clock: the other side has one of its own, for the same call.

    A busy machine makes each message late, and an answer that asks back sends hundreds.
    Only the time in which the answer itself was at work counts for the check.
    """
    left, again = signal.setitimer(signal.ITIMER_REAL, 0)
    begun, begun_cpu = perf_counter(), thread_time()
    wait = Wait()
    try:
        yield wait
    finally:
        idle = perf_counter() - begun - wait.busy
        guard = getattr(signal.getsignal(signal.SIGALRM), "__self__", None)
        if isinstance(guard, Guard):
            guard.pardon(idle, thread_time() - begun_cpu - wait.busy)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - wait.busy, 0.01), again)
