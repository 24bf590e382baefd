"""A progress bar for what takes longer than a reader likes to wait without a sign."""

from collections.abc import Callable
from time import monotonic

import ipywidgets as widgets
from IPython.display import display

SECONDS_BETWEEN = 0.1


def bar(what: str) -> Callable[[int, int], None]:
    """Show a bar, and return what moves it: call it with the done and the total.

    `compare_reservations(requests, on_step=bar("requests"))`
    """
    progress = widgets.IntProgress(0, 0, 1, description=what)
    count = widgets.Label("")
    display(widgets.HBox([progress, count]))
    last = -SECONDS_BETWEEN

    def move(done: int, total: int) -> None:
        nonlocal last
        now = monotonic()
        if done < total and now - last < SECONDS_BETWEEN:
            return  # each move is a message to the browser
        last = now
        progress.max, progress.value = total, done
        count.value = f"{done:,} of {total:,}"

    return move
