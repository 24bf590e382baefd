"""Find what was handed in: files, folders, and zips as a learning platform makes them.

Nothing is unpacked. A file in a zip is read from there, so its name is a label and no
path; links are not followed.
"""

import hashlib
import io
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pagedkv_edu.grading.notebook import MOST_BYTES, NotAnExercise

MOST_IN_ZIP = 10_000
MOST_DEPTH = 2  # a zip of zips: one for each learner
_HIDDEN = (".", "__MACOSX")


@dataclass(frozen=True, slots=True)
class Item:
    """One file that was handed in; `inside` leads to it through zips."""

    label: str
    path: Path
    inside: tuple[str, ...] = ()
    problem: str = ""  # why it is not even read

    @property
    def name(self) -> str:
        """A file name of its own: readable, and another one for another label."""
        plain = unicodedata.normalize("NFC", self.label)
        plain = re.sub(r"[^\w.-]+", "_", plain.removesuffix(".ipynb")).strip("._")
        mark = hashlib.sha256(self.label.encode("utf-8", "replace")).hexdigest()[:8]
        return f"{plain[-60:].lstrip('._')}-{mark}"

    def read(self) -> bytes:
        """Return the bytes; raises `NotAnExercise` if they cannot be read."""
        if self.problem:
            raise NotAnExercise(self.problem)
        try:
            if not self.inside:
                size = self.path.stat().st_size
                return self.path.read_bytes() if size <= MOST_BYTES else _too_big(size)
            data = b""
            source: Path | io.BytesIO = self.path
            for name in self.inside:
                with zipfile.ZipFile(source) as archive:
                    data = _member(archive, name)
                source = io.BytesIO(data)
        except (OSError, zipfile.BadZipFile, RuntimeError, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise NotAnExercise(f"the file cannot be read: {reason}") from None
        return data


def find(paths: Iterable[Path]) -> list[Item]:
    """Return every notebook in these places, each label once, in order."""
    found = [item for path in paths for item in _in_path(path)]
    labels: set[str] = set()
    unlike: list[Item] = []
    for item in found:
        label, number = item.label, 2
        while label in labels:
            label, number = f"{item.label} ({number})", number + 1
        labels.add(label)
        unlike.append(Item(label, item.path, item.inside, item.problem))
    return sorted(unlike, key=lambda item: item.label)


def _in_path(path: Path) -> Iterator[Item]:
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            parts = inner.relative_to(path).parts
            if any(part.startswith(_HIDDEN) for part in parts):
                continue
            label = "/".join((path.name, *parts))
            if inner.is_symlink():
                yield Item(label, inner, problem="a link; links are not followed")
            elif inner.is_file():
                yield from _in_file(inner, label)
    else:
        yield from _in_file(path, path.name)


def _in_file(path: Path, label: str) -> Iterator[Item]:
    if path.suffix == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                yield from _in_zip(archive, label, path, ())
        except (OSError, zipfile.BadZipFile, ValueError) as error:
            yield Item(label, path, problem=f"the zip cannot be read: {error}")
    elif path.suffix == ".ipynb":
        yield Item(label, path)


def _in_zip(
    archive: zipfile.ZipFile, label: str, path: Path, inside: tuple[str, ...]
) -> Iterator[Item]:
    members = archive.infolist()
    if len(members) > MOST_IN_ZIP:
        yield Item(label, path, problem=f"a zip of more than {MOST_IN_ZIP} files")
        return
    for member in members:
        parts = [p for p in re.split(r"[/\\]", member.filename) if p not in ("", ".")]
        if member.is_dir() or not parts or any(p.startswith("__MACOSX") for p in parts):
            continue
        own = f"{label}/{'/'.join(parts)}"
        here = (*inside, member.filename)
        if stat.S_ISLNK(member.external_attr >> 16):
            yield Item(own, path, here, "a link; links are not followed")
        elif parts[-1].startswith("."):
            continue
        elif parts[-1].endswith(".ipynb"):
            yield Item(own, path, here)
        elif parts[-1].endswith(".zip") and len(here) < MOST_DEPTH:
            try:
                with zipfile.ZipFile(
                    io.BytesIO(_member(archive, member.filename))
                ) as z:
                    yield from _in_zip(z, own, path, here)
            except (NotAnExercise, zipfile.BadZipFile, RuntimeError, ValueError) as why:
                yield Item(own, path, here, f"the zip cannot be read: {why}")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > MOST_BYTES:
        return _too_big(info.file_size)
    with archive.open(info) as file:
        data = file.read(MOST_BYTES + 1)
    return data if len(data) <= MOST_BYTES else _too_big(len(data))


def _too_big(size: int) -> bytes:
    most = MOST_BYTES >> 20
    raise NotAnExercise(f"the file has {size >> 20} MiB; at most {most} are read")
