"""Is this machine ready for the course, and what to do where it is not."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from pagedkv_edu.course.folder import course_folder, work_folder
from pagedkv_edu.course.model_file import FETCH, model_file
from pagedkv_edu.course.tables import html_table, text_table, with_code

# Standard library only: the doctor must be able to say that anything else is missing.

PACKAGE = "pagedkv-edu"
INSTALL = (
    "run `make setup`, or in this environment: "
    "pip install -c constraints.txt -e '.[course]'"
)
MODEL_PACKAGES = ("torch", "transformers", "gguf", "accelerate")
HEAD = ("what", "", "found", "what to do")
Status = Literal["OK", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, what was found, and what to do."""

    name: str
    status: Status
    found: str
    to_do: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All lines; a notebook shows them as a table."""

    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is missing."""
        return all(finding.status != "missing" for finding in self.findings)

    def summary(self) -> str:
        """Return what it comes to."""
        if self.healthy:
            return "Everything that the lessons need is here."
        num_missing = sum(finding.status == "missing" for finding in self.findings)
        return f"{num_missing} missing: {INSTALL}"

    def rows(self) -> list[tuple[str, ...]]:
        """Return the lines as words."""
        return [(f.name, f.status, f.found, f.to_do) for f in self.findings]

    def __repr__(self) -> str:
        return f"{text_table(HEAD, self.rows())}\n\n{self.summary()}"

    def _repr_html_(self) -> str:
        return f"{html_table(HEAD, self.rows())}<p>{with_code(self.summary())}</p>"


def doctor() -> Diagnosis:
    """Look at Python, the packages, JupyterLab, its widgets, Triton and the GPU."""
    return Diagnosis(
        (
            python_finding(sys.version_info[:2], platform.python_version()),
            *package_findings(metadata.requires(PACKAGE) or []),
            *widget_findings(Path(sys.prefix)),
            *_kernel_findings(),
            model_finding(model_file(), missing_for_model()),
            _folder_finding(),
        )
    )


def python_finding(version: tuple[int, ...], text: str) -> Finding:
    """Say whether Python is new enough."""
    if version >= (3, 11):
        return Finding("Python", "OK", text)
    return Finding("Python", "missing", text, "install Python 3.11 or newer")


def installed(name: str) -> str:
    """Return the installed version of a package, empty if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def package_findings(
    requirements: Iterable[str],
    version_of: Callable[[str], str] = installed,
    system: str = sys.platform,
) -> list[Finding]:
    """Return a line for each package that the lessons need, as pyproject.toml says."""
    findings: list[Finding] = []
    for requirement in sorted(requirements, key=str.lower):
        wanted, _, marker = requirement.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if extra and extra[1] != "course":
            continue
        name, _, lowest = wanted.strip().partition(">=")
        name = name.partition("[")[0].strip()
        elsewhere = re.search(r"sys_platform == ['\"](\w+)['\"]", marker)
        if elsewhere and elsewhere[1] != system:
            to_do = f"not made for {system}; the kernel lessons say how to go on"
            findings.append(Finding(name, "note", "", to_do))
        else:
            findings.append(_package(name, lowest.strip(), version_of(name)))
    return findings


def _package(name: str, lowest: str, version: str) -> Finding:
    if not version:
        return Finding(name, "missing", "", f"needs {lowest} or newer")
    if lowest and _numbers(version) < _numbers(lowest):
        return Finding(name, "missing", version, f"needs {lowest} or newer")
    return Finding(name, "OK", version)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, leading[0].split("."))) if leading else ()


def widget_findings(prefix: Path) -> list[Finding]:
    """Say whether JupyterLab will find the parts that draw widgets."""
    extensions = prefix / "share" / "jupyter" / "labextensions"
    parts = {
        "widget manager": "@jupyter-widgets/jupyterlab-manager",
        "widgets of the course": "anywidget",
    }
    return [
        Finding(name, "OK", "JupyterLab finds it")
        if (extensions / folder / "package.json").is_file()
        else Finding(name, "missing", f"no {folder} in {extensions}", INSTALL)
        for name, folder in parts.items()
    ]


def gpu_names() -> list[str]:
    """Return the names of NVIDIA GPUs, without loading torch."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    try:
        answer = subprocess.run(
            [command, "--query-gpu=name", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in answer.stdout.splitlines() if line.strip()]


def kernel_finding(gpus: list[str], torch: str, triton: str) -> Finding:
    """Say how Triton kernels will run here."""
    if not triton:
        found = "Triton is not here"
        return Finding("kernels", "note", found, "lessons 00 to 06 do not need it")
    if not gpus:
        found = "no GPU: Triton's interpreter runs them on the CPU"
        return Finding("kernels", "OK", found, "slower, with the same verdicts")
    if torch.endswith("+cpu"):
        found = f"{', '.join(gpus)}, but torch {torch} cannot use it"
        return Finding("kernels", "note", found, "install torch's CUDA build to use it")
    return Finding("kernels", "OK", f"compiled, on {', '.join(gpus)}")


def _kernel_findings() -> list[Finding]:
    return [kernel_finding(gpu_names(), installed("torch"), installed("triton"))]


def missing_for_model(version_of: Callable[[str], str] = installed) -> list[str]:
    """Return the packages that the small model needs and that are not here."""
    return [name for name in MODEL_PACKAGES if not version_of(name)]


def model_finding(path: Path | None, missing: list[str]) -> Finding:
    """Say whether the small language model can answer here."""
    if path is None:
        found = "not here: lessons 00 and 13 go on without it"
        return Finding("small model", "note", found, FETCH)
    if missing:
        found = f"{path.name}, but no {', '.join(missing)}"
        return Finding(
            "small model", "note", found, "`make model` installs what it needs"
        )
    return Finding("small model", "OK", path.name)


def _folder_finding() -> Finding:
    course, work = course_folder(), work_folder()
    if course is None or work is None:
        to_do = "start `pagedkv lab` in the folder that holds notebooks/"
        return Finding("course folder", "note", f"not found from {Path.cwd()}", to_do)
    num_copies = len(list(work.glob("[0-9][0-9]_*.ipynb")))
    to_do = (
        "" if num_copies else "`pagedkv lab` puts your copies of the exercises there"
    )
    found = f"exercise notebooks in {work.name}/: {num_copies}"
    return Finding("course folder", "OK", found, to_do)
