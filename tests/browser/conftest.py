"""One browser for all tests of a worker, and JupyterLab with a copy of the course."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.lab import Lab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start chromium; skip where there is none, and fail under CI."""
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("no chromium on this machine")
    assert CHROMIUM is not None, "a missing browser is a failure where CI is set"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start `pagedkv lab` on a copy of the course."""
    folder: Path = tmp_path_factory.mktemp("lab")
    with Lab.started(folder, chromium) as lab:
        yield lab
