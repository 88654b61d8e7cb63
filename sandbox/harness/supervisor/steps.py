"""Runs one program after another; when a step is over, nothing of it lives any more."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sandbox.harness.supervisor.orders import Journal

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_KEPT_BYTES = 16 << 20  # of each stream; what comes later is read and dropped
_SHOWN_CHARS = 20_000  # of a step's output, for people
_SHORTEST_S = 5.0
_TICK_S = 0.2
_SHARE = 0.5  # of the time that is left, for one step


@dataclass(frozen=True)
class Program:
    """What to start: below the root, with these variables over the project's own."""

    argv: tuple[str, ...]
    folder: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    stdin: bytes = b""


@dataclass(frozen=True)
class Done:
    """A step that is over. `status` is None when it was stopped for its time."""

    status: int | None
    out: str
    err: str
    seconds: float
    is_cut: bool = False

    @property
    def said(self) -> str:
        """All that it printed, the messages last."""
        return f"{self.out}\n{self.err}".strip()


class Steps:
    """Starts programs below `root` with one environment, until the time is up."""

    def __init__(
        self, journal: Journal, root: Path, environment: dict[str, str], time_s: float
    ) -> None:
        self._journal = journal
        self.root = root
        self.environment = environment
        self._deadline = time.monotonic() + time_s

    def run(self, *argv: str, folder: str = "") -> Done:
        """Run a program that needs nothing else."""
        return self.start(Program(argv, folder))

    def start(self, program: Program) -> Done:
        """Run one program to its end."""
        shown = shlex.join(program.argv)
        self._journal.running(shown)
        _tell(f"$ {shown}")
        started = time.monotonic()
        status, out, err, is_cut = self._watched(program)
        printed, complained = (data.decode("utf-8", "replace") for data in (out, err))
        done = Done(status, printed, complained, time.monotonic() - started, is_cut)
        _tell(done.said[-_SHOWN_CHARS:])
        if status != 0:
            _tell("[stopped for its time]" if status is None else f"[exit code {status}]")
        return done

    def _watched(self, program: Program) -> tuple[int | None, bytes, bytes, bool]:
        limit_s = max(_SHORTEST_S, (self._deadline - time.monotonic()) * _SHARE)
        # A pipe gives the data once: unlike a file, it cannot be read again.
        stdin, writing = os.pipe()
        os.write(writing, program.stdin)
        os.close(writing)
        try:
            process = subprocess.Popen(
                program.argv,
                cwd=self.root / program.folder,
                env={**self.environment, **dict(program.environment)},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            return 127, b"", f"{program.argv[0]}: {error.strerror}".encode(), False
        finally:
            os.close(stdin)
        streams = _PipeStreams(process)
        status = streams.follow(time.monotonic() + limit_s)
        end_descendants()
        process.returncode = -signal.SIGKILL if status is None else status  # reaped by us
        out, err, is_cut = streams.close()
        return status, out, err, is_cut


class _PipeStreams:
    """Reads both pipes of a process without being held up by them."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._kept = {1: bytearray(), 2: bytearray()}
        self._is_cut = False
        self._selector = selectors.DefaultSelector()
        for number, stream in ((1, process.stdout), (2, process.stderr)):
            assert stream is not None  # noqa: S101 - asked for as pipes
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, number)

    def follow(self, deadline: float) -> int | None:
        """Read until the process is over or its time is; a child that holds a pipe delays nobody."""
        while time.monotonic() < deadline:
            if self._selector.get_map():
                self._read(_TICK_S)
            status = self._process.poll()
            if status is not None:
                return status
            if not self._selector.get_map():
                time.sleep(0.01)
        return None

    def _read(self, wait_s: float) -> bool:
        found = False
        for key, _ in self._selector.select(wait_s):
            try:
                data = os.read(key.fd, 1 << 16)
            except BlockingIOError:
                continue
            found = True
            if not data:
                self._selector.unregister(key.fileobj)
                continue
            kept = self._kept[key.data]
            self._is_cut |= len(kept) + len(data) > _KEPT_BYTES
            kept += data[: max(0, _KEPT_BYTES - len(kept))]
        return found

    def close(self) -> tuple[bytes, bytes, bool]:
        """Take what the dead left in the pipes."""
        while self._selector.get_map() and self._read(0):
            pass
        self._selector.close()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        return bytes(self._kept[1]), bytes(self._kept[2]), self._is_cut


def become_the_supervisor() -> None:
    """Keep processes of the same user out of our memory and descriptors, and inherit all orphans.

    Raises OSError where the kernel refuses: then nothing may be started.
    """
    import ctypes  # noqa: PLC0415 - only this process may load it

    library = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_DUMPABLE, 0), (_PR_SET_CHILD_SUBREAPER, 1)):
        if library.prctl(option, value, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def end_descendants() -> None:
    """Kill all that is below this process, until there is nothing left to wait for."""
    while True:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _descendants() -> list[int]:
    """Return our children; what they leave behind becomes our child when they die."""
    pid = os.getpid()
    path = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        return [int(word) for word in path.read_text().split()]
    except OSError:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(stat.parent.name))
        return found


def _tell(text: str) -> None:
    """Show people what happens, on the supervisor's own output."""
    sys.stdout.write(text.encode("utf-8", "replace").decode() + "\n")
    sys.stdout.flush()
