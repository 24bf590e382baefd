import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pagedkv_edu.cli import app, lab_command
from pagedkv_edu.course.folder import copy_exercises

ROOT = Path(__file__).resolve().parents[1]


def course_in(folder: Path) -> Path:
    for name in ("notebooks", "exercises"):
        (folder / name).mkdir(parents=True)
    (folder / "exercises" / "02_topic.ipynb").write_text("two")
    (folder / "exercises" / "03_topic.ipynb").write_text("three")
    return folder


def test_each_exercise_is_copied_once(tmp_path: Path):
    course = course_in(tmp_path / "course")
    work = course / "work"

    assert copy_exercises(course, work) == ["02_topic.ipynb", "03_topic.ipynb"]
    assert copy_exercises(course, work) == []


def test_a_learners_file_is_never_written_over(tmp_path: Path):
    course = course_in(tmp_path / "course")
    work = course / "work"
    work.mkdir()
    (work / "02_topic.ipynb").write_text("my own work")

    assert copy_exercises(course, work) == ["03_topic.ipynb"]
    assert (work / "02_topic.ipynb").read_text() == "my own work"
    assert (work / "03_topic.ipynb").read_text() == "three"


def test_the_lab_opens_on_the_first_lesson():
    command = lab_command(ROOT, browser=False, port=9999)

    assert command[:4] == [
        sys.executable,
        "-m",
        "jupyterlab",
        "notebooks/00_start.ipynb",
    ]
    assert (ROOT / command[3]).is_file()
    assert "--no-browser" in command
    assert "--port=9999" in command


def test_with_a_browser_the_option_is_left_out():
    assert "--no-browser" not in lab_command(ROOT, browser=True, port=8888)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no root")
def test_only_root_is_allowed_to_be_root(monkeypatch: pytest.MonkeyPatch):
    for user, allowed in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        command = lab_command(ROOT, browser=True, port=8888)
        assert ("--allow-root" in command) == allowed


def test_the_doctor_ends_with_what_it_comes_to():
    result = CliRunner().invoke(app, ["doctor"])

    assert result.exit_code == 0, result.output
    assert result.output.rstrip().endswith("Everything that the lessons need is here.")
    for name in ("Python", "jupyterlab", "widget manager", "triton", "kernels"):
        assert name in result.output


def test_the_doctor_works_and_fails_where_packages_are_missing(tmp_path: Path):
    # a folder before all others in which anywidget and IPython cannot be imported,
    # and no metadata says that they are there
    hidden = tmp_path / "sitecustomize.py"
    hidden.write_text(
        "import sys\n"
        "from importlib import metadata\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('anywidget', 'IPython'):\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "version = metadata.version\n"
        "def without(name):\n"
        "    if name == 'anywidget':\n"
        "        raise metadata.PackageNotFoundError(name)\n"
        "    return version(name)\n"
        "metadata.version = without\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", "from pagedkv_edu.cli import app; app()", "doctor"],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )

    assert result.returncode == 1, result.stderr
    assert "1 missing: run `make setup`" in result.stdout
    line = next(li for li in result.stdout.splitlines() if li.startswith("anywidget"))
    assert "missing" in line
    assert "needs 0.9.18 or newer" in line


def test_a_lesson_without_its_packages_is_told_whom_to_ask(tmp_path: Path):
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "try:\n    from pagedkv_edu.course import check\n"
        "except ImportError as error:\n    print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert "check needs anywidget" in result.stdout
    assert "pagedkv doctor" in result.stdout


def test_progress_is_a_table_of_lessons():
    result = CliRunner().invoke(app, ["progress"])

    assert result.exit_code == 0, result.output
    assert "05 copy on write" in result.output


@pytest.mark.slow
def test_pagedkv_lab_serves_the_first_lesson(tmp_path: Path):
    course = course_in(tmp_path / "course")
    (course / "notebooks" / "00_start.ipynb").write_bytes(
        (ROOT / "notebooks" / "00_start.ipynb").read_bytes()
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from pagedkv_edu.cli import app; app()", "lab"]
    token = {"JUPYTER_TOKEN": "for-this-test"}
    lab = subprocess.Popen(
        [*command, "--no-browser", f"--port={port}"],
        cwd=course,
        env=os.environ | token,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = (
            f"http://127.0.0.1:{port}/api/contents/%s?content=0&token=for-this-test"
        )
        names = {_name(address % path) for path in ("notebooks/00_start.ipynb", "work")}
    finally:
        lab.terminate()
        lab.wait(20)

    assert names == {"00_start.ipynb", "work"}
    assert (course / "work" / "02_topic.ipynb").read_text() == "two"


def _name(address: str) -> str:
    last: Exception | None = None
    for _ in range(120):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return json.load(answer)["name"]
        except OSError as not_yet:
            last = not_yet
            time.sleep(0.5)
    raise AssertionError(f"JupyterLab does not answer: {last}")
