"""JupyterLab as a learner meets it: opened by `pagedkv lab`, driven by a browser."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from playwright.sync_api import Browser, Locator, Page, expect

from pagedkv_edu.course.folder import WORK_VARIABLE
from pagedkv_edu.report import Json

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "screenshots" / "jupyterlab"
TOKEN = "for-the-tests"
SECONDS_TO_RUN_ALL = 90
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


class Lab:
    """A running JupyterLab with its own settings, and a copy of the course."""

    def __init__(self, course: Path, port: int, browser: Browser) -> None:
        self.course = course
        self.address = f"http://127.0.0.1:{port}"
        self.browser = browser

    @classmethod
    @contextmanager
    def started(cls, folder: Path, browser: Browser) -> Generator[Self]:
        """Copy the course, start `pagedkv lab` in it, and stop it again."""
        course = folder / "course"
        for name in ("notebooks", "exercises", "solutions"):
            shutil.copytree(ROOT / name, course / name)
        port = _free_port()
        # a learner's own settings, themes and extensions must not show in the tests
        own = {
            name: str(folder / name.lower())
            for name in (
                "JUPYTERLAB_SETTINGS_DIR",
                "JUPYTERLAB_WORKSPACES_DIR",
                "JUPYTER_CONFIG_DIR",
                "JUPYTER_RUNTIME_DIR",
                "IPYTHONDIR",
            )
        }
        environment = os.environ | own | {"JUPYTER_TOKEN": TOKEN}
        environment.pop(WORK_VARIABLE, None)
        command = [sys.executable, "-c", "from pagedkv_edu.cli import app; app()"]
        with (folder / "lab.log").open("w") as log:
            process = subprocess.Popen(
                [*command, "lab", "--no-browser", f"--port={port}"],
                cwd=course,
                env=environment,
                stdout=log,
                stderr=log,
            )
            try:
                lab = cls(course, port, browser)
                wait_for(lambda: lab.asked("/api/status") is not None, 60, "the server")
                lab.set("apputils-extension:notification", {"fetchNews": "false"})
                yield lab
            finally:
                process.terminate()
                process.wait(30)

    def asked(self, path: str, body: Json | None = None) -> object:
        """Return what the server answers, None if it does not."""
        request = urllib.request.Request(
            self.address + path,
            headers={"Authorization": f"token {TOKEN}"},
            data=None if body is None else json.dumps(body).encode(),
            method="GET" if body is None else "PUT",
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                content = answer.read()
        except OSError:
            return None
        return json.loads(content) if content else {}

    def set(self, plugin: str, setting: Json) -> None:
        """Change a setting, as the settings menu does."""
        path = f"/lab/api/settings/@jupyterlab/{plugin}"
        self.asked(path, {"raw": json.dumps(setting)})

    @contextmanager
    def opened(self, notebook: str, theme: str = "light") -> Generator["OpenNotebook"]:
        """Open a notebook in a fresh page, and close it and its kernel afterwards."""
        self.set("apputils-extension:themes", {"theme": THEMES[theme]})
        page = self.browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(20_000)
        opened = OpenNotebook(self, page, notebook)
        try:
            opened.load()
            yield opened
        finally:
            page.close()
            for session in self.sessions_of(notebook):
                kernel = session["kernel"]["id"]
                self._delete(f"/api/kernels/{kernel}")

    def sessions_of(self, notebook: str) -> list[Json]:
        """Return the kernels that run for a notebook."""
        return [s for s in self._sessions() if s["path"] == notebook]

    def _sessions(self) -> list[Json]:
        found = self.asked("/api/sessions")
        return found if isinstance(found, list) else []

    def _delete(self, path: str) -> None:
        request = urllib.request.Request(
            self.address + path,
            headers={"Authorization": f"token {TOKEN}"},
            method="DELETE",
        )
        urllib.request.urlopen(request, timeout=20).close()


class OpenNotebook:
    """A notebook in JupyterLab, and what its page may not do."""

    def __init__(self, lab: Lab, page: Page, notebook: str) -> None:
        self.lab = lab
        self.page = page
        self.notebook = notebook
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"raised: {error}"))
        page.on("console", lambda m: self._console(m.type, m.text, m.location["url"]))
        page.on("request", lambda request: self._request(request.url))

    def load(self) -> None:
        """Open the page and wait until its kernel is there and idle."""
        # a workspace of its own, or tabs of earlier tests come back
        workspace = re.sub(r"\W", "-", f"{self.notebook}-{time.monotonic_ns()}")
        self.page.goto(
            f"{self.lab.address}/lab/workspaces/{workspace}/tree/{self.notebook}"
            f"?reset&token={TOKEN}"
        )
        # run before the kernel is connected, and JupyterLab asks which one to take
        wait_for(self.is_idle, 60, "an idle kernel")
        expect(self.page.locator(".jp-Notebook")).to_be_visible()

    def is_idle(self) -> bool:
        """Tell whether the kernel has nothing to do."""
        states = [
            session["kernel"]["execution_state"]
            for session in self.lab.sessions_of(self.notebook)
        ]
        return states == ["idle"]

    def run_all(self) -> None:
        """Choose Run, Run All Cells, and wait until the last one has run."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_text("Run All Cells", exact=True).click()
        self.page.wait_for_timeout(500)
        wait_for(self._has_run, SECONDS_TO_RUN_ALL, "the last cell")
        # the kernel is idle between two cells too, and a hidden one may be the last
        self.page.wait_for_timeout(500)
        wait_for(self._has_run, SECONDS_TO_RUN_ALL, "the last cell")

    def cell(self, source: str) -> Locator:
        """Return the code cell that contains some source, scrolled into view."""
        cell = self.page.locator(".jp-CodeCell").filter(
            has=self.page.locator(".jp-InputArea", has_text=source)
        )
        cell.first.scroll_into_view_if_needed()
        return cell.first

    def errors(self) -> list[str]:
        """Return the tracebacks on the page."""
        shown = self.page.locator('[data-mime-type="application/vnd.jupyter.error"]')
        return shown.all_inner_texts()

    def shot(self, name: str) -> Path:
        """Write a screenshot where a person can look at it."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    def _has_run(self) -> bool:
        # where the source is hidden, a placeholder stands, and it has no number
        prompts = self.page.locator(".jp-CodeCell .jp-InputArea-prompt")
        return self.is_idle() and all(
            re.fullmatch(r"\[\d+\]:", text.strip())
            for text in prompts.all_text_contents()
        )

    def _console(self, kind: str, text: str, url: str) -> None:
        if kind == "error":
            self.complaints.append(f"console: {text} ({url})")

    def _request(self, url: str) -> None:
        if not url.startswith((self.lab.address, "data:", "blob:")):
            self.complaints.append(f"asks for {url}")


def wait_for(is_so: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until something is so."""
    stop = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < stop, f"waited {seconds} s for {what}"
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
