"""Walls around a learner's process: what it cannot see, reach or use up.

Linux only. Each wall is tried for itself, and what stands is told: a container or a
kernel may refuse some. Standard library only, because it runs in the learner's process.
"""

import ctypes
import os
import resource
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NEW_NS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_NOSUID, _NODEV, _BIND, _REC, _PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
_DETACH = 2
_SET_ATTRIBUTES = 442  # mount_setattr has this number on every architecture
_RECURSIVE, _HERE = 0x8000, -100
_READ_ONLY_NO_SUID = 0x3
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT, _SUBREAPER = 38, 1, 36
_SIGKILL = 9
_FIRST_FREE_UID, _NUM_FREE_UIDS = 200_000, 100_000

SCRATCH = "/scratch"
SCRATCH_MIB = 64
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one learner's process may use."""

    memory_mib: int
    cpu_seconds: int
    num_processes: int = 32
    file_mib: int = SCRATCH_MIB


def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def call(function: Callable[..., int], *arguments: object) -> None:
    """Call the C library; raise `OSError` if it fails."""
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def unshare(flags: int) -> bool:
    """Leave some of the parent's namespaces; tell whether the kernel allowed it."""
    try:
        call(libc().unshare, flags)
    except OSError:
        return False
    return True


def own_processes() -> bool:
    """Give the children of this process a process namespace of their own.

    Who is not root becomes root in a user namespace first, over nothing but itself.
    """
    if os.geteuid() == 0 and unshare(NEW_PID):
        return True
    uid, gid = os.geteuid(), os.getegid()
    if not unshare(NEW_USER | NEW_PID):
        return False
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    return True


def show_only(paths: Sequence[str], hidden: Sequence[str], stage: str) -> bool:
    """Let this process see these paths, read-only, and a scratch folder, and no more.

    `stage` is an empty folder that becomes the root of all it sees.
    """
    try:
        _show_only(paths, hidden, stage)
    except OSError:
        return False
    return True


def _show_only(paths: Sequence[str], hidden: Sequence[str], stage: str) -> None:
    c = libc()
    call(c.unshare, NEW_NS)
    call(c.mount, b"none", b"/", None, _REC | _PRIVATE, None)
    _tmpfs(stage, "size=1m,mode=755")
    for path in (*_SYSTEM, *_DEVICES, *paths):
        _show(path, stage)
    for path in hidden:
        if Path(stage + path).exists():
            _tmpfs(stage + path, "size=4k,mode=755")
    Path(stage + SCRATCH).mkdir()
    if not Path(stage + "/tmp").exists():
        Path(stage + "/tmp").symlink_to(SCRATCH)
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY_NO_SUID, 0, 0, 0)
    arguments = _HERE, stage.encode(), _RECURSIVE, ctypes.byref(attributes), 32
    call(c.syscall, _SET_ATTRIBUTES, *arguments)
    _tmpfs(stage + SCRATCH, f"size={SCRATCH_MIB}m,nr_inodes=4k,mode=777")
    os.chdir(stage)
    call(c.pivot_root, b".", b".")
    call(c.umount2, b".", _DETACH)


def _tmpfs(path: str, options: str) -> None:
    flags = _NOSUID | _NODEV
    call(libc().mount, b"tmpfs", path.encode(), b"tmpfs", flags, options.encode())


def _show(path: str, stage: str) -> None:
    source, target = Path(path), Path(stage + path)
    if not source.exists() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    if source.is_dir():
        target.mkdir()
    else:
        target.touch()
    flags = _BIND | _REC
    call(libc().mount, path.encode(), bytes(target), None, flags, None)


def become_nobody(number: int) -> bool:
    """Let root become a user that owns nothing; tell whether this is no root now."""
    if os.geteuid() != 0:
        return _drop_capabilities()
    uid = _FIRST_FREE_UID + number % _NUM_FREE_UIDS
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError:
        return False
    return True


def _drop_capabilities() -> bool:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    try:
        call(libc().capset, header, (ctypes.c_uint32 * 6)())
    except OSError:
        return False
    return True


def set_limits(limits: Limits, *, num_running: int = 0) -> None:
    """Limit memory, processor time, processes and files of this process."""
    memory, file_size = limits.memory_mib << 20, limits.file_mib << 20
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_CPU, limits.cpu_seconds)
    _limit(resource.RLIMIT_NPROC, limits.num_processes + num_running)
    _limit(resource.RLIMIT_FSIZE, file_size)
    _limit(resource.RLIMIT_NOFILE, 256)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends."""
    libc().prctl(_DIE_WITH_PARENT, _SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every process below whose own parent ends."""
    libc().prctl(_SUBREAPER, 1, 0, 0, 0)


def gain_nothing() -> None:
    """Give up gaining rights from any program that this process may start."""
    libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
