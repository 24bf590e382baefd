"""A class of 200, graded in one command: every score right, and nobody harmed."""

import csv
import json
import os
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.submissions import added, as_bytes, empty, right, with_answers

HEAD = "def my_victim(seq_lens: list[int]) -> int:\n"
NOTEBOOKS = ("01_cost", "02_contiguous", "03_block_table", "09_block_size")
SEVERAL = 8
COMMAND = [sys.executable, "-c", "from pagedkv_edu.cli import app; app()", "grade"]

# Only 10.1 is bad in these: 8 of 10 points, whatever it does.
HOSTILE = {
    "wrong": HEAD + "    return 0\n",
    "sys_exit": HEAD + "    import sys; sys.exit(0)\n",
    "os_exit": HEAD + "    import os; os._exit(0)\n",
    "kill": HEAD + "    import os; os.kill(os.getpid(), 9)\n",
    "kill_all": HEAD + "    import os; os.kill(-1, 9); return 0\n",
    "memory": HEAD + "    return len(bytearray(1 << 42))\n",
    "fork_bomb": HEAD + "    import os\n    while True: os.fork()\n",
    "disk": HEAD + "    while True: open('x', 'ab').write(bytes(1 << 24))\n",
    "syntax": HEAD + "    return return\n",
    "socket": HEAD + "    import socket\n    socket.create_connection(('::1', 22))\n",
    "reads": HEAD + "    return int(open('/etc/passwd').read()[0])\n",
    "object": HEAD + "    return object()\n",
    "prints": HEAD + "    print('x' * 10**6)\n    return 0\n",
    "threads": HEAD + "    import threading\n"
    "    threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n"
    "    return 0\n",
    "wire": HEAD + "    import os\n    os.write(4, b'{}\\n' * 99)\n    return 0\n",
}
LOOPS = {
    "loop": HEAD + "    while True: pass\n",
    "swallows": HEAD + "    while True:\n"
    "        try:\n            while True: pass\n"
    "        except BaseException: pass\n",
    "fork_swallows": HEAD + "    import os\n    while True:\n"
    "        try: os.fork()\n        except OSError: pass\n",
    "hog": HEAD + "    kept = []\n    while True: kept.append(bytearray(1 << 24))\n",
}


def submissions() -> Iterator[tuple[str, bytes, int]]:
    """Yield 200 names, files and points."""
    for number in range(SEVERAL):
        for kind, source in HOSTILE.items():
            notebook = with_answers("10_preemption", {"10.1": source})
            yield f"{kind}_{number}/10.ipynb", as_bytes(notebook), 8
        yield f"empty_{number}/10.ipynb", as_bytes(empty("10_preemption")), 0
        for name in NOTEBOOKS:
            yield f"right_{number}/{name}.ipynb", as_bytes(right(name)), 10
        broken = as_bytes(right("10_preemption"))[: 100 * (number + 1)]
        yield f"cut_{number}/10.ipynb", broken, 0
        other = json.dumps({"cells": [], "metadata": {}, "nbformat": 4})
        yield f"foreign_{number}/10.ipynb", other.encode(), 0
        yield f"Ünïcødé 木 {number}/10.ipynb", as_bytes(right("10_preemption")), 10
        helper = added(right("10_preemption"), "x = 1 / 0", before="10.1")
        for cell in helper["cells"]:
            cell["id"] = "the-same"
        yield f"same_ids_{number}/10.ipynb", as_bytes(helper), 10
        patch = added(
            with_answers("10_preemption", {"10.1": HOSTILE["wrong"]}),
            "import pagedkv_edu.checks.preemption as c\nc.check_victim = None",
            before="10.1",
        )
        yield f"patch_{number}/10.ipynb", as_bytes(patch), 8
    for kind, source in LOOPS.items():
        notebook = with_answers("10_preemption", {"10.1": source})
        for number in range(2):
            yield f"{kind}_{number}/10.ipynb", as_bytes(notebook), 8
    for name in ("04_block_pool", "05_copy_on_write", "11_prefix_cache"):
        yield f"right/{name}.ipynb", as_bytes(right(name)), 10
        yield f"empty/{name}.ipynb", as_bytes(empty(name)), 0
    yield "printed/10.ipynb", _with_output(right("10_preemption")), 10
    while_helper = added(right("10_preemption"), "while True: pass", before="10.2")
    yield "helper/10.ipynb", as_bytes(while_helper), 10
    exits = added(right("10_preemption"), "import os; os._exit(1)", before="10.2")
    yield "exit/10.ipynb", as_bytes(exits), 10


def _with_output(notebook: dict[str, Any]) -> bytes:
    """The notebook with 50 MB of output."""
    cell = next(c for c in notebook["cells"] if c["cell_type"] == "code")
    output = {"output_type": "stream", "name": "stdout", "text": "x" * (50 << 20)}
    cell["outputs"] = [output]
    return as_bytes(notebook)


def hand_in(folder: Path) -> dict[str, int]:
    """Write the class, a part of it into a zip; return the points by label."""
    points: dict[str, int] = {}
    made = list(submissions())
    with zipfile.ZipFile(folder / "platform.zip", "w") as archive:
        for number, (name, data, worth) in enumerate(made):
            if number % 20 == 19:
                archive.writestr(f"../{name}", data)
                points[f"class/platform.zip/../{name}"] = worth
                continue
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            points[f"class/{name}"] = worth
        link = zipfile.ZipInfo("link.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    points["class/platform.zip/link.ipynb"] = 0
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    points["class/link.ipynb"] = 0
    return points


def resident_kib(pid: int) -> int:
    """Return the memory that a process holds, 0 if it has ended meanwhile."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in status.split("\n") if line[:6] == "VmRSS:"]
    return int(sizes[0]) if sizes else 0


@pytest.mark.slow
def test_two_hundred_are_graded_in_one_command(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "grades"
    folder.mkdir()
    points = hand_in(folder)
    options = ["--out", str(out), "--memory", "512"]
    temporary = tmp_path / "tmp"
    temporary.mkdir()

    environment = {**os.environ, "TMPDIR": str(temporary), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([*COMMAND, str(folder), *options], env=environment)
    most_kib = 0
    while process.poll() is None:
        most_kib = max(most_kib, resident_kib(process.pid))
        time.sleep(0.2)

    assert process.returncode == 0
    assert len(points) >= 200
    with (out / "grades.csv").open(encoding="utf-8") as file:
        graded = {line["submission"]: line for line in csv.DictReader(file)}
    assert {n: int(line["points"]) for n, line in graded.items()} == points
    assert 0 < most_kib < 300 << 10  # the command itself holds no class
    assert not list(temporary.iterdir())
    pages = list((out / "feedback").iterdir())
    assert len(pages) == len(points)
