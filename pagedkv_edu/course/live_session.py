"""A model that answers in the background, and the view that it feeds."""

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock, Thread
from time import monotonic, sleep

from pagedkv_edu.engine import Running, Sampling, Server, load_model, start
from pagedkv_edu.engine.chat import chat_prompt, pieces
from pagedkv_edu.engine.model import LoadedModel
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.serving.served import ServedStep
from pagedkv_edu.viz.live import LiveView, live_view

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOADING = "The model is being loaded, once; that takes up to a minute."


class LiveSession:
    """Questions, the server that answers them, and their view.

    `make_server` is called in the background, because a model takes long to load. The
    server's parts may be a learner's own; an error of theirs ends the run and is told
    in the view.
    """

    def __init__(
        self,
        make_server: Callable[[], Server],
        film: ServedFilm,
        *,
        title: str = "Prompts, one model, one pool",
        max_new_tokens: int = 64,
        steps_per_second: float = 0,
    ) -> None:
        self._make_server = make_server
        self._film = film
        self._max_new_tokens = max_new_tokens
        self._seconds_a_step = 1 / steps_per_second if steps_per_second else 0.0
        self._server: Server | None = None
        self._running: Running | None = None
        self._asked: deque[str] = deque()
        self._num_asked = 0
        self._stopping = False
        self._lock = Lock()
        self._thread: Thread | None = None
        self._next_step = 0.0
        source = "a model on this machine"
        self.view = live_view(
            film, title, source, on_ask=self.ask, on_stop=self.stop, notice=LOADING
        )

    def ask(self, question: str) -> None:
        """Queue a question; the model goes back to work if it had finished."""
        with self._lock:
            self._asked.append(question)
            if self._thread is None:
                self._stopping = False
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End every answer after the step that is under way."""
        self._stopping = True
        if self._running is not None:
            self._running.stop()

    def wait(self) -> None:
        """Wait until nothing is left to answer."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            status = self._served()
            with self._lock:
                if status == "done" and self._asked:
                    continue  # it came while the last step was finished
                self._asked.clear()
                self._thread = None
            break
        if self._server is not None:
            self.view.stopped(self._server.pool.num_free)
        self.view.finish(status)

    def _served(self) -> str:
        try:
            return self._serve()
        except Exception as error:  # noqa: BLE001  (a learner's part may fail in any way)
            self.view.tell(f"The run ended: {type(error).__name__}: {error}")
            return "stopped"

    def _serve(self) -> str:
        server = self._server
        if server is None:
            self.view.begin("loading")
            server = self._server = self._make_server()
            self._film.token_bytes = server.spec.bytes_per_token
            device = str(server.model.model.device).upper()
            self.view.named(f"{server.model.name} on this {device}")
        self.view.begin()
        while not self._stopping:
            self._submit(server)
            if not server.has_work:
                return "done"
            self._running = start(server, self._on_step)
            self._running.wait()
        return "stopped"

    def _on_step(self, step: ServedStep) -> None:
        self.view.add(step)
        if self._server is not None and self._asked:
            self._submit(self._server)
        wait = self._next_step - monotonic()
        if wait > 0:
            sleep(wait)  # slow enough to be read
        self._next_step = monotonic() + self._seconds_a_step

    def _submit(self, server: Server) -> None:
        while self._asked:
            question = self._asked.popleft()
            prompt_ids = server.model.token_ids(chat_prompt(question))
            label = LETTERS[self._num_asked % 26] + "'" * (self._num_asked // 26)
            sampling = Sampling(self._max_new_tokens, stop_ids=server.model.stop_ids)
            try:
                server.submit(self._num_asked, prompt_ids, sampling)
            except PagedKVError as error:
                self.view.tell(f"“{question}” was refused: {error}")
                continue
            words = pieces(server.model, prompt_ids)
            self.view.ask(ServedPrompt(self._num_asked, label, question, words))
            self._num_asked += 1


def start_small_model(
    questions: Sequence[str],
    *,
    num_blocks: int,
    block_size: int,
    max_new_tokens: int,
    steps_per_second: float,
) -> LiveView:
    """Load the small model, let it answer, and return the view of both."""

    def make_server() -> Server:
        model: LoadedModel = load_model()
        return Server(model, num_blocks=num_blocks, block_size=block_size)

    film = ServedFilm(num_blocks, block_size, reserve=max_new_tokens + 32)
    session = LiveSession(
        make_server,
        film,
        title="Four prompts, one model, one pool",
        max_new_tokens=max_new_tokens,
        steps_per_second=steps_per_second,
    )
    for question in questions:
        session.ask(question)
    return session.view
