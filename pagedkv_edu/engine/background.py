"""Serve in a thread, so that a notebook's widgets stay responsive."""

import threading

from pagedkv_edu.engine.server import OnStep, Server


class Running:
    """A server at work in a thread of its own.

    An error stops the work, leaves the pool clean, and is kept in `error`; `wait`
    raises it. `on_step` is called in that thread.
    """

    def __init__(self, server: Server, on_step: OnStep | None = None) -> None:
        self.server = server
        self.error: BaseException | None = None
        self._on_step = on_step
        self._stop = threading.Event()
        # a daemon: a Python that ends does not wait for an answer
        self._thread = threading.Thread(
            target=self._work, name="pagedkv server", daemon=True
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether an answer is still on its way."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End every answer after the step that is under way; return at once."""
        self._stop.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; tell whether it was reached, and raise a kept error."""
        self._thread.join(timeout_s)
        if self.is_running:
            return False
        if self.error is not None:
            raise self.error
        return True

    def _work(self) -> None:
        try:
            while self.server.has_work and not self._stop.is_set():
                step = self.server.step()
                if self._on_step is not None:
                    self._on_step(step)
        except BaseException as error:  # noqa: BLE001  (it is told by `wait`)
            self.error = error
        finally:
            self.server.cancel()


def start(server: Server, on_step: OnStep | None = None) -> Running:
    """Serve what was submitted, in the background."""
    return Running(server, on_step)
