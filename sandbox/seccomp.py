"""Closes the kernel's interfaces that no build or test needs and that most attacks on it begin with.

A program that tries one is told that the kernel has no such call (ENOSYS), as on an older kernel.
The list follows docker's default profile. Sockets are of four families only. Process 1, which tells
how the program ended, cannot be traced, read or written, nor can descriptors be taken from it.
Source of the format: man 2 seccomp, linux/filter.h.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Machine:
    """The audit number of an architecture and the numbers of its calls.

    `closed` are refused; `sockets` take a family first; `others` take a process id as the argument
    of that number (from 0).
    """

    audit: int
    closed: tuple[int, ...]
    sockets: tuple[int, int]
    others: tuple[tuple[int, int], ...]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


# add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring_setup, io_uring_enter,
# io_uring_register, kexec_load, init_module, finit_module, delete_module, open_by_handle_at,
# quotactl, acct, swapon, reboot, syslog, kcmp, pidfd_getfd; then socket, socketpair; then ptrace,
# process_vm_readv, process_vm_writev
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        _numbers(
            "248 249 250 321 298 323 425 426 427 246 175 313 176 304 179 163 167 169 103 312 438"
        ),
        (41, 53),
        ((101, 1), (310, 0), (311, 0)),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        _numbers(
            "217 218 219 280 241 282 425 426 427 104 105 273 106 265 60 89 224 142 116 272 438"
        ),
        (198, 199),
        ((117, 1), (270, 0), (271, 0)),
    ),
}
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
_LOAD_WORD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# Offsets in struct seccomp_data; of an argument the lower half, on machines with the lower byte first.
_CALL_NUMBER, _ARCHITECTURE, _ARGUMENTS, _ARGUMENT_BYTES = 0, 4, 16, 8
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_FIRST_X32_CALL = 0x40000000  # a second numbering of the same calls on x86_64
_SUPERVISOR = 1
"""The process that tells how the program ended."""


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _instruction(_RETURN, _REFUSE | number)


def _argument(index: int) -> bytes:
    return _instruction(_LOAD_WORD, _ARGUMENTS + index * _ARGUMENT_BYTES)


def _if_call(number: int, then: list[bytes]) -> list[bytes]:
    """What is done for a call; `then` must end by returning."""
    return [_instruction(_IF_EQUAL, number, if_false=len(then)), *then]


def seccomp_filter() -> bytes | None:
    """The filter as bubblewrap takes it, None for an architecture whose numbers are not known here."""
    known = _MACHINES.get(os.uname().machine)
    if known is None:
        return None
    allow, no_such_call = _instruction(_RETURN, _ALLOW), _refuse(errno.ENOSYS)
    program = [
        _instruction(_LOAD_WORD, _ARCHITECTURE),
        _instruction(_IF_EQUAL, known.audit, if_true=1),
        no_such_call,
        _instruction(_LOAD_WORD, _CALL_NUMBER),
        _instruction(_IF_AT_LEAST, _FIRST_X32_CALL, if_false=1),
        no_such_call,
    ]
    for call in known.closed:
        program += _if_call(call, [no_such_call])
    families = [
        _instruction(_IF_EQUAL, one, if_true=len(_FAMILIES) - at)
        for at, one in enumerate(_FAMILIES)
    ]
    for call in known.sockets:
        program += _if_call(call, [_argument(0), *families, _refuse(errno.EAFNOSUPPORT), allow])
    for call, at in known.others:
        is_supervisor = _instruction(_IF_EQUAL, _SUPERVISOR, if_false=1)
        program += _if_call(call, [_argument(at), is_supervisor, _refuse(errno.EPERM), allow])
    return b"".join([*program, allow])
