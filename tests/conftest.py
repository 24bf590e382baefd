import os
from pathlib import Path

import pytest
from hypothesis import settings

from pagedkv_edu.course.folder import WORK_VARIABLE

# other tests may be busy on the same cores; a slow example is not a wrong one
settings.register_profile("shared cores", deadline=None)
settings.load_profile("shared cores")


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nobody asks
def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are cores: some wait for a browser, a kernel."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a learner's folder of its own; nobody's real work is touched."""
    folder = tmp_path / "work"
    monkeypatch.setenv(WORK_VARIABLE, str(folder))
    return folder
