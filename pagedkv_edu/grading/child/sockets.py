"""Refuse sockets to this process, where it cannot have a network of its own."""

import ctypes
import platform
import struct

from pagedkv_edu.grading.child.walls import call, libc

# machine: its audit number, and the number of its system call "socket"
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_IO_URING_SETUP = 425  # which could open sockets too; the same number everywhere
_OTHER_WAY_IN = 0x40000000  # from here on, x86-64 counts its calls a second time
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_REFUSE, _ALLOW = 0x00050001, 0x7FFF0000  # with "operation not permitted"
_SET_FILTER, _BY_FILTER = 22, 2


def refuse_sockets() -> bool:
    """Let the kernel refuse every new socket; tell whether it does.

    It needs no rights, but the process must have given up gaining any.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return False
    architecture, socket = machine
    steps = (
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 2, 0, _OTHER_WAY_IN),
        (_EQUAL, 1, 0, socket),
        (_EQUAL, 0, 1, _IO_URING_SETUP),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(kept))
    filtered = ctypes.create_string_buffer(program, len(program))
    try:
        call(libc().prctl, _SET_FILTER, _BY_FILTER, ctypes.byref(filtered), 0, 0)
    except OSError:
        return False
    return True
