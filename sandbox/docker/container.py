"""How a command is locked in: the settings of its container, and the labels that say whose it is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from sandbox.base import Limits, Mount, MountMode
from sandbox.layout import SCRATCH_TARGETS
from sandbox.limits import MEBIBYTE

PYTHON = ("/usr/bin/python3", "-I", "-S", "-c")
NO_NETWORK = "none"
# The engine's own list and, as under bubblewrap, the machine's description in /sys.
MASKED = (
    "/sys", "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
    "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats",
)  # fmt: skip
READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
_OWN_PROCESSES = 2  # the entry program, and one that is being replaced
_PROCESSORS = 2


def program_of_ours(name: str) -> str:
    """The text of a module beside this one that runs inside a container."""
    return Path(__file__).with_name(f"{name}.py").read_text()


@dataclass(frozen=True, slots=True)
class Locked:
    """One container: what runs in it, as whom, with which mounts, network and limits.

    `owner` is "uid:gid". `scratch_bytes` is the size of each scratch folder, 0 for none of them.
    """

    name: str
    image: str
    program: str
    owner: str
    labels: Mapping[str, str]
    mounts: tuple[Mount, ...] = ()
    network: str = NO_NETWORK
    limits: Limits = field(default_factory=Limits)
    processors: int = _PROCESSORS
    scratch_bytes: int = 0
    capabilities: tuple[str, ...] = ()

    def options(self) -> dict[str, Any]:
        """The options of the SDK's `create_container`."""
        return {
            "name": self.name,
            "image": self.image,
            "entrypoint": [*PYTHON, self.program],
            "command": [],
            "user": self.owner,
            "working_dir": "/",
            "labels": dict(self.labels),
            "stdin_open": True,  # and closed for good when the worker's end closes
            "healthcheck": {"test": ["NONE"]},
            **({} if self.network.startswith("container:") else {"hostname": "sandbox"}),
        }

    def host_options(self) -> dict[str, Any]:
        """The options of the SDK's `create_host_config`."""
        memory = (self.limits.memory_mb + self.limits.disk_mb) * MEBIBYTE
        scratch: dict[str, str] = {}
        if self.scratch_bytes:
            uid, _, gid = self.owner.partition(":")
            options = f"rw,exec,nosuid,nodev,mode=755,uid={uid},gid={gid},size={self.scratch_bytes}"
            options += f",nr_inodes={self.limits.entries}"
            scratch = {target: options for _, target in SCRATCH_TARGETS}
        file_bytes = self.limits.file_size_mb * MEBIBYTE
        return {
            "cap_drop": ["ALL"],
            "cap_add": list(self.capabilities),
            "security_opt": ["no-new-privileges:true"],
            "read_only": True,
            "network_mode": self.network,
            "mem_limit": memory,
            "memswap_limit": memory,  # the same: no swap
            "pids_limit": self.limits.processes + _OWN_PROCESSES,
            "nano_cpus": min(self.processors, _PROCESSORS) * 10**9,
            "tmpfs": scratch,
            "mounts": [
                {
                    "Type": "bind",
                    "Source": mount.source,
                    "Target": mount.target,
                    "ReadOnly": mount.mode is MountMode.READ_ONLY,
                }
                for mount in self.mounts
            ],
            "log_config": {"Type": "none", "Config": {}},
            "ipc_mode": "private",
            "ulimits": [
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "fsize", "Soft": file_bytes, "Hard": file_bytes},
            ],
        }


# --- makes the mount points inside other mounts, so that they belong to the worker and not to root


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def make_mount_points(mounts: Iterable[Mount]) -> None:
    """Make what is missing; `mounts` are in mounting order, parents first.

    A link in the way is left to the engine, which resolves it inside the container: here it could
    lead out of the folder.
    """
    above: list[Mount] = []
    for mount in mounts:
        target = PurePosixPath(mount.target)
        around = [one for one in above if target.is_relative_to(one.target)]
        if around and around[-1].mode is MountMode.WRITABLE:
            inside = target.relative_to(around[-1].target)
            _make(around[-1].source, inside.parts, is_folder=Path(mount.source).is_dir())
        above.append(mount)


def _make(folder: str, parts: tuple[str, ...], *, is_folder: bool) -> None:
    if not parts:
        return
    at = os.open(folder, _FOLDER)
    try:
        for part in parts[:-1] if not is_folder else parts:
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=at)
            outer, at = at, os.open(part, _FOLDER, dir_fd=at)
            os.close(outer)
        if not is_folder:
            os.close(os.open(parts[-1], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644, dir_fd=at))
    except OSError:
        return  # something stands in the way: the engine will say so, or use it
    finally:
        os.close(at)


# --- whose container it is -------------------------------------------------------------------------
# A worker is known by its PID namespace, process id and start time. Another worker in the same
# namespace can see that it is gone; one elsewhere, on another machine or in another container, goes by
# the time after which no command of it may still run.


OURS = "org.assay.sandbox"
WORKER = "org.assay.worker"
_UNTIL = "org.assay.until"
_SPARE_S = 120


def labels(timeout_s: float) -> dict[str, str]:
    """The labels of a container that this process starts now."""
    until = int(time.time() + timeout_s + _SPARE_S)
    pid = str(os.getpid())
    return {OURS: "1", WORKER: f"{_namespace()} {pid} {_start_time(pid)}", _UNTIL: str(until)}


def _namespace() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"


def _start_time(pid: str) -> str:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_abandoned(labelled: Mapping[str, str], now: float) -> bool:
    """True when nobody waits for this container any more."""
    namespace, _, process = labelled.get(WORKER, "").partition(" ")
    pid, _, started = process.partition(" ")
    if namespace == _namespace() and pid.isdigit():
        return _start_time(pid) != started
    until = labelled.get(_UNTIL, "")
    return not until.isdigit() or int(until) < now
