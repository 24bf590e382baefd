"""One submission's module in a process of its own; started again when it has ended."""

from base64 import b64decode
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

from pagedkv_edu.errors import NoAnswer
from pagedkv_edu.grading.child.codec import (
    Decoder,
    Encoder,
    fill_storage,
    new_storage,
)
from pagedkv_edu.grading.child.opened import OpenArguments
from pagedkv_edu.grading.lending import Lent, as_text
from pagedkv_edu.grading.notebook import Cell
from pagedkv_edu.grading.process import Allowance, Process
from pagedkv_edu.grading.raising import forget_sources, keep_sources, raised_there
from pagedkv_edu.grading.trouble import Trouble
from pagedkv_edu.grading.waiting import waiting

Request = dict[str, Any]
Reply = dict[str, Any]
Learn = Callable[[list[Reply]], None]
MakeObject = Callable[["Session", int, dict[str, Any]], object]

SECONDS_FOR_A_STATEMENT = 5.0
SECONDS_FOR_AN_IMPORT = 30.0  # torch, from a cold disk
MOST_STARTS = 12  # in one question


class Session:
    """Runs the cells of a submission and asks for what they define."""

    def __init__(
        self,
        cells: Sequence[Cell],
        package: Path,
        allowance: Allowance,
        make_object: MakeObject,
        trouble: Trouble,
    ) -> None:
        self._cells = cells
        self._make_object = make_object
        self._package = package
        self._allowance = allowance
        self._process: Process | None = None
        self._handles = count(1)
        self._pending: Learn | None = None  # reads whose replies are on the way
        self._lent = Lent()
        self._says: dict[int, dict[str, Any]] = {}
        self._drop: list[int] = []
        self._trouble = trouble
        self._open = OpenArguments([], Encoder(self._lent.give).encode)
        self._num_starts = 0
        self._deadline = monotonic() + allowance.seconds
        self.era = 0  # one for each process
        self.walls: dict[str, bool] = {}
        keep_sources(cells)

    def begin(self, seconds: float) -> None:
        """Begin a question: it has so much time, by the clock."""
        self._deadline = monotonic() + seconds
        self._num_starts = 0

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.kill()
        forget_sources(self._cells)

    # --- what remote objects need ------------------------------------------------

    def new_handle(self) -> int:
        """Return a number for an object that is about to be made there."""
        return -next(self._handles)  # below 0: above are those given out there

    def require_era(self, era: int) -> None:
        """Raise `NoAnswer` if the process that holds an object has ended."""
        if era != self.era or self._process is None or not self._process.is_alive:
            raise NoAnswer("ended the Python process", "the process has ended before.")

    def let_go(self, handle: int, era: int) -> None:
        """Note that an object is not needed any more."""
        if era == self.era:
            self._says.pop(handle, None)
            self._drop.append(handle)

    def says(self, handle: int, told: dict[str, Any]) -> dict[str, Any]:
        """Return what a table says now; it is told with every reply."""
        return self._says.get(handle) or told.get("says") or {}

    def plain(self, arguments: tuple[object, ...]) -> list[Any]:
        """Return arguments as JSON; there are no tensors among them."""
        return [Encoder(self._lent.give).encode(argument) for argument in arguments]

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the cells have defined under a name."""
        return self._ask({"op": "describe", "name": name}, 5)["ok"]

    def value(self, data: Any, storages: Sequence[str] = ()) -> Any:
        """Return the value that the other side has sent."""
        made = [new_storage(b64decode(text)) for text in storages]
        return Decoder(self._take, made).decode(data)

    def make(
        self, request: Request, arguments: tuple[object, ...], limit: float
    ) -> list[str]:
        """Make an object there; return the names that it has of its own."""
        reply = self._call(request, arguments, limit, None, None)
        return [str(name) for name in reply.get("names", ())]

    def call(
        self,
        request: Request,
        arguments: tuple[object, ...],
        limit: float,
        reads: list[Request] | None = None,
        learn: Learn | None = None,
    ) -> object:
        """Call there and return the result, or raise what was raised."""
        reply = self._call(request, arguments, limit, reads, learn)
        return self.value(reply.get("ok"), reply.get("storages", ()))

    def catch_up(self, limit: float) -> None:
        """Take in the reads that were asked together with the last change."""
        learn, self._pending = self._pending, None
        if learn and self._process and self._process.is_alive:
            left, pause = self._deadline - monotonic(), _pause(limit)
            with waiting() as wait:
                receive = self._process.receive
                replies = receive(max(0.1, left), self._answer_back, pause)["reads"]
                wait.busy = sum(reply.get("busy", 0) for reply in replies)
            learn(replies)

    def result(self, reply: Reply) -> object:
        """Return the result that a reply tells of, or raise what was raised."""
        self._settle(reply, [])
        return self.value(reply.get("ok"), reply.get("storages", ()))

    # --- the wire ----------------------------------------------------------------

    def _call(
        self,
        request: Request,
        arguments: tuple[object, ...],
        limit: float,
        reads: list[Request] | None,
        learn: Learn | None,
    ) -> Reply:
        encoder = Encoder(self._lent.give)
        request = request | {
            "args": [encoder.encode(argument) for argument in arguments],
            "limit": limit,
        }
        if encoder.storages:
            request["storages"] = [as_text(s) for s in encoder.storages]
        if reads:
            request["reads"] = reads
        self._open = OpenArguments(arguments, Encoder(self._lent.give).encode)
        reply = self._ask(request, limit)
        if reads:
            self._pending = learn
        self._settle(reply, encoder.storages)
        return reply

    def _settle(self, reply: Reply, storages: list[Any]) -> None:
        """Carry out here what a call has done there; raise what it has raised."""
        for call in reply.get("pool_calls", ()):
            self._lent.repeat(*call)
        for handle, says in reply.get("seen", {}).items():
            if int(handle) in self._says:
                self._says[int(handle)] = says
        self._open.take(reply.get("changed", {}), self.value)
        for index, text in reply.get("filled", {}).items():
            fill_storage(storages[int(index)], b64decode(text))
        if "stopped" in reply:
            raise raised_there({"stopped": reply["stopped"]})
        if "error" in reply:
            raise raised_there(reply["error"])

    def _ask(self, request: Request, limit: float) -> Reply:
        try:
            return self._ask_in_time(request, limit)
        except NoAnswer as none:
            if none.is_late and monotonic() > self._deadline:
                raise self._out_of_time() from None
            raise

    def _out_of_time(self) -> NoAnswer:
        seconds = f"{self._allowance.seconds:g} s"
        text = f"the question took more than {seconds} in all; is this machine busy?"
        return NoAnswer(f"was not done within {seconds}", text)

    def _ask_in_time(self, request: Request, limit: float) -> Reply:
        if monotonic() > self._deadline:
            raise self._out_of_time()
        process = self._started()
        self.catch_up(limit)
        request = request | {"drop": self._drop, "drop_lent": self._lent.begin_call()}
        self._drop = []
        left = max(0.1, self._deadline - monotonic())
        with waiting() as wait:
            reply = process.ask(request, left, self._answer_back, _pause(limit))
            wait.busy = reply.get("busy", 0)
        return reply

    def _started(self) -> Process:
        if self._process is None or not self._process.is_alive:
            self._process = self._start()
        return self._process

    def _start(self) -> Process:
        """Start a process and run the cells; leave out what has ended one before."""
        while True:
            self._num_starts += 1
            if self._num_starts > MOST_STARTS:
                raise NoAnswer(
                    "ended the Python process again and again",
                    f"the Python process was started {MOST_STARTS} times.",
                )
            self.era += 1
            self._pending = None
            self._lent, self._says, self._drop = Lent(), {}, []
            process = Process(self._package, self._allowance)
            self.walls = process.walls
            if self._run_cells(process):
                return process

    def _run_cells(self, process: Process) -> bool:
        """Tell whether all cells have run; what ended the process is left out next."""
        for cell in self._cells:
            request = {
                "op": "cell",
                "name": cell.name,
                "source": cell.source,
                "skip": self._trouble.skipped(cell),
                "limit": SECONDS_FOR_A_STATEMENT,
                "limit_of_imports": SECONDS_FOR_AN_IMPORT,
                "only_definitions": cell.only_definitions,
            }
            try:
                seconds = max(0.1, self._deadline - monotonic())
                failures = process.ask(request, seconds)["ok"]
            except NoAnswer as none:
                text = none.found
                if none.is_late:
                    limit = f"{SECONDS_FOR_A_STATEMENT:g} s"
                    text = f"no answer within {limit}; is there an endless loop?"
                self._trouble.add(cell, process.begun or 0, text, skip=True)
                return False
            for statement, text, has_hung in failures:
                self._trouble.add(cell, int(statement), str(text), skip=bool(has_hung))
        return True

    def _take(self, data: dict[str, Any]) -> object:
        if "lent" in data:
            return self._lent.taken_back(int(data["lent"]))
        handle = int(data["object"])
        if "says" in data:
            self._says[handle] = data["says"]
        return self._make_object(self, handle, data)

    def _answer_back(self, asked: Reply) -> Reply:
        self._open.take(asked.get("changed", {}), self.value)
        reply = self._lent.answer(asked, Decoder(self._take, []))
        return reply | {"changed": self._open.changes()}


def _pause(limit: float) -> float:
    """Return how long the other side may be silent: its own clock rings before."""
    return 1.5 * limit + 1.5
