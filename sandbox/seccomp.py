"""Closes the kernel's interfaces that no build or test needs and that most attacks on it begin with.

A program that tries one is told that the kernel has no such call (ENOSYS), as on an older kernel.
The list follows docker's default profile; source of the format: man 2 seccomp, linux/filter.h.
"""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Machine:
    """The audit number of an architecture and the numbers of the calls that are closed on it."""

    audit: int
    calls: tuple[int, ...]


# add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring_setup, io_uring_enter,
# io_uring_register, kexec_load, init_module, finit_module, delete_module, open_by_handle_at,
# quotactl, acct, swapon, reboot, syslog
_X86_64 = "248 249 250 321 298 323 425 426 427 246 175 313 176 304 179 163 167 169 103"
_AARCH64 = "217 218 219 280 241 282 425 426 427 104 105 273 106 265 60 89 224 142 116"
_MACHINES = {
    "x86_64": _Machine(0xC000003E, tuple(map(int, _X86_64.split()))),
    "aarch64": _Machine(0xC00000B7, tuple(map(int, _AARCH64.split()))),
}
_LOAD_WORD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_CALL_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.ENOSYS
_FIRST_X32_CALL = 0x40000000  # a second numbering of the same calls on x86_64


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def seccomp_filter(machine: str = os.uname().machine) -> bytes | None:
    """The filter as bubblewrap takes it, None for an architecture whose numbers are not known here."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    count = len(known.calls)
    program = [
        _instruction(_LOAD_WORD, _ARCHITECTURE),
        _instruction(_IF_EQUAL, known.audit, if_false=count + 3),
        _instruction(_LOAD_WORD, _CALL_NUMBER),
        _instruction(_IF_AT_LEAST, _FIRST_X32_CALL, if_true=count + 1),
    ]
    for index, call in enumerate(known.calls):
        program.append(_instruction(_IF_EQUAL, call, if_true=count - index))
    return b"".join([*program, _instruction(_RETURN, _ALLOW), _instruction(_RETURN, _REFUSE)])
