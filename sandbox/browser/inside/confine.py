"""Runs a shell line that can see and trace no process but its own: `confine.py LINE`.

The served project runs beside the browser as the same user. A Landlock domain of its own keeps it out
of the browser's memory and descriptors (/proc/<pid>, ptrace) and, from ABI 6 on, from signalling it;
nothing else is taken away. On a kernel without Landlock it runs all the same. Source: landlock(7).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_NO_NEW_PRIVILEGES = 38
_MAKE_BLOCK, _REFER = 1 << 11, 1 << 13  # nobody here can make a device; moving files stays allowed
_SCOPE_SIGNALS = 1 << 1
_PATH_BENEATH = 1


def main() -> None:
    """Enter the domain, then become the shell."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version >= 2:
        scoped = _SCOPE_SIGNALS if version >= 6 else 0
        wanted = struct.pack("QQQ", _MAKE_BLOCK | _REFER, 0, scoped)[: 24 if version >= 6 else 8]
        ruleset = libc.syscall(_CREATE_RULESET, wanted, len(wanted), 0)
        root = os.open("/", os.O_PATH)
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", _REFER, root), 0)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
        os.close(root)
        os.close(ruleset)
    # The line comes from the configuration of the base branch.
    os.execv("/bin/bash", ["/bin/bash", "--noprofile", "--norc", "-c", sys.argv[1]])  # noqa: S606


if __name__ == "__main__":
    main()
