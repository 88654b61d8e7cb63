"""Makes recorded calls again where nothing looks like a test: `python -I main.py`, orders on standard input.

The machine has other names, the process another owner and other parents, the tree lies elsewhere and has
no tests. What the kernel would have to be asked for is answered by the interpreter's own functions.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import socket
import sys
from typing import Any

sys.path.append("/srv/run")
from sandbox.elsewhere.inside.calls import Again, Repeats, place

_USER, _ID, _HOST = "ada", 4217, "web-3"
_PARENTS = 120
_REPEATS = Repeats(500, 0.05)
_BRIEF = Repeats(2, 0.0, longest_s=1, in_all_s=20.0)


def main() -> None:
    """Make every call and leave."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    orders = json.loads(sys.stdin.readline())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path.remove("/srv/run")
    for name in list(sys.modules):
        if name.split(".")[0] == "sandbox":  # the tree may have one of its own
            del sys.modules[name]
    for path in orders["gone"]:
        with contextlib.suppress(OSError):
            where = os.path.join(orders["tree"], path)  # noqa: PTH118
            os.remove(where)  # noqa: PTH107
            os.removedirs(os.path.dirname(where))  # noqa: PTH120
    os.makedirs(os.environ["HOME"], exist_ok=True)  # noqa: PTH103
    _be_somebody_else()
    sys.path.extend(one for one in orders["sys_path"] if one not in sys.path)
    again = Again(channel, orders["calls"], _BRIEF if orders["is_brief"] else _REPEATS)
    again.tell({"place": place(orders["tree"])})
    serve(again)
    os._exit(0)


def serve(again: Again) -> None:
    """Call and call again."""
    for one in again.calls():
        while one.goes_on():
            try:
                one.result = one.function(*one.args, **one.kwargs)
            except BaseException as error:
                one.raised = error


def _be_somebody_else() -> None:
    parent = os.getpid()
    for _ in range(_PARENTS):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    names: Any = os
    names.getppid = lambda: parent + 4000
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        setattr(names, name, lambda: _ID)
    known, home = os.uname(), os.environ["HOME"]
    there = os.uname_result((known.sysname, _HOST, *tuple(known)[2:]))
    names.uname = lambda: there
    entry = pwd.struct_passwd((_USER, "x", _ID, _ID, "", home, "/bin/sh"))
    asked = pwd.getpwuid
    by_number: Any = lambda number: entry if number == _ID else asked(number)  # noqa: E731
    pwd.getpwuid = by_number
    network: Any = socket
    network.gethostname = lambda: _HOST
    found = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("203.0.113.7", 80))
    network.getaddrinfo = lambda *_, **__: [found]
    network.gethostbyname = lambda _: "203.0.113.7"


if __name__ == "__main__":
    main()
