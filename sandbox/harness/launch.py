"""Starts a test run: `python -S launch.py`, told what to do by one JSON line on standard input.

See the package's docstring for why there are two processes. The keys are made here and told to the
host as the first bytes of the channel, whose other end is outside: what comes by standard input can
be read again by everybody inside (`/proc/1/fd/0`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time

if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120

from sandbox.harness import chain, child

NO_TRACES = 4, 0  # PR_SET_DUMPABLE
"""Keeps processes of the same user out of our memory and descriptors (/proc/<pid>, ptrace)."""
ORPHANS = 36, 1  # PR_SET_CHILD_SUBREAPER
"""Makes us the parent of whatever loses its own, so that no process of a build gets away."""


def main() -> None:
    """Fork; the parent becomes the supervisor, the child runs the tests."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    orders_read, orders_write = os.pipe()
    records_read, records_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        for descriptor in (channel, orders_write, records_read):
            os.close(descriptor)
        child.main(orders_read, records_write)
    os.close(orders_read)
    os.close(records_write)
    ask_kernel(*NO_TRACES)
    supervisor, child_key = Supervisor(channel), os.urandom(chain.KEY_BYTES)
    told = json.loads(sys.stdin.buffer.readline())
    told.update(key=child_key.hex(), nonce="t" + os.urandom(8).hex())
    with os.fdopen(orders_write, "wb") as orders:
        orders.write(json.dumps(told).encode())
    supervisor.keep(pid, records_read, chain.Reader(child_key))
    os._exit(0)


def ask_kernel(option: int, value: int) -> None:
    """Have the kernel keep something so for this process, where it can."""
    with contextlib.suppress(ImportError, OSError):
        import ctypes  # noqa: PLC0415 - only the supervisor may load it

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Supervisor:
    """Relays the child's records to the host under a key of its own, and says how the child ended."""

    def __init__(self, channel: int) -> None:
        self._writer = chain.Writer.begun(channel)
        self._believed = True

    def keep(self, pid: int, records: int, reader: chain.Reader, time_s: float = 0.0) -> int:
        """Relay until the child is gone, then write the end; return its wait status.

        After `time_s` (0: never) the child is killed, and whatever it started stays.
        """
        deadline = time.monotonic() + time_s if time_s else None
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(records, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)
        open_ends = [records, woken]
        status = self._ended(pid)
        while status is None:
            left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = select.select(open_ends, [], [], left_s)[0]
            if not ready:
                os.kill(pid, signal.SIGKILL)
                deadline = None
            if woken in ready:
                os.read(woken, 512)
            if records in ready and not self._relay(records, reader):
                open_ends.remove(records)
            status = self._ended(pid)
        self._relay(records, reader)
        if not reader.is_between_frames:
            self.tell({"kind": "cut"})
        self.tell({"kind": "ended", "status": status})
        signal.set_wakeup_fd(-1)
        os.close(woken)
        os.close(wake)
        return status

    def tell(self, record: dict[str, object]) -> None:
        """Write a record of the supervisor's own."""
        self._writer.write(chain.encode(record))

    def _relay(self, records: int, reader: chain.Reader) -> bool:
        """Forward what is there, as long as it can be believed; False at the end of the pipe."""
        while True:
            try:
                data = os.read(records, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            if not self._believed:
                continue
            try:
                for body in reader.feed(data):
                    self._writer.write(body)
            except chain.Broken as broken:
                self._believed = False
                self.tell({"kind": "forged", "why": str(broken)})

    def _ended(self, pid: int) -> int | None:
        done, status = os.waitpid(pid, os.WNOHANG)
        return status if done else None


if __name__ == "__main__":
    main()
