"""Start a learner's process: keeper, then walls, then the server of its module.

    python main.py REQUESTS REPLIES STATUS SETUP

Three file numbers and a JSON object. Three processes come of it. The keeper stays
outside of the walls and watches what is used. The first process inside is the parent of
all others there; when it ends, the kernel ends them too. The second one runs the cells.
"""

import json
import os
import sys
from pathlib import Path

_PACKAGES = str(Path(__file__).resolve().parents[3])
sys.path.insert(0, _PACKAGES)

from pagedkv_edu.grading.child import absent, walls  # noqa: E402
from pagedkv_edu.grading.child.cells import Cells  # noqa: E402
from pagedkv_edu.grading.child.keeper import Keeper  # noqa: E402
from pagedkv_edu.grading.child.limits import Clock  # noqa: E402
from pagedkv_edu.grading.child.serve import Server  # noqa: E402
from pagedkv_edu.grading.child.sockets import refuse_sockets  # noqa: E402


def main(arguments: list[str]) -> None:
    """Become the keeper, and start the others."""
    requests, replies, status = map(int, arguments[:3])
    setup = json.loads(arguments[3])
    walls.die_with_parent()
    walls.adopt_orphans()
    alone = walls.own_processes()
    first = os.fork()
    if first == 0:
        os.close(status)
        _first_inside(requests, replies, setup, alone=alone)
    os.close(requests)
    os.close(replies)
    keeper = Keeper(
        first, setup["memory_mib"], setup["num_processes"], setup["scratch"]
    )
    os.write(status, json.dumps(keeper.keep()).encode())


def _first_inside(
    requests: int, replies: int, setup: dict[str, object], *, alone: bool
) -> None:
    walls.die_with_parent()
    standing = _build(setup, alone=alone)
    second = os.fork()
    if second == 0:
        walls.die_with_parent()
        _serve(requests, replies, setup, standing)
        os._exit(0)
    os.close(requests)
    os.close(replies)
    while True:
        ended, code = os.wait()
        if ended == second:
            os._exit(_exit_code(code))


def _exit_code(code: int) -> int:
    return 128 + os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)


def _build(setup: dict[str, object], *, alone: bool) -> dict[str, bool]:
    walls.gain_nothing()
    network = walls.unshare(walls.NEW_NET) or refuse_sockets()
    walls.unshare(walls.NEW_IPC)
    shown, hidden, stage = setup["show"], setup["hide"], setup["stage"]
    assert isinstance(shown, list), setup
    assert isinstance(hidden, list), setup
    files = walls.show_only([_PACKAGES, *shown], hidden, str(stage))
    folder = walls.SCRATCH if files else str(setup["scratch"])
    os.chdir(folder)
    os.environ.update(HOME=folder, TMPDIR=folder)
    limits = walls.Limits(
        int(str(setup["memory_mib"])),
        int(str(setup["cpu_seconds"])),
        int(str(setup["num_processes"])),
    )
    # without a process namespace, all processes of the user count
    running = 0 if alone else int(str(setup["num_running"]))
    walls.set_limits(limits, num_running=running)
    user = files and walls.become_nobody(int(str(setup["number"])))
    walls.die_with_parent()  # a new user has forgotten it
    return {"files": files, "network": network, "processes": alone, "user": user}


def _serve(
    requests: int, replies: int, setup: dict[str, object], standing: dict[str, bool]
) -> None:
    nothing = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    absent.install()
    paths = setup["paths"]
    assert isinstance(paths, list), setup
    sys.path += paths
    sys.argv = [""]
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    cells = Cells(module.__dict__, Clock(), str(Path.cwd()))
    os.write(replies, json.dumps({"walls": standing}).encode() + b"\n")
    Server(os.fdopen(requests, "rb"), replies, cells).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
