"""One launched process tree: started, waited for by pidfd, and always dead when the context ends."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from sandbox.base import Command, Completed, Killed, SandboxError
from sandbox.concurrently import to_its_end
from sandbox.errors import HostTrouble
from sandbox.streams import Capped, HeadTail, PipeReader, Sink

_DEATH_TIMEOUT_S = 30.0  # giving back gigabytes on a busy machine takes a while
_STATUS_BYTES = 1 << 16
_KILLED_TRIES = 3
LOWEST_OWN_DESCRIPTOR = 32


class StatusLines:
    """Bubblewrap's own report: the pid of the init inside, then the exit code; or why it failed."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._pidfd: int | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes; opens the init's pidfd as soon as its pid is known."""
        self._text += data[: _STATUS_BYTES - len(self._text)]
        if self._pidfd is None and isinstance(pid := self._find("child-pid"), int):
            with suppress(ProcessLookupError):
                self._pidfd = os.pidfd_open(pid)

    def _find(self, key: str) -> int | str | None:
        for line in self._text.splitlines():
            with suppress(ValueError):
                value = json.loads(line).get(key)
                if isinstance(value, int | str):
                    return value
        return None

    def exit_code(self) -> int | None:
        """The program's exit code, None when it was never started or did not end by itself."""
        code = self._find("exit-code")
        return code if isinstance(code, int) else None

    def failure(self) -> str | None:
        """Why the launcher could not start the program."""
        failure = self._find("launch-error")
        return failure if isinstance(failure, str) else None

    def take_init(self) -> int | None:
        """The pidfd of the init inside, for the caller to close."""
        pidfd, self._pidfd = self._pidfd, None
        return pidfd


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not future.done():
            future.set_result(None)

    loop.add_reader(descriptor, settle)
    try:
        await future
    finally:
        loop.remove_reader(descriptor)


class ProcessTree:
    """A launcher and all that comes of it. Leaving the context kills what is left of it."""

    def __init__(self, process: subprocess.Popen[bytes], status: StatusLines) -> None:
        self._process = process
        self._status = status
        self._pidfd = os.pidfd_open(process.pid)
        self.pid = process.pid

    async def ended(self) -> None:
        """Wait until the program's own process ended."""
        await _readable(self._pidfd)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A second cancellation must not leave a process behind.
        await to_its_end(self._end())

    async def _end(self) -> None:
        init = self._status.take_init()
        with ExitStack() as closing:
            closing.callback(os.close, self._pidfd)
            for pidfd in (self._pidfd, init):
                if pidfd is None:
                    continue
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            if init is not None:
                closing.callback(os.close, init)
            try:
                async with asyncio.timeout(_DEATH_TIMEOUT_S):
                    await _readable(self._pidfd)
                    if init is not None:
                        # A PID namespace's init ends only after everything in the namespace did.
                        await _readable(init)
            except TimeoutError as error:
                # It is reaped when it does die; nobody waits for that.
                threading.Thread(target=self._process.wait, daemon=True).start()
                raise SandboxError(f"process {self.pid} does not die") from error
            except asyncio.CancelledError:
                # The loop itself ends; what was killed is reaped all the same.
                threading.Thread(target=self._process.wait, daemon=True).start()
                raise
            self._process.wait()


class ProcessStreams:
    """Where one command's output goes: pipes into sinks of ours. Made inside the running loop.

    The numbers are of the ends that the command writes to; `channel_end` is None where it gets none.
    """

    def __init__(
        self, command: Command, overflowed: Callable[[], None], closing: ExitStack
    ) -> None:
        most = command.limits.output_bytes
        self.out, self.err = HeadTail(most), HeadTail(most)
        self.channel = Capped(command.channel_bytes, overflowed)
        self.status = StatusLines()
        self._closing = closing
        self._readers: list[PipeReader] = []
        self._writing_ends: list[int] = []
        self.out_end, self.err_end = self._open(self.out), self._open(self.err)
        self.status_end = self._open(self.status)
        self.channel_end = self._open(self.channel) if command.channel_bytes else None

    def _open(self, sink: Sink) -> int:
        ours, low = os.pipe()
        # Out of the way of the low numbers, which the launcher gives to the program.
        theirs = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST_OWN_DESCRIPTOR)
        os.close(low)
        self._writing_ends.append(theirs)
        self._readers.append(PipeReader(ours, sink))
        self._closing.callback(self._readers[-1].close)
        return theirs

    def start(self, argv: list[str], stdin: int, keep: tuple[int, ...]) -> subprocess.Popen[bytes]:
        """Start `argv` with an empty environment and no descriptor but these; let go of its own ends."""
        channel = () if self.channel_end is None else (self.channel_end,)
        try:
            return subprocess.Popen(
                argv,
                stdin=stdin,
                stdout=self.out_end,
                stderr=self.err_end,
                env={},
                cwd="/",
                pass_fds=(self.status_end, *channel, *keep),
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"cannot start the launcher {argv[0]}: {error}") from error
        finally:
            while self._writing_ends:
                os.close(self._writing_ends.pop())

    async def drained(self, timeout_s: float) -> None:
        """Wait until the command's ends are closed, at most `timeout_s` seconds."""
        await asyncio.wait([reader.ended for reader in self._readers], timeout=timeout_s)

    def completed(self, killed: Killed | None, seconds: float) -> Completed:
        """Put the result together.

        Raises SandboxError when the program was never started, HostTrouble when its supervisor was killed.
        """
        exit_code = self.status.exit_code()
        if exit_code is None and killed is None:
            said = self.err.value().decode(errors="replace").strip()
            if failure := self.status.failure() or (said if said.startswith("bwrap: ") else ""):
                raise SandboxError(failure)
            raise HostTrouble("A sandbox was killed on the machine that judges.", _KILLED_TRIES)
        return Completed(
            exit_code=None if killed else exit_code,
            stdout=self.out.value(),
            stderr=self.err.value(),
            seconds=seconds,
            killed=killed,
            truncated=self.out.truncated or self.err.truncated,
            channel=self.channel.value(),
        )


def memory_file(name: str, content: bytes, closing: ExitStack) -> int:
    """A file in memory with `content`, read from its start."""
    low = os.memfd_create(name)
    descriptor = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST_OWN_DESCRIPTOR)
    os.close(low)
    closing.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
