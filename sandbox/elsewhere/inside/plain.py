"""Makes recorded calls again where nothing looks like a test: `python -s main.py`, orders on standard input.

The machine has other names, the process another owner and other parents, the tree lies elsewhere and has
no tests. What the kernel would have to be asked for is answered by the interpreter's own functions.
"""

from __future__ import annotations

import _thread
import contextlib
import gc
import json
import os
import pwd
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from sandbox.elsewhere.inside.calls import LIKE_DATES, CallsAgain, Repeats, place
from sandbox.elsewhere.inside.series import made

_USER, _ID, _HOST = "ada", 4217, "web-3"
_PARENTS = 120
_REPEATS = Repeats(500, 0.05)
_BRIEF = Repeats(2, 0.0, longest_s=1, in_all_s=20.0)
_DATED = Repeats(2, 0.0, longest_s=1, in_all_s=5.0)
_DAY_S = 86_400
_LATER_S = (422 * _DAY_S + 7_000, 1_610 * _DAY_S + 41_000)
_LONGEST_S = 10.0
_LARGEST = 1 << 20


def main() -> None:
    """Make every call and leave: those that are to be made briefly, the series, and the others.

    Of these, calls that nothing of dates stands in are made at two other dates too, unless they took long.
    """
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    del os.environ["PYTHONHASHSEED"]
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
    brief = CallsAgain(channel, orders["brief"], _BRIEF, is_drained=True)
    brief.tell({"place": place(orders["tree"])})
    with contextlib.suppress(AttributeError):  # what children do not look through stays shared
        gc.freeze()
    if orders["brief"]:
        _in_a_child(lambda: serve(brief))
    if orders["series"]:
        _in_a_child(lambda: brief.tell(*made(orders["series"])))
    if orders["calls"]:
        _make_at_length(channel, orders["calls"], len(orders["brief"]))
    os._exit(0)


def _make_at_length(channel: int, calls: list[dict[str, Any]], first: int) -> None:
    again, begun = CallsAgain(channel, calls, _REPEATS, first=first), time.monotonic()
    _in_a_child(lambda: serve(again))
    is_timeless = any(one["timeless"] for one in calls)
    if is_timeless and time.monotonic() - begun < _LONGEST_S:
        today, *later = (_made_at(calls, seconds) for seconds in (0, *_LATER_S))
        for number, text in today.items():
            # What gives one thing today, and on both other dates another one.
            other = {one.get(number, "") for one in later}
            if len(other) == 1 and "" not in other and other != {text}:
                again.tell({"number": first + number, "undated": text, "dated": other.pop()})


def serve(again: CallsAgain, *, is_dated: bool = False) -> None:
    """Call and call again; `is_dated` leaves out what has to do with dates."""
    for one in again.calls(is_timeless=is_dated):
        while one.goes_on():
            try:
                one.result = one.function(*one.args, **one.kwargs)
            except BaseException as error:  # whatever the tree raises
                one.raised = error


def _in_a_child(work: Callable[[], None]) -> None:
    """Do something in a process that has loaded nothing of the tree yet."""
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    os.waitpid(pid, 0)


def _made_at(calls: list[dict[str, Any]], seconds: int) -> dict[int, str]:
    """Make the timeless calls at another time; calls that are unsteady then are left out."""
    with tempfile.TemporaryFile() as told:
        asked = CallsAgain(told.fileno(), calls, _DATED)

        def work() -> None:
            _be_later(seconds)
            serve(asked, is_dated=True)

        _in_a_child(work)
        told.seek(0)
        lines = told.read(_LARGEST).splitlines()
    found = {}
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            one = json.loads(line)
            if "later" not in one and not LIKE_DATES.search(one["outcome"]):
                found[int(one["number"])] = str(one["outcome"])
    return found


def _be_later(seconds: int) -> None:
    """Let every clock of Python that tells the date go by another calendar.

    `datetime` is then the one that is written in Python: it asks `time`.
    """
    for name in ("datetime", "_datetime"):
        sys.modules.pop(name, None)
    without: Any = sys.modules
    without["_datetime"] = None
    clock: Any = time
    now, asked_of = time.time, time.clock_gettime
    clock.time = lambda: now() + seconds
    for name in ("localtime", "gmtime", "ctime"):
        asked = getattr(time, name)
        setattr(clock, name, lambda at=None, asked=asked: asked(clock.time() if at is None else at))
    written, shown = time.strftime, time.asctime
    clock.strftime = lambda form, at=None: written(form, clock.localtime() if at is None else at)
    clock.asctime = lambda at=None: shown(clock.localtime() if at is None else at)
    clock.clock_gettime = lambda one: asked_of(one) + seconds * (one == time.CLOCK_REALTIME)
    if hasattr(time, "time_ns"):  # since Python 3.7
        in_ns, of_ns = time.time_ns, time.clock_gettime_ns
        more = seconds * 1_000_000_000
        clock.time_ns = lambda: in_ns() + more
        clock.clock_gettime_ns = lambda one: of_ns(one) + more * (one == time.CLOCK_REALTIME)


def _be_somebody_else() -> None:
    parent = os.getpid()
    over = _thread.allocate_lock()
    over.acquire()
    for _ in range(_PARENTS):  # each takes a number that a process would have had
        _thread.start_new_thread(over.release, ())
        over.acquire()
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
