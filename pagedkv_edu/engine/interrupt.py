"""An interrupt waits for the end of a step, so that nothing is left half done."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def uninterrupted() -> Generator[None]:
    """Hold an interrupt back until the block is left; a second one is not held.

    Only the main thread is ever interrupted, so elsewhere this does nothing.
    """
    handler = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not (in_main and callable(handler)):
        yield
        return
    held: list[FrameType | None] = []

    def hold(signum: int, frame: FrameType | None) -> None:
        if held:
            handler(signum, frame)
        held.append(frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(signal.SIGINT, held[0])
