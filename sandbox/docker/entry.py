"""Process 1 of a command's container: starts the program and carries its output to the worker.

It is passed to the image's own Python as text, so it imports nothing of ours and the image holds
nothing of ours. Docker gives a container three streams; the program gets none of them. It gets pipes
of its own, and one more for the channel, and what comes out of each is sent on as frames. So nothing
under test can write a frame: this process is not dumpable, which closes its descriptors and memory
(/proc/1/fd, ptrace, pidfd_getfd) to others of the same user, and as process 1 it takes no signal.

It ends, and by that everything in the container, when the program ends, when its own input closes
(the worker is gone) or when the deadline has passed.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import signal
import time

_READ_BYTES = 1 << 17
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_CHANNEL_DESCRIPTOR = 9
_LAST_READS = 16
_HOST_GONE, _TOO_LATE = 3, 4
_LOWEST_OWN_DESCRIPTOR = 32  # below are the numbers that the program gets

_libc = ctypes.CDLL(None, use_errno=True)


class _Filter(ctypes.Structure):
    """`struct sock_fprog`: the number of 8-byte instructions and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def read_exactly(count: int) -> bytes:
    """Read so many bytes from the worker; ends the container when there are fewer."""
    parts = []
    while count:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            os._exit(_HOST_GONE)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


class Launch:
    """What the worker wants run; see `engine.launch_message`."""

    def __init__(self, header: bytes, body: bytes) -> None:
        arguments, variables, stdin, program, channel, self.deadline_s = map(int, header.split())
        self.stdin, body = body[:stdin], body[stdin:]
        self.filter, body = body[:program], body[program:]
        texts = body.split(b"\0")
        self.argv = texts[:arguments]
        pairs = (text.partition(b"=") for text in texts[arguments : arguments + variables])
        self.environment = {name: value for name, _, value in pairs}
        self.wants_channel = bool(channel)


def read_launch() -> Launch:
    """Read the launch: the lengths of its header and of its body, then both."""
    lengths = read_exactly(16)
    return Launch(read_exactly(int(lengths[:6])), read_exactly(int(lengths[6:])))


def send(kind: bytes, payload: bytes) -> None:
    """Write one frame: its kind, four bytes of length, the payload."""
    data = memoryview(kind + len(payload).to_bytes(4, "big") + payload)
    while data:
        data = data[os.write(1, data) :]


def memory_file(content: bytes) -> int:
    """A file in memory, read from its start, that closes when a program is executed."""
    descriptor = os.memfd_create("stdin")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def become(launch: Launch) -> None:
    """Become the program; never returns."""
    try:
        os.setsid()
        if launch.filter:  # ours, beside the engine's own
            fprog = _Filter(len(launch.filter) // 8, launch.filter)
            if _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(fprog), 0, 0):
                raise OSError(ctypes.get_errno(), "seccomp")
        os.execve(launch.argv[0], launch.argv, launch.environment)  # noqa: S606
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    finally:
        os._exit(125)


def open_pipe() -> tuple[int, int]:
    """A pipe: the end to read from, which does not block, and the end for the program."""
    reading, low = os.pipe()
    writing = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LOWEST_OWN_DESCRIPTOR)
    os.close(low)
    os.set_blocking(reading, False)
    return reading, writing


class Relay:
    """The pipes of the program, by the kind of their frames."""

    def __init__(self, kinds: dict[int, bytes]) -> None:
        self._kinds = kinds
        self._poll = select.poll()
        for descriptor in (0, *kinds):
            self._poll.register(descriptor, select.POLLIN)

    def watch(self, descriptor: int) -> None:
        """Wake up for this descriptor too."""
        self._poll.register(descriptor, select.POLLIN)

    def step(self, wait_ms: int) -> None:
        """Send on what is there; ends the container when the worker is gone."""
        for descriptor, _ in self._poll.poll(wait_ms):
            if descriptor == 0:
                if not os.read(0, _READ_BYTES):
                    os._exit(_HOST_GONE)
            elif descriptor in self._kinds:
                self._pass_on(descriptor)
            else:
                os.read(descriptor, _READ_BYTES)

    def _pass_on(self, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            return False
        if data:
            send(self._kinds[descriptor], data)
            return True
        self._poll.unregister(descriptor)
        del self._kinds[descriptor]
        return False

    def finish(self) -> None:
        """Send on what is still in the pipes. Bounded: daemons may hold them and write on."""
        for descriptor in list(self._kinds):
            for _ in range(_LAST_READS):
                if not self._pass_on(descriptor):
                    break


def reap(program: int) -> int | None:
    """Collect every dead process; the exit code when the program is among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == program:
            ended = os.waitstatus_to_exitcode(status)
            code = 128 - ended if ended < 0 else ended


def start(launch: Launch) -> tuple[int, Relay]:
    """Start the program on pipes of its own; its process id and their relay."""
    pipes = [(open_pipe(), 1, b"o"), (open_pipe(), 2, b"e")]
    if launch.wants_channel:
        pipes.append((open_pipe(), _CHANNEL_DESCRIPTOR, b"c"))
    source = memory_file(launch.stdin)
    pid = os.fork()
    if pid == 0:
        # Every other descriptor closes by itself at execve.
        os.dup2(source, 0)
        for (_, writing), target, _ in pipes:
            os.dup2(writing, target)
        become(launch)
    os.close(source)
    kinds = {}
    for (reading, writing), _, kind in pipes:
        os.close(writing)
        kinds[reading] = kind
    return pid, Relay(kinds)


def run(launch: Launch) -> int:
    """Run the program to its end or to the deadline; its exit code."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    program, relay = start(launch)
    relay.watch(woken)
    deadline = time.monotonic() + launch.deadline_s
    while (code := reap(program)) is None:
        if time.monotonic() > deadline:
            os._exit(_TOO_LATE)
        relay.step(1000)
    relay.finish()
    return code


def main() -> None:
    """Take the launch from the worker and carry it out."""
    if _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 takes only signals that it handles
    send(b"x", str(run(read_launch())).encode())
    os._exit(0)  # the worker waits for this container to be gone


if __name__ == "__main__":
    main()
