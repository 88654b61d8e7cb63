"""Carries out one item: `python3 -I drive.py`, told what to do by one JSON document on standard input.

The orders name `cases` (line, text to type, keys that stand for themselves, seconds), `files` (an
expected file outside the tree, and where the program may have put its own) and `watched` paths. The
answer goes to the channel as one JSON document; see `sandbox.terminal.shell_interaction`. Each line runs
behind a pseudo-terminal, with somebody who types when the program waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120

from sandbox.terminal.compare import compare, guarded

_TICK_S = 0.004
_QUIET_S = 0.016  # without output for so long, and asleep: it waits for somebody to type
_MOST_ENDS = 25  # so often is the end of the input told before the terminal is hung up
_GRACE_S = 1.0
_READ_BYTES = 1 << 16
_END_OF_INPUT = b"\x04"
_ROWS, _COLUMNS = 50, 200


@dataclass(frozen=True, slots=True)
class Conversation:
    """What came of one line. `exit_code` is None when time ran out; 128 + n after signal n.

    `asked_for_more` says that it read on after the end of the input until the terminal was hung up.
    `typed_at` are the places in `output`, in bytes, where it waited and something was typed; none
    where the output is not whole.
    """

    exit_code: int | None
    output: bytes
    truncated: bool
    asked_for_more: bool
    seconds: float
    typed_at: tuple[int, ...] = ()


class _Kept:
    """The first and the last half of `cap` bytes."""

    def __init__(self, cap: int) -> None:
        self._half = cap // 2
        self._head, self._tail, self.seen = bytearray(), bytearray(), 0

    def feed(self, data: bytes) -> None:
        self.seen += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    @property
    def truncated(self) -> bool:
        return self.seen > 2 * self._half

    def value(self) -> bytes:
        if not self.truncated:
            return bytes(self._head + self._tail)
        return (
            bytes(self._head) + b"\n[... output left out ...]\n" + bytes(self._tail[-self._half :])
        )


def converse(line: str, keys: list[bytes], limit_s: float, output_bytes: int) -> Conversation:
    """Run the line by bash, type `keys` one by one when it waits, then tell the end of the input."""
    began = time.monotonic()
    master, slave = pty.openpty()
    # No echo of what is typed and no rewriting of what is printed; lines, as people type them.
    settings = termios.tcgetattr(slave)
    settings[1] &= ~termios.OPOST
    settings[3] = (settings[3] & ~(termios.ECHO | termios.ECHONL)) | termios.ICANON | termios.ISIG
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    pid = _start(line, slave)
    talk = _Talk(master, slave, pid, deque(keys), _Kept(output_bytes))
    try:
        code = talk.until(began + limit_s)
    finally:
        end_descendants()
        talk.drain()
        talk.hang_up()
        os.close(slave)
    seconds = time.monotonic() - began
    return Conversation(
        code,
        talk.kept.value(),
        talk.kept.truncated,
        talk.is_hung_up_early,
        seconds,
        () if talk.kept.truncated else tuple(talk.typed_at),
    )


def _start(line: str, slave: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for descriptor in (0, 1, 2):
            os.dup2(slave, descriptor)
        os.closerange(3, 65536)
        shell = ["/bin/bash", "--noprofile", "--norc", "-c", line]
        os.execve(shell[0], shell, {**os.environ, "TERM": "dumb", "PAGER": "cat"})  # noqa: S606
    finally:
        os._exit(127)


class _Talk:
    """The side of the terminal where somebody sits."""

    def __init__(self, master: int, slave: int, pid: int, keys: deque[bytes], kept: _Kept) -> None:
        self._master, self._slave, self._pid, self._keys = master, slave, pid, keys
        self.kept = kept
        self.is_hung_up_early = False
        self.typed_at: list[int] = []
        self._ends = 0
        self._is_open = True
        self._last_event = time.monotonic()

    def until(self, deadline: float) -> int | None:
        """Talk until the program ends or time is up; return its exit code."""
        while True:
            done, status = os.waitpid(self._pid, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if time.monotonic() > deadline:
                return None
            if self._hear(_TICK_S) or not self._is_open or not self._it_waits():
                continue
            self._last_event = time.monotonic()
            if self._keys:
                self.typed_at.append(self.kept.seen)
                with contextlib.suppress(BlockingIOError):
                    os.write(self._master, self._keys.popleft())
            elif self._ends < _MOST_ENDS:
                self._ends += 1
                os.write(self._master, _END_OF_INPUT)
            else:
                self.is_hung_up_early = True
                self.hang_up()
                deadline = min(deadline, time.monotonic() + _GRACE_S)

    def _hear(self, wait_s: float) -> bool:
        if not self._is_open:
            time.sleep(wait_s)
            return False
        if not select.select([self._master], [], [], wait_s)[0]:
            return False
        try:
            data = os.read(self._master, _READ_BYTES)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        self.kept.feed(data)
        self._last_event = time.monotonic()
        return bool(data)

    def _it_waits(self) -> bool:
        if time.monotonic() - self._last_event < _QUIET_S:
            return False
        if select.select([self._slave], [], [], 0)[0]:  # it has not read all that was typed
            return False
        return all(state in "STZX" for _, _, session, state in _table() if session == self._pid)

    def drain(self) -> None:
        """Take what is still to be heard, within bounds: a survivor must not hold us here."""
        for _ in range(256):
            if not self._is_open or not self._hear(0):
                return

    def hang_up(self) -> None:
        """Close the terminal: whoever reads from it sees its end."""
        if self._is_open:
            self._is_open = False
            os.close(self._master)


# --- the processes that a line started -------------------------------------------------------------


_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_ENDING_S = 2.0


def keep_to_ourselves() -> None:
    """Keep others out of our memory and descriptors, and become the parent of every orphan."""
    with contextlib.suppress(OSError):
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants() -> None:
    """Kill whatever is left below us; a process that forks faster than we look is caught again."""
    deadline = time.monotonic() + _ENDING_S
    while time.monotonic() < deadline:
        table = [(pid, parent) for pid, parent, _, state in _table() if state not in "ZX"]
        found = [os.getpid()]
        for known in found:
            found += [pid for pid, parent in table if parent == known]
        _, *left = found
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return


def _table() -> Iterator[tuple[int, int, int, str]]:
    """Yield (pid, parent, session, state) of every process that can be seen."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(errors="replace")
        except OSError:
            continue
        state, parent, _, session = text.rpartition(")")[2].split()[:4]
        yield int(entry.name), int(parent), int(session), state


_LONG_AGO = (1_000_000_000, 1_000_000_000)


class CaseOrder(TypedDict):
    """One command of the item."""

    line: str
    typed: str
    pressed: str
    limit_s: float


class FileOrder(TypedDict):
    """One expected file: where it stands, what it is called, and where the program's own may be."""

    expected: str
    name: str
    candidates: list[str]


class DriveOrders(TypedDict):
    """Everything to do for one item."""

    cases: list[CaseOrder]
    files: list[FileOrder]
    watched: list[str]
    output_bytes: int


def main() -> None:
    """Take the orders, carry them out, answer."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    os.set_inheritable(channel, False)
    keep_to_ourselves()
    orders: DriveOrders = json.loads(sys.stdin.buffer.read())
    candidates = [path for file in orders["files"] for path in file["candidates"]]
    # What is there is made to look old, so that a file of an earlier run is not taken for this one's.
    marked: dict[str, int] = {}
    for path in [*candidates, *orders["watched"]] if orders["cases"] else []:
        if Path(path).is_file():
            try:
                os.utime(path, ns=_LONG_AGO)
            except OSError:
                continue
            marked[path] = Path(path).stat().st_ino
    cases: list[dict[str, object]] = []
    for case in orders["cases"]:
        # What a person would press, line by line; the last line is entered too.
        typed = [line.encode("utf-8", "surrogateescape") for line in case["typed"].splitlines()]
        keys = [case["pressed"].encode()] if case["pressed"] else [line + b"\n" for line in typed]
        seen = converse(case["line"], keys, case["limit_s"], orders["output_bytes"])
        waits = [len(_text(seen.output[:place])) for place in seen.typed_at]
        cases.append({**asdict(seen), "output": _text(seen.output), "typed_at": waits})
    end_descendants()
    answer = {
        "cases": cases,
        "files": [_file(file, marked, bool(cases)) for file in orders["files"]],
        "made": [path for path in orders["watched"] if _is_written(path, marked)],
        "there": [path for path in orders["watched"] if Path(path).is_file()],
    }
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(channel, data) :]


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").replace("\r\n", "\n")


# --- files ------------------------------------------------------------------------------------


def _is_written(path: str, marked: dict[str, int]) -> bool:
    file = Path(path)
    if not file.is_file():
        return False
    status = file.stat()
    return (status.st_ino, status.st_mtime_ns) != (marked.get(path), _LONG_AGO[1])


def _file(order: FileOrder, marked: dict[str, int], was_run: bool) -> dict[str, str]:
    there = [path for path in order["candidates"] if Path(path).is_file()]
    written = [path for path in there if _is_written(path, marked)] if was_run else there
    actual, outcome, detail = "", "missing", f"looked for {', '.join(order['candidates'][:4])}"
    if there:
        actual, detail = there[0], "the run did not write it; it was there before"
    if written:
        suffix = Path(order["name"]).suffix.lower()
        found = guarded(lambda: compare(Path(order["expected"]), Path(written[0]), suffix))
        actual, outcome, detail = written[0], found.outcome, found.detail
    return {"name": order["name"], "actual": actual, "outcome": outcome, "detail": detail[:1000]}


if __name__ == "__main__":
    main()
