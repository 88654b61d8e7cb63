"""The seam to the sandbox: what to run, within which limits, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

TREE = "/work/tree"
"""Where the tree under test stands inside the sandbox, the same for base and head."""


class Network(StrEnum):
    """What a command may reach. BUILD: the outside by name, never the host or private addresses."""

    NONE = "none"
    BUILD = "build"


class MountMode(StrEnum):
    """How a host folder appears inside."""

    READ_ONLY = "read_only"
    WRITABLE = "writable"  # writes reach the host folder: only for folders made for that purpose
    COPY_ON_WRITE = "copy_on_write"  # writes are seen by this command and then thrown away


@dataclass(frozen=True, slots=True)
class Mount:
    """A host folder or file at an absolute path inside."""

    source: str
    target: str
    mode: MountMode = MountMode.READ_ONLY


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use. The output limit is per stream: head and tail are kept."""

    timeout_s: float = 600.0
    memory_mb: int = 4096
    processes: int = 512
    file_size_mb: int = 1024
    disk_mb: int = 4096
    entries: int = 500_000  # files, folders and links that are made, in each place that is counted
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Command:
    """One program to run in a fresh sandbox.

    `environment` is the whole environment: nothing is inherited. `channel_bytes` > 0 gives the
    program a private pipe to the host whose descriptor number is in `ASSAY_CHANNEL_FD`; what is
    written there comes back as `Completed.channel`.
    """

    argv: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    cwd: str = TREE
    stdin: bytes = b""
    network: Network = Network.NONE
    limits: Limits = field(default_factory=Limits)
    channel_bytes: int = 0


class Killed(StrEnum):
    """Which limit ended the command."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    DISK = "disk"
    ENTRIES = "entries"
    CHANNEL = "channel"  # more than `channel_bytes` were written to the channel


@dataclass(frozen=True, slots=True)
class Completed:
    """What a finished command left. `exit_code` is None when it was killed by a limit."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    killed: Killed | None = None
    truncated: bool = False
    channel: bytes = b""


class SandboxError(Exception):
    """The sandbox itself could not start: what is missing, and the command that mends it if one is known."""

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(f"{what}: {next_step}" if next_step else what)
        self.what = what
        self.next_step = next_step


class Sandbox(Protocol):
    """Runs one command in isolation. A failing program is data; only the sandbox's own failure raises."""

    name: str

    async def run(self, command: Command) -> Completed:
        """Run to the end or to a limit. Cancelling the task kills the whole process tree.

        Raises SandboxError when isolation cannot be had.
        """
