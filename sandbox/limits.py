"""Keeps a command within its memory and disk: cgroups where they can be written, else a watchdog.

Scratch space is memory too (a sized tmpfs), so a cgroup gets `memory_mb + disk_mb` as its hard limit
and the watchdog ends the command when its processes alone hold more than `memory_mb`. Without a
cgroup the watchdog sums the process tree; it looks every 0.1 s, so a burst can go over for so long.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import stat
import time
from collections import defaultdict
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sandbox.base import Killed, Limits, Mount, MountMode
from sandbox.disk import check_disk
from sandbox.errors import DiskTrouble

MEBIBYTE = 1 << 20
_LOOK_EVERY_S = 0.1
_LOW_BYTES = 64 * MEBIBYTE
_SCAN_EVERY_S = 10.0
_REMOVE_TRIES = 50
_GROUP_PREFIX = "assay-"


@dataclass(frozen=True, slots=True)
class GroupFiles:
    """What the files of a memory cgroup are called in one version of the interface."""

    limit: str
    events: str
    held_key: str


V1 = GroupFiles("memory.limit_in_bytes", "memory.oom_control", "total_rss")
V2 = GroupFiles("memory.max", "memory.events", "anon")


def _number(file: Path, key: str) -> int:
    for line in file.read_text().splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return int(value)
    return 0


class MemoryGroup:
    """One command's memory cgroup; a context manager that removes it."""

    def __init__(self, folder: Path, files: GroupFiles, limit_bytes: int) -> None:
        self._folder = folder
        self._files = files
        folder.mkdir()
        (folder / files.limit).write_text(str(limit_bytes))
        if files is V2:
            with suppress(OSError):  # a kernel without swap accounting has no such file
                (folder / "memory.swap.max").write_text("0")

    @property
    def procs(self) -> str:
        """The file into which a process writes its pid to enter."""
        return str(self._folder / "cgroup.procs")

    def held_bytes(self) -> int:
        """What the processes hold, without files in scratch space."""
        return _number(self._folder / "memory.stat", self._files.held_key)

    def ran_out(self) -> bool:
        """True when the kernel killed a process for want of memory."""
        return _number(self._folder / self._files.events, "oom_kill") > 0

    def remove(self) -> None:
        """Remove the group; its processes are dead, but the kernel may need a moment to see it."""
        for _ in range(_REMOVE_TRIES):
            try:
                self._folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.002)
            else:
                return


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A cgroup folder in which this process may make groups."""

    folder: Path
    files: GroupFiles

    def group(self, limits: Limits) -> MemoryGroup:
        """A new group for one command. Raises OSError."""
        name = f"{_GROUP_PREFIX}{_namespace()}-{os.getpid()}-{secrets.token_hex(6)}"
        limit_bytes = (limits.memory_mb + limits.disk_mb) * MEBIBYTE
        return MemoryGroup(self.folder / name, self.files, limit_bytes)

    def sweep(self) -> None:
        """Remove the groups of workers that are gone."""
        own = f"{_GROUP_PREFIX}{_namespace()}-"  # elsewhere a process id is another process's
        for folder in self.folder.glob(f"{own}*"):
            pid = folder.name.removeprefix(own).partition("-")[0]
            if pid.isdigit() and not Path("/proc", pid).exists():
                with suppress(OSError):
                    folder.rmdir()


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _candidates(own: str, root: Path) -> Iterable[tuple[Path, GroupFiles]]:
    """Where groups may be made, nearest to this process first; `own` is /proc/self/cgroup's text."""
    for line in own.splitlines():
        number, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            top = root / "memory"
            yield from ((top / path.lstrip("/"), V1), (top, V1))
        elif number == "0" and (root / "cgroup.controllers").exists():
            # A v2 group that holds processes gives its children no controllers: try beside it.
            here = root / path.lstrip("/")
            yield from ((here, V2), (here.parent, V2)) if here != root else ((here, V2),)


def find_group_parent(own: str, root: Path) -> GroupParent | None:
    """The first cgroup folder in which a group with a memory limit can really be made, if any."""
    for folder, files in _candidates(own, root):
        parent = GroupParent(folder, files)
        try:
            parent.group(Limits()).remove()
        except OSError:
            with suppress(OSError):
                parent.sweep()
        else:
            return parent
    return None


def tree_of(pid: int) -> list[int]:
    """The process and all its descendants."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in os.listdir("/proc"):  # noqa: PTH208  several times a second
        if name.isdigit():
            with suppress(OSError):
                text = Path("/proc", name, "stat").read_text(errors="replace")
                children[int(text.rpartition(")")[2].split()[1])].append(int(name))
    found = [pid]
    for process in found:
        found += children[process]
    return found


def _pss_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _rss_bytes(pid: int) -> int:
    with suppress(OSError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0


class HeldMemory(Protocol):
    """Says how much memory the processes of a command hold."""

    def held_bytes(self) -> int:
        """Bytes held now."""

    def ran_out(self) -> bool:
        """True when the kernel killed a process for want of memory: those left hold less then."""


@dataclass(frozen=True, slots=True)
class TreeMemory:
    """Memory of a process tree where no cgroup counts it."""

    pid: int
    limit_bytes: int

    def held_bytes(self) -> int:
        """The sum of resident memory; shared pages are told apart only when it matters."""
        tree = tree_of(self.pid)
        resident = sum(map(_rss_bytes, tree))
        return resident if resident <= self.limit_bytes else sum(map(_pss_bytes, tree))

    def ran_out(self) -> bool:
        """Nothing but the watchdog ends it."""
        return False


@dataclass(frozen=True, slots=True)
class DiskUse:
    """What folders hold: bytes on disk, and how many entries."""

    bytes: int
    entries: int

    def exceeds(self, other: DiskUse) -> bool:
        """Tell whether either is more."""
        return self.bytes > other.bytes or self.entries > other.entries


def folder_use(folder: str, stop_at: DiskUse) -> DiskUse:
    """What a folder holds, counted until `stop_at` is passed."""
    total = entries = 0
    for root, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        for name in names if entries <= stop_at.entries else ():
            with suppress(OSError):
                status = os.lstat(os.path.join(root, name))  # noqa: PTH118  called 50,000 times
                total += 0 if stat.S_ISLNK(status.st_mode) else status.st_blocks * 512
        if total > stop_at.bytes or entries > stop_at.entries:
            break
    return DiskUse(total, entries)


_ALL = DiskUse(1 << 62, 1 << 62)


class DiskWatch:
    """Says when the writable folders of a command grew by more than its limits."""

    def __init__(
        self, folders: Iterable[str], limits: Limits, scan_every_s: float = _SCAN_EVERY_S
    ) -> None:
        self._folders = tuple(folders)
        self._limit = DiskUse(limits.disk_mb * MEBIBYTE, limits.entries)
        self._scan_every_s = scan_every_s
        self._started = {folder: folder_use(folder, _ALL) for folder in self._folders}
        self._least: int | None = None  # bytes free on any of their disks, at any look
        self._free = self._free_now()
        self._scanned = time.monotonic()

    @classmethod
    def of(cls, mounts: Iterable[Mount], limits: Limits) -> DiskWatch:
        """Watch the folders among the mounts that a command writes to."""
        writable = (mount.source for mount in mounts if mount.mode is MountMode.WRITABLE)
        return cls((source for source in writable if Path(source).is_dir()), limits)

    def check(self) -> None:
        """Raise DiskTrouble where a failed command may have failed for want of the machine's disk."""
        if not self._folders:
            return
        self._free_now()
        if self._least is not None and self._least < _LOW_BYTES:
            raise DiskTrouble("The disk of the machine that judges was full while a command ran.")
        for folder in self._folders:
            check_disk(Path(folder))

    def _free_now(self) -> DiskUse:
        statuses = {os.stat(f).st_dev: os.statvfs(f) for f in self._folders}.values()  # noqa: PTH116
        free = [status.f_bavail * status.f_frsize for status in statuses]
        self._least = min(free if self._least is None else (*free, self._least), default=None)
        return DiskUse(
            sum(free),
            sum(status.f_favail for status in statuses),
        )

    def passed(self, *, at_the_end: bool = False) -> Killed | None:
        """Look at what the file system has left, cheap; count when that shrank or from time to time."""
        if not self._folders:
            return None
        free, now = self._free_now(), time.monotonic()
        used = DiskUse(self._free.bytes - free.bytes, self._free.entries - free.entries)
        is_due = at_the_end or now - self._scanned >= self._scan_every_s
        if not used.exceeds(self._limit) and not is_due:
            return None
        self._scanned = now
        grown = []
        for folder, before in self._started.items():
            most = DiskUse(before.bytes + self._limit.bytes, before.entries + self._limit.entries)
            found = folder_use(folder, most)
            grown.append(DiskUse(found.bytes - before.bytes, found.entries - before.entries))
        if sum(one.entries for one in grown) > self._limit.entries:
            return Killed.ENTRIES
        return Killed.DISK if sum(one.bytes for one in grown) > self._limit.bytes else None


async def limit_reached(memory: HeldMemory, limit_bytes: int, disk: DiskWatch) -> Killed:
    """Look again and again; returns the limit that was passed."""
    while True:
        with suppress(OSError):  # the tree may be ending just now
            if memory.held_bytes() > limit_bytes or memory.ran_out():
                return Killed.MEMORY
        if passed := await asyncio.to_thread(disk.passed):
            return passed
        await asyncio.sleep(_LOOK_EVERY_S)


async def first_end(
    ended: Coroutine[Any, Any, None],
    passed: Coroutine[Any, Any, Killed],
    overflowed: asyncio.Event,
    timeout_s: float,
) -> Killed | None:
    """Wait for a program's end or the first limit that it runs into. Raises what `ended` does."""
    end, limit = asyncio.create_task(ended), asyncio.create_task(passed)
    overflow = asyncio.create_task(overflowed.wait())
    tasks: tuple[asyncio.Task[None] | asyncio.Task[bool] | asyncio.Task[Killed], ...]
    tasks = (end, overflow, limit)
    try:
        done, _ = await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if overflowed.is_set():
            return Killed.CHANNEL
        if end in done:
            end.result()
            return None
        return limit.result() if limit in done else Killed.TIMEOUT
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
