"""The child's pen: writes records to the supervisor with functions taken before any other code ran."""

from __future__ import annotations

from fcntl import F_DUPFD_CLOEXEC, fcntl
from posix import close, getpid

from sandbox.harness import chain

_OUT_OF_THE_WAY = 200  # tests that close "all" descriptors mostly stop before


class Recorder:
    """Appends records to the supervisor's pipe; silent in forked copies of this process."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self._writer = chain.Writer(fcntl(descriptor, F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY), key)
        close(descriptor)
        self._owner = getpid()

    @property
    def is_ours(self) -> bool:
        """Tell whether this is the process that was started, not a fork made by a test."""
        return getpid() == self._owner

    def record(self, kind: str, **fields: object) -> None:
        """Write one record."""
        if self.is_ours:
            self._writer.write(chain.encode({"kind": kind, **fields}))
