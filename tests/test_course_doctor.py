from pathlib import Path

import pytest

from pagedkv_edu.course import doctor
from pagedkv_edu.course.doctor import (
    Diagnosis,
    Finding,
    kernel_finding,
    missing_for_model,
    model_finding,
    package_findings,
    python_finding,
    widget_findings,
)
from pagedkv_edu.course.tables import html_table

REQUIREMENTS = [
    "typer>=0.15",
    "torch>=2.6; extra == 'course'",
    "triton>=3.2; (sys_platform == 'linux') and extra == 'course'",
    "pytest>=8.4; extra == 'dev'",
]


def no_package(name: str) -> str:
    return ""


def version_9(name: str) -> str:
    return "9.0.1+cpu"


def test_this_environment_is_healthy():
    assert doctor().healthy, repr(doctor())


def test_only_what_the_course_needs_is_looked_for():
    names = [f.name for f in package_findings(REQUIREMENTS, version_9, "linux")]

    assert names == ["torch", "triton", "typer"]


def test_a_missing_package_is_named_with_the_version_that_is_needed():
    findings = package_findings(REQUIREMENTS, no_package, "linux")

    assert [f.status for f in findings] == ["missing"] * 3
    assert findings[0].to_do == "needs 2.6 or newer"


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("2.5.9", "missing"),
        ("2.6", "OK"),
        ("2.13.0+cpu", "OK"),
        ("2.6.0rc1", "OK"),
        ("10", "OK"),
        ("1.99", "missing"),
    ],
)
def test_versions_are_compared_as_numbers(version: str, status: str):
    def version_of(name: str) -> str:
        return version

    (finding,) = package_findings(["torch>=2.6"], version_of)
    assert finding.status == status


def test_triton_is_not_missing_where_it_is_not_made():
    finding = package_findings(REQUIREMENTS, no_package, "darwin")[1]

    assert (finding.name, finding.status) == ("triton", "note")
    assert "not made for darwin" in finding.to_do


def test_an_old_python_is_missing():
    assert python_finding((3, 10), "3.10.4").status == "missing"
    assert python_finding((3, 13), "3.13.0").status == "OK"


def test_a_widget_manager_without_its_files_is_missing(tmp_path: Path):
    assert [f.status for f in widget_findings(tmp_path)] == ["missing", "missing"]


@pytest.mark.parametrize(
    ("gpus", "torch", "triton", "words"),
    [
        ([], "2.13.0", "3.7.1", "interpreter"),
        (["A GPU"], "2.13.0", "3.7.1", "compiled, on A GPU"),
        (["A GPU"], "2.13.0+cpu", "3.7.1", "cannot use it"),
        ([], "2.13.0", "", "Triton is not here"),
    ],
)
def test_it_says_how_kernels_will_run(
    gpus: list[str], torch: str, triton: str, words: str
):
    assert words in kernel_finding(gpus, torch, triton).found


def test_the_summary_counts_what_is_missing_and_says_how_to_install_it():
    diagnosis = Diagnosis((Finding("torch", "missing", ""), Finding("rich", "OK", "1")))

    assert not diagnosis.healthy
    assert diagnosis.summary().startswith("1 missing: run `make setup`")


def test_a_missing_model_is_a_note_with_the_command_that_fetches_it():
    finding = model_finding(None, [])

    assert finding.status == "note"
    assert "`make model`" in finding.to_do
    assert "<code>make model</code>" in html_table(("",), [("", finding.to_do)])
    assert "go on without it" in finding.found


def test_a_model_without_what_runs_it_names_what_is_missing():
    assert missing_for_model(no_package)[0] == "torch"
    assert missing_for_model(version_9) == []
    finding = model_finding(Path("work/model/small.gguf"), ["gguf"])

    assert finding.found == "small.gguf, but no gguf"
    assert model_finding(Path("small.gguf"), []).status == "OK"
