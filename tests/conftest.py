from pathlib import Path

import pytest
from hypothesis import settings

from pagedkv_edu.course.folder import WORK_VARIABLE

# other tests may be busy on the same cores; a slow example is not a wrong one
settings.register_profile("shared cores", deadline=None)
settings.load_profile("shared cores")


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a learner's folder of its own; nobody's real work is touched."""
    folder = tmp_path / "work"
    monkeypatch.setenv(WORK_VARIABLE, str(folder))
    return folder
