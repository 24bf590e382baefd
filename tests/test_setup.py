"""The two ways to set up the course, on a machine that has nothing yet."""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("pagedkv_edu", "kernels", "pyproject.toml", "constraints.txt")
READ_BY_PYPROJECT = ("README.md", "LICENSE")


def pip_part(text: str) -> list[str]:
    """Return the arguments that conda would hand to pip."""
    part = text[text.index("- pip:") :]
    lines = [line.strip() for line in part.splitlines()[1:] if line.strip()]
    return [word for line in lines for word in line.removeprefix("- ").split()]


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is removed at once: an environment takes over a gigabyte."""
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest.mark.slow
def test_the_pip_part_of_environment_yml_is_enough_for_the_course(empty: Path):
    course = empty / "course"
    course.mkdir()
    for name in (*NEEDED, *READ_BY_PYPROJECT):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, course / name)
    venv.create(empty / "clean", with_pip=True, symlinks=os.name != "nt")
    python = empty / "clean" / ("Scripts" if os.name == "nt" else "bin") / "python"
    arguments = pip_part((ROOT / "environment.yml").read_text(encoding="utf-8"))

    run(
        [str(python), "-m", "pip", "install", "--quiet", "--no-compile", *arguments],
        course,
    )

    code = "from pagedkv_edu.course import check, doctor; print(doctor())"
    told = run([str(python), "-c", code], empty)
    assert "Everything that the lessons need is here." in told
    frozen = run([str(python), "-m", "pip", "freeze"], course)
    assert re.search(r"^torch==2\.13\.0", frozen, re.MULTILINE)
    assert re.search(r"^triton==3\.7\.1", frozen, re.MULTILINE) or "linux" not in (
        sys.platform
    )
    assert not re.search(r"^(pytest|transformers|ruff)==", frozen, re.MULTILINE)


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "target", ["lab", "test", "test-all", "build", "bench", "check"]
)
def test_make_knows_the_commands_that_the_readme_names(target: str):
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")

    run(["make", "--dry-run", "--no-print-directory", target], ROOT)


def test_make_runs_only_scripts_that_are_there():
    scripts = re.findall(r"tools/\w+\.py", (ROOT / "Makefile").read_text())

    assert scripts
    assert [name for name in scripts if not (ROOT / name).is_file()] == []


def test_starting_the_lab_installs_nothing_for_developers():
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    told = run(["make", "--dry-run", "--always-make", "lab"], ROOT)

    assert "'.[course]'" in told
    assert "dev" not in told
    assert "model" not in told


def test_ci_runs_what_the_readme_says():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert script.startswith("#!/usr/bin/env bash\n")
    assert script.rstrip().endswith("test-all")
    assert "`make test-all`" in (ROOT / "README.md").read_text(encoding="utf-8")
